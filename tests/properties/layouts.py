"""Random layouts that can be."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from raidtui.values.layout import LEVELS, ArrayGroup, Layout, Level, least_members


@st.composite
def layouts(
    draw: st.DrawFn,
    most_members: int = 300,
    *,
    most_arrays: int = 40,
    most_spares: int = 20,
    levels: Sequence[Level] = LEVELS,
) -> Layout:
    level = draw(st.sampled_from(levels))
    copies = draw(st.integers(2, 4)) if level == "raid10" else 2
    members = draw(st.integers(least_members(level, copies), most_members))
    return Layout.of(
        level=level,
        members=members,
        arrays=draw(st.integers(1, min(most_arrays, 4000 // members))),  # of all the disks that a machine can have
        spares=draw(st.integers(0, most_spares)),
        copies=copies,
        spread=draw(st.sampled_from(("n", "f", "o"))) if level == "raid10" else "n",
    )


@st.composite
def any_layouts(draw: st.DrawFn, most_members: int = 40) -> Layout:
    """Layouts of equal arrays, and of up to four groups of unequal ones."""
    first = draw(layouts(most_members))
    least = least_members(first.level, first.first.copies)
    others = draw(st.lists(st.tuples(st.integers(1, 5), st.integers(least, most_members)), max_size=3))
    shapes = [replace(first.first, members=members) for arrays, members in others for _ in range(arrays)]
    return Layout.joined([*first.shapes, *shapes], first.spares)


def split(layout: Layout, at: int) -> Layout:
    """`layout`, whose arrays are equal, as two groups, the first of `at` arrays."""
    groups = ArrayGroup(layout.first, at), ArrayGroup(layout.first, layout.arrays - at)
    return Layout(groups=groups, spares=layout.spares)
