"""Random layouts that can be."""

from hypothesis import strategies as st

from raidtui.model.layout import LEVELS, Layout, least_members


@st.composite
def layouts(draw: st.DrawFn, most_members: int = 300) -> Layout:
    level = draw(st.sampled_from(LEVELS))
    copies = draw(st.integers(2, 4)) if level == "raid10" else 2
    return Layout(
        level=level,
        members=draw(st.integers(least_members(level, copies), most_members)),
        arrays=draw(st.integers(1, 40)),
        spares=draw(st.integers(0, 20)),
        copies=copies,
        spread=draw(st.sampled_from(("n", "f", "o"))) if level == "raid10" else "n",
    )
