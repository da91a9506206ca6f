from collections.abc import Sequence
from dataclasses import replace

import pytest

from raidtui.answers.confirm import (
    build_page,
    classes,
    confirmed,
    known_as,
    phrase,
    prompt_lines,
    raw_page,
    unaccepted,
    undo_page,
)
from raidtui.answers.plain_text import plain_lines
from raidtui.values.blocks import Block
from raidtui.values.inventory import Place, Use
from raidtui.values.run import Standing
from tests.planner.plans import disk, disks, plan_of

GPT = Use(kind="partition-table", where="gpt", active=False)
HOME = Use(kind="file-system", where="xfs home", active=False)
OLD = disk(1, state="content", uses=(GPT, HOME), place=Place(slot="7"))
EVIL = replace(HOME, where="ext4 \x1b[2J\u202e")
HOSTILE = disk(2, state="content", uses=(EVIL,), model="\x1b]0;x\x07", serial="S\n2")
PLAN = plan_of("2x raid1(2)+1", (OLD, HOSTILE, *disks(5)[2:]))


def page(blocks: Sequence[Block], width: int = 80) -> list[str]:
    return plain_lines(blocks, width=width)


def test_the_page_of_two_disks_word_for_word() -> None:
    plan = plan_of("raid1(2)", (OLD, disk(2)), fs="none")
    assert page(build_page(plan)) == [
        f"Build plan {plan.digest[:8]} for host: all content of 2 disks will be lost and cannot be",
        "recovered. 1 of them holds data now.",
        "All disks: MODEL, 2.00 TB.",
        "",
        "PLACE                   SERIAL  WILL BE           CONTENT NOW",
        "slot 7                  S001    member 0 of data  partition-table gpt;",
        "                                                  file-system xfs home",
        "wwn-0x5000c50000000002  S002    member 1 of data  blank",
        "",
        "Content that will be lost, by kind:",
        "  file-system: 1 disk",
        "  S001  slot 7  file-system xfs home",
        "  partition-table: 1 disk",
        "  S001  slot 7  partition-table gpt",
        "",
        "Will be created:",
        "  /dev/md/data  raid1 of 2 disks, 1.819 TiB",
        "",
        "Findings:",
        "  warning: The content of sd1 will be erased (partition-table, file-system).",
        "    [disk-content]",
        "    back it up first, or select blank disks",
        "  note: No alert address: mdadm mails a failed disk to root of this machine",
        "    only. That helps only if a person reads or forwards that mail.",
        "    [no-alert-address]",
        "    plan with --mail ADDRESS or --alert-program PATH",
        "  note: Built about 1 min after the confirmation; the first sync takes about",
        "    7.6 h on idle disks, at most 54 h on busy ones. What is written meanwhile is",
        "    redundant at once. [first-sync]",
        "    raidtui build --wait-for-sync ends only after the sync",
        "",
        "Digest of the plan:",
        f"  {plan.digest}",
    ]


@pytest.mark.parametrize("width", [69, 80, 120])
def test_no_line_of_the_page_is_wider_than_its_terminal(width: int) -> None:
    plan = plan_of("4x(12+2)+4", disks(60))
    assert max(map(len, page(build_page(plan), width))) <= width
    assert max(map(len, page(undo_page(plan, Standing()), width))) <= width
    assert max(map(len, page(raw_page(plan, built=True), width))) <= width
    assert (f"Digest of the plan: {plan.digest}" in page(build_page(plan), width)) is (width == 120)


def row_lines(lines: Sequence[str], serials: Sequence[str]) -> list[str]:
    """The lines of the disks' table, in order of `serials`."""
    return [next(line for line in lines if serial in line) for serial in serials]


@pytest.mark.parametrize("width", [80, 69])
def test_sixty_disks_of_one_enclosure_get_a_line_each(width: int) -> None:
    slots = [f"drawer {at // 12 + 1} slot {at % 12 + 1:02}" for at in range(60)]
    places = [Place(slot=slot, enclosure="0x3000000000e26600") for slot in slots]
    made = plan_of("4x(12+2)+4", tuple(replace(each, place=at) for each, at in zip(disks(60), places, strict=True)))
    lines = page(build_page(made), width)
    assert "All disks: MODEL, 2.00 TB, enclosure 0x3000000000e26600." in lines
    found = row_lines(lines, [str(each.serial) for each in made.disks])
    assert len(set(found)) == 60
    assert max(map(len, found)) <= width
    assert found[10] == "drawer 1 slot 11  S011    member 10 of data-0"
    assert "No data was found on any of them." in " ".join(lines)


def test_everything_that_is_made_is_on_the_page() -> None:
    lines = page(build_page(plan_of("2x(5+2)+2", stack="md")))
    assert "All disks are blank." in lines
    made = lines[lines.index("Will be created:") + 1 :][:4]
    assert made == [
        "  /dev/md/data-0  raid6 of 7 disks + 1 spare, 9.096 TiB",
        "  /dev/md/data-1  raid6 of 7 disks + 1 spare, 9.096 TiB",
        "  /dev/md/data    md stripe over 2 arrays, 18.19 TiB",
        "  /srv/data       file system on /dev/md/data",
    ]


def test_undo_says_plainly_what_does_not_come_back() -> None:
    said = " ".join(page(undo_page(PLAN, Standing())))
    assert "The content of the disks before the build cannot be restored." in said


def test_outside_text_is_shown_not_obeyed() -> None:
    for line in (*page(build_page(PLAN)), *page(undo_page(PLAN, Standing())), *prompt_lines(PLAN.disks[1])):
        assert line.isprintable() or not line
    assert "ext4 \\e[2J\\u202e" in "".join(page(build_page(PLAN)))
    assert known_as(PLAN.disks[1]) == "S\\n2"


def test_the_phrase_has_the_count_and_the_tail_of_the_digest() -> None:
    plan = replace(PLAN, digest="0123456789abcdef" * 4)
    assert phrase(plan) == "erase 5 89abcdef"
    assert phrase(plan, "undo") == "undo 5 89abcdef"
    assert confirmed(plan, "erase 5 89abcdef\n")


@pytest.mark.parametrize(
    "typed",
    ["", "\n", "erase", "erase 5", "yes\n", "erase 4 89abcdef\n", "erase 5 89abcdee\n", "undo 5 89abcdef\n",
     " erase 5 89abcdef\n", "erase 5 89abcdef \n", "ERASE 5 89ABCDEF\n", "erase 5 89abcdef x\n"],
)  # fmt: skip
def test_nothing_else_confirms(typed: str) -> None:
    assert not confirmed(replace(PLAN, digest="0123456789abcdef" * 4), typed)


def test_content_is_given_up_by_disk_or_by_every_kind_of_it() -> None:
    first, second = PLAN.disks[:2]
    assert {kind: [each.id for each in held] for kind, held in classes(PLAN).items()} == {
        "file-system": [first.id, second.id],
        "partition-table": [first.id],
    }
    assert unaccepted(PLAN, ()) == (first, second)
    assert unaccepted(PLAN, ("file-system",)) == (first,)
    assert unaccepted(PLAN, ("file-system", "partition-table")) == ()
    assert unaccepted(PLAN, ("S001", "S\\n2")) == ()
    assert unaccepted(PLAN, ("S003",)) == (first, second)
