"""How an array that exists is extended by what md does while it runs: spares and bitmap. Executes nothing.

Every step has readings of what is true after it: what was begun goes on where they do not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import IN_ARRAY, journal_lost, layout_of
from raidtui.advice.inferred_design import InferredDesign, NotALayout, predict_inferred
from raidtui.predict.checks.disks import COPY_TABLE
from raidtui.programs import md, mdadm
from raidtui.sizes.md import bitmap_bytes, least_chunk_within
from raidtui.steps.disk_binding import plan_disk
from raidtui.steps.living import (
    belongs,
    device_of,
    joins,
    numbered,
    room_of,
    spare_cleared,
    step,
    thing,
)
from raidtui.steps.replace import array_named, disk_named, partition_member, partition_of, unusable
from raidtui.steps.step_builder import fact
from raidtui.values.acts import ExtendedVolume, Extension, ExtensionFigures, ExtensionKind, digest_of
from raidtui.values.arrays import ObservedArray, ObservedArrays
from raidtui.values.findings import Finding, error, note, refused, warning
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.members import disks_of
from raidtui.values.plan import PartInArray, PlanArray, PlanDisk, Reading, Step
from raidtui.values.prediction import Prediction
from raidtui.values.safe import safe
from raidtui.values.units import KIB, MIB, counted, exact_binary, grouped

_LEAST_BITMAP_CHUNK = 64 * MIB
"""what mdadm takes by itself where the bitmap has room"""
_PLAIN = str.maketrans("", "", ":-")
"""makes UUIDs of md and of udev alike"""
BESIDE = "build an array beside it: raidtui help growth"


def with_spare(seen: ObservedArrays, inventory: Inventory, array_name: str, disk_name: str) -> Extension:
    """`disk_name` as a further spare of an array; a spare of another array is moved."""
    array, disk = array_named(seen, array_name), disk_named(inventory, disk_name)
    title, device = words.name(array), device_of(array)
    member = any(each.disk == disk.kernel_name and each.state in IN_ARRAY for each in array.members)
    source = None if member else _source(seen, disk)
    findings = [
        *unusable(array, BESIDE),
        *(() if member else joins(array, disk, inventory, room_of(array), spare_of=source)),
    ]
    if (parted := partition_member(array)) is not None and not member:
        copy = COPY_TABLE.replace("MEMBER", f"/dev/{safe(parted.disk)}")
        way_out = f"by hand: {copy}; udevadm settle; mdadm {device} --add-spare NEW-part{partition_of(parted)}"
        findings.append(error("spare-needs-table", f"Members of {title} are partitions.", way_out, title))
    bound = plan_disk(disk, f"spare of {title}")
    steps = []
    if source is not None:
        other = words.name(source)
        moved = any(each.disk == disk.kernel_name for each in source.spares)
        steps += [*([_taken_out(source, bound)] if moved else []), spare_cleared(bound, source)]
        findings.append(
            note(
                "spare-moved", f"{other} keeps {counted(len(source.spares) - moved, 'spare')}.",
                "to share spares instead, give the ARRAY lines of both arrays in mdadm.conf the same spare-group=; "
                "let mdadm --monitor run, which moves one when an array fails that has none", title,
            )
        )  # fmt: skip
    in_it = PartInArray(array=device, device=bound.path, parts=("spare", "rebuilding", "in-sync"))
    added = step(
        array, "exchange", "Add the disk as a spare", [mdadm.add_spare(device, bound.path)],
        (belongs(bound.path, array),), then=(in_it,),
        purpose="A spare alone, no attempt to take it for a member that comes back.",
        cut="the disk is a spare of the array or of none",
    )  # fmt: skip
    steps.append(replace(added, destroys=(bound.id,)))
    built = layout_of(array, seen.arrays, inventory)
    before = figures(array, predicted(built, inventory))
    if not member and not isinstance(built, NotALayout):
        had = built.design.layout
        disks = (*disks_of(had, built.disks), disk, *built.disks[had.disks :])  # before the disk of a journal
        layout = replace(had, spares=had.spares + 1)
        built = replace(built, design=replace(built.design, layout=layout), disks=disks)
    after = replace(figures(array, predicted(built, inventory)), spares=before.spares + (not member))
    arrays = (array,) if source is None else (array, source)
    return made(seen, array, "spare", (before, after), steps, findings, arrays=arrays, disks=(bound,))


def _taken_out(source: ObservedArray, disk: PlanDisk) -> Step:
    """The spare leaves its array; nothing but that array's superblock may be on it."""
    device = device_of(source)
    command = replace(mdadm.remove(device, disk.path), members=(disk.path,), spare_of=source.uuid)
    out = PartInArray(array=device, device=disk.path, parts=("missing",))
    taken = step(
        source, "exchange", f"Take the spare out of {words.name(source)}", [command], then=(out,),
        purpose="A disk is a spare of one array; udev may not take it back meanwhile, its lock is held.",
        cut=f"the disk is a spare of {words.name(source)} or of no array",
    )  # fmt: skip
    spare = PartInArray(array=device, device=disk.path, parts=("spare",))
    return replace(taken, before=(spare,), destroys=(disk.id,), locks=(disk.id,))


