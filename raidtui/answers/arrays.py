"""An existing array, and all of a machine, as blocks: for `raidtui arrays` and the screen Arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from raidtui.advice.arrays import words
from raidtui.advice.arrays.age import why
from raidtui.advice.arrays.state import design_of, layout_of, reserved_slots
from raidtui.advice.inferred_design import InferredDesign, NotALayout, predict_inferred
from raidtui.answers.figures import headline
from raidtui.answers.findings import finding_items
from raidtui.values.amounts import at_worst, hours, listed
from raidtui.values.arrays import ArrayMember, ObservedArray, ObservedArrays
from raidtui.values.assumptions import defaults_for
from raidtui.values.blocks import Block, Cell, Grid, Heading, Pairs, cells
from raidtui.values.inventory import Inventory
from raidtui.values.notation import show
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, exact_binary


def machine_blocks(seen: ObservedArrays, inventory: Inventory) -> tuple[Block, ...]:
    """All arrays of a machine in a table, then one after the other."""
    each = (array_blocks(array, seen, inventory) for array in seen.arrays)
    return (overview(seen), *(block for blocks in each for block in blocks))


def overview(seen: ObservedArrays) -> Grid:
    """A row for each array."""
    return Grid(
        columns=("ARRAY", "LEVEL", "SIZE", "STATE", "SYNC"),
        rows=tuple(
            (
                *cells(
                    words.name(array), words.shape(array), binary_size(array.size_bytes) if array.size_bytes else "-"
                ),
                Cell(text=", ".join(array.states), tone=words.state_tone(array.state)),
                Cell(text=words.sync_words(array.sync) or "-"),
            )
            for array in seen.arrays
        ),
        right=frozenset({2}),
    )


def array_blocks(array: ObservedArray, seen: ObservedArrays, inventory: Inventory) -> tuple[Block, ...]:
    """One array: its state, its members, why it does not start; then all else that is known of it."""
    path = f"  {safe(array.path)}" if array.path and array.path != f"/dev/{array.name}" else ""
    return (
        Heading(text=f"{words.name(array)}{path}", tone=words.state_tone(array.state)),
        Pairs(pairs=_said((("state", words.state_words(array)), ("sync", words.sync_words(array.sync))))),
        _members(array),
        *finding_items(tuple(why(array, seen.time)), coded=False),
        Pairs(pairs=_said(_pairs(array, seen, inventory))),
    )


def _said(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Those of them that say something."""
    return tuple((title, text) for title, text in pairs if text)


def _pairs(array: ObservedArray, seen: ObservedArrays, inventory: Inventory) -> Iterator[tuple[str, str]]:
    runs = bool(array.size_bytes)
    chunk = f", chunk {exact_binary(array.chunk_bytes)}" if array.chunk_bytes else ""
    metadata = f", metadata {safe(array.metadata)}" if array.metadata else ""
    size = f", {binary_size(array.size_bytes)}" if runs else ""
    yield "array", f"{safe(array.level) or 'level unknown'}{size}{chunk}{metadata}"
    yield from _layout(array, seen, inventory)
    yield "container", safe(array.container)
    if array.limit_bytes is not None:
        yield "limited to", f"{binary_size(array.limit_bytes)} (mdadm --array-size)"
    yield "bitmap", words.bitmap_words(array.bitmap) if runs else ""
    yield "policy", array.consistency if array.consistency in ("ppl", "journal") else ""
    yield "last check", words.check_words(array) if array.lacks is not None and runs else ""
    lines = words.stack_lines(array.stands_on_it)
    if not lines and runs:
        yield "holds", "nothing that lsblk knows"
    for number, line in enumerate(lines):
        yield "" if number else "holds", line
    yield "built by", f"raidtui, run {array.built_by[:8]}" if array.built_by else ""
    for title, known in (
        ("mdadm.conf", array.in_conf), ("initramfs", array.in_initramfs), ("fstab", array.in_fstab),
        *((("crypttab", array.in_crypttab),) if array.in_crypttab is not None else ()),
        ("monitor", array.monitored), ("next boot", array.at_boot),
    ):  # fmt: skip
        yield title, words.known_words(known)
    for text in array.unread:
        yield "not read", safe(text)


