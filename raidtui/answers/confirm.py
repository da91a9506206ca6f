"""Confirmation pages shown before anything is written, as blocks, and the phrases that are typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from raidtui.answers.findings import finding_items
from raidtui.engine.standing import COUNTED, KEPT, NOTHING, findings, lose_phrase, seen_line
from raidtui.values.amounts import spares_text
from raidtui.values.blocks import Block, Cell, Grid, Heading, Item, Items, Paragraph, cells
from raidtui.values.codec import by_key
from raidtui.values.errors import Refused
from raidtui.values.inventory import UseKind
from raidtui.values.paths import link_name
from raidtui.values.plan import Plan, PlanDisk, journal_mirrors
from raidtui.values.prediction import LvmGeometry, StripeGeometry
from raidtui.values.run import Standing
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, decimal_size

ConfirmWord = Literal["erase", "undo", "drill", "write"]
_LONG = 48


def build_page(plan: Plan) -> tuple[Block, ...]:
    """The confirmation page of a build: every disk with its content, the devices to create, the digest."""
    held = sum(bool(disk.content) for disk in plan.disks)
    now = f"{held} of them {'holds' if held == 1 else 'hold'} data now" if held else "No data was found on any of them"
    what = f"Build plan {plan.digest[:8]} for {plan.host}: all content of {counted(len(plan.disks), 'disk')}"
    return (
        Paragraph(text=f"{what} will be lost and cannot be recovered. {now}.", tone="bad"),
        *disk_blocks(plan.disks, "WILL BE", content=True),
        *_content_blocks(plan),
        *_made_blocks(plan, "Will be created:"),
        *_finding_blocks(plan),
        _digest(plan),
    )


def _finding_blocks(plan: Plan) -> tuple[Block, ...]:
    return (Heading(text="Findings:"), *finding_items(plan.findings)) if plan.findings else ()


def undo_page(plan: Plan, standing: Standing) -> tuple[Block, ...]:
    """The confirmation page of an undo: the devices to remove, and what is on them now."""
    what = f"Undo plan {plan.digest[:8]} on {plan.host}: removes the devices it created; all data on them will be lost."
    return (
        Paragraph(text=f"{what} The content of the disks before the build cannot be restored.", tone="bad"),
        *standing_blocks(plan, standing),
        Heading(text="Disks of the plan:"),
        *disk_blocks(plan.disks, "WAS"),
        *_made_blocks(plan, "Will be removed:"),
        _digest(plan),
    )


def standing_blocks(plan: Plan, standing: Standing) -> tuple[Block, ...]:
    """File systems with their first names, unreadable devices, refusals, the phrase; then what is left as it is."""
    words = lose_phrase(plan, standing)
    items = [Item(mark="", text=seen_line(each), tone="bad" if words else "") for each in standing.filesystems]
    items += [
        Item(mark="", text=f"{each}: not running; its content cannot be read", tone="warn") for each in standing.unseen
    ]
    items += [Item(mark="", text=f"{each}; its owner is unknown", tone="warn") for each in standing.held]
    items += [Item(mark="", text=COUNTED, tone="quiet")] if standing.filesystems else []
    items += [Item(mark="refused", text=each.message, more=each.way_out, tone="bad") for each in findings(standing)]
    if words and not standing.foreign:
        items.append(Item(mark="", text=f"All of it will be lost; a second phrase confirms this: {words}", tone="bad"))
    kept = tuple(Item(mark="", text=each) for each in standing.kept)
    return (
        Heading(text="Content of the arrays now:"), Items(items=tuple(items) or (Item(mark="", text=NOTHING),)),
        *((Heading(text=KEPT), Items(items=kept)) if kept else ()),
    )  # fmt: skip


_RAW_READ = (
    "All that will be written is read first, and again before each write. The benchmark ends before it writes if a "
    "byte is not zero, or a device has a signature or user."
)


def raw_page(plan: Plan, *, built: bool) -> tuple[Block, ...]:
    """The confirmation page of a benchmark that writes to the disks of a plan, or to its arrays."""
    what = counted(len(plan.data_arrays), "array") if built else counted(len(plan.disks), "blank disk")
    return (
        Paragraph(text=f"Benchmark of {what} on {plan.host}: zeros are written to each.", tone="bad"),
        Paragraph(text=_RAW_READ),
        *disk_blocks(plan.disks, "ROLE IN THE PLAN"),
        *(_made_blocks(plan, "Will be written to:") if built else ()),
        _digest(plan),
    )


def _digest(plan: Plan) -> Heading:
    return Heading(text=f"Digest of the plan: {plan.digest}")


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


def disk_blocks(disks: Sequence[PlanDisk], role: str, *, content: bool = False) -> tuple[Block, ...]:
    """A row for each disk, with its `role` and what it holds; what all disks share stands above the table.

    Without room for models these are counted above alone. `content`: disks with content are to be told from others.
    """
    shared, enclosures = _shared(disks)
    models = [disk.model or "no model" for disk in disks]
    columns: list[tuple[str, list[Cell]]] = [
        ("PLACE", [Cell(text=_place(disk, enclosures)) for disk in disks]),
        ("SERIAL", [Cell(text=safe(disk.serial or "-", longest=_LONG), strong=True) for disk in disks]),
        ("MODEL", [Cell(text=safe(each, longest=_LONG)) for each in models]),
        ("SIZE", [Cell(text=decimal_size(disk.size_bytes)) for disk in disks]),
        (role, [Cell(text=disk.role) for disk in disks]),
    ]
    columns = [(head, column) for head, column in columns if head not in shared]
    if content and any(disk.content for disk in disks):
        columns.append(("CONTENT NOW", [_content_cell(disk) for disk in disks]))
    heads = tuple(head for head, _ in columns)
    above = [f"All disks: {', '.join(shared.values())}."] if shared else []
    if "MODEL" in heads and len(disks) > 1:
        above.append(f"Models: {', '.join(f'{count} x {model}' for model, count in Counter(models).items())}.")
    if len(enclosures) > 1:
        above += [f"Enclosure {letter}: {name}." for name, letter in enclosures.items()]
    grid = Grid(
        columns=heads, rows=tuple(zip(*(column for _, column in columns), strict=True)),
        right=frozenset(at for at, head in enumerate(heads) if head == "SIZE"),
        optional=tuple(at for at, head in enumerate(heads) if head == "MODEL"),
    )  # fmt: skip
    return (*((Paragraph(text=" ".join(above)),) if above else ()), grid)


def _content_cell(disk: PlanDisk) -> Cell:
    return Cell(text=content_text(disk), tone="bad", signed=True) if disk.content else Cell(text="blank")


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


def _content_blocks(plan: Plan) -> tuple[Block, ...]:
    found = classes(plan)
    if not found:
        return (Paragraph(text="All disks are blank."),)
    rows: list[tuple[Cell, ...]] = []
    for kind, disks in found.items():
        rows.append((Cell(text=f"{kind}: {counted(len(disks), 'disk')}", strong=True),))
        for disk in disks:
            held = "; ".join(str(each) for each in disk.content if each.kind == kind)
            rows.append(cells(known_as(disk), disk.place.text or disk.path, held))
    return Heading(text="Content that will be lost, by kind:"), Grid(columns=("", "", ""), rows=tuple(rows))


def _made_blocks(plan: Plan, heading: str) -> tuple[Block, ...]:
    rows: list[tuple[str, str]] = []
    known = {disk.id: known_as(disk) for disk in plan.disks}
    for array, geometry in zip(plan.arrays, plan.prediction.arrays, strict=False):
        spares = f" + {spares_text(len(array.spares))}" if array.spares else ""
        spares += f", write journal {known.get(array.journal, array.journal)}" if array.journal is not None else ""
        size = binary_size(geometry.array_bytes)
        rows.append((array.device, f"{geometry.level} of {len(array.members)} disks{spares}, {size}"))
    for mirror, geometry in zip(journal_mirrors(plan.arrays), plan.prediction.journals or (), strict=True):
        both = " and ".join(known[member] for member in mirror.members)
        rows.append((mirror.device, f"mirror of {both}, {binary_size(geometry.array_bytes)}"))
    encrypted = [(each.path, f"LUKS2 on {each.device}, header backup: {each.backup}") for each in plan.crypts or ()]
    below = plan.design.encrypts_arrays
    rows += encrypted if below else []
    parts = "disks" if plan.design.layout.plain else "arrays"
    match plan.prediction.volume:
        case LvmGeometry() as volume:
            over = (
                f"stripe over {volume.stripes} {parts}"
                if volume.stripes > 1
                else f"linear over {len(plan.data_arrays)} arrays"
            )
            rows.append((f"/dev/{plan.name}", f"LVM {over}, {_volume(plan)}"))
        case StripeGeometry():
            rows.append((plan.arrays[-1].device, f"md stripe over {len(plan.data_arrays)} arrays, {_volume(plan)}"))
        case None:
            pass
    rows += [] if below else encrypted
    rows += [(made.mount_point, f"file system on {made.device}") for made in plan.filesystems]
    return Heading(text=heading), Grid(columns=("", ""), rows=tuple(cells(*row) for row in rows))


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
