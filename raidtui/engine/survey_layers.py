"""Layers of a plan that run now (arrays and volume), and foreign content and devices on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from raidtui.engine.standing import START_BYTES
from raidtui.machine.gauges.kernel_arrays import FilesOf, array_now, runs, state_word
from raidtui.machine.system.ports import MachineReader, Pin
from raidtui.programs import cryptsetup, identity, lsblk, lvm, mdadm, wipefs
from raidtui.programs.lsblk import BlockDevice
from raidtui.programs.names import Names
from raidtui.programs.shell_quote import program_text
from raidtui.programs.signatures import LENGTH, sample_offsets
from raidtui.programs.sysfs import slaves_path, word
from raidtui.steps.check_step import answer_value
from raidtui.steps.crypt_steps import mapping_is_ours
from raidtui.steps.disk_binding import plain_marks
from raidtui.steps.preflight import display_name
from raidtui.values.errors import MachineFailed
from raidtui.values.members import part_names
from raidtui.values.plan import VOLUME, Plan, PlanArray, PlanCrypt, PlanFileSystem, Reading, volume_of
from raidtui.values.prediction import ArrayGeometry, LvmGeometry, StripeGeometry
from raidtui.values.run import Foreign, ForeignKind, Record
from raidtui.values.units import KIB

PV = "LVM2_member"
MD = "linux_raid_member"
_KINDS: dict[str, ForeignKind] = {
    "crypto_LUKS": "luks", "swap": "swap", "gpt": "partition", "dos": "partition", "PMBR": "partition", MD: "array",
}  # fmt: skip
"""libblkid's names of content; any other is a file system or another signature"""
_TYPES: dict[str, ForeignKind] = {"part": "partition", "crypt": "luks", "lvm": "logical-volume", "loop": "loop"}
"""lsblk's names of device types; raid0 to raid10 and linear are arrays, any other counts as device-mapper"""
_BLANK = {True: START_BYTES, False: 4 * KIB}
"""bytes at the start of a new array (True: zeroed on every member) and of a new volume (False: lvcreate --zero=y)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyProgress:
    """Progress of the run according to its journal; an empty journal proves nothing."""

    undoing: bool
    """an undo has started to undo steps: it removed what is missing"""
    half: frozenset[int]
    """numbers of steps with a command that was started, and not verified: their remains belong to the plan"""
    never: frozenset[int]
    """numbers of steps of which a journal with any step has no command, and which it does not have verified"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A running array, a disk without md, or the active volume, of the plan."""

    path: str
    """its path in the plan"""
    node: str
    """its present path, which may differ after a boot"""
    pin: Pin
    array: PlanArray | None
    """None for the volume, and for a disk without md"""
    wanted: str
    """signature that it must have after the build; empty for none"""
    uuid: str
    """UUID of that signature"""
    filesystem: PlanFileSystem | None
    """file system that the plan creates on it"""
    made_by: int
    """number of the step that creates it"""
    filled_by: int
    """number of the step that writes the signature; 0 for none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerStack:
    """All layers of a plan."""

    layers: tuple[Layer, ...]
    unseen: tuple[str, ...]
    """existing arrays that are not running, by the plan's path"""
    names: tuple[str, ...]
    """kernel names of all arrays of the plan, including assembled ones that are not running"""

    @property
    def numbers(self) -> dict[str, Layer]:
        """Layers by major:minor."""
        return {layer.pin.number: layer for layer in self.layers}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lvm:
    """LVM's view of the layers."""

    foreign: tuple[Foreign, ...] = ()
    """volumes and physical volumes that do not belong to the plan"""
    closed: tuple[str, ...] = ()
    """the volume of the plan, if it exists without a device"""
    is_open: bool = False
    """True if the device of that volume is open"""


NO_LVM = Lvm()


def progress(records: Sequence[Record], plan: Plan) -> SurveyProgress:
    """Progress of the steps of `plan` according to the journal."""
    half: set[int] = set()
    for record in records:
        if record.purpose != "undo" and record.kind == "intent":
            half.add(record.step)
        elif record.purpose != "undo" and record.kind == "proven":
            half.discard(record.step)
    begun = any(record.kind == "step" for record in records)
    written = {record.step for record in records if record.kind in ("intent", "proven")}
    return SurveyProgress(
        undoing=any(record.purpose == "undo" and record.kind == "step" for record in records),
        half=frozenset(half),
        never=frozenset(step.number for step in plan.steps if begun and step.number not in written),
    )


