"""Another shape of an array that exists, as commands to type: raidtui does not carry them out.

Upstream's own tests of reshapes are marked as broken (mdadm, tests/*.broken: 07revert-grow, 07revert-shrink,
07changelevels, 25raid456-reshape-while-recovery).

mdadm moves the start of the data on each member where there is room before it, and needs no backup file then; it does
not try that where the call names one (Grow.c, set_new_data_offset). With a file it copies the first stripes into it
where the number of data disks grows, and every stripe where it does not: then a reshape is some ten times as slow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import lcm

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import IN_ARRAY, layout_of
from raidtui.advice.inferred_design import NotALayout
from raidtui.predict.speed.sync_time import reshape_hours
from raidtui.programs import mdadm
from raidtui.sizes.md import bitmap_bytes
from raidtui.steps.extend import BESIDE, busy, figures, made, predicted
from raidtui.steps.grow import SUPERBLOCK_FIRST, array_bytes, back_up, no_resize, without_log
from raidtui.steps.living import device_of, room_of, step
from raidtui.steps.replace import array_named, unfit, unusable
from raidtui.values.acts import Extension
from raidtui.values.arrays import ObservedArray, ObservedArrays
from raidtui.values.errors import BadInput
from raidtui.values.findings import Finding, error, note, warning
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.notation import parse
from raidtui.values.plan import Command, Step
from raidtui.values.safe import safe
from raidtui.values.survival import further_failures
from raidtui.values.units import MIB, counted

_HEAD = MIB
"""before the data of a member: superblock and log of bad blocks, rounded up; its bitmap comes on top"""
_LEVELS = ("raid5", "raid6")


def reshaped(
    seen: ObservedArrays, inventory: Inventory, array_name: str, layout: str, chunk_bytes: int | None
) -> Extension:
    """The commands that give an array another layout or chunk, a mirror more copies. Raises BadInput for others."""
    array, target = array_named(seen, array_name), parse(layout)
    if target.hybrid is not None or target.arrays > 1 or target.level not in (*_LEVELS, "raid1"):
        raise BadInput(
            f"{safe(layout)} is not one RAID5 or RAID6, nor a mirror", hint="write for example (14+2), or raid1(3)"
        )
    title, device = words.name(array), device_of(array)
    shape = replace(
        array, level=target.level, devices=target.member_disks, chunk_bytes=chunk_bytes or array.chunk_bytes
    )
    findings = [*unusable(array, BESIDE), *busy(array), *_risks(array, shape)]
    more = max(0, target.member_disks - (array.devices or 0))
    fit = [disk for disk in inventory.free if not list(unfit(array, None, disk, inventory, room_of(array)))]
    new = fit[: max(0, more - len(array.spares))]
    if len(array.spares) + len(new) < more:
        message = f"It takes {counted(more, 'disk')} more than {title} has, spares counted."
        findings.append(error("disks-missing", message, "insert blank disks that fit, and run this again", title))
    mirror = target.level == "raid1"
    moves = mirror or _data_can_move(array, shape)
    place = None if moves else f"/root/{safe(array.name)}.backup"
    adds = [mdadm.add_spare(device, disk.path) for disk in new]
    steps = [
        step(
            array, "exchange", "Add a disk as a spare", [each], purpose="A reshape takes its new members from spares.",
            cut="it is a spare or it is not",
        )
        for each in adds
    ]  # fmt: skip
    command = mdadm.reshape(
        device, level=None if shape.level == array.level else shape.level, devices=target.member_disks,
        chunk_bytes=None if shape.chunk_bytes == array.chunk_bytes else chunk_bytes, backup_file=place,
    )  # fmt: skip
    change = _mirror_step(array, command) if mirror else _shape_step(array, shape, command, new, place)
    steps += [change] if array.consistency != "ppl" else without_log(array, [change], back=shape.level == "raid5")
    built = layout_of(array, seen.arrays, inventory)
    now = predicted(built, inventory)
    before = after = figures(array, now)
    spares = max(0, len(array.spares) + len(new) - more)
    if not isinstance(built, NotALayout):
        design = replace(
            built.design,
            layout=replace(target, spares=spares),
            chunk_bytes=shape.chunk_bytes or built.design.chunk_bytes,
        )
        after = figures(array, predicted(replace(built, design=design, disks=(*built.disks, *new)), inventory))
    after = replace(after, array_bytes=array_bytes(shape, array.component_bytes), spares=spares)
    if mirror:
        copied = now.durability.rebuild if now is not None and now.durability is not None else None
        took = (copied.idle_hours, copied.slow_hours) if copied is not None else None
    else:
        in_file = not moves and _data_disks(array) == _data_disks(shape)
        took = _shape_hours(array, shape, inventory, in_file=in_file)
        findings += _on_time(array, in_file=in_file, known=took is not None)
    return made(seen, array, "reshape", (before, after), steps, findings, took)


def _data_disks(array: ObservedArray) -> int:
    return max((array.devices or 0) - (array.shape.parity or 0), 1)


def _data_can_move(array: ObservedArray, shape: ObservedArray) -> bool:
    """True if the data of every member can start so much earlier that no stripe is written over one not yet read."""
    if array.metadata not in SUPERBLOCK_FIRST or array.bitmap.kind not in ("none", "internal"):
        return False
    old, new = (each.chunk_bytes * _data_disks(each) for each in (array, shape))
    needed = lcm(old, new) // _data_disks(array) + _HEAD  # Grow.c, compute_backup_blocks
    if array.bitmap.kind == "internal" and array.bitmap.chunk_bytes:
        needed += bitmap_bytes(array.component_bytes, array.bitmap.chunk_bytes)
    offsets = [each.data_offset_bytes for each in array.members if each.state in IN_ARRAY]
    return bool(offsets) and all(offset is not None and offset >= needed for offset in offsets)


def _shape_hours(
    array: ObservedArray, shape: ObservedArray, inventory: Inventory, *, in_file: bool
) -> tuple[float, float] | None:
    """(least, most) hours; None for flash disks and small chunks, of which nobody reported any."""
    names = {each.disk for each in array.members}
    if any(disk.rotational is False for disk in inventory.disks if disk.kernel_name in names):
        return None
    return reshape_hours(array.component_bytes, min(array.chunk_bytes, shape.chunk_bytes), in_file=in_file)


def _on_time(array: ObservedArray, *, in_file: bool, known: bool) -> Iterator[Finding]:
    """What makes a reshape slow, and why its time is not known."""
    title = words.name(array)
    if in_file:
        message = (
            f"Members of {title} have no room before their data: mdadm copies every stripe to the backup file first."
        )
        yield note("reshape-through-file", message, "an array beside it is some ten times as fast", title)
    if not known:
        message = f"How long {title} takes is not known: reports are of hard disks, with chunks of 64 KiB and more."
        yield note("reshape-time-unknown", message, "/proc/mdstat has a forecast once it runs", title)


def _mirror_step(array: ObservedArray, command: Command) -> Step:
    return step(
        array, "grow", "Fill the further slots of the mirror", [command],
        purpose="md copies onto each new member; nothing is moved.", cut="md goes on by itself",
    )  # fmt: skip


def _shape_step(
    array: ObservedArray, shape: ObservedArray, command: Command, new: Sequence[Disk], place: str | None
) -> Step:
    paths = [safe(each.path) for each in array.members if each.path and each.state in IN_ARRAY]
    members = " ".join([*paths, *(safe(disk.path) for disk in new)])
    title, cut = "Change the shape", "md goes on once it is assembled"
    again = f"mdadm --assemble {device_of(array)} {members}"
    if place is not None:
        title, cut = (
            f"{title}; the backup file must not be on the array",
            "nothing but this goes on, with the backup file",
        )
        again = (
            f"mdadm --assemble {device_of(array)} --backup-file={place} {members}; mdadm --grow --continue "
            f"{device_of(array)} --backup-file={place}"
        )
    short = replace(array, level=min(array.level, shape.level))
    return step(
        short, "grow", title, [command], purpose="md moves every stripe, oldest first.",
        cut=f"a power cut leaves half of it in each shape; {cut}: {again}",
    )  # fmt: skip


def _risks(array: ObservedArray, shape: ObservedArray) -> Iterator[Finding]:
    title = words.name(array)
    yield from no_resize(array)
    alike = (array.level == "raid1") == (shape.level == "raid1")
    if array.level not in (*_LEVELS, "raid1") or not alike or not array.component_bytes:
        yield error("reshape-unknown", f"{title} is {safe(array.level)}: no shape of it is known.", BESIDE, title)
    now, then = (array_bytes(each, array.component_bytes) for each in (array, shape))
    if then < now or (further_failures(shape.shape) or 0) < (further_failures(array.shape) or 0):
        message = f"{title} would be smaller, or survive less; XFS cannot shrink, and LVM must before the array does."
        yield error("reshape-shrinks", message, BESIDE, title)
    if then > now and array.stands_on_it:
        message = f"What is on {title} does not grow with it."
        yield note("grows-after", message, f"once md has ended: raidtui extend {title} grow", title)
    if shape.level == "raid1":
        return
    yield warning(
        "reshape-by-hand", "mdadm's own tests of reshapes are marked as broken: raidtui prints, and executes none.",
        "the safer way: build an array beside it (raidtui plan), copy with rsync -aHAX, "
        "compare, then retire the old one", title,
    )  # fmt: skip
    yield back_up(array)
