"""Outside text is shown, never obeyed."""

from hypothesis import example, given
from hypothesis import strategies as st

from raidtui.values.safe import safe


def test_what_is_made_visible() -> None:
    assert safe("ST2000 NM-0033") == "ST2000 NM-0033"
    assert safe("\x1b[31mred\x07\n") == "\\e[31mred\\x07\\n"
    assert safe("a\u202egpj.exe") == "a\\u202egpj.exe"
    assert safe("zero\u200bwidth\x9b2J") == "zero\\u200bwidth\\x9b2J"
    assert safe("é\u00a0Ω漢") == "é\\xa0Ω漢"
    assert safe("e\u0301") == "e\\u0301"
    assert safe("Gr\udcfc\ud800") == "Gr\\xfc\\ud800"
    assert safe("0123456789", longest=5) == "0123~"


@given(st.text())
@example("\x1b]0;owned\x07")
@example("\ud800")
def test_nothing_that_moves_a_cursor_survives(text: str) -> None:
    shown = safe(text)
    assert shown.isprintable()
    assert safe(shown) == shown
