"""`raidtui fleet disks` on simulated hosts; they are processes of this machine."""

import json
import shutil
from pathlib import Path

import pytest

from raidtui.cli import main
from tests.benchmarks.fleet_hosts import write_hosts
from tests.cli.commands import answer, document

pytestmark = pytest.mark.process
Printed = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six hosts with 60 disks each: node0004 lacks one, node[0005-0006] have other firmware."""
    found = tmp_path_factory.mktemp("hosts")
    write_hosts(found, 6)
    return found


@pytest.fixture
def folder(hosts: Path, tmp_path: Path) -> Path:
    """A copy of them for one test."""
    return shutil.copytree(hosts, tmp_path / "hosts")


def test_hosts_are_folded_stored_and_compared(folder: Path, capsys: Printed) -> None:
    asked = ["fleet", "disks", "-w", "node[0001-0006]", "--worker", f"local:{folder}"]
    assert answer(capsys, *asked).splitlines()[1:] == [
        "SIMULATED  node[0001-0003]: 60 x 2.00 TB NL2000SAS72 firmware 0001, alike",
        "SIMULATED  node[0005-0006]: firmware 0002 in place of 0001 on all disks",
        "SIMULATED  node0004: drawer 2 slot 07 empty (2.00 TB SIM NL2000SAS72 elsewhere)",
    ]
    (folder / "node0001.json").write_text((folder / "node0006.json").read_text())
    lines = answer(capsys, *asked).splitlines()
    assert "SIMULATED    node0001: 60 disks are gone" in lines
    assert "SIMULATED    node0001: 60 disks are new" in lines
    assert answer(capsys, *asked).splitlines()[-1] == "SIMULATED  no change of node[0001-0006] since the last look"


def test_hosts_that_do_not_answer_are_named_and_the_exit_code_says_so(folder: Path, capsys: Printed) -> None:
    (folder / "node0002.json").write_text('{"schema": "raidtui/inventory/1", "disks": "\\u001b[31m"}')
    (folder / "node0003.json").unlink()
    asked = ["fleet", "disks", "--host", "node0001", "-w", "node[0002-0003]", "--worker", f"local:{folder}"]
    lines = answer(capsys, *asked, code=3).splitlines()
    assert lines[0].startswith("SIMULATED  1 of 3 hosts answered, the slowest in ")
    assert lines[2:] == [
        "SIMULATED  node0002: no valid answer: its answer: inventory.origin: Field required (and 2 more)",
        "SIMULATED    install the same version on all hosts, then raidtui disks --json there",
        f"SIMULATED  node0003: refused: {folder}/node0003.json: No such file or directory",
        "SIMULATED    store an inventory there: raidtui disks --json",
    ]


def test_json_holds_every_host_once(folder: Path, tmp_path: Path, capsys: Printed) -> None:
    (tmp_path / "list").write_text("# rack 1\nnode[0001-0002]  # two\n\nnode0002\nnode0009\n")
    found = document(
        capsys, "fleet", "disks", "--hosts-file", str(tmp_path / "list"), "--worker", f"local:{folder}", code=3
    )  # fmt: skip
    assert found["schema"] == "raidtui/fleet-look/1"
    assert [host["host"] for host in found["inventory"]["hosts"]] == ["node0001", "node0002", "node0009"]
    assert found["inventory"]["hosts"][2]["problem"]["state"] == "refused"
    assert [group["hosts"] for group in found["machines"]] == [["node0001", "node0002"]]


def test_what_is_named_wrongly_is_refused_before_anything_runs(tmp_path: Path, capsys: Printed) -> None:
    for words, message in (
        ([], "no hosts"),
        (["-w", "node[1-"], "missing bracket"),
        (["--host=-oProxyCommand=x y"], "is not a host name"),
        (["--host", "a", "--worker", "local:/nowhere"], "invalid --worker"),
        (["--hosts-file", str(tmp_path)], "is a directory"),
    ):
        assert main(["fleet", "disks", *words]) == 2
        assert message in capsys.readouterr().err


def test_groups_are_those_of_clustershell(
    folder: Path, tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of its own: ClusterShell reads its configuration once."""
    (tmp_path / "groups.conf").write_text("[Main]\ndefault: racks\nautodir: $CFGDIR\n")
    (tmp_path / "racks.yaml").write_text("racks:\n  rack1: 'node[0001-0002]'\n")
    monkeypatch.setenv("CLUSTERSHELL_CFGDIR", str(tmp_path))
    from tests.cli.commands import raidtui

    done = raidtui("fleet", "disks", "-w", "@rack1", "--worker", f"local:{folder}", "--json")
    assert done.stderr == ""
    assert [host["host"] for host in json.loads(done.stdout)["inventory"]["hosts"]] == ["node0001", "node0002"]
