"""Check before a destructive command: nothing else writes to the disks of an act or to devices on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raidtui.machine.ports.runner import AS_NAMED, Runner
from raidtui.model.counted import counted
from raidtui.model.errors import Stale
from raidtui.model.plan import PlanDisk
from raidtui.model.safe import safe
from raidtui.planner.preflight.disks import display_name

_LOOKS, _PAUSE = 5, 0.1
"""number of checks before a writer counts, and seconds between them: programs started by udev exit soon"""
_LONG = 80
WAY_OUT = "raidtui resume or raidtui undo"
"""of a plan"""


def check_unused(used: Iterable[PlanDisk], runner: Runner, devices: Mapping[str, str] = AS_NAMED) -> None:
    """Raises Stale if a process or the kernel has one of the disks, a partition of it, or a device on it open for
    writing; this includes arrays and volumes of the act itself.

    `devices`: the checked device of each disk's path. Readers do not count. Raises MachineFailed if some process
    could not be inspected.
    """
    names = {devices.get(disk.path, disk.path): f"The disk in {display_name(disk)}" for disk in used}
    require_unused(names, runner, "disk", then=WAY_OUT)


def require_unused(names: Mapping[str, str], runner: Runner, noun: str, *, then: str) -> None:
    """The same for devices, each with its name for people."""
    for look in range(_LOOKS):
        writers = [user for user in runner.users(tuple(names)) if user.writing]
        if not writers:
            return
        if look < _LOOKS - 1:
            runner.wait(_PAUSE)
    first = writers[0]
    others = sorted({user.path for user in writers} - {first.path})
    are = "is" if len(others) == 1 else "are"
    more = f", and {counted(len(others), f'more {noun}')} of the plan {are} in use" if others else ""
    raise Stale(
        f"{names[first.path]} is open for writing by {safe(first.by, longest=_LONG)}{more}",
        hint=f"nothing further was started; stop that process if possible, then {then}",
    )