def _source(seen: ObservedArrays, disk: Disk) -> ObservedArray | None:
    """The whole array that the disk is a spare of, or was until it was taken out."""
    carried = {(use.signature.uuid or "").translate(_PLAIN) for use in disk.uses if use.signature is not None}
    for array in seen.arrays:
        states = [each.state for each in array.members if each.disk == disk.kernel_name and each.state != "dropped"]
        out = not states and not array.lacks and array.uuid.translate(_PLAIN) in carried
        if array.name and (out or states == ["spare"]):
            return array
    return None


def with_bitmap(
    seen: ObservedArrays, inventory: Inventory, array_name: str, chunk_bytes: int | None, room_bytes: int | None = None
) -> Extension:
    """Another bitmap of an array; `chunk_bytes`: None for none, 0 for one as mdadm makes it.

    `room_bytes`: for it on the member with the least room, None where that is not known."""
    array = array_named(seen, array_name)
    title, device, has = words.name(array), device_of(array), array.bitmap
    findings = [*unusable(array, BESIDE), *busy(array)]
    if has.kind not in ("none", "internal") or array.consistency in ("ppl", "journal"):
        logs = {"ppl": "a partial parity log", "journal": "a write journal"}
        article = "an" if has.kind in ("external", "unknown", "internal") else "a"
        what = logs.get(array.consistency, f"{article} {has.kind} bitmap")
        way_out = "change it by hand: mdadm(8), --grow"
        if has.kind == "lockless":
            way_out = "leave it: mdadm makes one only when it creates an array"
        findings.append(error("bitmap-other", f"{title} has {what}.", way_out, title))
    chunk = chunk_bytes or (has.chunk_bytes if has.kind == "internal" else None) or _LEAST_BITMAP_CHUNK
    if chunk & (chunk - 1) or chunk < 4 * KIB:
        way_out = "a power of two, 4K or more: 256M"
        findings.append(error("bitmap-chunk", f"{chunk} bytes are no unit of a bitmap.", way_out, title))
    elif chunk_bytes is not None and room_bytes is not None:
        findings += _no_room(array, chunk, room_bytes)
    policy = value(array, "consistency_policy")
    none = fact("setting", f"{title} has no bitmap", policy, "resync")
    both = (
        fact("setting", f"{title} has a bitmap", policy, "bitmap"),
        fact("setting", f"a bit stands for {exact_binary(chunk)}", value(array, "bitmap/chunksize"), str(chunk)),
    )
    cut = "a power cut now takes a sync of the whole array"
    why = "A bitmap limits the sync after a power cut to what was being written. Each bit costs a write now and then."
    away = step(
        array, "grow", "Take the bitmap away", [mdadm.set_bitmap(device, "none")], (none,), purpose=why, cut=cut
    )
    command = mdadm.set_bitmap(device, "internal", chunk)
    added = step(array, "grow", f"Add a bitmap, a bit for {exact_binary(chunk)}", [command], both, purpose=why, cut=cut)
    asked: tuple[Reading, ...] = (none,) if chunk_bytes is None else both
    has_it = has.kind == "none" if chunk_bytes is None else (has.kind, has.chunk_bytes) == ("internal", chunk)
    steps = [away, added] if has.kind == "internal" else [added]
    if has_it:
        steps = []
        message = f"{'; '.join(each.what for each in asked)}."
        findings.append(note("nothing-to-change", message, "nothing is left to do", title))
    elif chunk_bytes is None:
        steps = [away]
        message, way_out = f"Without a bitmap {title} syncs all of it after a power cut.", "it writes faster then"
        findings.append(warning("bitmap-none", message, way_out, title))
    before = figures(array, predicted(layout_of(array, seen.arrays, inventory), inventory))
    return made(seen, array, "bitmap", (before, before), steps, findings)


