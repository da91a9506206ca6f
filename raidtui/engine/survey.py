"""Survey of what is on the arrays and the volume of a plan, read from the machine.

A failed query becomes an entry that refuses the undo. The survey writes and mounts nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

from raidtui.engine.ownership import contents
from raidtui.engine.standing import AGAIN, files_text, findings, not_given_up
from raidtui.engine.survey_layers import (
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
from raidtui.machine.system.device_users import kernel_users
from raidtui.machine.system.files import RUN_FILE, kept_document, save_document
from raidtui.machine.system.ports import MachineReader
from raidtui.programs import file_systems, identity
from raidtui.programs import mount as mountinfo
from raidtui.programs.mount import Mount
from raidtui.programs.mount_options import quotas_of
from raidtui.steps.boot_steps import blocks_of, changed, mounted_reading
from raidtui.steps.check_step import value_of
from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import Design, FileSystemOptions
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.findings import Finding, first_of
from raidtui.values.paths import SeenPath, place_fault, written_fault
from raidtui.values.plan import Plan, PlanFileSystem, Reading, WriteFile
from raidtui.values.run import AcceptedLoss, FileSystemSeen, Foreign, ForeignKind, Record, Standing, UnsignedData
from raidtui.values.safe import safe

# Users of the arrays and the volume of a plan: mounts of every mount namespace, swap, loop devices, exports.


_NO_MOUNTS = ("Z", "X")
"""states of a process that has exited (proc(5)): it has no readable mounts"""


def own_mounts(runner: MachineReader) -> tuple[Mount, ...]:
    """The mounts of this process. MachineFailed if they cannot be read."""
    text = runner.read_text("/proc/self/mountinfo")
    if text is None:
        raise MachineFailed("/proc/self/mountinfo cannot be read", hint="mount /proc")
    return mountinfo.parse(text)


def mounted_as_planned(mounts: Sequence[Mount], layer: Layer) -> Mount | None:
    """The mount of the whole file system of the layer at the plan's mount point; None if there is none."""
    place = layer.filesystem.mount_point if layer.filesystem else ""
    found = (mount for mount in mounts if mount.number == layer.pin.number and mount.root == "/")
    return next((mount for mount in found if mount.point == place), None)


def mounted_elsewhere(mounts: Sequence[Mount], layers: Mapping[str, Layer]) -> Iterator[Foreign]:
    """Foreign mounts of a layer, and foreign mounts on or below a mount of the plan."""
    planned = {layer.path: mount for layer in layers.values() if (mount := mounted_as_planned(mounts, layer))}
    for mount in mounts:
        layer = layers.get(mount.number)
        if layer is not None and mount is not planned.get(layer.path):
            part = f" (its directory {mount.root})" if mount.root != "/" else ""
            yield Foreign(kind="mount", device=layer.path, owner=f"mounted at {mount.point}{part}")
    for path, own in planned.items():
        for mount in mounts:
            if mount.number not in layers and mountinfo.holding((own,), mount.point) is own:
                if _before(mounts, mount, own):
                    continue
                owner = f"{mount.fstype} of {mount.source} mounted at {mount.point}"
                yield Foreign(kind="mount", device=path, owner=owner)


def mounted_in_namespaces(
    runner: MachineReader, mounts: Sequence[Mount], layers: Mapping[str, Layer]
) -> Iterator[Foreign]:  # fmt: skip
    """Mounts of a layer in other mount namespaces to which our unmount does not propagate.

    A copy at the same place in the same peer group, or a slave of it, is unmounted with ours
    (mount_namespaces(7)): systemd services have such copies of every mount.
    """
    seen = {runner.read_text("/proc/self/mountinfo")}
    ours = {mount.point: mount.shared for layer in layers.values() if (mount := mounted_as_planned(mounts, layer))}
    for pid in (name for name in runner.names("/proc") if name.isdigit()):
        text = _mountinfo(runner, pid)
        if text in seen or text is None:
            continue
        seen.add(text)
        for mount in mountinfo.parse(text):
            layer = layers.get(mount.number)
            group = ours.get(mount.point)
            if layer is None or (group and group in (mount.shared, mount.master)):
                continue
            program = (runner.read_text(f"/proc/{pid}/comm") or "").strip()
            yield Foreign(kind="namespace", device=layer.path, owner=f"process {pid} ({program}) at {mount.point}")


def swapped_on(runner: MachineReader, layers: Mapping[str, Layer], places: Sequence[str]) -> Iterator[Foreign]:
    """Swap areas on a layer, or in a file below `places`."""
    text = runner.read_text("/proc/swaps")
    if text is None:
        raise MachineFailed("/proc/swaps cannot be read", hint="mount /proc")
    for path in mountinfo.parse_swaps(text):
        if device := _leads_to(runner, path, layers, places):
            yield Foreign(kind="swap", device=device, owner=f"in use as swap at {path}")


