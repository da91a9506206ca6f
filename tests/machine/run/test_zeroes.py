"""Zeroes in place of the first sync: built, refused, cut, resumed and taken back, over disks that held data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from raidtui.answers.plain_text import plain_lines
from raidtui.answers.run import run_blocks
from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal, replay
from raidtui.engine.process import carry_out, checked
from raidtui.engine.site import SimulatedSite
from raidtui.steps.array_steps import read_back
from raidtui.values.errors import MachineFailed, RaidtuiError, Refused
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.units import GIB, MIB
from tests.machine.run.test_first_sync import Bench as FirstSync
from tests.machine.safety.test_ownership import plant
from tests.planner.plans import disks, plan_of
from tests.simulated.fault_model import Fault, FaultKind, FaultSide, Killed
from tests.simulated.machine import FaultyMachine
from tests.suite import few

HELD = (0, 1, 5)
"""disks that held data in their middle, which was given up"""
WHO_WROTE = (
    "another program wrote there meanwhile, or the disk does not store what is written to it; see who has it open "
    "(fuser --verbose {}) and the kernel's log (dmesg)"
)
FIRST = "blkdiscard --zeroout --offset=135266304 --length=1073741824"
REST = "blkdiscard --zeroout --offset=1209008128 --length=1999189835776"
"""the data area of a 2 TB disk is 1953382400 KiB from 264192 sectors on, its first GiB is measured"""
SECOND_DISK = "/dev/block/8:16"
DISK = "/dev/disk/by-id/wwn-0x5000c500000000{:02x}".format


@cache
def scene() -> tuple[str, Plan]:
    """A machine whose disks have Write Zeroes, as text, and the plan of two arrays over zeroes."""
    able = disks(7, rotational=False, write_zeroes_max_bytes=2 * GIB)
    machine = FaultyMachine(Inventory(origin="chassis", name="host", machine_id="f" * 32, disks=able))
    for place in HELD:
        machine.leave(able[place].id, "data-middle")
    found = machine.inventory()
    plan = plan_of("2x(2+1)+1", found.disks, inventory=found, first_sync="zeroes")
    return machine.to_json(), plan


class Bench(FirstSync):
    """A run of the plan on the machine."""

    def __init__(self, root: Path) -> None:
        text, plan = scene()
        super().__init__(root, plan)
        self.machine = FaultyMachine.from_json(text)
        self.site = SimulatedSite(root, self.machine)

    def fails(self, purpose: str = "build") -> RaidtuiError:
        """The error that ends an executor."""
        book = Journal(self.folder, purpose)  # type: ignore[arg-type]
        try:
            with pytest.raises(RaidtuiError) as caught:
                carry_out(self.plan, self.site, self.machine, book, lambda: self.request)
        finally:
            book.close()
        return caught.value

    def zeroed(self, words: str) -> list[str]:
        """Serial numbers of the disks on which commands that begin so ended well, in order."""
        ends = (record for record in journal.records(self.folder) if record.kind == "result" and record.exit == 0)
        begin = tuple(words.split())
        return [record.argv[-1][-2:] for record in ends if record.argv[: len(begin)] == begin]

    def held(self) -> list[int]:
        """Disks of which 4 KiB in the middle are not zero."""
        middle = ((1_000_199_467_008 // 2**20 * 2**20, 4096),)
        return [at for at in range(7) if self.machine.first_nonzero(DISK(at + 1), middle) is not None]


def test_arrays_over_zeroes_are_in_sync_and_all_members_are_zeroed_at_the_same_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.held() == list(HELD)
    bench.does("build")
    assert (bench.syncs(), bench.held()) == ([], [])
    assert bench.told()[-1] == "every step is done and verified"
    kinds = [record.kind for record in journal.records(bench.folder) if record.stage == "zero"]
    assert kinds == ["intent"] * 12  # six members, twice; the spare is not zeroed
    numbers = [record.sequence for record in journal.records(bench.folder) if record.stage == "zero"]
    assert numbers == [*range(numbers[0], numbers[0] + 6), *range(numbers[6], numbers[6] + 6)]
    assert bench.zeroed(FIRST) == bench.zeroed(REST) == ["01", "02", "03", "04", "05", "06"]
    assert bench.machine.now < 400  # 2 TB at the simulated 10 GB/s are 200 s, for all of them


def test_the_journal_says_how_long_the_rest_takes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.does("build")
    assert [text for text in bench.told() if text.startswith("zeroing")] == [
        "zeroing the rest takes about 7 min; the members zeroed 5.18 GB to 5.18 GB a second at the same time, the "
        f"slowest is {DISK(1)}; the first sync that it replaces would take about 2.7 h"
    ]  # 0.1 s to start and 0.107 s for a GiB, 1862 times


def test_status_says_it_while_the_rest_is_zeroed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.arm(Fault(kind="kill", words=tuple(REST.split()), at=2))
    with pytest.raises(Killed):
        bench.does("build")
    records = journal.records(bench.folder)
    lines = plain_lines(run_blocks(bench.plan, replay(len(bench.plan.steps), records, alive=True), records))
    assert [line[6:42] for line in lines if "zeroing" in line] == ["zeroing the rest takes about 7 min; "]
    ended = plain_lines(run_blocks(bench.plan, replay(len(bench.plan.steps), records, alive=False), records))
    assert not [line for line in ended if "zeroing" in line]


def test_a_slow_member_ends_the_build_before_the_rest_and_undo_leads_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.arm(Fault(kind="slow", disk=bench.plan.disks[1].id, words=tuple(FIRST.split())))
    problem = bench.fails()
    assert isinstance(problem, Refused)
    assert f"the slowest is {DISK(2)}" in str(problem)
    assert str(problem).endswith(": too slow for zeroes")
    assert problem.hint == "raidtui undo, then plan with --first-sync resync"
    assert bench.zeroed(REST) == []
    bench.does("undo")
    assert bench.told()[-1].startswith("no signature or line of the plan is left")


@pytest.mark.parametrize(
    ("words", "at", "side", "kind"),
    few(
        (
            (*command, side, kind)
            for command in ((FIRST, 2), (REST, 1), (REST, 2), (REST, 6), ("mdadm --create", 1))
            for side in ("before", "during", "after")
            for kind in ("kill", "power")
        ),
        8,
    ),
)
def test_a_cut_is_gone_on_from_over_zeroes(
    words: str, at: int, side: FaultSide, kind: FaultKind, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.machine.arm(Fault(kind=kind, words=tuple(words.split()), at=at, side=side))
    with pytest.raises(Killed):
        bench.does("build")
    bench.machine.revive()
    bench.does("resume")
    assert (bench.syncs(), bench.held()) == ([], [])
    last = max(record.sequence for record in journal.records(bench.folder) if record.argv[:2] == ("mdadm", "--create"))
    ends = [record for record in journal.records(bench.folder) if record.kind == "result" and record.sequence < last]
    for number in range(1, 7):
        assert any(record.argv == (*REST.split(), DISK(number)) and record.exit == 0 for record in ends)
    bench.does("undo")


@pytest.mark.parametrize(("boot", "times"), [("", 1), ("another", 2)])
def test_what_was_zeroed_in_an_earlier_boot_is_zeroed_again(
    boot: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drive's cache may have held zeroes that a power cut took, at places that nobody reads."""
    bench = Bench(tmp_path)
    last = max(step.number for step in bench.plan.steps if step.stage == "zero")

    def stop_when_zeroed() -> ControlRequest:
        ends = (record for record in journal.records(bench.folder) if record.kind == "proven")
        return ControlRequest(stop=any(record.step == last for record in ends))

    book = Journal(bench.folder, "build")
    carry_out(bench.plan, bench.site, bench.machine, book, stop_when_zeroed)
    book.close()
    if boot:
        monkeypatch.setattr(journal, "boot_id", lambda: boot)
    bench.does("resume")
    assert bench.zeroed(REST) == ["01", "02", "03", "04", "05", "06"] * times
    assert bench.syncs() == []