def stack(plan: Plan, runner: MachineReader, so_far: SurveyProgress, only: Collection[str] = ()) -> LayerStack:
    """The arrays, found by UUID under any name, and the volume; `only`: those arrays and disks, by the plan's paths."""
    running, unseen = [], []
    arrays = [array for array in plan.arrays if not only or array.device in only]
    nodes = _nodes(arrays, runner, once=bool(only))
    for array in arrays:
        layer = _array_layer(plan, array)
        node = nodes.get(array.uuid)
        pin = runner.pin(node) if node else None
        if node and pin is not None and runs(state_word(FilesOf(runner), pin.name)):
            running.append(replace(layer, node=node, pin=pin))
        elif so_far.undoing or layer.made_by in so_far.half | so_far.never:
            continue
        elif _on_members(plan, array, runner):
            unseen.append(array.device)
    disks = list(_disk_layers(plan, runner, only))
    running += disks
    on_lvm = isinstance(plan.prediction.volume, LvmGeometry)
    if on_lvm and not only and (nodes or disks):  # else a volume of that name is foreign
        path = volume_path(plan)
        if (pin := runner.pin(path)) is not None:
            running.append(replace(_volume_layer(plan, path), pin=pin))
    for crypt in plan.crypts or () if not only else ():
        layer = _crypt_layer(plan, crypt)
        if not any(each.path == crypt.device and carries(runner, each) for each in running):
            continue
        pin = runner.pin(crypt.path)
        if pin is not None and so(runner, mapping_is_ours(crypt)) and opened_from_ours(runner, crypt):
            running.append(replace(layer, pin=pin))
        elif not so_far.undoing and layer.filled_by not in so_far.half | so_far.never:
            unseen.append(crypt.path)
    names = tuple(node.removeprefix("/dev/") for node in nodes.values())
    return LayerStack(layers=tuple(running), unseen=tuple(unseen), names=names)


def volume_path(plan: Plan) -> str:
    """Path of the plan's logical volume."""
    return volume_of(plan.name)


def array_changes(plan: Plan, runner: MachineReader, layers: Sequence[Layer]) -> Iterator[Foreign]:
    """Arrays of the plan that were grown, reshaped or renamed, and foreign members."""
    members = (member for disk in plan.disks for member in disk.members)
    disks = {pin.name for member in members if (pin := runner.pin(member.path)) is not None}
    arrays = {layer.pin.name for layer in layers if layer.array is not None}
    for layer in layers:
        geometry = _geometry(plan, layer)
        if layer.array is None or geometry is None:
            continue
        values = _pairs(runner.ask(mdadm.export(layer.node)).stdout)
        wanted = {"MD_LEVEL": geometry.level, "MD_DEVICES": str(geometry.members)}
        changes = [
            f"{key.removeprefix('MD_').lower()} {values.get(key, 'unknown')} instead of {value}"
            for key, value in wanted.items()
            if values.get(key) != value
        ]
        name = values.get("MD_NAME", layer.array.name).rpartition(":")[2]
        changes += [f"renamed to {name}"] if name != layer.array.name else []
        if layer.pin.size_bytes != geometry.array_bytes:
            changes.append(f"{layer.pin.size_bytes} bytes instead of {geometry.array_bytes}")
        now = array_now(FilesOf(runner), layer.pin.name)
        changes += ["its shape is being changed"] if now is not None and now.reshape is not None else []
        if changes:
            yield Foreign(kind="array-changed", device=layer.path, owner="; ".join(changes))
        mirror = {each.pin.name for each in layers if each.path == layer.array.journal}
        allowed = arrays if layer.array == plan.outer else disks | mirror
        for member in now.members if now is not None else ():
            if member.state == "faulty" or member.device in allowed:
                continue
            if runner.pin(f"/dev/{member.device}") is not None:
                yield _stray(plan, runner, layer, member.device)


def _stray(plan: Plan, runner: MachineReader, layer: Layer, member: str) -> Foreign:
    """A member of an array that no path of the plan points to: a foreign device, a disk whose link has changed, or one
    path to a multipath disk."""
    shown = runner.ask(identity.disk_question(f"/dev/{member}", alone=True)).stdout.strip()
    for disk in plan.disks:
        if disk.bound_by_path and runner.pin(disk.path) is not None:
            continue  # such disks are alike: the one whose link is gone
        if shown == identity.disk_answer(disk.model, disk.serial, disk.wwn):
            if disk.is_map:
                return Foreign(kind="path", device=layer.path, owner=member)
            owner = f"the disk in {display_name(disk)} is /dev/{member}, a member of {layer.path}"
            return Foreign(kind="link", device=disk.path, owner=owner)
    return Foreign(kind="member", device=layer.path, owner=member)


