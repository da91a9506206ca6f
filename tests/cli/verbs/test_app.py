"""`raidtui` without a verb: which disks the app opens on."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from raidtui.cli import main
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.target import Target

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
    monkeypatch.setattr("raidtui.machine.system.versions.asked_versions", lambda: nullcontext(Target))
    monkeypatch.setattr("raidtui.cli.verbs.app.run", run)
    assert main(arguments) == 0
    return shown[0]


def test_the_app_opens_on_the_machine_that_has_spare_disks(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Inventory(origin="machine", name="stor01", disks=(SYSTEM, SPARE))
    assert opened_on(monkeypatch, machine) == replace(machine, target=Target())


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Inventory(origin="machine", name="laptop", disks=(SYSTEM,)), "no spare disks here"),
        (Inventory(origin="machine", name="cloud", disks=(NAMELESS,)), "no spare disks here"),
        (MachineFailed("lsblk is not installed"), "lsblk is not installed"),
    ],
)
def test_where_no_disk_is_spare_it_opens_on_a_simulated_chassis_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: Inventory | MachineFailed,
    reason: str,
) -> None:
    shown = opened_on(monkeypatch, found)
    assert (shown.name, shown.simulated, len(shown.disks)) == ("e2660", True, 60)
    assert capsys.readouterr().err == f"raidtui: {reason}; showing the simulated chassis e2660\n"


def test_the_app_opens_on_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened_on(monkeypatch, MachineFailed("x"), "--inventory", "trio").name == "trio"