def test_what_was_created_on_is_zeroed_again_and_a_done_array_is_left_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.arm(Fault(kind="power", words=("mdadm", "--create"), at=2, side="during"))
    with pytest.raises(Killed):
        bench.does("build")
    bench.machine.revive()
    bench.does("resume")
    assert bench.zeroed(REST) == ["01", "02", "03", "04", "05", "06", "04", "05", "06"]
    assert bench.syncs() == []


def test_data_that_appears_during_a_cut_is_kept(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.arm(Fault(kind="power", words=tuple(REST.split()), at=2, side="before"))
    with pytest.raises(Killed):
        bench.does("build")
    bench.machine.revive()
    bench.machine.leave(bench.plan.disks[3].id, "data-middle")
    problem = bench.fails("resume")
    assert isinstance(problem, Refused)
    assert DISK(4) in str(problem)
    assert bench.held() == [1, 3, 5]  # the first was zeroed before the cut


def test_data_that_appears_right_before_the_zeroes_ends_the_build(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    wrote = Fault(kind="re-sign", what="data-middle", disk=bench.plan.disks[3].id, words=tuple(FIRST.split()), at=6,
                  side="after")  # fmt: skip
    bench.machine.arm(wrote)
    assert "was written to at byte 1000199467008 since it was wiped" in str(bench.fails())
    assert bench.zeroed(REST) == []


def test_a_drive_that_only_says_that_it_zeroed_is_found(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.arm(Fault(kind="lie", words=tuple(REST.split()), at=2))
    problem = bench.fails()
    assert isinstance(problem, MachineFailed)
    assert str(problem).startswith(f"{DISK(2)} is not zero at byte ")
    assert problem.hint == WHO_WROTE.format(DISK(2))


def test_what_another_program_wrote_over_the_zeroes_is_not_blamed_on_the_disk(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    disk = bench.plan.disks[3].id
    bench.machine.arm(
        Fault(kind="re-sign", what="data-middle", disk=disk, words=tuple(REST.split()), at=6, side="after")
    )
    problem = bench.fails()
    assert str(problem) == f"{DISK(4)} is not zero at byte 1000199467008 after it was zeroed"
    assert isinstance(problem, MachineFailed)
    assert problem.hint == WHO_WROTE.format(DISK(4))


def test_a_page_that_cannot_be_written_is_found_before_there_is_an_array(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    broken = Fault(kind="write-error", disk=bench.plan.disks[2].id, part="middle", words=tuple(FIRST.split()))
    bench.machine.arm(broken)
    assert "blkdiscard --zeroout ended with exit code 1" in str(bench.fails())
    assert bench.zeroed(REST) == ["01", "02", "04", "05", "06"]
    bench.does("undo")


def test_all_have_ended_before_one_that_failed_ends_the_build(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.arm(Fault(kind="fail", words=tuple(REST.split()), at=2))
    assert "ended with exit code 1" in str(bench.fails())
    assert bench.zeroed(REST) == ["01", "03", "04", "05", "06"]
    bench.does("resume")
    assert (bench.syncs(), bench.held()) == ([], [])


def test_a_disk_without_write_zeroes_is_refused_on_the_machine(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    text = bench.machine.to_json().replace('"write_zeroes_max_bytes": 2147483648', '"write_zeroes_max_bytes": 0')
    bench.machine = FaultyMachine.from_json(text)
    codes = [
        finding.code for finding in checked(bench.plan, SimulatedSite(tmp_path, bench.machine), "", during_sync=False)
    ]
    assert codes.count("no-write-zeroes") == 6


def test_a_member_that_is_written_to_after_the_zeroes_joins_no_array(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    wrote = Fault(kind="re-sign", what="data-middle", disk=bench.plan.disks[5].id, words=("mdadm", "--create"),
                  side="after")  # fmt: skip
    bench.machine.arm(wrote)
    assert f"{DISK(6)} (serial S006, slot unknown) is no longer zero at byte " in str(bench.fails())


def test_a_byte_between_the_places_that_are_read_is_not_seen(tmp_path: Path) -> None:
    """What the promise does not claim: right behind the 4 MiB at the start of a data area nothing is read."""
    bench = Bench(tmp_path)
    rest = next(step for step in bench.plan.steps if step.title.startswith("Zero the data areas"))
    start = 1_209_008_128 + 4 * MIB
    plant(bench.machine, bench.plan.disks[2].id, start)
    assert bench.machine.first_nonzero(DISK(3), read_back(bench.plan, rest.commands[2])) is None
    assert bench.machine.first_nonzero(DISK(3), ((start, 4096),)) == start
