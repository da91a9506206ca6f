"""Parsing and printing are inverse, and no text at all breaks the parser."""

from hypothesis import given
from hypothesis import strategies as st

from raidtui.values.errors import BadInput
from raidtui.values.layout import Layout
from raidtui.values.notation import parse, show
from tests.properties.layouts import any_layouts


@given(any_layouts(), st.sampled_from("x×"))
def test_parse_is_the_inverse_of_show(layout: Layout, times: str) -> None:
    assert parse(show(layout, times=times)) == layout


@given(any_layouts())
def test_blanks_and_case_do_not_matter(layout: Layout) -> None:
    spaced = " ".join(show(layout)).upper()
    apart = spaced.replace("R A I D", "RAID")
    digits_together = "".join(
        char
        for at, char in enumerate(apart)
        if not (char == " " and apart[at - 1 : at].isdigit() and apart[at + 1 : at + 2].isdigit())
    )
    assert parse(digits_together) == layout


@given(st.one_of(st.text(), st.text("0123456789x×*()+,nfo raidspe")))
def test_any_text_is_a_layout_or_a_clear_refusal(text: str) -> None:
    try:
        layout = parse(text)
    except BadInput as refusal:
        assert "column " in str(refusal)
    else:
        assert parse(show(layout)) == layout