def content(plan: Plan, runner: MachineReader, layer: Layer, so_far: SurveyProgress) -> Iterator[Foreign]:
    """Foreign signatures on a layer, and non-zero bytes where the plan left zeros.

    Old content of the disks that shows through a layer was given up when the plan was confirmed.
    """
    answer = runner.ask(wipefs.question((layer.node,)))
    if answer.exit != 0:
        raise MachineFailed(f"wipefs cannot read it: {answer.stderr.strip() or answer.exit}")
    found = [(words[2], words[1]) for words in map(str.split, answer.stdout.splitlines()) if len(words) >= 3]
    half = layer.made_by in so_far.half
    length = _zero_bytes(plan, layer, half=half)
    if half and _held_something(plan, layer):
        found = [(kind, offset) for kind, offset in found if int(offset, 16) < length]
    for kind, offset in found:
        if kind not in (layer.wanted, PV):  # pvs reports the group of a physical volume
            yield Foreign(kind=_KINDS.get(kind, "file-system"), device=layer.path, owner=f"{kind} at {offset}")
    kinds = {kind for kind, _ in found}
    if layer.wanted in kinds and layer.wanted != PV and (uuid := _uuid(runner, layer)) != layer.uuid:
        kind = _KINDS.get(layer.wanted, "file-system")
        yield Foreign(kind=kind, device=layer.path, owner=f"{layer.wanted} {uuid or 'with an unknown UUID'}")
    if found or not length or so_far.undoing or {layer.made_by, layer.filled_by} & so_far.half:
        return
    differs = runner.ask(wipefs.zero_question(layer.node, 0, length))
    if differs.exit not in (0, 1):
        raise MachineFailed(f"its first {length} bytes cannot be read: {differs.stderr.strip()}")
    if differs.exit or differs.stdout.strip():
        yield Foreign(kind="data", device=layer.path, owner=f"no signature, but its first {length} bytes are not zero")


def data_between(plan: Plan, runner: MachineReader, layer: Layer, so_far: SurveyProgress) -> int | None:
    """Byte of a layer without a signature at which a sample is not zero; None if all are, and where the plan left old
    content there or something of its own."""
    over = plan.design.encrypts_arrays and layer.array is None
    if over or _is_crypt(plan, layer):  # what was never written reads as noise: nothing tells it from data
        unwritten = so_far.undoing or layer.filled_by in so_far.half | so_far.never
        return None if unwritten or runner.ask(wipefs.question((layer.node,))).stdout.strip() else 0
    if so_far.undoing or {layer.made_by, layer.filled_by} & so_far.half or _held_something(plan, layer):
        return None
    if runner.ask(wipefs.question((layer.node,))).stdout.strip():
        return None
    return runner.first_nonzero(layer.node, [(at, LENGTH) for at in sample_offsets(layer.pin.size_bytes)])


def opened_from_ours(runner: MachineReader, crypt: PlanCrypt) -> bool:
    """True if what is open under the name of an encrypted volume is on the plan's device: a copy of it on another disk
    has the same header, UUID included, and a boot opens whichever of them it finds."""
    mapped, device = runner.pin(crypt.path), runner.pin(crypt.device)
    if mapped is None or device is None:
        return False
    lower = f"dm-{device.number.partition(':')[2]}" if device.kind == "volume" else device.name
    return runner.names(slaves_path(f"dm-{mapped.number.partition(':')[2]}")) == (lower,)


def carries(runner: MachineReader, layer: Layer) -> bool:
    """True if what the plan puts on the layer is there, by its UUID."""
    return bool(layer.uuid) and _uuid(runner, layer) == layer.uuid


