"""The runbook: what it names, that nothing in it hurts when it is pasted, and text of disks that stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.scripts.runbook import runbook
from raidtui.values.inventory import Place, Signature, Use
from raidtui.values.units import grouped
from tests.planner.plans import disk, plan_of
from tests.suite import examples


def headings(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("#")]


def test_the_runbook_of_a_small_array() -> None:
    plan = plan_of("(3+1)+1")
    lines = runbook(plan).splitlines()
    assert lines[0] == "# Runbook: (3+1)+1 on host"
    assert lines[2] == "**5 disks will be erased.** What is on them now cannot be recovered."
    size = grouped(plan.prediction.filesystems[0].total_bytes)
    assert lines[4] == f"- makes /dev/md/data, xfs on /srv/data, of which df shows {size} bytes"
    assert lines[5] == f"- plan data, run `{plan.run_id}`, digest `{plan.digest}`"
    assert headings("\n".join(lines))[1:] == [
        "## Before you start", "## One command", "## What it prints", "## If it stops", "## Undo", "## The disks"
    ]  # fmt: skip
    assert f"type `erase 5 {plan.digest[-8:]}`." in "\n".join(lines)
    assert f"asks for `undo 5 {plan.digest[-8:]}`" in "\n".join(lines)
    assert lines[-2:] == [
        "|     | data 0: S001     | data 1: S002 | data 2: S003 | data 3: S004 |",
        "|     | data spare: S005 |              |              |              |",
    ]


@pytest.mark.parametrize("layout", ["(3+1)+1", "2x raid1(2)", "3x disk"])
def test_each_block_to_paste_asks_before_it_writes(layout: str) -> None:
    plan = plan_of(layout)
    blocks = re.findall(r"```sh\n(.*?)\n```", runbook(plan), re.DOTALL)
    assert blocks == ["raidtui build plan.json", f"raidtui undo {plan.run_id[:8]}"]


def test_each_step_stands_in_both_tables() -> None:
    plan = plan_of("2x(3+1)+2")
    text = runbook(plan)
    known = {number for row in re.findall(r"^\| (\d[\d, to]*) ", text, re.MULTILINE) for number in _numbers(row)}
    assert known == {step.number for step in plan.steps}
    stops = text.partition("## If it stops")[2].partition("## Undo")[0]
    rows = re.findall(r"^\| (\d[\d, to]*) ", stops, re.MULTILINE)
    assert sorted(number for row in rows for number in _numbers(row)) == [step.number for step in plan.steps]


def _numbers(words: str) -> Iterator[int]:
    for run in words.strip().split(", "):
        first, _, last = run.partition(" to ")
        yield from range(int(first), int(last or first) + 1)


def test_content_that_is_given_up_is_named() -> None:
    signature = Signature(type="xfs", label="photos", uuid="01-46")
    use = Use(kind="file-system", where="xfs photos 01-46", active=False, signature=signature)
    held = disk(1, state="content", fingerprint="ab" * 16, uses=(use,))
    text = runbook(plan_of("raid1(2)", (held, disk(2))))
    assert "- [ ] the owner gave up S001: file-system xfs photos 01-46" in text
    assert "It asks for each kind of content that is given up." in text


@given(st.text(min_size=1), st.text(min_size=1))
@examples(60)
def test_text_of_a_disk_stays_in_its_cell(serial: str, slot: str) -> None:
    plain = runbook(plan_of("raid1(2)"))
    text = runbook(plan_of("raid1(2)", (disk(1, serial=serial + "x", place=Place(slot=slot)), disk(2))))
    assert headings(text) == headings(plain)
    assert text.count("```") == plain.count("```")
    rows = [line for line in text.split("\n") if line.startswith("|") and "data 0: " in line]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", rows[0])) == 6


def test_links_and_markup_of_a_disk_are_shown_not_followed() -> None:
    text = runbook(plan_of("raid1(2)", (disk(1, serial="[x](http://y) <script> `a` # |"), disk(2))))
    assert "\\[x\\](http:\\//y) \\<script\\> \\`a\\` # \\|" in text
    assert len(headings(text)) == len(headings(runbook(plan_of("raid1(2)"))))
