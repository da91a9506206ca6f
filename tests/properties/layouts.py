"""Random layouts that can be."""

from collections.abc import Sequence

from hypothesis import strategies as st

from raidtui.values.layout import LEVELS, AnyLayout, ArrayGroup, Layout, Level, UnequalLayout, layout_of, least_members


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
    return Layout(
        level=level,
        members=members,
        arrays=draw(st.integers(1, min(most_arrays, 4000 // members))),  # of all the disks that a machine can have
        spares=draw(st.integers(0, most_spares)),
        copies=copies,
        spread=draw(st.sampled_from(("n", "f", "o"))) if level == "raid10" else "n",
    )


@st.composite
def any_layouts(draw: st.DrawFn, most_members: int = 40) -> AnyLayout:
    """Layouts of equal arrays, and of up to four groups of unequal ones."""
    first = draw(layouts(most_members))
    least = least_members(first.level, first.copies)
    others = draw(st.lists(st.tuples(st.integers(1, 5), st.integers(least, most_members)), max_size=3))
    groups = [
        Layout(level=first.level, members=members, arrays=arrays, copies=first.copies, spread=first.spread)
        for arrays, members in others
    ]
    return layout_of([*first.groups, *groups], first.spares)


def split(layout: Layout, at: int) -> UnequalLayout:
    """`layout`, whose arrays are equal, as two groups, the first of `at` arrays."""
    groups = (
        ArrayGroup(members=layout.members, arrays=at),
        ArrayGroup(members=layout.members, arrays=layout.arrays - at),
    )
    return UnequalLayout(
        level=layout.level, array_groups=groups, spares=layout.spares, copies=layout.copies, spread=layout.spread
    )