def logical_volumes(plan: Plan, runner: MachineReader, layers: Sequence[Layer]) -> Lvm:
    """LVM's view of the layers; queried if the plan uses LVM or a layer has a physical volume."""
    ours = isinstance(plan.prediction.volume, LvmGeometry)
    labelled = [layer for layer in layers if PV in runner.ask(wipefs.question((layer.node,))).stdout.split()]
    if not layers or not (ours or labelled):
        return NO_LVM
    physical = lvm.physical_volumes(_answer(runner, lvm.PHYSICAL))
    numbers = {volume.path: pin.number for volume in physical if (pin := runner.pin(volume.path)) is not None}
    groups = {volume.group for volume in physical for layer in layers if layer.wanted == PV
              if volume.uuid == layer.uuid} - {""}  # fmt: skip
    foreign: list[Foreign] = []
    for layer in layers:
        on_it = [volume for volume in physical if numbers.get(volume.path) == layer.pin.number]
        for volume in on_it:
            if layer.wanted == PV and volume.uuid == layer.uuid:
                if volume.group not in ("", plan.name):
                    owner = f"now in the volume group {volume.group}"
                    foreign.append(Foreign(kind="physical-volume", device=layer.path, owner=owner))
            elif volume.group:
                foreign.append(Foreign(kind="volume-group", device=layer.path, owner=volume.group))
            else:
                foreign.append(Foreign(kind="physical-volume", device=layer.path, owner=volume.uuid))
        if layer in labelled and not on_it:
            owner = "a physical volume that LVM does not list"
            foreign.append(Foreign(kind="physical-volume", device=layer.path, owner=owner))
    parts = part_names(plan.name, plan.design.layout.arrays)
    known = {names_of(plan).volume_uuid(part) for part in parts}
    for volume in physical:
        if volume.group in groups and volume.uuid not in known:
            foreign.append(Foreign(kind="physical-volume", device=f"/dev/{volume.group}", owner=volume.path))
    mine, tag = f"{plan.name}/{VOLUME}", names_of(plan).tag
    closed: tuple[str, ...] = ()
    is_open = False
    for logical in lvm.logical_volumes(_answer(runner, lvm.VOLUMES)):
        if logical.group not in groups:
            continue
        if logical.name == mine and tag in logical.tags:
            is_open = logical.open
            closed = () if logical.active else (volume_path(plan),)
        else:
            kind: ForeignKind = "snapshot" if logical.origin else "logical-volume"
            owner = f"{logical.name} of {logical.origin}" if logical.origin else logical.name
            foreign.append(Foreign(kind=kind, device=f"/dev/{logical.group}", owner=owner))
    return Lvm(foreign=tuple(foreign), closed=closed, is_open=is_open)


def devices_on_top(plan: Plan, runner: MachineReader, found: LayerStack) -> Iterator[Foreign]:
    """Partitions and block devices on a layer, by lsblk and by the kernel's holders."""
    layers = found.layers
    answer = runner.ask(lsblk.tree_question([layer.node for layer in layers]))
    if answer.exit != 0:
        raise MachineFailed(f"lsblk cannot show the arrays: {answer.stderr.strip() or answer.exit}")
    blocks, edges = lsblk.parse(answer.stdout)
    if unclear := next((block for block in blocks if block.problem), None):
        raise MachineFailed(f"unexpected output of lsblk about {unclear.name or 'a device'}: {unclear.problem}")
    numbers = {layer.pin.number: layer for layer in layers}
    own = {block.name: numbers[block.number] for block in blocks if block.number in numbers}
    below = {upper: lower for lower, upper in edges}
    prefix = f"{plan.name.replace('-', '--')}-"
    for block in blocks:
        name = _mapped(runner, block.name)
        in_group = block.type == "lvm" and name.startswith(prefix) and not name.startswith(f"{prefix}-")
        if block.name in (*own, *found.names) or in_group:  # logical_volumes reports those of the plan's group
            continue
        where = f" mounted at {block.mount_point}" if block.mount_point else ""
        yield Foreign(kind=_kind(block), device=_layer_below(block.name, below, own), owner=f"{name}{where}")
    known = {block.name for block in blocks}
    for layer in layers:
        for holder in runner.holders(layer.node):
            if holder not in (*known, *found.names):
                yield Foreign(kind="device-mapper", device=layer.path, owner=_mapped(runner, holder))


