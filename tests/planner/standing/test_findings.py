"""What a survey means: refusal, second phrase, or neither; and the page, word for word."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from raidtui.answers.confirm import undo_page
from raidtui.answers.plain_text import plain_lines
from raidtui.engine.standing import count, findings, lose_phrase, not_given_up
from raidtui.values.plan import Plan
from raidtui.values.run import AcceptedLoss, FileSystemSeen, Foreign, ForeignKind, Standing
from tests.planner.plans import disks, plan_of

PLAN = plan_of("raid1(2)", disks(2))
SEEN = FileSystemSeen(
    device="/dev/md/data", uuid=PLAN.filesystems[0].uuid, type="xfs", mount_point="/srv/data", used_bytes=1288490189,
    files=200, names=("letter.txt",), entries=200,
)  # fmt: skip
SHUT = replace(SEEN, mount_point="", names=(), entries=0)
FULL = Standing(filesystems=(SEEN,))
TANK = Foreign(kind="volume-group", device="/dev/md/data", owner="tank")


def given(standing: Standing, plan: Plan = PLAN) -> AcceptedLoss:
    return AcceptedLoss(digest=plan.digest, standing=standing)


def trial(plan: Plan = PLAN) -> Plan:
    from raidtui.values.design import Trial

    return replace(plan, design=replace(plan.design, trial=Trial(slice_bytes=2**30, first_sync=False)))


def test_the_page_shows_what_stands_there_and_both_ways_it_may_go_on() -> None:
    lines = plain_lines(undo_page(PLAN, FULL), width=160)
    start = lines.index("Content of the arrays now:")
    assert lines[start : start + 5] == [
        "Content of the arrays now:",
        "  - /srv/data, xfs, 200 files, 1.200 GiB used: letter.txt and 199 more in its top directory",
        "  - The count is of inodes in use: files, directories and links, and deleted files that are still open.",
        "  - All of it will be lost; a second phrase confirms this: lose 200 files",
        "",
    ]
    lines = plain_lines(undo_page(PLAN, replace(FULL, foreign=(TANK,))), width=160)
    assert lines[start + 3 : start + 5] == [
        "  refused: /dev/md/data holds the volume group tank, which does not belong to the plan",
        "    save its volumes, remove it with vgremove and pvremove, and zero its start: "
        "blkdiscard --zeroout --length=1048576 /dev/md/data; then undo again",
    ]
    assert not any("second phrase" in line for line in lines)
    nothing = "  - nothing found: no signature, zeros at the start and some hundred places"
    assert nothing in plain_lines(undo_page(PLAN, Standing()))
    unseen = plain_lines(undo_page(PLAN, Standing(unseen=("/dev/md/data",))))
    assert "  - /dev/md/data: not running; its content cannot be read" in unseen


@pytest.mark.parametrize(
    ("standing", "figure", "words"),
    [
        (Standing(), None, ""),
        (Standing(filesystems=(replace(SEEN, files=0),)), None, ""),
        (FULL, "200", "lose 200 files"),
        (Standing(filesystems=(SEEN, replace(SEEN, files=5))), "205", "lose 205 files"),
        (Standing(filesystems=(replace(SEEN, files=1),)), "1", "lose 1 file"),
        (Standing(filesystems=(replace(SHUT, files=0, at_least=True),)), "0", "lose at least 0 files"),
        (Standing(filesystems=(replace(SHUT, files=7, at_least=True),)), "7", "lose at least 7 files"),
        (Standing(filesystems=(SEEN, replace(SHUT, files=None))), "unknown", "lose unknown files"),
        (Standing(unseen=("/dev/md/data",)), "unknown", "lose unknown files"),
    ],
)
def test_the_second_phrase_says_how_much_is_lost(standing: Standing, figure: str | None, words: str) -> None:
    assert (count(PLAN, standing), lose_phrase(PLAN, standing)) == (figure, words)


@pytest.mark.parametrize(
    ("now", "then", "codes"),
    [
        (FULL, None, ["standing-files"]),
        (FULL, given(FULL), []),
        (FULL, given(Standing(filesystems=(replace(SEEN, files=199),))), ["standing-files"]),
        (FULL, given(Standing(filesystems=(replace(SEEN, files=201),))), []),
        (FULL, given(Standing(filesystems=(replace(SEEN, uuid="other"),))), ["standing-files"]),
        (FULL, AcceptedLoss(digest="other", standing=FULL), ["standing-files"]),
        (FULL, given(Standing(filesystems=(replace(SHUT, files=None),))), []),
        (Standing(filesystems=(replace(SHUT, files=None),)), given(FULL), ["standing-files"]),
        (Standing(filesystems=(replace(SHUT, at_least=True),)), given(FULL), ["standing-files"]),
        (Standing(unseen=("/dev/md/data",)), given(FULL), ["standing-unseen"]),
        (Standing(unseen=("/dev/md/data",)), given(Standing(unseen=("/dev/md/data",))), []),
        (replace(FULL, foreign=(TANK,)), given(replace(FULL, foreign=(TANK,))), ["standing-volume-group"]),
        (Standing(), None, []),
    ],
)
def test_nothing_goes_that_was_not_given_up(now: Standing, then: AcceptedLoss | None, codes: list[str]) -> None:
    assert [finding.code for finding in not_given_up(PLAN, now, then)] == codes


@pytest.mark.parametrize("kind", get_args(ForeignKind))
def test_every_kind_refuses_and_names_device_owner_and_way_out(kind: ForeignKind) -> None:
    standing = Standing(foreign=(Foreign(kind=kind, device="/dev/md/data", owner="OWNER"),))
    (finding,) = findings(standing)
    assert (finding.severity, finding.code, finding.subject) == ("error", f"standing-{kind}", "/dev/md/data")
    assert "/dev/md/data" in finding.message and "OWNER" in finding.message
    assert finding.way_out.endswith("; then undo again") and len(finding.way_out) > 25