def attached(runner: MachineReader, layers: Mapping[str, Layer], places: Sequence[str]) -> Iterator[Foreign]:
    """Loop devices and exports that use a layer, or a file below `places`."""
    for path, use in kernel_users(_Files(runner)):
        if device := _leads_to(runner, path, layers, places):
            kind: ForeignKind = "loop" if use.kind == "loop" else "export"
            yield Foreign(kind=kind, device=device, owner=f"{use.where} on {path}")


class _Files:
    """Adapter of a runner to the `Files` of `kernel_users`."""

    def __init__(self, runner: MachineReader) -> None:
        self._runner = runner

    def text(self, path: str) -> str | None:
        """See Files."""
        return self._runner.read_text(path)

    def names(self, path: str) -> tuple[str, ...]:
        """See Files."""
        return self._runner.names(path)


def _leads_to(runner: MachineReader, path: str, layers: Mapping[str, Layer], places: Sequence[str]) -> str:
    """The plan's path of the layer at `path`, or the plan's mount point that holds it; empty for neither."""
    if path.startswith("/dev/") and (pin := runner.pin(path)) is not None and pin.number in layers:
        return layers[pin.number].path
    return next((place for place in places if path.startswith(f"{place}/")), "")


def _mountinfo(runner: MachineReader, pid: str) -> str | None:
    """The mounts of a process; None if it has exited. MachineFailed if they cannot be read."""
    try:
        return runner.read_text(f"/proc/{pid}/mountinfo")
    except MachineFailed:
        status = runner.read_text(f"/proc/{pid}/stat")
        if status is None or status.rpartition(") ")[2][:1] in _NO_MOUNTS:
            return None
        raise


def _before(mounts: Sequence[Mount], mount: Mount, own: Mount) -> bool:
    """True for an earlier mount at the same mount point: ours covers it."""
    return mount.point == own.point and mounts.index(mount) < mounts.index(own)


# Paths of a plan on which root acts: files that it writes, directories that it mounts on.
# A name is not enough: who can change a directory in the path, or put a link there, chooses what root writes and where
# it mounts. Each path is opened component by component, and what is mounted on one is read from the opened directory.


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
    paths = {layer.path for layer in found.layers}
    for layer in found.layers:
        add(partial(content, plan, runner, layer, so_far), layer.path)
        if (at := answer(partial(data_between, plan, runner, layer, so_far), None, layer.path)) is not None:
            held.append(UnsignedData(device=layer.path, at=at))
        if (seen := answer(partial(_counted, plan.design, runner, layer, mounts), None, layer.path)) is not None:
            filesystems.append(seen)
    opened = any(crypt.device == volume_path(plan) and crypt.path in paths for crypt in plan.crypts or ())
    if lvm.is_open and not opened and not _used(volume_path(plan), foreign, filesystems):
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
        answers = [runner.ask(argv) for argv in file_systems.unmounted_questions(layer.node, kind, quotas=bool(quotas))]
        if answers[0].exit != 0:
            raise MachineFailed(f"its superblock cannot be read: {answers[0].stderr.strip()}")
        count = file_systems.unmounted(tuple(answer.stdout for answer in answers), kind, _made_by_mke2fs(kind, options))
        return replace(seen, used_bytes=count.used_bytes, files=count.files, at_least=not count.clean)
    answer = runner.ask(file_systems.mounted_question(mount.point))
    if answer.exit != 0:
        raise MachineFailed(f"its free space cannot be read: {answer.stderr.strip()}")
    match kind:
        case "xfs":
            own = len(quotas)
        case "ext4":
            own = _made_by_mke2fs(kind, options)
    count = file_systems.mounted(answer.stdout, kind, own)
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


# Content that the user gave up for an undo: a file beside the plan, written before the executor is started.


FILE = "given-up.json"
"""file in the directory of a run"""


def write(folder: Path, plan: Plan, standing: Standing) -> None:
    """Records that everything in `standing` was given up. Raises MachineFailed if it cannot be written."""
    found = AcceptedLoss(digest=plan.digest, standing=standing)
    save_document(folder / FILE, found, way_out="make it writable for root")


def read(folder: Path) -> AcceptedLoss | None:
    """The content given up; None if there is no file. Raises like `read_own`, and BadInput for an invalid file."""
    return kept_document(AcceptedLoss, folder / FILE, RUN_FILE)


def require(plan: Plan, runner: MachineReader, folder: Path, records: Sequence[Record]) -> None:
    """Surveys again right before an undo. Raises Refused for foreign content and for content not given up."""
    problems = not_given_up(plan, survey(plan, runner, records), read(folder))
    if problems:
        raise refusal(problems)


def refusal(problems: Sequence[Finding]) -> Refused:
    """One error from the findings of a survey: the first finding and the number of others."""
    return Refused(f"{first_of(problems)}; nothing was removed", hint=problems[0].way_out)