def _nodes(arrays: Sequence[PlanArray], runner: MachineReader, *, once: bool) -> dict[str, str]:
    """Path of the kernel's device of each of `arrays`, by UUID. MachineFailed if a UUID occurs twice.

    `once`: no more is asked when all are found.
    """
    wanted = {array.uuid for array in arrays}
    linked = {pin.name for array in arrays if (pin := runner.pin(array.device)) is not None}
    found: dict[str, str] = {}
    for name in sorted(runner.names("/sys/block"), key=lambda name: name not in linked):
        if once and wanted == set(found):
            break
        if not name.startswith("md") or not state_word(FilesOf(runner), name):
            continue
        uuid = _pairs(runner.ask(mdadm.export(f"/dev/{name}")).stdout).get("MD_UUID", "")
        if uuid in wanted and uuid in found:
            raise MachineFailed(f"{found[uuid]} and /dev/{name} both have the UUID {uuid} of the plan")
        if uuid in wanted:
            found[uuid] = f"/dev/{name}"
    return found


def _disk_layers(plan: Plan, runner: MachineReader, only: Collection[str]) -> Iterator[Layer]:
    """The disks of a plan without md that have the UUID that the plan writes; see `stack`."""
    on_lvm = isinstance(plan.prediction.volume, LvmGeometry)
    wipe = next(step.number for step in plan.steps if step.stage == "wipe")
    volume = next((step.number for step in plan.steps if step.stage == "volume"), 0)
    for path, uuid in plain_marks(plan).items():
        if only and path not in only:
            continue
        filesystem = next((each for each in plan.filesystems if each.device == path), None)
        pin = runner.pin(path)
        if pin is None or _pairs(runner.ask(identity.uuid_question(path)).stdout).get("UUID") != uuid:
            continue
        yield Layer(
            path=path, node=path, pin=pin, array=None, wanted=PV if on_lvm else plan.design.fs, uuid=uuid,
            filesystem=filesystem, made_by=wipe,
            filled_by=volume if filesystem is None else _format_step(plan, filesystem),
        )  # fmt: skip


def _array_layer(plan: Plan, array: PlanArray) -> Layer:
    legs, outer = plan.data_arrays, plan.outer
    over = next((leg for leg in legs if leg.journal == array.device), None)
    filesystem = next((each for each in plan.filesystems if each.device == array.device), None)
    volume = next((step.number for step in plan.steps if step.stage == "volume"), 0)
    made_by = _step_with(plan, array.device)
    wanted, uuid, filled_by = "", "", 0
    if (crypt := _crypt_on(plan, array.device)) is not None:
        wanted, uuid, filled_by = cryptsetup.KIND, crypt.uuid, _step_with(plan, crypt.path)
    elif over is not None:
        wanted, uuid, filled_by = MD, over.uuid, _step_with(plan, over.device)
    elif array in legs and isinstance(plan.prediction.volume, LvmGeometry):
        wanted, uuid, filled_by = PV, names_of(plan).volume_uuid(array.name), volume
    elif array in legs and outer is not None:
        wanted, uuid, filled_by = MD, outer.uuid, volume
    elif filesystem is not None:
        wanted, uuid, filled_by = plan.design.fs, filesystem.uuid, _format_step(plan, filesystem)
    return Layer(
        path=array.device, node="", pin=_NOWHERE, array=array, wanted=wanted, uuid=uuid, filesystem=filesystem,
        made_by=made_by, filled_by=filled_by,
    )  # fmt: skip


def _volume_layer(plan: Plan, path: str) -> Layer:
    filesystem = next((each for each in plan.filesystems if each.device == path), None)
    made = Layer(
        path=path, node=path, pin=_NOWHERE, array=None, wanted=plan.design.fs if filesystem else "",
        uuid=filesystem.uuid if filesystem else "", filesystem=filesystem, made_by=_step_with(plan, path),
        filled_by=_format_step(plan, filesystem) if filesystem else 0,
    )  # fmt: skip
    if (crypt := _crypt_on(plan, path)) is None:
        return made
    return replace(made, wanted=cryptsetup.KIND, uuid=crypt.uuid, filled_by=_step_with(plan, crypt.path))


def _crypt_layer(plan: Plan, crypt: PlanCrypt) -> Layer:
    """What is opened on an encrypted volume: a volume as LVM's is one, with the file system or a physical volume."""
    made = _volume_layer(plan, crypt.path)
    if not plan.design.encrypts_arrays:
        return made
    array = next(each for each in plan.arrays if each.device == crypt.device)
    volume = next(step.number for step in plan.steps if step.stage == "volume")
    return replace(made, wanted=PV, uuid=names_of(plan).volume_uuid(array.name), filled_by=volume)


def _crypt_on(plan: Plan, device: str) -> PlanCrypt | None:
    return next((crypt for crypt in plan.crypts or () if crypt.device == device), None)