def _layout(array: ObservedArray, seen: ObservedArrays, inventory: Inventory) -> Iterator[tuple[str, str]]:
    """The layout in raidtui's notation and what it gives when whole."""
    built = layout_of(array, seen.arrays, inventory)
    if isinstance(built, NotALayout):
        yield "layout", f"unknown: {safe(built.reason)}"
        return
    notes = f" ({safe('; '.join(built.notes))})" if built.notes else ""
    yield "layout", f"{show(built.design.layout)}{notes}"
    if text := _figures(built, inventory):
        yield "when whole" if array.lacks else "predicted", text
    names = {each.device: each.name for each in array.stands_on_it}
    for volume in seen.volumes:
        if len(volume.below) < 2 or volume.name not in names:
            continue
        striped = design_of(volume.name, seen.arrays, seen.volumes, inventory)
        if isinstance(striped, InferredDesign):
            yield "striped", f"{show(striped.design.layout)}: {safe(names[volume.name])} over {listed(volume.below)}"
            yield "all of it", _figures(striped, inventory)
            yield "read limit", _read_limit(striped, inventory)
            return  # other volumes of the group are striped over the same arrays
    yield "read limit", _read_limit(built, inventory)


_predicted = lru_cache(maxsize=64)(predict_inferred)


def _read_limit(built: InferredDesign, inventory: Inventory) -> str:
    """The link that bounds reading, and how many members are below it: a spare that took over may be below another one
    than Design would choose. Empty where no link does."""
    speed = _predicted(built, inventory).throughput
    ceilings = speed.explained["seq_read"] if speed is not None else ()
    least = next((each for each in ceilings if speed is not None and each.name == speed.seq_read.bottleneck), None)
    return safe(f"{least.name}: {least.formula}") if least is not None and least.name.name else ""


def _figures(built: InferredDesign, inventory: Inventory) -> str:
    """Headline and rebuild time; empty where nothing is predicted."""
    predicted, usual = _predicted(built, inventory), defaults_for(built.disks)
    texts = [f"{row.title.lower()} {row.value}" for row in headline(predicted, usual)]
    if (risk := predicted.durability) is not None:  # the loss, which comes last, with the figure to plan with
        texts[-1] = ", ".join([texts[-1], *at_worst(risk.any_loss_1y, risk.any_loss_1y_correlated)])
        texts.append(f"rebuild disk {hours(risk.rebuild_hours)}")
    return "; ".join(texts)


def _members(array: ObservedArray) -> Grid:
    events = any(member.superblock is not None for member in array.members)
    errors = any(member.errors for member in array.members)
    columns = (
        "#",
        "DEVICE",
        "SLOT",
        "SERIAL",
        "STATE",
        *(("EVENTS",) if events else ()),
        *(("ERRORS",) if errors else ()),
    )
    reserve = reserved_slots(array)
    there = (member for member in array.members if member.state != "missing" or member.slot not in reserve)
    rows = tuple(_row(member, events=events, errors=errors) for member in there)
    if reserve:
        span = f"{min(reserve)}-{max(reserve)}"
        rows += (cells(span, "-", "-", "-", "in reserve", *("-" for _ in columns[5:])),)
    return Grid(columns=columns, rows=rows, right=frozenset({0, *range(5, len(columns))}))


def _row(member: ArrayMember, *, events: bool, errors: bool) -> tuple[Cell, ...]:
    block = member.superblock
    counted_events = "-" if block is None or block.events is None else str(block.events)
    return (
        *cells("-" if member.slot is None else str(member.slot), safe(member.device or "-")),
        *cells(safe(member.place.slot or "-"), safe(member.serial or "-", longest=20)),
        Cell(text=", ".join(words.member_words(member)), tone=words.member_tone(member.state)),
        *(cells(counted_events) if events else ()),
        *(cells(str(member.errors or 0)) if errors else ()),
    )


def summary(seen: ObservedArrays) -> str:
    """`2 arrays: 1 degraded, 1 clean; 1 syncing`."""
    states = [array.state for array in seen.arrays]
    found = [
        f"{states.count(state)} {state}" for state in dict.fromkeys(sorted(states, key=lambda each: each == "clean"))
    ]
    busy = sum(array.sync is not None for array in seen.arrays)
    syncs = f"; {busy} syncing" if busy else ""
    return f"{counted(len(states), 'array')}: {', '.join(found)}{syncs}" if states else "no md array"
