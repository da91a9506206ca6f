"""Runs of plans on simulated machines, for tests: plan, build, kill, resume, undo, and what is left."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from raidtui.engine import journal
from raidtui.engine.builder import Builder
from raidtui.engine.folders import ControlRequest
from raidtui.engine.recovery import left_to_do, look
from raidtui.machine.inventory import shipped
from raidtui.simulated.machine import SimulatedMachine
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import RunPurpose
from tests.faults.scene import IN_MEMORY
from tests.planner.plans import plan_of
from tests.simulated.machine import FaultyMachine

E2660 = shipped.load("e2660")
YEAR = 365 * 86400.0


def planned(layout: str, inventory: Inventory = E2660, **asked: Any) -> Plan:
    """The plan of `layout` on the first disks of `inventory`."""
    return plan_of(layout, inventory.disks, inventory=inventory, host=inventory.name, **asked)


class Run:
    """A plan, a machine and the run of one on the other; time passes fast."""

    def __init__(self, root: Path, plan: Plan, machine: FaultyMachine | None = None) -> None:
        self.plan = plan
        self.machine = machine or FaultyMachine(E2660, speed_up=3600)
        self.folder = journal.create(root / "runs", plan)
        self.request = ControlRequest()

    def build(self) -> None:
        """From the first step to the last."""
        with self._executor("build") as executor:
            executor.build(self.plan.steps)

    def resume(self) -> None:
        """What is left, as the machine says."""
        with self._executor("resume") as executor:
            executor.name_arrays()
            executor.resume(left_to_do(look(self.plan, self.machine, journal.records(self.folder))))

    def undo(self) -> None:
        """Back to blank disks."""
        with self._executor("undo") as executor:
            executor.name_arrays()
            executor.undo([step for step in reversed(self.plan.steps) if step.undo])

    def last(self) -> str:
        """Kind of the journal's last record."""
        return journal.records(self.folder)[-1].kind

    @contextlib.contextmanager
    def _executor(self, purpose: RunPurpose) -> Iterator[Builder]:
        held = journal.Journal(self.folder, purpose)
        try:
            yield Builder(self.plan, self.machine, held, lambda: self.request)
        finally:
            held.close()


Files = Mapping[str, tuple[int, bytes | None]]
"""mode and content of what is in a folder, by its path there; no content: a folder"""


def files_in(folder: Path) -> Files:
    """What is in `folder`: folders before what is in them."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode & 0o777, None if path.is_dir() else path.read_bytes())
        for path in sorted(folder.rglob("*"))
    }


def put_files(folder: Path, files: Files) -> None:
    """Writes them into `folder`."""
    for path, (mode, content) in files.items():
        place = folder / path
        if content is None:
            place.mkdir(mode=mode, exist_ok=True)
        else:
            place.write_bytes(content)
            place.chmod(mode)


def built_run(root: Path, layout: str, inventory: Inventory = E2660, *, after: float = 0.0, **asked: Any) -> Run:
    """The run of a build that ended `after` seconds ago: built once by each worker, copied from there."""
    plan, machine, files = _built(layout, inventory, after, **asked)
    made = Run(root, plan, FaultyMachine.from_json(machine, speed_up=3600))
    put_files(made.folder, files)
    return made


@cache
def _built(layout: str, inventory: Inventory, after: float, **asked: Any) -> tuple[Plan, str, Files]:
    """The plan, the machine, and what is in the folder of the run."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-built-") as root:
        made = Run(Path(root), planned(layout, inventory, **asked), FaultyMachine(inventory, speed_up=3600))
        made.build()
        made.machine.advance(after)
        return made.plan, made.machine.to_json(), files_in(made.folder)


class Cut(Exception):
    """An executor ends here."""


@contextlib.contextmanager
def cut_in_wait(machine: FaultyMachine, at: int) -> Iterator[None]:
    """In this wait, counted from 1, an executor ends; in those before it time passes."""
    waits = itertools.count(1)

    def wait(seconds: float) -> None:
        if next(waits) == at:
            raise Cut
        machine.advance(seconds)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(machine, "wait", wait)
        yield


def say(machine: SimulatedMachine, *argv: str) -> str:
    """What a question is answered on standard output, whatever the exit code."""
    return machine.ask(argv).stdout


def do(machine: SimulatedMachine, folder: Path, *argv: str) -> tuple[int, str]:
    """Exit code and words of a command."""
    path = folder / "said"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        return machine.run(argv, handle), path.read_text()
    finally:
        os.close(handle)


def end_state(machine: FaultyMachine) -> dict[str, object]:
    """Everything that lasts, asked through the runner, once all syncs are over."""
    machine.advance(YEAR)
    arrays = {
        name: [line for line in say(machine, "mdadm", "--detail", "--export", f"/dev/md/{name}").splitlines()
               if "_dev_md" not in line]
        for name in machine.names("/dev/md")
    }  # fmt: skip
    texts = {path: machine.read_text(path) for path in ("/etc/mdadm/mdadm.conf", "/etc/fstab")}
    rules = {name: machine.read_text(f"/etc/udev/rules.d/{name}") for name in machine.names("/etc/udev/rules.d")}
    return {
        "arrays": arrays,
        "ahead": {name: say(machine, "blockdev", "--getra", f"/dev/md/{name}") for name in arrays},
        "texts": texts,
        "rules": rules,
        "monitor": say(machine, "systemctl", "is-active", "mdmonitor.service"),
        "mounts": {name: say(machine, "findmnt", "--noheadings", "--first-only", "--output=UUID", "--mountpoint", name)
                   for name in ("/srv/data", "/srv/data/0", "/srv/data/1")},
        "uses": [(disk.id, disk.state, disk.uses) for disk in machine.inventory().disks],
        "initramfs": machine.initramfs_conf(),
    }  # fmt: skip
