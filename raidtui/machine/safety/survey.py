"""Survey of what is on the arrays and the volume of a plan, read from the machine.

A failed query becomes an entry that refuses the undo. The survey writes and mounts nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar, cast

from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.safety.ownership import contents
from raidtui.machine.safety.root_paths import seen_files, seen_places
from raidtui.machine.safety.survey_layers import (
    NO_LVM,
    Layer,
    LayerStack,
    array_changes,
    carries,
    content,
    data_between,
    devices_on_top,
    logical_volumes,
    progress,
    stack,
    volume_path,
)
from raidtui.machine.safety.survey_users import (
    attached,
    mounted_as_planned,
    mounted_elsewhere,
    mounted_in_namespaces,
    own_mounts,
    swapped_on,
)
from raidtui.model.choices import MadeFileSystem
from raidtui.model.design import Design
from raidtui.model.errors import MachineFailed, Stale
from raidtui.model.file_system import FileSystemOptions
from raidtui.model.finding import first_of
from raidtui.model.path_parts import place_fault, written_fault
from raidtui.model.plan import Plan
from raidtui.model.run import Record
from raidtui.model.safe import safe
from raidtui.model.standing import FileSystemSeen, Foreign, Standing, UnsignedData
from raidtui.planner.compile.managed_block import blocks_of, changed
from raidtui.planner.standing.findings import files_text, findings
from raidtui.tools import file_count
from raidtui.tools.mount_options import quotas_of
from raidtui.tools.mountinfo import Mount

T = TypeVar("T")
_NAMES = 8
_LONGEST = 60
_OWNER = 160
_MADE_BY_MKFS = "lost+found"


def survey(plan: Plan, runner: MachineReader, records: Sequence[Record] = ()) -> Standing:
    """The present content of the arrays and the volume of `plan`, and the disks that an undo does not change.

    `records`: the journal of its run, if known.
    """
    standing = _on_arrays(plan, runner, records)
    try:
        lines = (*_changed_lines(plan, runner), *_not_roots(plan, runner))
        disks = contents(plan, runner, records)
    except MachineFailed as problem:
        unread = Foreign(kind="unreadable", device="", owner=safe(str(problem), longest=_OWNER))
        return replace(standing, foreign=(*standing.foreign, unread))
    beside = (
        Foreign(kind="beside", device=each.disk.path, owner=each.sentence) for each in disks if each.state == "beside"
    )
    own = ("ours", "table", "half made", "beside", "blank")
    kept = (each.sentence for each in disks if each.state not in own)
    return replace(standing, foreign=(*standing.foreign, *beside, *lines), kept=tuple(kept))


def require_nothing_of_others(
    plan: Plan, runner: MachineReader, records: Sequence[Record], then: str, only: Collection[str] = ()
) -> None:
    """Between the steps of a run. Raises Stale if an array or the volume of `plan` holds something that is not the
    plan's; who has them open is found by `check_unused`. `then`: what follows once that is gone; `only`: of all arrays
    and disks those that the next step touches, by the plan's paths.

    Files on a file system that its step did not finish are not the plan's, but those that an undo gives up.
    """
    so_far = progress(records, plan)
    layers = stack(plan, runner, so_far, only).layers
    foreign = [*logical_volumes(plan, runner, layers).foreign]
    for layer in layers:
        try:
            foreign += content(plan, runner, layer, so_far)
        except MachineFailed as problem:
            foreign.append(Foreign(kind="unreadable", device=layer.path, owner=safe(str(problem), longest=_OWNER)))
        if layer.filled_by in so_far.half and not so_far.undoing:
            foreign += _files_of_others(plan, runner, layer)
    if found := findings(Standing(foreign=tuple(dict.fromkeys(foreign))), then):
        raise Stale(first_of(found), hint=found[0].way_out)


def _files_of_others(plan: Plan, runner: MachineReader, layer: Layer) -> Iterator[Foreign]:
    """Files on the file system of a layer, which the plan did not put there; none where mkfs did not come to an end."""
    with contextlib.suppress(MachineFailed):
        seen = _counted(plan.design, runner, layer, own_mounts(runner))
        if seen is not None and seen.files:
            yield Foreign(kind="file-system", device=layer.path, owner=files_text(seen))


def _changed_lines(plan: Plan, runner: MachineReader) -> Iterator[Foreign]:
    """The plan's lines in files that others write too, where they are not as they were written."""
    for block in blocks_of(plan):
        if problem := changed(runner.read_text(block.path) or "", block):
            yield Foreign(kind="lines", device=block.path, owner=problem.removeprefix(f"{block.path} "))


def _not_roots(plan: Plan, runner: MachineReader) -> Iterator[Foreign]:
    """Files that an undo writes, and mount points where it unmounts, which are not root's alone."""
    faults = [(seen.path, written_fault(seen)) for seen in seen_files(plan, runner, undo=True)]
    mounted = (seen for seen in seen_places(plan, runner) if runner.mount_at(seen.path) is not None)
    faults += [(seen.path, place_fault(seen)) for seen in mounted]
    for path, fault in faults:
        if fault is not None:
            yield Foreign(kind="not roots", device=path, owner=fault.message)


