"""Confirmation page shown before anything is written, and the phrase that the user must type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from raidtui.answers.findings import finding_items
from raidtui.answers.plain_text import columns, fitted, plain_lines
from raidtui.engine.standing import standing_lines
from raidtui.values.amounts import spares_text
from raidtui.values.codec import by_key
from raidtui.values.errors import Refused
from raidtui.values.inventory import UseKind
from raidtui.values.paths import link_name
from raidtui.values.plan import Plan, PlanDisk
from raidtui.values.prediction import LvmGeometry, StripeGeometry
from raidtui.values.run import Standing
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, decimal_size

ConfirmWord = Literal["erase", "undo", "drill", "write"]
_LONG = 48


def build_page(plan: Plan, width: int = 80) -> tuple[str, ...]:
    """The confirmation page of a build: every disk with its content, the devices to create, the digest.

    `width`: columns that a line may have.
    """
    erased = counted(len(plan.disks), "disk")
    return (
        *fitted((f"Build plan {plan.digest[:8]} for {safe(plan.host)}: all content of {erased} will be lost.",), width),
        "",
        *_disk_lines(plan.disks, "WILL BE", width, content=True),
        "",
        *fitted((*_content_lines(plan), *_made_lines(plan)), width),
        *(("", *plain_lines(finding_items(plan.findings), width=width)) if plan.findings else ()),
        "",
        *_digest_lines(plan, width),
    )


def undo_page(plan: Plan, standing: Standing, width: int = 80) -> tuple[str, ...]:
    """The confirmation page of an undo: the devices to remove, and what is on them now. `width`: see `build_page`."""
    what = f"Undo plan {plan.digest[:8]} on {safe(plan.host)}: removes the devices it created; all data on them will be"
    return (
        *fitted((f"{what} lost.",), width),
        "",
        *_disk_lines(plan.disks, "WAS", width, content=False),
        "",
        *fitted((*_made_lines(plan, heading="Will be removed"), "", *standing_lines(plan, standing)), width),
        "",
        "The content of the disks before the build cannot be restored.",
        "",
        *_digest_lines(plan, width),
    )


_RAW_READ = (
    "All that will be written is read first, and again before each write. The benchmark ends before it writes if a "
    "byte is not zero, or a device has a signature or user."
)


def raw_page(plan: Plan, *, built: bool, width: int = 80) -> tuple[str, ...]:
    """The confirmation page of a benchmark that writes to the disks of a plan, or to its arrays; see `build_page`."""
    what = counted(len(plan.arrays), "array") if built else counted(len(plan.disks), "blank disk")
    return (
        *fitted((f"Benchmark of {what} on {safe(plan.host)}: zeros are written to each.",), width),
        "",
        *_disk_lines(plan.disks, "ROLE IN THE PLAN", width, content=False),
        "",
        *(fitted((*_made_lines(plan, heading="Will be written to"), ""), width) if built else ()),
        *fitted((_RAW_READ,), width),
        "",
        *_digest_lines(plan, width),
    )


def _digest_lines(plan: Plan, width: int) -> list[str]:
    return fitted((f"Digest of the plan: {plan.digest}",), width)


def phrase(plan: Plan, word: ConfirmWord = "erase") -> str:
    """`erase 60 1a2b3c4d`: word, number of disks, end of the digest."""
    return f"{word} {len(plan.disks)} {plan.digest[-8:]}"


def confirmed(plan: Plan, typed: str, word: ConfirmWord = "erase") -> bool:
    """True if `typed` is the phrase; only a line end may follow it."""
    return typed.rstrip("\r\n") == phrase(plan, word)


def classes(plan: Plan) -> dict[UseKind, tuple[PlanDisk, ...]]:
    """Disks with content by its kind, `file-system`, `partition-table`, ...; a disk may be in several."""
    found = by_key((kind, disk) for disk in plan.disks for kind in kinds(disk))
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


def refuse_unaccepted(plan: Plan, accepted: Collection[str]) -> None:
    """Raises Refused for the first disk whose loss was not accepted."""
    for disk in unaccepted(plan, accepted):
        raise Refused(
            f"the disk with serial number {known_as(disk)} holds {content_text(disk)}; nothing was written",
            hint=f"--accept-content {known_as(disk)}, or the kind of all of it, gives it up",
        )


def _disk_lines(disks: Sequence[PlanDisk], role: str, width: int, *, content: bool) -> list[str]:
    """A table with a line of at most `width` for each disk; what all disks share stands above it.

    Content that does not fit is named by its kind (`_content_lines` shows all of it), models that do not fit are
    counted above. A line is longer only where place, serial number and role alone are.
    """
    shared, enclosures = _shared(disks)
    models = [safe(disk.model or "-", longest=_LONG) for disk in disks]
    cells = [
        ("PLACE", [_place(disk, enclosures) for disk in disks]),
        ("SERIAL", [safe(disk.serial or "-", longest=_LONG) for disk in disks]),
        ("MODEL", models),
        ("SIZE", [decimal_size(disk.size_bytes) for disk in disks]),
        (role, [disk.role for disk in disks]),
    ]
    cells = [(head, column) for head, column in cells if head not in shared]
    if content:
        cells.append(("CONTENT NOW", [safe(content_text(disk)) or "blank" for disk in disks]))
        if _width(cells) > width:
            cells[-1] = ("CONTENT NOW", [", ".join(kinds(disk)) or "blank" for disk in disks])
    above = [f"All disks: {', '.join(shared.values())}."] if shared else []
    if len(enclosures) > 1:
        above += [f"Enclosure {letter}: {safe(name)}" for name, letter in enclosures.items()]
    if _width(cells) > width and "MODEL" not in shared:
        cells = [(head, column) for head, column in cells if head != "MODEL"]
        above.append(f"Models: {', '.join(f'{count} x {model}' for model, count in Counter(models).items())}")
    rows = zip(*(column for _, column in cells), strict=True)
    heads = tuple(head for head, _ in cells)
    sizes = tuple(at for at, head in enumerate(heads) if head == "SIZE")
    return [*above, *([""] if above else []), *columns([heads, *rows], right=sizes)]


def _shared(disks: Sequence[PlanDisk]) -> tuple[dict[str, str], dict[str, str]]:
    """(what all of several disks have in common, by column; enclosures of the disks, each with a letter or more)."""
    names = list(dict.fromkeys(disk.place.enclosure for disk in disks if disk.place.enclosure))
    enclosures = {name: _letters(number) for number, name in enumerate(names)}
    shared: dict[str, str] = {}
    if len(disks) > 1:
        if len({disk.model for disk in disks}) == 1:
            shared["MODEL"] = safe(disks[0].model or "no model", longest=_LONG)
        if len({disk.size_bytes for disk in disks}) == 1:
            shared["SIZE"] = decimal_size(disks[0].size_bytes)
    if len(names) == 1 and all(disk.place.enclosure for disk in disks):
        shared["ENCLOSURE"] = f"enclosure {safe(names[0], longest=_LONG)}"
    return shared, enclosures


def _letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def _place(disk: PlanDisk, enclosures: Mapping[str, str]) -> str:
    """Where a disk sits; its enclosure by its letter where there are several, else its stable name."""
    if not disk.place.slot:
        return safe(disk.place.text or link_name(disk.path), longest=_LONG)
    letter = f"{enclosures[disk.place.enclosure]} " if len(enclosures) > 1 and disk.place.enclosure else ""
    return safe(f"{letter}{disk.place.slot_text}", longest=_LONG)


def _width(cells: Sequence[tuple[str, Sequence[str]]]) -> int:
    return sum(max(len(head), *map(len, column)) + 2 for head, column in cells) - 2


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
            over = (
                f"stripe over {volume.stripes} {parts}"
                if volume.stripes > 1
                else f"linear over {len(plan.arrays)} arrays"
            )
            lines.append(f"  /dev/{plan.name}  LVM {over}, {_volume(plan)}")
        case StripeGeometry():
            lines.append(f"  {plan.arrays[-1].device}  md stripe over {len(plan.arrays) - 1} arrays, {_volume(plan)}")
        case None:
            pass
    lines += [f"  {each.path}  LUKS2 on {each.device}, header backup: {each.backup}" for each in plan.crypts or ()]
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
