"""`raidtui tune` with a layout, on simulated disks: what it prints and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.values.errors import Exit

CHASSIS = ["--inventory", "e2660"]
TUNE = ["tune", "(2+1)+1", *CHASSIS, "--chunks", "64K,512K", "--seconds", "1", "--repeats", "2"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """State directory of simulated runs."""
    return tmp_path / "state" / "raidtui" / "simulated"


def test_a_dry_run_names_every_command_and_the_digest_and_writes_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*TUNE, "--dry-run"]) == Exit.DONE
    said = capsys.readouterr().out
    assert all(line.startswith("SIMULATED") for line in said.splitlines())
    assert said.count("mdadm --create /dev/md/trial ") == 2
    assert "--size=2097152" in said and "--assume-clean" in said and "Digest of the tuning: " in said
    assert main([*TUNE, "--dry-run", "--json"]) == Exit.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["tuning"]["digest"] in said
    assert [len(commands) > 10 for commands in document["commands"]] == [True, True]
    assert not home.exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ([*TUNE], Exit.REFUSED, "confirmation needs a terminal"),
        ([*TUNE, "--yes"], Exit.USAGE, "must be given together"),
        ([*TUNE, "--yes", "--confirm", "0" * 64], Exit.REFUSED, "not the digest"),
        ([*TUNE, "--fs", "none"], Exit.USAGE, "cannot be tried"),
        ([*TUNE, "--chunks", "9Q"], Exit.USAGE, "--chunks"),
        ([*TUNE, "--slice", "1M"], Exit.USAGE, "slice"),
        ([*TUNE, "--seconds", "0"], Exit.USAGE, "out of range"),
        ([*TUNE, "--profile", "ladder"], Exit.DONE, ""),
        (["tune"], Exit.USAGE, "no layout"),
        (["tune", "--attach", "abcdef"], Exit.USAGE, "no tuning starts with 'abcdef'"),
    ],
)
def test_what_is_declined(words: list[str], code: Exit, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    if code == Exit.DONE:
        words = [*words, "--dry-run"]
    assert main(words) == code
    assert told in capsys.readouterr().err


def test_tunings_that_this_user_may_not_read_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forbidden, iterdir = home / "tunings", Path.iterdir
    forbidden.mkdir(parents=True)

    def read(path: Path) -> Iterator[Path]:
        if path == forbidden:
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", read)
    assert main(["status"]) == Exit.DONE
    said = capsys.readouterr()
    assert said.out == "no runs\n"
    assert said.err == f"raidtui: not read: {forbidden}: Permission denied; run it as root\n"
    assert main(["tune", "--attach", "abcdef"]) == Exit.USAGE
    assert f"{forbidden}: Permission denied; run it as root" in capsys.readouterr().err


@pytest.mark.process
def test_chunks_are_tried_once_and_a_trial_is_not_built(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fast = ["--speed-up", "100000", "--json"]
    main([*TUNE, "--dry-run", "--json"])
    digest = json.loads(capsys.readouterr().out)["tuning"]["digest"]
    assert main([*TUNE, "--yes", "--confirm", digest, *fast]) == Exit.DONE
    tuned = json.loads(capsys.readouterr().out)
    assert [(each["outcome"], each["undone"]) for each in tuned["trials"]] == [("measured", True)] * 2
    assert tuned["tuning"]["simulated"] is True and tuned["warnings"][0].startswith("all figures come from")
    labels = {label for each in tuned["trials"] for work in each["workloads"] for label in work["figure"]["labels"]}
    assert "simulated" in labels
    assert main([*TUNE, "--yes", "--confirm", digest, *fast]) == Exit.REFUSED  # it counts once
    assert "not the digest" in capsys.readouterr().err
    assert main(["status", tuned["tuning"]["id"][:8], "--json"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out) == tuned
    trial = json.loads((home / "tunings" / tuned["tuning"]["id"] / "plans" / "01.json").read_text())
    (tmp_path / "trial.json").write_text(json.dumps(trial))
    assert main(["build", str(tmp_path / "trial.json"), *CHASSIS]) == Exit.REFUSED
    assert "plan of a trial" in capsys.readouterr().err
