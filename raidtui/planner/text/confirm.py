"""Confirmation page shown before anything is written, and the phrase that the user must type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from raidtui.model.geometry import LvmGeometry, StripeGeometry
from raidtui.model.inventory import UseKind
from raidtui.model.plan import Plan, PlanDisk
from raidtui.model.safe import safe
from raidtui.model.standing import Standing
from raidtui.model.units import binary_size, decimal_size
from raidtui.planner.numbers import counted, spares_text
from raidtui.planner.standing.text import standing_lines
from raidtui.planner.text.summary import columns, findings_lines

Word = Literal["erase", "undo", "drill", "write"]
_LONG = 48


def build_page(plan: Plan) -> tuple[str, ...]:
    """The confirmation page of a build: every disk with its content, the devices to create, the digest."""
    return (
        f"Build plan {plan.digest[:8]} for {safe(plan.host)}: all content of {counted(len(plan.disks), 'disk')} will be"
        " lost.",
        "",
        *columns([("PLACE", "SERIAL", "MODEL", "SIZE", "WILL BE", "CONTENT NOW"), *map(_row, plan.disks)], right=(3,)),
        "",
        *_content_lines(plan),
        *_made_lines(plan),
        *findings_lines(plan.findings),
        "",
        f"Digest of the plan: {plan.digest}",
    )


def undo_page(plan: Plan, standing: Standing) -> tuple[str, ...]:
    """The confirmation page of an undo: the devices to remove, and what is on them now."""
    return (
        f"Undo plan {plan.digest[:8]} on {safe(plan.host)}: removes the devices it created; all data on them will be "
        "lost.",
        "",
        *columns([("PLACE", "SERIAL", "MODEL", "SIZE", "WAS"), *(_row(disk)[:5] for disk in plan.disks)], right=(3,)),
        "",
        *_made_lines(plan, heading="Will be removed"),
        "",
        *standing_lines(plan, standing),
        "",
        "The content of the disks before the build cannot be restored.",
        "",
        f"Digest of the plan: {plan.digest}",
    )


def raw_page(plan: Plan, *, built: bool) -> tuple[str, ...]:
    """The confirmation page of a benchmark that writes to the disks of a plan, or to its arrays."""
    what = counted(len(plan.arrays), "array") if built else counted(len(plan.disks), "blank disk")
    heading = ("PLACE", "SERIAL", "MODEL", "SIZE", "ROLE IN THE PLAN")
    return (
        f"Benchmark of {what} on {safe(plan.host)}: zeros are written over them. What they hold without a signature, "
        "between their ends, will be lost.",
        "",
        *columns([heading, *(_row(disk)[:5] for disk in plan.disks)], right=(3,)),
        "",
        *([*_made_lines(plan, heading="Will be written to"), ""] if built else []),
        "Each must read as blank before every write, and is read again afterwards.",
        "",
        f"Digest of the plan: {plan.digest}",
    )


def phrase(plan: Plan, word: Word = "erase") -> str:
    """`erase 60 1a2b3c4d`: word, number of disks, end of the digest."""
    return f"{word} {len(plan.disks)} {plan.digest[-8:]}"


def confirmed(plan: Plan, typed: str, word: Word = "erase") -> bool:
    """True if `typed` is the phrase; only a line end may follow it."""
    return typed.rstrip("\r\n") == phrase(plan, word)


def classes(plan: Plan) -> dict[UseKind, tuple[PlanDisk, ...]]:
    """Disks with content by its kind, `file-system`, `partition-table`, ...; a disk may be in several."""
    found: dict[UseKind, list[PlanDisk]] = {}
    for disk in plan.disks:
        for kind in kinds(disk):
            found.setdefault(kind, []).append(disk)
    return {kind: tuple(found[kind]) for kind in sorted(found)}


def kinds(disk: PlanDisk) -> tuple[UseKind, ...]:
    """The kinds of content on a disk, each once."""
    return tuple(dict.fromkeys(content.kind for content in disk.content))


def content_text(disk: PlanDisk) -> str:
    """The content of a disk as text, unescaped; empty if it was blank."""
    return "; ".join(map(str, disk.content))


def known_as(disk: PlanDisk) -> str:
    """What is typed to accept the loss of one disk's content: its serial number, else its identity."""
    return safe(disk.serial or disk.id)


def unaccepted(plan: Plan, accepted: Collection[str]) -> tuple[PlanDisk, ...]:
    """Disks whose loss was not accepted, neither by the disk's name nor by every kind of its content."""
    return tuple(
        disk
        for disk in plan.disks
        if disk.content and known_as(disk) not in accepted and not set(kinds(disk)) <= set(accepted)
    )


def _row(disk: PlanDisk) -> tuple[str, ...]:
    return (
        safe(disk.place.text or disk.path.removeprefix("/dev/disk/by-id/"), longest=_LONG),
        safe(disk.serial or "-", longest=_LONG),
        safe(disk.model or "-", longest=_LONG),
        decimal_size(disk.size_bytes),
        disk.role,
        safe(content_text(disk)) or "blank",
    )


def _content_lines(plan: Plan) -> list[str]:
    found = classes(plan)
    if not found:
        return ["All disks are blank.", ""]
    lines = ["Content that will be lost, by kind:"]
    for kind, disks in found.items():
        lines.append(f"  {kind}: {counted(len(disks), 'disk')}")
        for disk in disks:
            held = "; ".join(str(each) for each in disk.content if each.kind == kind)
            lines.append(f"    {known_as(disk)}  {safe(disk.place.text or disk.path)}  {safe(held)}")
    return [*lines, ""]


def _made_lines(plan: Plan, heading: str = "Will be created") -> list[str]:
    lines = [f"{heading}:"]
    for array, geometry in zip(plan.arrays, plan.prediction.arrays, strict=False):
        spares = f" + {spares_text(len(array.spares))}" if array.spares else ""
        size = binary_size(geometry.array_bytes)
        lines.append(f"  {array.device}  {geometry.level} of {len(array.members)} disks{spares}, {size}")
    parts = "disks" if plan.design.layout.plain else "arrays"
    match plan.prediction.volume:
        case LvmGeometry() as volume:
            lines.append(f"  /dev/{plan.name}  LVM stripe over {volume.stripes} {parts}, {_volume(plan)}")
        case StripeGeometry():
            lines.append(f"  {plan.arrays[-1].device}  md stripe over {len(plan.arrays) - 1} arrays, {_volume(plan)}")
        case None:
            pass
    lines += [f"  {made.mount_point}  file system on {made.device}" for made in plan.filesystems]
    return lines


def _volume(plan: Plan) -> str:
    return binary_size(plan.prediction.volume_bytes)


def prompt_lines(disk: PlanDisk) -> Sequence[str]:
    """The prompt for one disk with content."""
    return (
        f"{safe(disk.place.text or disk.path)}, {safe(disk.model or 'no model')}, "
        f"{decimal_size(disk.size_bytes)} holds:",
        *(f"  {safe(str(content))}" for content in disk.content),
        f"Type its serial number {known_as(disk)} to erase this content: ",
    )
