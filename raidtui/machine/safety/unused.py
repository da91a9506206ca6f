"""Right before a command that destroys: nobody else writes to the disks of the plan, or to what stands on them."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.machine.ports.runner import AS_NAMED, Runner
from raidtui.model.errors import Stale
from raidtui.model.plan import Plan
from raidtui.model.safe import safe
from raidtui.planner.preflight.disks import called

_LOOKS, _PAUSE = 5, 0.1
"""how often a writer is looked at before it counts: programs that udev starts end by themselves; seconds between"""
_LONG = 80


def check_unused(plan: Plan, runner: Runner, devices: Mapping[str, str] = AS_NAMED) -> None:
    """Raises Stale when a process or the kernel has a disk of `plan` open for writing, or a partition of it, or a
    device on it: so the plan's arrays and volume are looked at too.

    `devices`: what each disk's path was proven to lead to. Who only reads does not count. Raises MachineFailed when
    not every process could be looked at.
    """
    disks = {devices.get(disk.path, disk.path): disk for disk in plan.disks}
    for look in range(_LOOKS):
        writers = [user for user in runner.users(tuple(disks)) if user.writing]
        if not writers:
            return
        if look < _LOOKS - 1:
            runner.wait(_PAUSE)
    first = writers[0]
    others = sorted({user.path for user in writers} - {first.path})
    more = f", and {len(others)} more disks of the plan are in use" if others else ""
    raise Stale(
        f"The disk in {called(disks[first.path])} is open for writing by {safe(first.by, longest=_LONG)}{more}",
        hint="nothing further was started; end that process if it may go, then raidtui resume or raidtui undo",
    )
