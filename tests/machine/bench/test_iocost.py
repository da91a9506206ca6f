"""Coefficients of the kernel's I/O cost model: measured on blank disks, which are blank again; no other is written."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import measure_iocost
from raidtui.machine.bench.iocost import DiskCost, IoCostMeasurement
from raidtui.machine.inventory import measured_speeds
from raidtui.machine.ports.host import Ran
from raidtui.machine.ports.runner import AS_NAMED
from raidtui.machine.run import journal
from raidtui.machine.run.site import SimulatedSite
from raidtui.machine.simulated.core.fault_model import Fault
from raidtui.machine.simulated.machine import SimulatedMachine
from raidtui.model.errors import MachineFailed, RaidtuiError, Refused, Stale
from raidtui.model.inventory import Inventory, Measured
from raidtui.model.iocost import IoCost
from raidtui.model.plan import Plan
from raidtui.planner.compile.disks_plan import disks_plan
from raidtui.planner.compile.recompile import recompiled
from raidtui.planner.measurement.iocost_jobs import coefficient_jobs, pieces, workload, written
from raidtui.planner.text.confirm import phrase
from raidtui.planner.text.iocost import iocost_lines
from raidtui.tools.iocost import model_line
from tests.machine.simulation import E2660

GIB = 1 << 30
TAKEN = E2660.disks[:3]
COST = IoCost(
    rbps=174019176, rseqiops=41708, rrandiops=370, wbps=178075866, wseqiops=42705, wrandiops=378, error=1.05,
    scheduler="none", day="2026-01-31", kernel="6.1",
)  # fmt: skip


def plan_of(inventory: Inventory = E2660, count: int = 3) -> Plan:
    return disks_plan(inventory, inventory.disks[:count], slice_bytes=GIB)


class Costs:
    """A machine with three blank disks, and a measurement of them."""

    def __init__(self, root: Path, machine: SimulatedMachine | None = None, plan: Plan | None = None) -> None:
        self.machine = machine or SimulatedMachine(E2660, speed_up=3600)
        self.plan = plan or plan_of()
        self.session = IoCostMeasurement(self.plan, TAKEN, self.machine, root / "iocost", seconds=4)
        self.found: list[DiskCost] = []

    def run(self) -> list[DiskCost]:
        """All that it measures before it ends or fails."""
        self.found.extend(self.session.run())
        return self.found

    def written(self) -> dict[str, int]:
        """How often fio wrote to each disk, by path."""
        records = [each for each in journal.records(self.session.folder) if each.kind == "intent"]
        fios = [each for each in records if each.argv[0] == "fio" and "--readonly" not in each.argv]
        paths = [path for each in fios for path in each.devices or ()]
        return {path: paths.count(path) for path in paths}


def test_six_figures_of_each_disk_which_is_blank_again(tmp_path: Path) -> None:
    costs = Costs(tmp_path)
    before = costs.machine.hashes()
    found = costs.run()
    assert [each.disk for each in found] == [disk.id for disk in TAKEN]
    # the simulated fio moves 100 MB/s, whatever it is told
    rates = {(each.cost.rbps, each.cost.wbps, each.cost.rrandiops, each.cost.wseqiops) for each in found}
    assert rates == {(100_000_000, 100_000_000, 24_414, 24_414)}
    assert len({each.number for each in found}) == 3
    assert costs.machine.hashes() == before
    assert costs.written() == {disk.path: 3 for disk in costs.plan.disks}


@pytest.mark.parametrize("what", ["ext4", "gpt", "gpt-backup", "lvm", "zfs-end", "data"])
def test_content_that_appears_after_the_question_is_not_written_to(tmp_path: Path, what: Any) -> None:
    costs = Costs(tmp_path)
    costs.machine.leave(TAKEN[1].id, what)
    before = costs.machine.hashes()
    with pytest.raises(RaidtuiError):
        costs.run()
    assert costs.machine.hashes() == before
    assert TAKEN[1].by_id[0] not in " ".join(costs.written())


@pytest.mark.parametrize("how", ["mounted", "swap", "md-member", "lvm-pv", "dm-crypt", "exclusive"])
def test_a_disk_that_becomes_used_after_the_question_is_not_written_to(tmp_path: Path, how: Any) -> None:
    costs = Costs(tmp_path)
    costs.machine.occupy(TAKEN[0].id, how)
    before = costs.machine.hashes()
    with pytest.raises(RaidtuiError):
        costs.run()
    assert (costs.machine.hashes(), costs.written(), costs.found) == (before, {}, [])


def test_a_disk_that_becomes_used_between_two_measurements_is_left_alone(tmp_path: Path) -> None:
    costs = Costs(tmp_path)
    path = costs.plan.disks[0].path
    costs.machine.arm(Fault(kind="use", disk=TAKEN[0].id, what="open", words=("fio",), side="after"))
    with pytest.raises(Stale, match="open for writing by"):
        costs.run()
    assert costs.written() == {path: 1}


def test_a_write_error_ends_it_and_names_the_disk(tmp_path: Path) -> None:
    costs = Costs(tmp_path)
    costs.machine.arm(Fault(kind="fail-partly", words=("fio",), at=2))
    with pytest.raises(MachineFailed, match="fio"):
        costs.run()
    assert len(costs.written()) == 1


class Asked(SimulatedMachine):
    """Remembers the areas that cmp compared with zeros, by device."""

    compared: tuple[tuple[str, ...], ...] = ()

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """See Runner."""
        if argv[0] == "cmp":
            self.compared = (*self.compared, argv[1:4])
        return super().ask(argv, devices)


def test_all_that_was_written_in_order_is_read_back(tmp_path: Path) -> None:
    machine = Asked(E2660, speed_up=3600)
    costs = Costs(tmp_path, machine)
    costs.run()
    for disk in costs.plan.disks:
        for start in range(0, GIB, 128 << 20):
            assert (f"--bytes={128 << 20}", f"--ignore-initial={start}:0", disk.path) in machine.compared


def test_what_is_not_zero_at_the_end_is_an_error(tmp_path: Path) -> None:
    costs = Costs(tmp_path)
    steps = costs.session.run()
    next(steps)
    costs.machine.leave(TAKEN[0].id, "data")
    with pytest.raises(MachineFailed, match="after the benchmark"):
        list(steps)


def test_the_commands_are_those_of_the_kernels_own_generator() -> None:
    """tools/cgroup/iocost_coef_gen.py: --seq-depth 64 --rand-depth 64, 4 KiB; large requests for the rates."""
    jobs = {each.name: each for each in coefficient_jobs()}
    assert list(jobs) == ["wbps", "wseqiops", "wrandiops", "rbps", "rseqiops", "rrandiops"]  # writes first
    assert workload(jobs["wrandiops"], "/dev/sdx", 4 * GIB, rotational=True).argv() == (
        "fio", "--output-format=json", "--eta=never", "--thread=1", "--group_reporting=1", "--exitall_on_error=1",
        "--time_based=1", "--runtime=10", "--ramp_time=2", "--rw=randwrite", "--bs=4096", "--ioengine=psync",
        "--direct=1", "--norandommap=1", "--end_fsync=1", "--zero_buffers=1", "--allow_file_create=0",
        "--numjobs=64", "--offset_increment=67108864", "--size=16777216", "--name=wrandiops", "--filename=/dev/sdx",
    )  # fmt: skip
    spread = written(jobs["wrandiops"], 4 * GIB, rotational=True)
    assert (spread[0], spread[1], spread[63], len(spread)) == (
        (0, 1 << 24),
        (1 << 26, 1 << 24),
        (63 << 26, 1 << 24),
        64,
    )
    assert written(jobs["wrandiops"], 4 * GIB, rotational=False) == ((0, GIB),)
    assert written(jobs["rrandiops"], 4 * GIB, rotational=True) == ()
    assert "--size=1073741824" in workload(jobs["wrandiops"], "/dev/sdx", 4 * GIB, rotational=False).argv()
    assert "--size=1073741824" in workload(jobs["rbps"], "/dev/sdx", 4 * GIB, rotational=True).argv()
    read = workload(jobs["rseqiops"], "/dev/sdx", 300 << 20, rotational=True).argv()
    assert {"--readonly", "--rw=read", "--bs=4096", "--iodepth=64", f"--size={300 << 20}"} <= set(read)
    assert pieces(300 << 20) == ((0, 128 << 20), (128 << 20, 128 << 20), (256 << 20, 44 << 20))


def test_the_lines_are_the_kernels() -> None:
    """Documentation/admin-guide/cgroup-v2.rst, io.cost.model."""
    line = (
        "8:16 ctrl=user model=linear rbps=174019176 rseqiops=41708 rrandiops=370 "
        "wbps=178075866 wseqiops=42705 wrandiops=378"
    )
    assert model_line("8:16", COST) == line
    disk = replace(TAKEN[0], kernel_name="sdb", serial="S1", rotational=True)
    lines = iocost_lines([("8:16", disk, COST)])
    assert lines[1:3] == ("  # sdb, serial S1", f"  echo '{line}' > /sys/fs/cgroup/io.cost.model")
    text = " ".join(lines)
    assert "/etc/udev/hwdb.d" in text and "/etc/udev/rules.d" in text and "merges" not in text
    merging = " ".join(iocost_lines([("8:16", disk, replace(COST, scheduler="mq-deadline"))]))
    assert "mq-deadline merges sequential requests" in merging
    assert "recognizes zeros" in " ".join(iocost_lines([("8:16", replace(disk, rotational=False), COST)]))


def test_the_plan_binds_the_disks_and_is_the_same_again() -> None:
    plan = plan_of()
    assert plan.digest == plan_of().digest == recompiled(plan, E2660).digest
    assert plan.digest != plan_of(count=2).digest
    assert [disk.id for disk in plan.disks] == [disk.id for disk in TAKEN]


def options(*, yes: bool = False, confirm: str | None = None) -> Namespace:
    return Namespace(yes=yes, confirm=confirm, json=False, during_sync=False)


def _typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return text + "\n"

    monkeypatch.setattr("sys.stdin", Terminal())


def test_it_is_confirmed_like_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = SimulatedSite(tmp_path, SimulatedMachine(E2660))
    plan = plan_of()
    others: Sequence[Any] = E2660.disks[3:4]
    measure_iocost.confirm_writes(plan, others, site, options(yes=True, confirm=plan.digest))
    page = capsys.readouterr().out
    assert "of 3 disks, one after the other: about 5 min" in page
    assert (
        "All that will be written is read first, and again before each write." in " ".join(page.split())
        and plan.digest in page
    )
    _typed(monkeypatch, phrase(plan, "write"))
    measure_iocost.confirm_writes(plan, others, site, options())
    for text in ("", "yes", phrase(plan, "erase"), phrase(plan_of(count=2), "write")):
        _typed(monkeypatch, text)
        with pytest.raises(Refused, match="nothing was written"):
            measure_iocost.confirm_writes(plan, others, site, options())
    with pytest.raises(Refused, match="not the digest"):
        measure_iocost.confirm_writes(plan, others, site, options(yes=True, confirm=plan_of(count=2).digest))


def test_a_disk_that_holds_something_is_refused_before_the_question() -> None:
    machine = SimulatedMachine(E2660)
    machine.leave(TAKEN[1].id, "ext4")
    found = machine.inventory()
    with pytest.raises(Refused, match=r"holds file-system ext4 .*; only blank disks are written to"):
        measure_iocost.blank_plan(found, found.disks[:3])
    with pytest.raises(Refused, match="no blank disk"):
        measure_iocost.blank_plan(found, ())


def test_coefficients_are_stored_and_survive_a_measurement_that_only_reads(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    read = Measured(outer_bytes_per_s=180_000_000, day="2026-01-31")
    measured_speeds.keep(path, {"a": read})
    measured_speeds.keep_costs(path, {"a": COST, "unknown": COST})
    assert measured_speeds.kept(path) == {"a": replace(read, iocost=COST)}
    measured_speeds.keep(path, {"a": replace(read, outer_bytes_per_s=1)})
    assert measured_speeds.kept(path)["a"].iocost == COST