def _is_crypt(plan: Plan, layer: Layer) -> bool:
    return any(crypt.path == layer.path for crypt in plan.crypts or ())


def _step_with(plan: Plan, path: str) -> int:
    """Number of the step that makes a device."""
    return next(step.number for step in plan.steps if path in step.makes)


_NOWHERE = Pin(kind="other", number="", disk="", sequence="", size_bytes=0, name="")


def _format_step(plan: Plan, filesystem: PlanFileSystem) -> int:
    formats = (step for step in plan.steps if step.stage == "format")
    return next(
        step.number for step in formats if any(filesystem.device in command.devices for command in step.commands)
    )


def _geometry(plan: Plan, layer: Layer) -> ArrayGeometry | None:
    if layer.array is None:
        return None
    volume = plan.prediction.volume
    outer = (volume.array,) if isinstance(volume, StripeGeometry) else ()
    geometries: tuple[ArrayGeometry, ...] = (*plan.prediction.arrays, *(plan.prediction.journals or ()), *outer)
    return geometries[plan.arrays.index(layer.array)]


def names_of(plan: Plan) -> Names:
    """Names and tag of what a plan creates; no arrays and mount points, which are in the plan."""
    return Names(run_id=plan.run_id, name=plan.name, host=plan.host, arrays=(), mount_points=(), outer="")


def _on_members(plan: Plan, array: PlanArray, runner: MachineReader) -> bool:
    """True if a member has the superblock of an array that is not running: then the array exists."""
    paths = [disk.member_of(array).path for disk in plan.disks if disk.id in array.members]
    paths += [each.device for each in plan.arrays if each.device in array.members]
    return any(_pairs(runner.ask(mdadm.examine_export(path)).stdout).get("MD_UUID") == array.uuid for path in paths)


def _held_something(plan: Plan, layer: Layer) -> bool:
    """True if a disk below the layer had content when it was planned."""
    members = layer.array.members if layer.array is not None else ()
    below = {*members, *(member for array in plan.arrays if array.device in members for member in array.members)}
    return any(disk.content for disk in plan.disks if disk.id in below or layer.array is None)


def _zero_bytes(plan: Plan, layer: Layer, *, half: bool) -> int:
    """Bytes at the start of a layer that are zero until something is put there; `half`: its creation was interrupted.

    A wipe zeroes them on every member of an array of disks. Old content of the disks shows at the start of an array
    over arrays, and of a volume until lvcreate has zeroed it.
    """
    if _is_crypt(plan, layer):
        return 0
    on_disks = layer.array is not None and layer.array != plan.outer
    old = not on_disks and (half or layer.array is not None) and _held_something(plan, layer)
    return 0 if old else _BLANK[layer.array is not None]


def so(runner: MachineReader, reading: Reading) -> bool:
    """True if the reading holds now."""
    ran = runner.ask(reading.question.argv)
    return answer_value(reading, ran.exit, ran.stdout) == reading.answer


def _uuid(runner: MachineReader, layer: Layer) -> str:
    if layer.wanted == MD:
        return _pairs(runner.ask(mdadm.examine_export(layer.node)).stdout).get("MD_UUID", "")
    return _pairs(runner.ask(identity.uuid_question(layer.node)).stdout).get("UUID", "")


def _mapped(runner: MachineReader, name: str) -> str:
    """The device-mapper name of a device, else its kernel name."""
    return word(runner.read_text(f"/sys/block/{name}/dm/name")) or name


def _kind(block: BlockDevice) -> ForeignKind:
    return (
        "array" if block.type.startswith("raid") or block.type == "linear" else _TYPES.get(block.type, "device-mapper")
    )


def _layer_below(name: str, below: Mapping[str, str], own: Mapping[str, Layer]) -> str:
    """Path of the layer below a device, direct or indirect."""
    seen: Collection[str] = set()
    while name in below and name not in own and name not in seen:
        seen = {*seen, name}
        name = below[name]
    return own[name].path if name in own else ""


def _answer(runner: MachineReader, argv: tuple[str, ...]) -> str:
    answer = runner.ask(argv)
    if answer.exit != 0:
        raise MachineFailed(f"{program_text(argv)} exited with {answer.exit}: {answer.stderr.strip()}")
    return answer.stdout


def _pairs(text: str) -> dict[str, str]:
    return dict(line.strip().split("=", 1) for line in text.splitlines() if "=" in line)