def _no_room(array: ObservedArray, chunk: int, room: int) -> Iterator[Finding]:
    """Why a bitmap with a bit for each chunk does not fit: mdadm refuses it after the old one is gone."""
    covered, title = array.component_bytes, words.name(array)
    if array.level == "raid10":  # Grow.c: on it a bitmap is of the data, not of a member
        covered = covered * (array.devices or 0) // max(1, (array.layout & 0xFF) * (array.layout >> 8 & 0xFF))
    least = least_chunk_within(room, covered)
    if least is None or chunk < least:
        message = (
            f"A bit for {exact_binary(chunk)} makes a bitmap of {grouped(bitmap_bytes(covered, chunk))} bytes on each "
            f"member of {title}, which has {grouped(room)} for it."
        )
        way_out = "it can have none" if least is None else f"a unit of {exact_binary(least)} or more"
        yield error("bitmap-room", message, way_out, title)


def value(array: ObservedArray, what: str) -> tuple[str, ...]:
    """Asks for a file of the array in sysfs."""
    return md.read_question(md.value_path(array.name, what))


def busy(array: ObservedArray) -> Iterator[Finding]:
    """Why md would not change its shape now."""
    title = words.name(array)
    if array.lacks:
        yield error("array-degraded", f"{title} is {words.state_words(array)}.", f"raidtui replace {title}", title)
    elif array.sync is not None:
        action = array.sync.action
        begins = words.sync_way_out(array.name, action) if action in ("held", "frozen") else "wait for its end"
        yield error("array-syncing", f"{title} syncs: {words.sync_words(array.sync)}.", begins, title)
    if journal_lost(array):
        message, way_out = f"The write journal of {title} is lost.", f"raidtui replace {title} --with DISK gives it one"
        yield error("journal-lost", message, way_out, title)
    elif "read-only" in array.states:
        yield error("array-read-only", f"{title} is read-only.", f"mdadm --readwrite /dev/{array.name}", title)


def predicted(built: InferredDesign | NotALayout, inventory: Inventory) -> Prediction | None:
    """What is predicted of arrays that are built so; None where nothing is."""
    return None if isinstance(built, NotALayout) else predict_inferred(built, inventory)


def figures(array: ObservedArray, found: Prediction | None) -> ExtensionFigures:
    """The array as it is, with what is predicted of it."""
    made_of = ExtensionFigures(array_bytes=array.size_bytes, spares=len(array.spares))
    if found is not None and (speed := found.throughput) is not None:
        reads, writes = speed.seq_read.bytes_per_s, speed.seq_write.bytes_per_s
        made_of = replace(made_of, read_bytes_per_s=reads, write_bytes_per_s=writes)
    if found is not None and (risk := found.durability) is not None:
        made_of = replace(made_of, rebuild_hours=risk.rebuild_hours, annual_loss=risk.disks_loss_1y)
    return made_of


def made(
    seen: ObservedArrays, array: ObservedArray, kind: ExtensionKind, both: tuple[ExtensionFigures, ExtensionFigures],
    steps: Sequence[Step], findings: Sequence[Finding], took: tuple[float, float] | None = None, *,
    arrays: Sequence[ObservedArray] = (), disks: Sequence[PlanDisk] = (), volume: ExtendedVolume | None = None,
) -> Extension:  # fmt: skip
    """The answer, with its digest. `arrays`: those that commands name, none for `array` alone."""
    none = refused(tuple(findings)) or not steps
    named: tuple[PlanArray, ...] = tuple(map(thing, arrays or (array,)))
    found = Extension(
        host=seen.host, simulated=seen.simulated, kind=kind, array=array.name, uuid=array.uuid, level=array.level,
        before=both[0], after=both[1], hours=took and took[0], most_hours=took and took[1],
        disks=() if none else tuple(disks), arrays=() if none else named, volume=None if none else volume,
        steps=() if none else numbered(steps), findings=tuple(findings),
    )  # fmt: skip
    return replace(found, digest=digest_of(found))
