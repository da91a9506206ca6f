"""Only lines that are equal to the plan's are removed from a file that others write too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.steps.boot_steps import ManagedBlock, blocks_of, changed, with_block, without_block
from raidtui.values.errors import Stale
from tests.planner.changed_lines import CHANGES, HOME
from tests.planner.plans import plan_of

RUN = "0f" * 16
UUID = "2b026c7f-9b2a-5861-aa5c-27ab1d203172"
LINE = f"UUID={UUID} /srv/data xfs noatime,nofail 0 0"
BLOCK = ManagedBlock(path="/etc/fstab", run_id=RUN, name="data", text=f"{LINE}\nMAILADDR root")
OWN = f"# raidtui {RUN} begin data\n{LINE}\nMAILADDR root\n# raidtui {RUN} end\n"


def test_a_block_goes_to_the_end_and_out_again() -> None:
    text = "DEVICE partitions\nMAILADDR a@b"
    assert with_block(text, BLOCK) == f"DEVICE partitions\nMAILADDR a@b\n{OWN}"
    assert without_block(with_block(text, BLOCK), BLOCK) == "DEVICE partitions\nMAILADDR a@b\n"


def test_a_block_is_moved_not_doubled_and_what_stands_behind_it_stays() -> None:
    assert with_block(f"a\n{OWN}b\n", BLOCK) == f"a\nb\n{OWN}"
    assert with_block(f"a\n{OWN}b\n", BLOCK, first=True) == f"{OWN}a\nb\n"


def test_another_plans_block_and_lines_that_anybody_may_write_are_not_ours() -> None:
    other = f"# raidtui {'1e' * 16} begin data\nMAILADDR root\n# raidtui {'1e' * 16} end\nMAILADDR root\n"
    assert without_block(other, BLOCK) == other
    assert without_block(f"{other}{OWN}MAILADDR root\n", BLOCK) == f"{other}MAILADDR root\n"


def test_only_a_line_feed_ends_a_line_and_bytes_stay() -> None:
    text = f"x\x0b{HOME}y\x85\udcfc\r\n"
    assert without_block(f"{text}{OWN}\udcff", BLOCK) == f"{text}\udcff"
    assert without_block(f"{text}{OWN.removesuffix(chr(10))}", BLOCK) == text  # an editor took the last line feed


@pytest.mark.parametrize("what", CHANGES)
def test_lines_that_are_not_as_they_were_written_are_shown_and_kept(what: str) -> None:
    text = f"first\n{''.join(CHANGES[what](OWN.splitlines(keepends=True)))}last\n"
    with pytest.raises(Stale) as refused:
        without_block(text, BLOCK)
    expected = f"expected <# raidtui {RUN} begin data> <{LINE}> <MAILADDR root> <# raidtui {RUN} end>; found 2 <"
    assert f"/etc/fstab does not have the plan's lines as they were written; {expected}" in str(refused.value)
    assert "first" not in str(refused.value)
    with pytest.raises(Stale):
        with_block(text, BLOCK)


def test_a_refusal_shows_where_lines_of_others_are_and_no_more_than_twenty() -> None:
    begin, line, mail, end = OWN.splitlines(keepends=True)
    assert "found 1 <# raidtui" in changed(f"{begin}{line}{HOME}{mail}{end}", BLOCK)
    assert " 3 </dev/sda2 /home ext4 defaults 0 2> 4 <MAILADDR root> " in changed(
        f"{begin}{line}{HOME}{mail}{end}", BLOCK
    )
    assert changed(f"{begin}{line}{HOME * 40}{end}", BLOCK).endswith(
        " 20 </dev/sda2 /home ext4 defaults 0 2> and more up to line 43"
    )


def test_what_is_not_read_a_line_that_was_changed_where_all_marks_are_gone() -> None:
    """It is taken for somebody else's: neither removed nor named."""
    text = f"{HOME}{LINE.replace('noatime', 'nodev')}\nMAILADDR root\n"
    assert without_block(text, BLOCK) == text


def test_the_files_of_a_plan() -> None:
    found = [(block.path, block.text.count("\n")) for block in blocks_of(plan_of("2x(3+1)", fs="xfs"))]
    assert found == [("/etc/mdadm/mdadm.conf", 2), ("/etc/fstab", 0)]


@given(st.text(alphabet="ab#\t \r\x0b\x85\u2028\udcfc", max_size=30), st.text(alphabet="xy", min_size=1, max_size=9))
def test_taking_the_block_out_gives_the_text_back(line: str, lines: str) -> None:
    block = ManagedBlock(path="/etc/fstab", run_id=RUN, name="data", text=lines)
    assert without_block(with_block(f"{line}\n", block), block) == f"{line}\n"
