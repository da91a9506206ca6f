"""Fields of the layout: level, arrays, members, redundancy, spares."""

from __future__ import annotations

import re
from typing import Any

from raidtui.session.fields.design import chunk_field
from raidtui.session.fields.field import Field, named, number, with_design, with_layout
from raidtui.values.decision import Decision
from raidtui.values.layout import LEVELS, PARITY, Layout, Level, least_members
from raidtui.values.notation import parse, show
from raidtui.values.units import counted

_CHUNK = re.compile(r"(?:^|\s)(\d+\s?[KMG](?:i?B)?)\s*$", re.IGNORECASE)
"""a size with its unit at the end of the line"""


def _fitting(layout: Layout, disks: int) -> Layout:
    if layout.disks > disks:
        raise ValueError(
            f"{show(layout)} needs {counted(layout.disks, 'disk')}, there {'is' if disks == 1 else 'are'} {disks}"
        )
    return layout


def _read_layout(decision: Decision, disks: int, text: str) -> Decision:
    """The decision with a typed layout, a chunk after it, or a chunk alone. Raises ValueError or BadInput."""
    chunk = _CHUNK.search(text)
    layout = text[: chunk.start()] if chunk else text
    if layout.strip() or not chunk:
        decision = with_design(decision, layout=_fitting(parse(layout), disks))
    if not chunk:
        return decision
    field = chunk_field(decision)
    if field.read is None:
        raise ValueError(f"{chunk[1]}: {field.about}")
    return field.read(chunk[1])


def layout_field(decision: Decision, disks: int, times: str) -> Field:
    """The field of the whole layout in one line."""
    return Field(
        key="layout",
        title="Layout",
        shown=show(decision.design.layout, times=times),
        typed=show(decision.design.layout),
        about="Arrays x (data+parity) + spares, then a chunk if it changes. Enter to type another, such as "
        "4x(12+2)+4 256K, or 256K alone. Also raid10(8,f2), 6x raid1(2)+1, raid0(4), and hybrid(5) over disks of "
        "mixed size.",
        read=lambda text: _read_layout(decision, disks, text),
    )


def level_field(decision: Decision, layout: Layout, disks: int) -> Field:
    """The field of the md level."""
    levels: tuple[Level, ...] = (*LEVELS, "disk")
    choices = [
        level
        for level in levels
        if level in (layout.level, "disk")
        or layout.arrays * max(layout.first.members, least_members(level, 2)) + layout.spares <= disks
    ]

    def change(level: Any) -> Decision:
        members = 1 if level == "disk" else max(layout.first.members, least_members(level, 2))
        spares = 0 if level in ("raid0", "disk") else layout.spares
        other = with_layout(decision, level=level, members=members, spares=spares, copies=2, spread="n")
        other = other if level == "raid5" else with_design(other, ppl=False)
        return other if PARITY[level] else with_design(other, journal=None)

    return named(
        "level", "Level", layout.level, choices, change=change,
        about="The md level of every array. raid0 stripes and survives nothing; raid1 mirrors; raid10 mirrors and "
        "stripes. raid4 and raid5 survive one failed member, raid6 two. disk is a disk or LUN without md.",
    )  # fmt: skip


def arrays_field(decision: Decision, layout: Layout, disks: int) -> Field:
    """The field of the number of arrays."""
    most = max((disks - layout.spares) // layout.first.members, 1)
    return number(
        "arrays", "Arrays", layout.arrays, 1, most,
        about="Arrays of the same shape. More and smaller arrays rebuild independently and cost more parity.",
        stop=f"one more array needs {layout.disks + layout.first.members} disks, there are {disks}",
        change=lambda value: with_layout(decision, arrays=value),
    )  # fmt: skip


def members_field(decision: Decision, layout: Layout, disks: int) -> Field:
    """The field of data disks per array, or of members if the level has no parity."""
    parity = layout.parity
    least = least_members(layout.level, layout.first.copies) - parity
    most = max((disks - layout.spares) // layout.arrays - parity, least)
    if layout.plain:
        return Field(key="width", title="Members", shown="1", aside="disk", about="Without md each disk is alone.")
    stop = f"one more per array needs {layout.disks + layout.arrays} disks, there are {disks}"
    if parity:
        about = "Data disks in each array: a full stripe has this many chunks of data."
    else:
        about = "Disks in each array."
    return number(
        "width", "Data" if parity else "Members", layout.first.members - parity, least, most, about=about, stop=stop,
        change=lambda value: with_layout(decision, members=value + parity),
    )  # fmt: skip


def redundancy_fields(decision: Decision, layout: Layout) -> tuple[Field, ...]:
    """The fields of parity, or of copies and their layout."""
    if layout.level != "raid10":
        kept = {"raid0": "no copy", "disk": "no copy", "raid1": f"{layout.first.members} copies"}.get(
            layout.level, str(layout.parity)
        )
        about = "Parity disks per array, given by the level: RAID5 has one, RAID6 has two."
        return (Field(key="parity", title="Parity", shown=kept, aside="by level", about=about),)
    return (
        number(
            "copies", "Copies", layout.first.copies, 2, layout.first.members,
            about="Copies of every chunk that RAID10 keeps, each on another disk.",
            stop=f"an array of {layout.first.members} members holds at most {layout.first.members} copies",
            change=lambda value: with_layout(decision, copies=value),
        ),
        named(
            "copy_layout", "Spread", layout.first.spread, ("n", "f", "o"),
            shown={"n": "near", "f": "far", "o": "offset"}[layout.first.spread],
            change=lambda value: with_layout(decision, spread=value),
            about="Where RAID10 places the copies: n (near) side by side, o (offset) one chunk further. f (far) in "
            "the other half of the disks, which reads like RAID0.",
        ),
    )  # fmt: skip


def given_fields(layout: Layout) -> tuple[Field, ...]:
    """The fields of arrays that are not equal: only the line above them changes them."""
    if (hybrid := layout.hybrid) is not None:
        about = "The sizes of the disks give the bands: type another layout in the first line, such as hybrid(5,2)+1."
        shown = [("level", "Level", "hybrid"), ("arrays", "Bands", "by size"), ("width", "Disks", str(hybrid.disks))]
        shown.append(("parity", "Survives", str(hybrid.failures)))
    else:
        about = "The arrays differ in width: type another layout in the first line, such as 2x(12+2)+3x(10+2)+2."
        widths = "+".join(str(group.shape.members - layout.parity) for group in layout.groups)
        shown = [("level", "Level", layout.level)]
        shown.append(("arrays", "Arrays", "+".join(str(group.arrays) for group in layout.groups)))
        shown.append(("width", "Data" if layout.parity else "Members", widths))
    return tuple(Field(key=key, title=title, shown=text, aside="by layout", about=about) for key, title, text in shown)


def spares_field(decision: Decision, disks: int) -> Field:
    """The field of hot spares."""
    layout = decision.design.layout
    if layout.level in ("raid0", "disk"):
        who = "A disk without md" if layout.plain else "RAID0"
        about = f"{who} cannot rebuild, so it cannot use a spare."
        return number(
            "spares", "Spares", layout.spares, 0, 0, about=about, stop=about,
            change=lambda value: with_layout(decision, spares=value),
        )  # fmt: skip
    most = max(disks - layout.member_disks, 0)
    return number(
        "spares", "Spares", layout.spares, 0, most,
        about="Hot spares in total, distributed over the arrays. md rebuilds a failed member onto one at once.",
        stop=f"{layout.member_disks} of {disks} disks are members, which leaves {most} for spares",
        change=lambda value: with_layout(decision, spares=value),
    )  # fmt: skip
