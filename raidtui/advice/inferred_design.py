"""Design inferred from running md arrays, so that arrays not built by a plan can be predicted too.

Numbers of /sys/block/<md>/md/layout: RAID10 has near copies in the low byte, far ones in the next, bit 16 for offset
(drivers/md/raid10.c, setup_geo); parity levels count from 0, 2 being left-symmetric (drivers/md/raid5.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from raidtui.predict.design import predict
from raidtui.sizes.md import ArrayRequest, least_member_bytes
from raidtui.values.arrays import VolumeFacts
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.choices import FileSystem, Metadata, Stack
from raidtui.values.design import DEFAULT_CHUNK, Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import LEVELS, ArrayShape, Layout, Spread
from raidtui.values.prediction import Prediction
from raidtui.values.units import SECTOR, counted

LEFT_SYMMETRIC = 2
_OFFSET = 1 << 16
_FAR_SETS = 3 << 17


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayFacts:
    """An md array as reported by the kernel."""

    name: str
    """kernel name"""
    level: str
    """raid6, raid10, ..."""
    members: tuple[str, ...]
    """kernel names by role; empty for a missing member"""
    spares: tuple[str, ...] = ()
    """kernel names"""
    journal: str = ""
    """kernel name of what carries its write journal, a disk or an array; empty without one"""
    chunk_bytes: int = 0
    """0 for a level without chunks"""
    layout: int = 0
    """number"""
    component_bytes: int = 0
    """used of each member; 0: not known"""
    data_offset_bytes: int | None = None
    """where data starts on each; None: not known, or not everywhere the same"""
    write_mostly: tuple[str, ...] = ()
    """members of a mirror that are not read while another has the data, by kernel name"""
    reshapes: bool = False
    """it is between two shapes"""
    metadata: str = "1.2"
    """superblock version"""
    bitmap: bool = False
    """True if it has a write-intent bitmap"""
    ppl: bool = False
    """True if it has a partial parity log"""
    stripe_cache_pages: int | None = None
    """stripe_cache_size, of each member"""
    parity_threads: int | None = None
    """group_thread_cnt"""
    sync_max_bytes_per_s: int | None = None
    """sync_speed_max, of each member"""


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredDesign:
    """A design and its disks, in the order of a plan."""

    design: Design
    """the design that would create these arrays"""
    disks: tuple[Disk, ...]
    """members of the first array, of the second, ..., then spares, then the disks of write journals"""
    readers: tuple[Disk, ...] = ()
    """of a mirror with write-mostly members the others, which are read; empty: all are"""
    notes: tuple[str, ...] = ()
    """differences from arrays that raidtui would create"""


@dataclass(frozen=True, slots=True)
class NotALayout:
    """The arrays match no layout of raidtui."""

    reason: str
    """the reason, for a user"""


def infer_design(
    top: str,
    arrays: Sequence[ArrayFacts],
    volumes: Sequence[VolumeFacts],
    disks: Mapping[str, Disk],
    *,
    fs: FileSystem = "none",
) -> InferredDesign | NotALayout:
    """The design of the device `top` (kernel name of an array or of a volume over arrays), or why there is none.

    `disks` maps kernel names of members to disks; partitions have the size of the partition.
    """
    found = _arrays_below(top, arrays, volumes)
    if isinstance(found, NotALayout):
        return found
    below, stack, stripe = found
    shapes: list[ArrayShape] = []
    for array in below:
        shape = _shape(array)
        if isinstance(shape, str):
            return NotALayout(shape)
        shapes.append(shape)
    alike = {
        (shape.level, shape.copies, shape.spread, array.chunk_bytes) for shape, array in zip(shapes, below, strict=True)
    }
    if len(alike) > 1:
        return NotALayout(f"the arrays below {top} differ in level, copies or chunk")
    spares = [name for array in below for name in array.spares]
    layout = Layout.joined(shapes, len(spares))
    taken, notes = _disks([*(name for array in below for name in array.members), *spares], disks)
    if isinstance(taken, NotALayout):
        return taken
    carriers = [_journal_disks(array, arrays, disks) for array in below]
    each = len(carriers[0]) if len({len(found) for found in carriers}) == 1 else 0
    if not each and any(array.journal for array in below):
        notes.append("predicted without the write journal: not each array has one on a disk or a mirror of its own")
    first = below[0]
    metadata: dict[str, Metadata] = {name: name for name in get_args(Metadata)}
    if first.metadata not in metadata:
        return NotALayout(f"metadata {first.metadata} of {first.name} is not supported by raidtui")
    if layout.level in ("raid5", "raid6") and any(array.layout != LEFT_SYMMETRIC for array in below):
        notes.append(f"parity layout {first.layout} instead of left-symmetric")
    mostly = [name for name in first.write_mostly if name in first.members]
    readers = [disks[name] for name in first.members if name and name not in mostly] if mostly else []
    if readers:
        notes.append(f"{counted(len(mostly), 'write-mostly member')}, not read while another has the data")
    design = Design(
        layout=layout,
        chunk_bytes=first.chunk_bytes or stripe or DEFAULT_CHUNK,
        metadata=metadata[first.metadata],
        bitmap="internal" if first.bitmap else "none",
        ppl=first.ppl,
        journal=each or None,
        stack=stack,
        fs=fs,
        stripe_cache_pages=_least(array.stripe_cache_pages for array in below),
        parity_threads=_least(array.parity_threads for array in below),
        sync_max_bytes_per_s=_least(array.sync_max_bytes_per_s for array in below),
    )
    design = _limited(design, below)
    read = tuple(readers) if len(below) == 1 else ()
    journals = [disk for found in carriers for disk in found] if each else []
    return InferredDesign(design=design, disks=(*taken, *journals), readers=read, notes=tuple(notes))


def _journal_disks(array: ArrayFacts, arrays: Sequence[ArrayFacts], disks: Mapping[str, Disk]) -> tuple[Disk, ...]:
    """The disk that carries the write journal of an array, or the two of a mirror, a missing one assumed equal; empty
    where it is carried otherwise, or by nothing."""
    mirror = next((each for each in arrays if each.name == array.journal and each.level == "raid1"), None)
    alone = (array.journal,) if array.journal else ()
    found, _ = _disks(alone if mirror is None else mirror.members, disks)
    return () if isinstance(found, NotALayout) or len(found) > 2 else found


def _least(values: Iterable[int | None]) -> int | None:
    """The smallest of what is known: the slowest array bounds all."""
    return min((value for value in values if value is not None), default=None)


def _limited(design: Design, arrays: Sequence[ArrayFacts]) -> Design:
    """The design with no more of each member than md uses: members may have been enlarged, and the array not."""
    used, offsets = {array.component_bytes for array in arrays}, {array.data_offset_bytes for array in arrays}
    shape = design.layout.first
    if len(used) > 1 or not min(used) or shape.level == "raid0":
        return design
    offset = next(iter(offsets)) if len(offsets) == 1 and design.metadata == "1.2" else None
    design = replace(design, data_offset_bytes=offset)
    component = min(used)
    ask = ArrayRequest(
        level=shape.md_level, member_bytes=(component,), chunk_bytes=design.chunk_bytes, metadata=design.metadata,
        ppl=design.ppl, data_offset_sectors=None if offset is None else offset // SECTOR,
    )  # fmt: skip
    return replace(design, member_bytes=least_member_bytes(ask, component))


def predict_inferred(built: InferredDesign, inventory: Inventory) -> Prediction:
    """Prediction of an inferred design; `inventory` describes the links between its disks and memory."""
    from raidtui.predict.design import assess  # start-up: an audit needs no speed and no risk
    from raidtui.predict.speed.answers import throughput  # likewise
    from raidtui.predict.speed.volume import volume_of  # likewise

    prediction = predict(built.design, built.disks)
    found = assess(built.design, built.disks, prediction, inventory, DEFAULTS, spread=False)
    if not built.readers or found.throughput is None:
        return found
    layout = Layout.of(level="raid1", members=len(built.readers))
    mirror = volume_of(replace(built.design, layout=layout), built.readers, (), inventory, DEFAULTS)
    alone = throughput(mirror)
    fields = ("seq_read", "seq_read_one_stream", "rand_read")
    explained = found.throughput.explained | {field: alone.explained[field] for field in fields}
    own: dict[str, Any] = {field: getattr(alone, field) for field in fields}
    reads = replace(found.throughput, **own, explained=explained)
    return replace(found, throughput=reads)


def _arrays_below(
    top: str, arrays: Sequence[ArrayFacts], volumes: Sequence[VolumeFacts]
) -> tuple[tuple[ArrayFacts, ...], Stack, int] | NotALayout:
    """(arrays on disks below `top`, stack over them, bytes of its stripe), or why there are none."""
    known = {array.name: array for array in arrays}
    over = {volume.name: volume for volume in volumes}

    def whole(name: str) -> str:
        """What a device is that stands on one alone, such as an encrypted one."""
        while name in over and len(over[name].below) == 1:
            name = over[name].below[0]
        return name

    top = whole(top)
    volume = over.get(top)
    if volume is None and top not in known:
        return NotALayout(f"{top} is neither an md array nor a volume over md arrays")
    if volume is None:
        outer = known[top]
        if not any(member in known for member in outer.members):
            return (outer,), "lvm", 0
        names, stack, stripe = outer.members, "md", outer.chunk_bytes
        if outer.level != "raid0":
            return NotALayout(f"{top} is {outer.level} over arrays; raidtui supports only RAID0 over arrays")
    else:
        names, stack, stripe = tuple(map(whole, volume.below)), "lvm", volume.io_min_bytes
        if volume.io_opt_bytes != volume.io_min_bytes * len(names):
            return NotALayout(f"{top} is not striped over all of its {len(names)} physical volumes")
    below = tuple(known[name] for name in names if name in known)
    if len(below) < len(names) or not below:
        return NotALayout(f"{top} is not built on md arrays alone")
    if any(member in known for array in below for member in array.members):
        return NotALayout(f"{top} is built on arrays of arrays")
    return below, "md" if stack == "md" else "lvm", stripe


def _shape(array: ArrayFacts) -> ArrayShape | str:
    """The shape of an array, or the reason why raidtui does not support it."""
    if array.reshapes:
        return f"the shape of {array.name} is being changed"
    level = next((level for level in LEVELS if level == array.level), None)
    if level is None:
        return f"{array.name} is {array.level or 'not running'}: this level is not supported"
    if level == "raid1" and len(array.members) < 2:
        return f"{array.name} is a mirror of one copy"
    if level != "raid10":
        return ArrayShape(level=level, members=len(array.members))
    near, far, offset = array.layout & 0xFF, array.layout >> 8 & 0xFF, bool(array.layout & _OFFSET)
    if min(near, far) != 1 or max(near, far) < 2 or array.layout & _FAR_SETS or array.layout >> 19:
        return f"RAID10 layout 0x{array.layout:x} of {array.name} mixes near and far copies"
    spread: Spread = "n" if near > 1 else "o" if offset else "f"
    return ArrayShape(level=level, members=len(array.members), copies=max(near, far), spread=spread)


def _disks(names: Sequence[str], disks: Mapping[str, Disk]) -> tuple[tuple[Disk, ...] | NotALayout, list[str]]:
    """(disks by name, notes); a missing member is assumed equal to the first."""
    notes: list[str] = []
    unknown = [name for name in names if name and name not in disks]
    if unknown:
        return NotALayout(f"{unknown[0]} is not a disk of the inventory"), notes
    present = [disks[name] for name in names if name]
    if not present:
        return NotALayout("all members are missing"), notes
    missing = len(names) - len(present)
    if missing:
        notes.append(f"{counted(missing, 'missing member')} assumed equal to the others")
    stand_in = replace(present[0], id="", serial=None, kernel_name="")
    return tuple(disks[name] if name else stand_in for name in names), notes
