"""`raidtui bench --hosts`: what is refused before anything starts, and what each host would be told."""

import json

import pytest

from raidtui.cli import main


def test_what_is_no_host_ends_with_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for hosts in ("-oProxyCommand=id", "a;b", "a,a", "root@a"):
        assert main(["bench", "/srv", f"--hosts={hosts}", "--dry-run"]) == 2
        assert capsys.readouterr().out == ""


def test_hosts_go_with_no_simulated_disks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "/srv", "--hosts", "a", "--disks", "12x2TB", "--dry-run"]) == 2
    assert "--hosts cannot be combined with --inventory, --disks or --resume" in capsys.readouterr().err
    assert main(["bench", "srv", "--hosts", "a", "--dry-run"]) == 2
    assert main(["bench", "/srv", "--hosts", "a", "--room", "much", "--dry-run"]) == 2


def test_a_dry_run_shows_every_job_file_and_connects_to_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["bench", "/srv", "--hosts", "stor01,stor02", "--room", "8GiB", "--dry-run"]
    assert main(argv) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "# task 1 on stor01" in shown
    assert "# task 1 on stor02" in shown
    assert "directory=/srv" in shown
    assert main([*argv, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [job["host"] for job in document["jobs"]][:2] == ["stor01", "stor02"]
    assert document["bench"]["conditions"]["hosts"] == "stor01, stor02"
    names = {line for job in document["jobs"][:2] for line in job["job_file"].splitlines() if "filename" in line}
    assert len(names - {"unique_filename=0"}) == 2


def test_without_agents_it_says_how_to_start_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "/srv", "--hosts", "127.0.0.1:1", "--yes"]) == 1
    assert "fio --server=ip:ADDRESS,1; or use --ssh" in capsys.readouterr().err
