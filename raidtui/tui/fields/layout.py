"""The fields of the layout: level, arrays, members, redundancy, spares."""

from __future__ import annotations

from typing import Any

from raidtui.model.layout import LEVELS, Layout, least_members
from raidtui.model.notation import parse, show
from raidtui.tui.fields.field import Field, named, number, with_design, with_layout
from raidtui.tui.state.decision import Decision


def _fitting(layout: Layout, disks: int) -> Layout:
    if layout.disks > disks:
        raise ValueError(f"{show(layout)} takes {layout.disks} disks, {disks} may be taken")
    return layout


def layout_field(decision: Decision, disks: int, times: str) -> Field:
    """The whole layout in one line."""
    return Field(
        key="layout",
        title="Layout",
        shown=show(decision.design.layout, times=times),
        typed=show(decision.design.layout),
        about="Arrays x (data+parity) + spares, in one line; Enter types another. Also raid10(8,f2), "
        "6x raid1(2)+1, raid0(4).",
        read=lambda text: with_design(decision, layout=_fitting(parse(text), disks)),
    )


def level_field(decision: Decision, disks: int) -> Field:
    """The md level."""
    layout = decision.design.layout
    choices = [
        level
        for level in LEVELS
        if level == layout.level
        or layout.arrays * max(layout.members, least_members(level, 2)) + layout.spares <= disks
    ]

    def change(level: Any) -> Decision:
        members = max(layout.members, least_members(level, 2))
        spares = 0 if level == "raid0" else layout.spares
        other = with_layout(decision, level=level, members=members, spares=spares, copies=2, spread="n")
        return other if level == "raid5" else with_design(other, ppl=False)

    return named(
        "level", "Level", layout.level, choices, change=change,
        about="The md level of every array: raid0 stripes and survives nothing, raid1 mirrors, raid4 and raid5 survive "
        "one member, raid6 two, raid10 mirrors and stripes.",
    )  # fmt: skip


def arrays_field(decision: Decision, disks: int) -> Field:
    """How many arrays."""
    layout = decision.design.layout
    most = max((disks - layout.spares) // layout.members, 1)
    return number(
        "arrays", "Arrays", layout.arrays, 1, most,
        about="Arrays of the same shape. More and smaller arrays rebuild apart from each other and cost more parity.",
        stop=f"one array more would take {layout.disks + layout.members} disks, {disks} may be taken",
        change=lambda value: with_layout(decision, arrays=value),
    )  # fmt: skip


def members_field(decision: Decision, disks: int) -> Field:
    """Data disks, or members where the level has no parity."""
    layout = decision.design.layout
    parity = layout.parity
    least = least_members(layout.level, layout.copies) - parity
    most = max((disks - layout.spares) // layout.arrays - parity, least)
    stop = f"one more in each array would take {layout.disks + layout.arrays} disks, {disks} may be taken"
    if parity:
        about = "Disks' worth of data in each array: a full stripe is this many chunks."
    else:
        about = "Disks in each array."
    return number(
        "members", "Data" if parity else "Members", layout.members - parity, least, most, about=about, stop=stop,
        change=lambda value: with_layout(decision, members=value + parity),
    )  # fmt: skip


def redundancy_fields(decision: Decision) -> tuple[Field, ...]:
    """Parity, or copies and their spread."""
    layout = decision.design.layout
    if layout.level != "raid10":
        kept = {"raid0": "no copy", "raid1": f"{layout.members} copies"}.get(layout.level, str(layout.parity))
        about = "Disks' worth of parity in each array; it follows from the level: RAID5 has one, RAID6 has two."
        return (Field(key="parity", title="Parity", shown=kept, aside="by level", about=about),)
    return (
        number(
            "copies", "Copies", layout.copies, 2, layout.members,
            about="How many copies of every chunk RAID10 keeps, each on another disk.",
            stop=f"an array of {layout.members} has room for {layout.members} copies",
            change=lambda value: with_layout(decision, copies=value),
        ),
        named(
            "spread", "Spread", layout.spread, ("n", "f", "o"),
            shown={"n": "near", "f": "far", "o": "offset"}[layout.spread],
            change=lambda value: with_layout(decision, spread=value),
            about="Where RAID10 puts the copies: n (near) side by side, f (far) in the other half of the disks, which "
            "reads like a stripe, o (offset) one chunk further.",
        ),
    )  # fmt: skip


def spares_field(decision: Decision, disks: int) -> Field:
    """Hot spares."""
    layout = decision.design.layout
    if layout.level == "raid0":
        about = "RAID0 has nothing to rebuild, so a spare is of no use to it."
        return number(
            "spares", "Spares", layout.spares, 0, 0, about=about, stop=about,
            change=lambda value: with_layout(decision, spares=value),
        )  # fmt: skip
    most = max(disks - layout.arrays * layout.members, 0)
    return number(
        "spares", "Spares", layout.spares, 0, most,
        about="Hot spares in all, dealt out to the arrays. A failed member is rebuilt onto one at once.",
        stop=f"{layout.arrays * layout.members} of {disks} disks are members, {most} are left for spares",
        change=lambda value: with_layout(decision, spares=value),
    )  # fmt: skip
