"""Keeps the I/O scheduler and queue depth that the disks had before a plan sets its own, and restores them at an undo.

RUN/disk-queues           0600: for each disk a line `scheduler depth path`; `-`: the disk has no such value

The file is on disk before the plan's udev rule is written. The scripts of a plan write and read the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from raidtui.machine.ports.runner import Pin, Runner
from raidtui.machine.run.journal import Journal
from raidtui.machine.system.input_files import RUN_FILE, read_own
from raidtui.model.errors import BadInput, MachineFailed
from raidtui.model.plan import Plan, PlanDisk, Step
from raidtui.planner.compile.queue_step import QUEUES, is_queue_step, sets_queue
from raidtui.tools import sysfs, udev_rule

_NONE = "-"
_LINE = re.compile(r"([a-z0-9_-]+) ([0-9]{1,5}|-) (\S+)")


class DiskQueues:
    """Values of the disks of one run."""

    def __init__(self, plan: Plan, runner: Runner, journal: Journal) -> None:
        self._design = plan.design
        self._name = plan.name
        self._rule = udev_rule.disks_path(plan.name)
        self._runner = runner
        self._keep = journal.keep
        self._path = journal.folder / QUEUES

    def keep(self, step: Step, disks: Iterable[tuple[PlanDisk, Pin]]) -> None:
        """Stores the values of `disks`, if `step` is the one that writes the rule; the first values are kept."""
        if not is_queue_step(step, self._name) or self._path.exists():
            return
        if self._runner.read_text(self._rule) is not None:
            return
        lines = []
        for disk, pin in disks:
            values = (self._read(path) or _NONE for path in _paths(pin))
            lines.append(" ".join((*values, disk.path)))
        self._keep(self._path, "\n".join((*lines, "")))

    def restore(self, disks: Iterable[tuple[PlanDisk, Pin]]) -> bool:
        """Restores the former values of `disks`, where those of the plan still are. False if they are not known, or the
        rule is still there.

        Raises MachineFailed if a disk has another value afterwards, BadInput for an invalid file.
        """
        if not sets_queue(self._design) or not self._path.exists() or self._runner.read_text(self._rule) is not None:
            return False
        before = self._load()
        planned = (self._design.io_scheduler, self._design.queue_depth)
        for disk, pin in disks:
            for path, mine, former in zip(_paths(pin), planned, before.get(disk.path, (_NONE, _NONE)), strict=True):
                if mine is not None and former not in (_NONE, str(mine)) and self._read(path) == str(mine):
                    self._set(path, former)
        return True

    def _set(self, path: str, value: str) -> None:
        self._runner.set_value(path, value)
        if (found := self._read(path)) != value:
            raise MachineFailed(
                f"{path} reads {found or 'nothing'} after {value} was written",
                hint=f"echo {value} > {path}, then raidtui undo again",
            )

    def _read(self, path: str) -> str | None:
        """The value of a file of `_paths`; None if the disk has none."""
        text = self._runner.read_text(path)
        return sysfs.active_scheduler(text) or (text or "").strip() or None

    def _load(self) -> dict[str, tuple[str, str]]:
        """Scheduler and queue depth by the path of the disk."""
        found = {}
        for number, line in enumerate(read_own(self._path, RUN_FILE).decode("utf-8", "replace").splitlines(), start=1):
            match = _LINE.fullmatch(line)
            if match is None:
                raise BadInput(
                    f"{self._path}: line {number} is not `scheduler depth path`",
                    hint="remove the file to undo without it; the disks then keep their values until the next boot",
                )
            found[match[3]] = (match[1], match[2])
        return found


def _paths(pin: Pin) -> tuple[str, str]:
    return sysfs.scheduler_path(pin.name), sysfs.queue_depth_path(pin.name)
