"""`raidtui fleet check`: each host checks its own plan; answers are folded, and nothing is written anywhere."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.engine.runs import read_plan
from raidtui.fleet.host_acts import OtherMachine, check_here
from raidtui.fleet.sheet_files import ConfirmedPlans, read_sheet
from raidtui.machine.inventory import shipped
from raidtui.values.codec import document_digest, to_json
from raidtui.values.errors import Exit
from raidtui.values.inventory import Inventory, Use
from tests.cli.commands import answer, called, document

pytestmark = pytest.mark.process  # each host is a process
RECIPE = 'layout = "raid6(2+2)"\nmail = "root"\n'


def host(folder: Path, name: str, inventory: Inventory) -> None:
    (folder / f"{name}.json").write_text(to_json(replace(inventory, name=name)))


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four hosts and their sheet; node3 got a file system since, node4 answers no more."""
    folder = tmp_path_factory.mktemp("fleet")
    chassis = shipped.load("nas4")
    for number in range(1, 5):
        host(folder, f"node{number}", chassis)
    (folder / "rack.toml").write_text(RECIPE)
    sheet = ("fleet", "plan", str(folder / "rack.toml"), "-w", "node[1-4]", "--out", str(folder / "sheet"))
    made = called(*sheet, "--worker", f"local:{folder}")
    assert made.returncode == Exit.DONE, made.stderr
    held = replace(chassis.disks[1], state="content", uses=(Use(kind="file-system", where="ext4", active=False),))
    host(folder, "node3", replace(chassis, disks=(chassis.disks[0], held, *chassis.disks[2:])))
    (folder / "node4.json").unlink()
    return folder


@pytest.fixture
def fleet(planned: Path, tmp_path: Path) -> Path:
    """A copy of them for one test."""
    return Path(shutil.copytree(planned, tmp_path / "fleet"))


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def test_answers_are_folded_and_nothing_is_written(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(fleet)
    where = ("--worker", f"local:{fleet}")
    shown = answer(capsys, "fleet", "check", str(fleet / "sheet"), *where, code=Exit.REFUSED).splitlines()
    assert shown[0] == "node[1-2]: ready"
    assert shown[1].startswith("node3: stale: ")
    assert "ext4" in shown[1]
    (silent,) = (line for line in shown if line.startswith("node4: "))
    assert silent.startswith("node4: refused: ")
    assert "No such file or directory" in silent
    assert shown[-1].partition(", ")[2] == "4 hosts: 2 ready, 1 stale, 1 refused; nothing was written"
    assert files(fleet) == before


def test_some_hosts(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--worker", f"local:{fleet}", "-w", "node2")
    found = document(capsys, "fleet", "check", str(fleet / "sheet"), *where)
    assert [(each["host"], each["verdict"], each["sentence"]) for each in found["hosts"]] == [("node2", "ready", "")]


def test_a_plan_that_is_not_the_sheets_is_asked_of_no_host(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = fleet / "sheet"
    (sheet / "node1" / "plan.json").write_bytes((sheet / "node2" / "plan.json").read_bytes())
    assert main(["fleet", "check", str(sheet), "--worker", f"local:{fleet}"]) == Exit.USAGE
    assert "node1/plan.json is not the plan of the sheet: their digests differ" in capsys.readouterr().err


def test_a_plan_of_simulated_disks_is_never_checked_on_a_real_host(fleet: Path) -> None:
    with pytest.raises(OtherMachine, match="a simulated plan and a real host do not belong together"):
        check_here(read_plan(fleet / "sheet" / "node1" / "plan.json"), None)


def test_a_sheet_with_a_name_that_ssh_would_take_for_an_option_is_refused(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its digest fits: whoever wrote it could write that too."""
    path = fleet / "sheet" / "sheet.json"
    sheet = read_sheet(path)
    first = replace(sheet.hosts[0], host="-oProxyCommand=touch pwned")
    hostile = replace(sheet, hosts=(first, *sheet.hosts[1:]))
    path.write_text(to_json(replace(hostile, digest=document_digest(hostile))))
    for verb in ("status", "check", "resume"):
        assert main(["fleet", verb, str(fleet / "sheet"), "--ssh", "/nowhere"]) == Exit.USAGE
        assert "'-oProxyCommand=touch pwned' is not a host name" in capsys.readouterr().err


def test_plans_are_kept_as_they_were_read(fleet: Path) -> None:
    hosts = [host for host in read_sheet(fleet / "sheet" / "sheet.json").hosts if host.state == "planned"]
    plans = ConfirmedPlans(fleet / "sheet", hosts)
    expected = {host.host: read_plan(fleet / "sheet" / host.host / "plan.json") for host in hosts}
    shutil.rmtree(fleet / "sheet")
    assert {host.host: plans.of(host.host) for host in hosts} == expected
