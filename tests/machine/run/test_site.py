import contextlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.process import carry_out, checked
from raidtui.engine.site import RealSite, SimulatedSite, holder_of, locked, present, site_for, site_of_run
from raidtui.machine.inventory import shipped
from raidtui.machine.system.places import lock_is_free, simulated_root, take_lock
from raidtui.machine.system.ports import Host
from raidtui.predict.stated_disks import purchase
from raidtui.values.errors import BadInput, Locked, MachineFailed
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import Record
from tests.planner.plans import disks, machine, plan_of


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def simulated(inventory: Inventory, layout: str, count: int) -> Plan:
    return plan_of(layout, inventory.disks[:count], inventory=inventory, host=inventory.name)


def test_a_look_that_a_build_rests_on_waits_for_udev(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right after disks were wiped udev's records still tell of what was on them."""
    happened = []

    def find(name: str, places: Sequence[str]) -> None:
        del places
        happened.append(name)

    def looked(host: Host) -> Inventory:
        happened.append("looked")
        return machine(*disks(2))

    monkeypatch.setattr("raidtui.machine.system.programs.find", find)
    monkeypatch.setattr("raidtui.machine.inventory.probe.probe", looked)
    RealSite().inventory(plan_of("raid1(2)"))
    assert happened == ["udevadm", "looked"]


def test_a_plan_for_real_disks_is_built_here_and_nowhere_else() -> None:
    site = site_for(plan_of("raid1(2)"))
    assert isinstance(site, RealSite)
    assert (str(site.root), str(site.lock_path)) == ("/var/lib/raidtui", "/run/raidtui.lock")
    with pytest.raises(BadInput, match="is built on this machine"):
        site_for(plan_of("raid1(2)"), machine(*disks(2)))


@pytest.mark.parametrize("name", ["e2660", "nas4", "trio", "pod45", "jbod84"])
def test_a_plan_on_a_shipped_chassis_finds_it_and_is_ready_there(name: str, tmp_path: Path) -> None:
    inventory = shipped.load(name)
    free = inventory.free[:2]
    plan = plan_of("raid1(2)", free, inventory=inventory, host="elsewhere")
    site = site_for(plan)
    assert isinstance(site, SimulatedSite)
    assert site.root == tmp_path / "raidtui" / "simulated" == simulated_root()
    assert checked(plan, site, "", during_sync=False) == ()


def test_a_purchase_is_known_by_its_plan_or_named() -> None:
    bought = purchase("6x2TB")
    plan = simulated(bought, "(3+1)", 4)
    assert checked(plan, site_for(plan), "", during_sync=False) == ()
    assert checked(plan, site_for(plan, bought), "", during_sync=False) == ()


@pytest.mark.parametrize("journal", [1, 2])
@pytest.mark.parametrize("kind", ["4x2TB,2x400GB@SSD", "6x2TB"])
def test_a_write_journal_of_a_purchase_is_on_flash_unless_the_plan_warned(kind: str, journal: int) -> None:
    bought = purchase(kind)
    taken = bought.disks[: 4 + journal]
    plan = plan_of("(3+1)", taken, inventory=bought, host="purchase", journal=journal)
    assert checked(plan, site_for(plan), "", during_sync=False) == ()


def test_simulated_disks_that_nobody_knows_have_to_be_named() -> None:
    own = Inventory(origin="chassis", name="own", disks=disks(2))
    plan = simulated(own, "raid1(2)", 2)
    with pytest.raises(BadInput, match="are unknown here"):
        site_for(plan)
    assert checked(plan, site_for(plan, own), "", during_sync=False) == ()
    smaller = replace(own, disks=disks(2, 10**12))
    assert {each.code for each in checked(plan, site_for(plan, smaller), "", during_sync=False)} == {"disk-changed"}


def test_the_machine_of_a_simulated_run_lies_in_its_directory(tmp_path: Path) -> None:
    plan = simulated(purchase("2x2TB"), "raid1(2)", 2)
    site = site_for(plan)
    site.prepare(tmp_path)
    again = site_of_run(tmp_path, plan, speed_up=10)
    assert again.inventory(plan) == site.inventory(plan)
    assert again.reader().syncing() == ()
    assert again.simulated


def test_one_run_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.engine.site._PATIENCE", 0)
    plan = simulated(purchase("2x2TB"), "raid1(2)", 2)
    site = site_for(plan)
    assert holder_of(site) == ""
    with locked(site.lock_path):
        assert "script" in holder_of(site)
        assert {each.code for each in checked(plan, site, holder_of(site), during_sync=False)} == {"locked"}
        with pytest.raises(Locked), locked(site.lock_path):
            raise AssertionError
    assert holder_of(site) == ""


def test_a_lock_that_is_no_regular_file_is_refused_and_nothing_waits_for_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    os.mkfifo(lock)
    for look in (take_lock, lock_is_free):
        with pytest.raises(MachineFailed, match=r"lock is not a regular file"):
            look(lock)


def _built(name: str) -> Path:
    """A simulated run on a chassis of which something stands."""
    inventory = shipped.load(name)
    plan = simulated(inventory, "raid1(2)", 2)
    site = site_for(plan, inventory)
    folder = journal.create(site.root, plan)
    site.prepare(folder)
    site = site_of_run(folder, plan, speed_up=1e9)
    with contextlib.closing(journal.Journal(folder, "build")) as kept:
        assert carry_out(plan, site, site.runner(0), kept, ControlRequest) == 0
    return folder


def test_runs_on_other_machines_are_no_part_of_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of fifty old runs neither journal nor machine is opened up, unless it has the disks that are asked for."""
    folder = _built("trio")
    looked: list[Path] = []
    records = journal.records

    def noted(folder: Path) -> tuple[Record, ...]:
        looked.append(folder)
        return records(folder)

    monkeypatch.setattr(journal, "records", noted)
    assert present(shipped.load("nas4")) == shipped.load("nas4")
    assert looked == []
    assert present(shipped.load("trio")) != shipped.load("trio")
    assert folder in looked


def test_a_run_whose_machine_was_removed_by_hand_says_so(tmp_path: Path) -> None:
    """Two runs on one machine, which the first one keeps."""
    home = _built("nas4")
    inventory = present(shipped.load("nas4"))
    free = inventory.free[:2]
    plan = plan_of("raid1(2)", free, inventory=inventory, host="nas4", name="second", run_id="ab" * 16)
    site = site_for(plan, inventory)
    folder = journal.create(site.root, plan)
    site.prepare(folder)
    assert site_of_run(folder, plan).inventory(plan).disks == inventory.disks
    shutil.rmtree(home)
    with pytest.raises(BadInput, match=f"was kept in {home}, which is gone") as told:
        site_of_run(folder, plan)
    assert told.value.hint == f"no disk was on it; remove {folder} too"
    assert present(shipped.load("nas4")) == shipped.load("nas4")