def _on_arrays(plan: Plan, runner: MachineReader, records: Sequence[Record]) -> Standing:
    foreign: list[Foreign] = []

    def answer(source: Callable[[], T], instead: T, device: str = "") -> T:
        try:
            return source()
        except MachineFailed as problem:
            foreign.append(Foreign(kind="unreadable", device=device, owner=str(problem)))
            return instead

    def add(source: Callable[[], Iterable[Foreign]], device: str = "") -> None:
        foreign.extend(answer(lambda: list(source()), [], device))

    so_far = progress(records, plan)
    found = answer(lambda: stack(plan, runner, so_far), LayerStack(layers=(), unseen=(), names=()))
    if not found.layers:
        return _standing((), found.unseen, foreign)
    numbers = found.numbers
    no_mounts: tuple[Mount, ...] = ()
    mounts = answer(lambda: own_mounts(runner), no_mounts)
    places = [mount.point for mount in mounts if mount.number in numbers]
    lvm = answer(lambda: logical_volumes(plan, runner, found.layers), NO_LVM)
    foreign += lvm.foreign
    add(lambda: array_changes(plan, runner, found.layers))
    add(lambda: devices_on_top(plan, runner, found))
    add(lambda: mounted_elsewhere(mounts, numbers))
    add(lambda: mounted_in_namespaces(runner, mounts, numbers))
    add(lambda: swapped_on(runner, numbers, places))
    add(lambda: attached(runner, numbers, places))
    filesystems = []
    held = []
    for layer in found.layers:
        add(partial(content, plan, runner, layer, so_far), layer.path)
        if (at := answer(partial(data_between, plan, runner, layer, so_far), None, layer.path)) is not None:
            held.append(UnsignedData(device=layer.path, at=at))
        if (seen := answer(partial(_counted, plan.design, runner, layer, mounts), None, layer.path)) is not None:
            filesystems.append(seen)
    if lvm.is_open and not _used(volume_path(plan), foreign, filesystems):
        owner = "it is open, but no mount or other user was found"
        foreign.append(Foreign(kind="opener", device=volume_path(plan), owner=owner))
    return replace(_standing(filesystems, (*found.unseen, *lvm.closed), foreign), held=tuple(held))


def _standing(
    filesystems: Sequence[FileSystemSeen], unseen: tuple[str, ...], foreign: Sequence[Foreign]
) -> Standing:  # fmt: skip
    harmless = (replace(each, owner=safe(each.owner, longest=_OWNER)) for each in foreign)
    return Standing(filesystems=tuple(filesystems), unseen=unseen, foreign=tuple(dict.fromkeys(harmless)))


def _counted(design: Design, runner: MachineReader, layer: Layer, mounts: Sequence[Mount]) -> FileSystemSeen | None:
    """The file system of the plan on a layer; None if there is none. MachineFailed if its files cannot be counted."""
    if layer.filesystem is None or not carries(runner, layer):
        return None
    kind = cast(MadeFileSystem, layer.wanted)
    options = design.options
    quotas = options.ext4.quotas if kind == "ext4" else quotas_of(options.mount)
    seen = FileSystemSeen(device=layer.path, uuid=layer.uuid, type=kind)
    mount = mounted_as_planned(mounts, layer)
    mount = mount or next((each for each in mounts if (each.number, each.root) == (layer.pin.number, "/")), None)
    if mount is None:
        answers = [runner.ask(argv) for argv in file_count.unmounted_questions(layer.node, kind, quotas=bool(quotas))]
        if answers[0].exit != 0:
            raise MachineFailed(f"its superblock cannot be read: {answers[0].stderr.strip()}")
        count = file_count.unmounted(tuple(answer.stdout for answer in answers), kind, _made_by_mke2fs(kind, options))
        return replace(seen, used_bytes=count.used_bytes, files=count.files, at_least=not count.clean)
    answer = runner.ask(file_count.mounted_question(mount.point))
    if answer.exit != 0:
        raise MachineFailed(f"its free space cannot be read: {answer.stderr.strip()}")
    own = len(quotas) if kind == "xfs" else _made_by_mke2fs(kind, options)
    count = file_count.mounted(answer.stdout, kind, own)
    names = [name for name in runner.names(mount.point) if name != _MADE_BY_MKFS]
    files = max(count.files, len(names))
    return replace(
        seen, mount_point=mount.point, used_bytes=count.used_bytes, files=files, entries=len(names),
        names=tuple(safe(name, longest=_LONGEST) for name in names[:_NAMES]),
    )  # fmt: skip


def _made_by_mke2fs(kind: MadeFileSystem, options: FileSystemOptions) -> int:
    """Files of ext4's own that are not among its reserved inodes."""
    own = ("project" in options.ext4.quotas, "orphan_file" in options.ext4.features)
    return sum(own) if kind == "ext4" else 0


def _used(path: str, foreign: Sequence[Foreign], filesystems: Sequence[FileSystemSeen]) -> bool:
    """True if a known user of the device explains why it is open."""
    return any(each.device == path and each.mount_point for each in filesystems) or any(
        each.device == path or each.kind == "snapshot" for each in foreign
    )
