"""Random layouts that can be."""

from hypothesis import strategies as st

from raidtui.model.layout import LEVELS, Layout, least_members


@st.composite
def layouts(draw: st.DrawFn, most_members: int = 300) -> Layout:
    level = draw(st.sampled_from(LEVELS))
    copies = draw(st.integers(2, 4)) if level == "raid10" else 2
    members = draw(st.integers(least_members(level, copies), most_members))
    return Layout(
        level=level,
        members=members,
        arrays=draw(st.integers(1, min(40, 4000 // members))),  # of all the disks that a machine can have
        spares=draw(st.integers(0, 20)),
        copies=copies,
        spread=draw(st.sampled_from(("n", "f", "o"))) if level == "raid10" else "n",
    )
