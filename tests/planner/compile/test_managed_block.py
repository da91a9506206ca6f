"""Only the plan's own lines change in a file that others write too."""

from hypothesis import given
from hypothesis import strategies as st

from raidtui.planner.compile.managed_block import with_block, without_block

BEGIN, END = "# raidtui 1 begin data", "# raidtui 1 end"


def test_a_block_goes_to_the_end_and_out_again() -> None:
    text = "DEVICE partitions\nMAILADDR a@b"
    made = with_block(text, BEGIN, END, "ARRAY one\nARRAY two")
    assert made == f"DEVICE partitions\nMAILADDR a@b\n{BEGIN}\nARRAY one\nARRAY two\n{END}\n"
    assert without_block(made, BEGIN, END) == "DEVICE partitions\nMAILADDR a@b\n"


def test_a_block_is_replaced_not_doubled_and_what_stands_behind_it_stays() -> None:
    made = with_block(with_block("a\n", BEGIN, END, "old") + "b\n", BEGIN, END, "new")
    assert made == f"a\nb\n{BEGIN}\nnew\n{END}\n"


def test_another_plans_block_is_not_ours() -> None:
    other = "# raidtui 2 begin data\nx\n# raidtui 2 end\n"
    assert without_block(other, BEGIN, END) == other


def test_only_a_line_feed_ends_a_line() -> None:
    text = f"x\x0b{BEGIN}\ny\x85{END}\n"
    assert without_block(text, BEGIN, END) == text


@given(st.text(alphabet="ab#\t \r\x0b\x85\u2028", max_size=30), st.text(alphabet="xy", min_size=1, max_size=9))
def test_taking_the_block_out_gives_the_text_back(line: str, block: str) -> None:
    text = f"{line}\n"
    assert without_block(with_block(text, BEGIN, END, block), BEGIN, END) == text
