"""Measures the coefficients of the kernel's I/O cost model on blank disks, by the writes of raw benchmarks.

The disks read as blank before each command and after it; at the end what was written in order is read back whole.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from raidtui.machine.bench.raw_writes import RawWrites
from raidtui.machine.inventory.read_disks import RANDOM_ERROR
from raidtui.machine.ports.load import Measured
from raidtui.machine.ports.runner import Runner
from raidtui.machine.run import journal
from raidtui.machine.run.journal import Journal
from raidtui.machine.system.private_places import private_directory
from raidtui.model.bench import Target, Task
from raidtui.model.errors import Stale
from raidtui.model.inventory import Disk
from raidtui.model.iocost import Coefficient, IoCost
from raidtui.model.plan import Plan, PlanDisk, Reading
from raidtui.planner.compile.step_builder import fact
from raidtui.planner.measurement.iocost_jobs import SECONDS, CoefficientJob, coefficient_jobs, pieces, workload, written
from raidtui.tools import fio_json, lsblk, wipefs


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskCost:
    """What was measured of one disk."""

    disk: str
    """identity"""
    number: str
    """major:minor, until the next boot"""
    cost: IoCost


class IoCostMeasurement:
    """Measures the disks of `plan`; the caller holds the run lock."""

    def __init__(
        self, plan: Plan, disks: Sequence[Disk], runner: Runner, root: Path, *, seconds: float = SECONDS
    ) -> None:
        """`root`: directory of such measurements; this one gets a directory with its journal and what fio printed."""
        private_directory(root)
        self.folder = root / secrets.token_hex(16)
        private_directory(self.folder)
        journal.add(self.folder)
        self._plan = plan
        self._rotational = {disk.id: disk.rotational is not False for disk in disks}
        self._runner = runner
        self._journal = Journal(self.folder, "build", runner.clock)
        planned = {disk.path: self._written(disk, coefficient_jobs(seconds)) for disk in plan.disks}
        self._writes = RawWrites(plan, runner, self._journal, planned)
        self._seconds = seconds
        self._begun: list[PlanDisk] = []

    def run(self) -> Iterator[DiskCost]:
        """Measures one disk after the other, then reads that all that were written to are blank.

        Raises Stale or MachineFailed for a disk that is not blank, in use or failing, before the next write.
        """
        try:
            for disk in self._plan.disks:
                self._begun.append(disk)
                yield self._disk(disk)
        finally:
            try:
                self._writes.prove_blank(self._regions())
            finally:
                self._journal.close()

    def _disk(self, disk: PlanDisk) -> DiskCost:
        found: dict[Coefficient, int] = {}
        error = RANDOM_ERROR
        for number, each in enumerate(coefficient_jobs(self._seconds), start=1):
            printed = self._printed(disk, number, each)
            result = fio_json.parse(printed)
            found[each.name] = max(1, round(result.iops if each.counts_requests else result.bytes_per_s))
            error = max(error, fio_json.repetition_error(printed))
        pin = self._runner.pin(disk.path)
        if pin is None:
            raise Stale(f"{disk.path} is missing", hint="connect it, then measure again")
        scheduler = self._runner.ask(lsblk.scheduler_question(disk.path)).stdout.strip()
        cost = IoCost(
            **found,
            error=round(error, 4),
            scheduler=scheduler,
            day=datetime.now(UTC).date().isoformat(),
            kernel=os.uname().release,
        )
        return DiskCost(disk=disk.id, number=pin.number, cost=cost)

    def _printed(self, disk: PlanDisk, number: int, each: CoefficientJob) -> str:
        """What fio printed; it runs to its end, also when this thread is interrupted."""
        target = Target(kind="disk", name=disk.path, paths=(disk.path,), disks=(disk.id,), size_bytes=disk.size_bytes)
        seconds = each.job.warm_up_seconds + each.job.seconds
        task = Task(number=number, job=each.job, target=target, seconds=seconds, bytes_used=0)
        load = workload(each, disk.path, disk.size_bytes, rotational=self._rotational[disk.id])
        raw = self.folder / f"{len(self._begun):03d}-{each.name}.json"
        running = self._writes.start(task, load, raw, _measured, self._written(disk, (each,)))
        try:
            running.outcome()
        except KeyboardInterrupt:
            running.kill()
            raise
        return raw.read_text(errors="replace")

    def _written(self, disk: PlanDisk, jobs: Sequence[CoefficientJob]) -> tuple[tuple[int, int], ...]:
        rotational = self._rotational[disk.id]
        return tuple(area for each in jobs for area in written(each, disk.size_bytes, rotational=rotational))

    def _regions(self) -> tuple[Reading, ...]:
        """What is written in order on each disk is zero."""
        return tuple(
            fact("blank", f"{length} bytes of {disk.path} from {start} on are zero",
                 wipefs.zero_question(disk.path, start, length), "")
            for disk in self._begun
            for start, length in pieces(disk.size_bytes)
        )  # fmt: skip


def _measured(printed: str) -> Measured:
    found = fio_json.parse(printed)
    return Measured(value=found.bytes_per_s, began=0.0, ended=found.seconds)
