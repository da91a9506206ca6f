"""The survey of what stands on what a plan made, taken from the machine; the plan only says what to look for.

A question without an answer becomes an entry that refuses. Nothing is written, nothing is mounted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import cast

from raidtui.machine.runner import Runner
from raidtui.machine.standing_layers import (
    Layer,
    Stack,
    array_changes,
    carries,
    content,
    devices_on_top,
    logical_volumes,
    progress,
    stack,
    volume_path,
)
from raidtui.machine.standing_users import (
    attached,
    mounted_as_planned,
    mounted_elsewhere,
    mounted_in_namespaces,
    own_mounts,
    swapped_on,
)
from raidtui.model.errors import MachineFailed
from raidtui.model.plan import Plan
from raidtui.model.run import Record
from raidtui.model.safe import safe
from raidtui.model.standing import FileSystemSeen, Foreign, Standing
from raidtui.tools import file_count
from raidtui.tools.mountinfo import Mount

_NAMES = 8
_LONGEST = 60
_OWNER = 160
_MADE_BY_MKFS = "lost+found"


def survey(plan: Plan, runner: Runner, records: Sequence[Record] = ()) -> Standing:
    """What stands on the arrays and the volume of `plan` now. `records` is the journal of its run, as far as known."""
    foreign: list[Foreign] = []
    so_far = progress(records, plan)

    def take(source: Callable[[], Iterable[Foreign]], device: str = "") -> None:
        try:
            foreign.extend(source())
        except MachineFailed as problem:
            foreign.append(Foreign(kind="unreadable", device=device, owner=str(problem)))

    found = Stack(layers=(), unseen=(), names=())
    try:
        found = stack(plan, runner, so_far)
    except MachineFailed as problem:
        foreign.append(Foreign(kind="unreadable", device="", owner=str(problem)))
    mounts: tuple[Mount, ...] = ()
    closed: tuple[str, ...] = ()
    is_open = False
    numbers = found.numbers
    filesystems: list[FileSystemSeen] = []
    if found.layers:
        try:
            mounts = own_mounts(runner)
        except MachineFailed as problem:
            foreign.append(Foreign(kind="unreadable", device="", owner=str(problem)))
        take(lambda: array_changes(plan, runner, found.layers))
        for layer in found.layers:
            take(lambda layer=layer: content(plan, runner, layer, so_far), layer.path)  # type: ignore[misc]
        try:
            of_lvm, closed, is_open = logical_volumes(plan, runner, found.layers)
            foreign += of_lvm
        except MachineFailed as problem:
            foreign.append(Foreign(kind="unreadable", device="", owner=str(problem)))
        take(lambda: devices_on_top(plan, runner, found))
        take(lambda: mounted_elsewhere(mounts, numbers))
        take(lambda: mounted_in_namespaces(runner, mounts, numbers))
        places = [mount.point for mount in mounts if mount.number in numbers]
        take(lambda: swapped_on(runner, numbers, places))
        take(lambda: attached(runner, numbers, places))
        for layer in found.layers:
            take(lambda layer=layer: _counted(runner, layer, mounts, filesystems), layer.path)  # type: ignore[misc]
    if is_open and not _used(volume_path(plan), foreign, filesystems):
        owner = "it is open, and neither a mount nor another user was found"
        foreign.append(Foreign(kind="opener", device=volume_path(plan), owner=owner))
    return Standing(
        filesystems=tuple(filesystems),
        unseen=(*found.unseen, *closed),
        foreign=tuple(dict.fromkeys(replace(each, owner=safe(each.owner, longest=_OWNER)) for each in foreign)),
    )


def _counted(
    runner: Runner, layer: Layer, mounts: Sequence[Mount], found: list[FileSystemSeen]
) -> Iterable[Foreign]:  # fmt: skip
    """Adds the file system of the plan on a layer to `found`; raises MachineFailed when it cannot be counted."""
    if layer.filesystem is None or not carries(runner, layer):
        return ()
    kind = cast(file_count.Type, layer.wanted)
    seen = FileSystemSeen(device=layer.path, uuid=layer.uuid, type=kind)
    mount = mounted_as_planned(mounts, layer)
    mount = mount or next((each for each in mounts if (each.number, each.root) == (layer.pin.number, "/")), None)
    if mount is None:
        answers = [runner.ask(argv) for argv in file_count.unmounted_questions(layer.node, kind)]
        if answers[0].exit != 0:
            raise MachineFailed(f"its superblock cannot be read: {answers[0].stderr.strip()}")
        count = file_count.unmounted(tuple(answer.stdout for answer in answers), kind)
        found.append(replace(seen, used_bytes=count.used_bytes, files=count.files, at_least=not count.clean))
        return ()
    answer = runner.ask(file_count.mounted_question(mount.point))
    if answer.exit != 0:
        raise MachineFailed(f"its free space cannot be read: {answer.stderr.strip()}")
    count = file_count.mounted(answer.stdout, kind)
    names = [name for name in runner.names(mount.point) if name != _MADE_BY_MKFS]
    found.append(
        replace(
            seen, mount_point=mount.point, used_bytes=count.used_bytes, files=count.files, entries=len(names),
            names=tuple(safe(name, longest=_LONGEST) for name in names[:_NAMES]),
        )
    )  # fmt: skip
    return ()


def _used(path: str, foreign: Sequence[Foreign], filesystems: Sequence[FileSystemSeen]) -> bool:
    """True when a user of the device was found that explains why it is open."""
    return any(each.device == path and each.mount_point for each in filesystems) or any(
        each.device == path or each.kind == "snapshot" for each in foreign
    )
