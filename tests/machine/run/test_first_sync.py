"""A build during the first sync of its arrays, or after it, and power cuts in every state of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.site import SimulatedSite
from raidtui.values.plan import Plan
from raidtui.values.run import RunPurpose
from tests.machine.simulation import E2660, planned
from tests.simulated.fault_model import Fault, FaultSide, Killed
from tests.simulated.machine import FaultyMachine
from tests.suite import few

DONE = "every step is done and verified"
CUTS: tuple[tuple[str, FaultSide], ...] = (
    ("mdadm --manage", "before"),  # created, no spare yet
    ("update-initramfs", "before"),
    ("update-initramfs", "after"),
    ("systemctl restart", "after"),
    ("pvcreate", "after"),
    ("lvcreate", "after"),
    ("mkfs.xfs", "during"),
    ("mkfs.xfs", "after"),
    ("mount", "before"),
    ("mount", "after"),
    ("udevadm trigger", "after"),
)
KNOWN = CUTS[2:]
"""cuts after which a boot knows the arrays by name"""


class Bench:
    """A machine and a run on it."""

    def __init__(self, root: Path, plan: Plan) -> None:
        self.plan = plan
        self.machine = FaultyMachine(E2660)
        self.site = SimulatedSite(root, self.machine)
        self.folder = journal.create(root, plan)
        self.request = ControlRequest()

    def does(self, purpose: RunPurpose) -> None:
        """One executor to its end."""
        book = Journal(self.folder, purpose)
        try:
            assert carry_out(self.plan, self.site, self.machine, book, lambda: self.request) == 0
        finally:
            book.close()

    def is_cut(self, words: str, side: FaultSide) -> None:
        """A build that a power cut ends, and the boot after it."""
        self.machine.arm(Fault(kind="power", words=tuple(words.split()), side=side))
        with pytest.raises(Killed):
            self.does("build")
        self.machine.revive()

    def syncs(self) -> list[str]:
        """Actions of the arrays that sync."""
        return [sync.action for sync in self.machine.syncing()]

    def told(self) -> list[str]:
        """Texts of all records."""
        return [record.text for record in journal.records(self.folder)]

    def place(self, kind: str, word: str) -> int:
        """Place in the journal of the first record of this kind with this word in its text or its command."""
        records = journal.records(self.folder)
        return next(
            place
            for place, record in enumerate(records)
            if record.kind == kind and (word in record.text or word in record.argv)
        )


def test_file_systems_are_mounted_during_the_first_sync(tmp_path: Path) -> None:
    bench = Bench(tmp_path, planned("4x(12+2)+4"))
    bench.does("build")
    assert bench.told()[-1] == f"{DONE}; 4 arrays in the first sync, see raidtui status"
    assert bench.syncs() == ["resync"] * 4
    assert 60 < bench.machine.now < 90
    bench.machine.advance(6 * 3600)
    assert bench.syncs() == []


def test_the_arrays_are_known_and_monitored_before_anything_is_waited_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path, planned("2x(4+2)+2"))
    bench.request = ControlRequest(wait_for_sync=True)
    bench.machine = FaultyMachine(E2660, speed_up=3600)
    bench.site = SimulatedSite(tmp_path, bench.machine)
    bench.does("build")
    waits = bench.place("waiting", "waits until the arrays are in sync")
    assert bench.place("result", "update-initramfs") < bench.place("result", "restart") < waits
    assert bench.place("result", "lvcreate") < waits < bench.place("intent", "mkfs.xfs")
    assert bench.told()[-1] == DONE


@pytest.mark.parametrize("during_sync", [False, True])
def test_file_systems_of_a_raid5_wait_where_nothing_else_was_requested(during_sync: bool, tmp_path: Path) -> None:
    """Until its first sync ends, one failed disk loses it."""
    bench = Bench(tmp_path, planned("2x(4+1)+1"))
    bench.machine = FaultyMachine(E2660, speed_up=3600)
    bench.site = SimulatedSite(tmp_path, bench.machine)
    bench.request = ControlRequest(during_sync=during_sync)
    bench.does("build")
    waited = any("waits until the arrays are in sync" in text for text in bench.told())
    assert waited is not during_sync
    assert bench.syncs() == ["recover"] * 2 if during_sync else bench.syncs() == []


def test_without_file_systems_the_end_waits(tmp_path: Path) -> None:
    bench = Bench(tmp_path, planned("(4+2)", fs="none"))
    bench.request = ControlRequest(wait_for_sync=True)
    bench.machine = FaultyMachine(E2660, speed_up=3600)
    bench.site = SimulatedSite(tmp_path, bench.machine)
    bench.does("build")
    assert bench.place("proven", "checks passed") < bench.place("waiting", "waits until the arrays are in sync")
    assert bench.syncs() == []


@pytest.mark.parametrize(("cut", "after"), few(((cut, after) for cut in CUTS for after in ("resume", "undo")), 8))
def test_a_power_cut_in_each_state_is_gone_on_from_and_taken_back(
    cut: tuple[str, FaultSide], after: RunPurpose, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, planned("2x(4+2)+2"))
    bench.is_cut(*cut)
    named = [bench.machine.pin(array.device) is not None for array in bench.plan.arrays]
    assert all(named) or cut not in KNOWN
    bench.does(after)
    _ended(bench, after)


@pytest.mark.parametrize("after", ["resume", "undo"])
@pytest.mark.parametrize("layout", ["2x(4+1)+1", "raid10(4,n2)+1"])
def test_a_power_cut_of_other_levels(layout: str, after: RunPurpose, tmp_path: Path) -> None:
    bench = Bench(tmp_path, planned(layout, stack="md"))
    bench.is_cut("systemctl restart", "after")
    assert all(bench.machine.pin(array.device) is not None for array in bench.plan.arrays)
    bench.request = ControlRequest(during_sync=True)
    bench.does(after)
    _ended(bench, after, "recover" if bench.plan.design.layout.level == "raid5" else "resync")


def test_a_power_cut_after_the_end_leaves_mounted_arrays(tmp_path: Path) -> None:
    bench = Bench(tmp_path, planned("2x(4+2)+2"))
    bench.does("build")
    bench.machine.reboot()
    assert all(bench.machine.pin(array.device) is not None for array in bench.plan.arrays)
    bench.does("resume")
    assert bench.syncs() == ["resync"] * 2
    bench.does("undo")
    _ended(bench, "undo")


def test_a_sync_that_nothing_writes_to_is_started_by_resume(tmp_path: Path) -> None:
    """Debian starts arrays auto-read-only, and a plan without a file system writes nothing."""
    bench = Bench(tmp_path, planned("(4+2)", fs="none"))
    bench.is_cut("systemctl restart", "after")
    assert bench.syncs() == ["held"]
    bench.does("resume")
    assert bench.syncs() == ["resync"]


def _ended(bench: Bench, after: RunPurpose, sync: str = "resync") -> None:
    ours = [disk for disk in bench.machine.inventory().disks if disk.id in {each.id for each in bench.plan.disks}]
    if after == "resume":
        assert bench.told()[-1].startswith(DONE)
        assert set(bench.syncs()) == {sync}
    else:
        assert bench.told()[-1] == "no signature or line of the plan is left"
        assert {disk.state for disk in ours} == {"blank"}
        assert bench.syncs() == []
