"""Paths of a plan on which root acts: files that it writes, directories that it mounts on.

A name is not enough: who can change a directory in the path, or put a link there, chooses what root writes and where it
mounts. Each path is opened component by component, and what is mounted on one is read from the opened directory.
"""

from __future__ import annotations

from collections.abc import Iterable

from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.safety.survey_users import own_mounts
from raidtui.model.errors import Refused, Stale
from raidtui.model.path_parts import SeenPath, place_fault
from raidtui.model.plan import Plan, PlanFileSystem, Reading, WriteFile
from raidtui.model.safe import safe
from raidtui.planner.compile.boot_steps import mounted_reading
from raidtui.planner.compile.postcondition import value_of
from raidtui.planner.standing.findings import AGAIN
from raidtui.tools import identity


def seen_files(plan: Plan, reader: MachineReader, *, undo: bool = False) -> tuple[SeenPath, ...]:
    """What is at the files that the plan writes, or its undo."""
    actions = (action for step in plan.steps for action in (step.undo if undo else step.actions))
    return _seen(dict.fromkeys(action.path for action in actions if isinstance(action, WriteFile)), reader)


def seen_places(plan: Plan, reader: MachineReader) -> tuple[SeenPath, ...]:
    """What is at the plan's mount points."""
    return _seen((made.mount_point for made in plan.filesystems), reader)


def require_places(plan: Plan, reader: MachineReader) -> None:
    """Raises Refused unless every directory above the plan's mount points is root's alone, and none is a link."""
    for seen in seen_places(plan, reader):
        if fault := place_fault(seen):
            raise Refused(f"root mounts nothing on {safe(seen.path)}: {fault.message}", hint=fault.way_out)


def mount_problem(made: PlanFileSystem, reader: MachineReader) -> str:
    """Why what is seen at the mount point is not the whole file system on the plan's device; empty if it is."""
    place, pin, seen = made.mount_point, reader.pin(made.device), reader.mount_at(made.mount_point)
    if seen is None:
        return f"{place} is not mounted"
    if seen.link:
        return f"the path {place} has a symbolic link: {seen.link}"
    if pin is None:
        return f"{made.device} is gone, and device {seen.number} is mounted on {place}"
    if seen.number != pin.number:
        return f"device {seen.number} is mounted on {place}, not {pin.number} ({made.device})"
    if not seen.is_whole(pin.number):
        return f"only {safe(seen.root or 'a part')} of {made.device} is mounted on {place}"
    return ""


def require_mounted(plan: Plan, reader: MachineReader) -> None:
    """Raises Stale unless on each mount point the whole file system on the plan's device is seen, nothing over it."""
    for made in plan.filesystems:
        if problem := mount_problem(made, reader):
            raise Stale(problem, hint=f"{_foreign_mount(made)}, then resume")


def require_ours_on_top(plan: Plan, reader: MachineReader, mounted: Reading) -> None:
    """Right before an unmount, which takes what is on top: raises Stale if that is not the file system that `mounted`
    names."""
    for made in plan.filesystems:
        if mounted_reading(made) == mounted and (problem := mount_problem(made, reader)):
            raise Stale(problem, hint=f"{_foreign_mount(made)}, {AGAIN}")


def require_unmounted(plan: Plan, reader: MachineReader) -> None:
    """Raises Stale if a file system of the plan is still mounted, at any place or below another mount."""
    for made in plan.filesystems:
        pin, ran = reader.pin(made.device), reader.ask(identity.uuid_question(made.device))
        if pin is None or value_of("UUID", ran.exit, ran.stdout) != made.uuid:  # another plan may have the name by now
            continue
        left = [safe(mount.point) for mount in own_mounts(reader) if mount.number == pin.number]
        if left:
            raise Stale(f"{made.device} is still mounted on {', '.join(left)}", hint=f"unmount it by hand, {AGAIN}")


def mounted_below(place: str, reader: MachineReader) -> tuple[str, ...]:
    """Mount points below a directory: what is mounted there hides what the directory's own file system has."""
    return tuple(mount.point for mount in own_mounts(reader) if mount.point.startswith(f"{place}/"))


def _foreign_mount(made: PlanFileSystem) -> str:
    return f"see findmnt {made.mount_point}; unmount what does not belong there"


def _seen(paths: Iterable[str], reader: MachineReader) -> tuple[SeenPath, ...]:
    return tuple(SeenPath(path=path, parts=reader.path_parts(path)) for path in paths)
