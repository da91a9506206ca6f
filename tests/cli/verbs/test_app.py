"""`raidtui` without a verb: which disks the app opens on."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.machine.system.places import designs_root
from raidtui.session.saved_designs import write_design
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.saved_design import SavedDesign
from raidtui.values.target import TargetVersions
from tests.machine.system.test_saved_designs import DESIGN

SYSTEM = Disk(id="wwn-0x1", size_bytes=10**12, protected=True, not_selectable="/")
NAMELESS = Disk(id="", size_bytes=10**12, not_selectable="it has no world-wide name and no serial number")
SPARE = Disk(id="wwn-0x2", size_bytes=10**12, not_selectable="not read: needs root")


def opened_on(monkeypatch: pytest.MonkeyPatch, found: Inventory | MachineFailed, *arguments: str) -> Inventory:
    """The inventory that the app is given on a machine where the probe answers `found`."""
    shown: list[Inventory] = []

    def probe(*_: object, **__: object) -> Inventory:
        if isinstance(found, MachineFailed):
            raise found
        return found

    def run(inventory: Inventory, **_: object) -> int:
        shown.append(inventory)
        return 0

    monkeypatch.setattr("raidtui.machine.system.host.SystemHost.begin", lambda *_: None)
    monkeypatch.setattr("raidtui.machine.inventory.probe.probe", probe)
    monkeypatch.setattr("raidtui.machine.system.versions.asked_versions", lambda: nullcontext(TargetVersions))
    monkeypatch.setattr("raidtui.cli.verbs.app.run", run)
    assert main(arguments) == 0
    return shown[0]


def test_the_app_opens_on_the_machine_that_has_spare_disks(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Inventory(origin="machine", name="stor01", disks=(SYSTEM, SPARE))
    assert opened_on(monkeypatch, machine) == replace(machine, target=TargetVersions())


@pytest.mark.parametrize("disk", [SYSTEM, NAMELESS])
def test_a_machine_without_a_spare_disk_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch, disk: Disk) -> None:
    machine = Inventory(origin="machine", name="laptop", disks=(disk,))
    assert opened_on(monkeypatch, machine) == replace(machine, target=TargetVersions())


def test_a_machine_that_cannot_be_read_is_shown_without_disks_and_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.node", lambda: "stor01")
    shown = opened_on(monkeypatch, MachineFailed("lsblk is not installed"))
    assert shown == Inventory(origin="machine", name="stor01", disks=(), unread=("lsblk is not installed",))
    assert capsys.readouterr().err == ""


def test_the_app_opens_on_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened_on(monkeypatch, MachineFailed("x"), "--inventory", "trio").name == "trio"


def test_the_app_opens_with_a_saved_design_and_refuses_a_hostile_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    given: list[SavedDesign] = []

    def run(_: Inventory, *, saved: SavedDesign, **__: object) -> int:
        given.append(saved)
        return 0

    monkeypatch.setattr("raidtui.cli.verbs.app.run", run)
    write_design(designs_root(), "wide", DESIGN)
    assert main(("--inventory", "trio", "--design", "wide")) == 0
    assert given == [DESIGN]
    assert main(("--inventory", "trio", "--design", "../wide")) == 2
    assert "'../wide' is not a name for a design" in capsys.readouterr().err
    assert main(("--inventory", "trio", "--design", "other")) == 2
    assert "there is no design 'other'" in capsys.readouterr().err
    assert given == [DESIGN]
