"""Hostile text of disks through every path to a shell, a config file, a journal and paper: counted, and none escapes.

What the screens make of it stands in tests/tui/test_tiers.py, what real tools and udev make of it in the lab.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable

import pytest

from raidtui.answers.confirm import build_page, prompt_lines, undo_page
from raidtui.answers.disks import disks_table
from raidtui.answers.plain_text import plain_lines
from raidtui.answers.run import record_lines
from raidtui.engine import journal
from raidtui.programs.shell_quote import render
from raidtui.scripts.build_script import build_script, plan_text
from raidtui.scripts.runbook import runbook
from raidtui.scripts.undo_script import undo_script
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Controller, Inventory, Place, Use
from raidtui.values.plan import Command, Plan, WriteFile
from raidtui.values.run import Record, Standing
from raidtui.values.safe import safe
from tests.planner.plans import disk, plan_of

PIECES = (
    "\n", "\r", "\t", "\0", "\x07", "\x1b[2J", "\x1b]0;own\x07", "\x9b31m", "\x7f", "\u202e", "\u200b", "\u2066",
    "\ufeff", "\udcff", "'", '"', "`reboot`", "$(reboot)", "${IFS}", ";", "&", "|", "<", ">", "*", "?", "~", "!", "#",
    "\\", "\\x41", " ", "  ", "[/red]", "[bold]", "<script>", "|---|", "```", "EOF", "%s", "{}", "-rf", "--", "=",
    "UUID=", "e\u0301", "\u8868", "\U0001f4a9", "a", "S1",
)  # fmt: skip
COUNT = 400
TEXTS: tuple[Callable[[Plan], str], ...] = (
    lambda plan: build_script(plan).text,
    lambda plan: undo_script(plan).text,
    runbook,
    plan_text,
    lambda plan: "\n".join(plain_lines(build_page(plan))),
    lambda plan: "\n".join(plain_lines(undo_page(plan, Standing()))),
    lambda plan: "\n".join(row for each in plan.disks for row in prompt_lines(each)),
    lambda plan: to_json(plan, indent=None),
)


def hostile(seed: int, count: int) -> list[str]:
    """`count` strings of one to eight pieces."""
    chance = random.Random(seed)
    return ["".join(chance.choices(PIECES, k=chance.randint(1, 8))) for _ in range(count)]


def harmless(text: str) -> bool:
    """Nothing in it that a terminal or an editor obeys: what `safe` would leave alone, line by line."""
    return all(safe(row) == row for row in text.split("\n"))


@pytest.mark.parametrize("count", [40, pytest.param(COUNT, marks=pytest.mark.thorough)])
def test_every_text_of_a_plan_is_harmless(count: int) -> None:
    checked = 0
    for words in hostile(1, count):
        plan = plan_of(
            "raid1(2)",
            (
                disk(1, serial=words, model=words, vendor=words, firmware=words, hctl=words, place=Place(slot=words)),
                disk(2, state="content", uses=(Use(kind="file-system", where=words, active=False),)),
            ),
        )
        for text in TEXTS:
            assert harmless(text(plan)), (words, text)
            checked += 1
        argv = [action.argv for step in plan.steps for action in step.actions if isinstance(action, Command)]
        files = [action.text for step in plan.steps for action in step.actions if isinstance(action, WriteFile)]
        reached = [each for each in (*(word for words in argv for word in words), *files) if not harmless(each)]
        assert not reached, reached  # what is run and written names disks by what udev made of them
        checked += 2
    assert checked == 10 * count


def test_every_text_of_a_machine_is_harmless() -> None:
    for words in hostile(2, COUNT):
        place = Place(controller=words, expander=words, port=words, enclosure=words, slot=words)
        found = disk(1, serial=words, model=words, kernel_name=words, place=place, not_selectable=words)
        seen = Inventory(
            origin="machine", name=words, title=words, controllers=(Controller(pci=words, name=words),), disks=(found,)
        )
        assert harmless(disks_table(seen))
        assert harmless(to_json(seen))


def test_the_journal_keeps_every_word_on_its_line_and_shows_it_harmless() -> None:
    plan = plan_of("raid1(2)")
    for words in hostile(3, COUNT):
        if "\udcff" in words:
            continue  # JSON has no such character; what a tool says is decoded before
        record = Record(
            sequence=1, kind="failed", time="2026-01-01T00:00:00+00:00", boot="b", argv=("mdadm", words), text=words
        )
        line, _ = journal.record_line(record, "")
        assert line.count("\n") == 1 and harmless(line.rstrip("\n"))
        assert from_json(Record, line.partition(" ")[2], source="line") == record
        assert all(harmless(row) for row in record_lines(record, plan))


@pytest.mark.process
def test_a_shell_reads_back_exactly_the_words() -> None:
    words = [each.replace("\0", "").replace("\udcff", "") or "x" for each in hostile(4, 2000)]
    said = _in_bash(render(["printf", "%s\\0", *words]))
    assert said.split("\0")[:-1] == words


def test_names_that_reach_files_and_commands_are_refused_unless_plain() -> None:
    refused = 0
    for words in hostile(5, COUNT):
        try:
            plan = plan_of("raid1(2)", name=words)
        except BadInput:
            refused += 1
        else:
            assert plan.name.isascii() and plan.name.replace("-", "").replace("_", "").replace(".", "").isalnum()
        with pytest.raises(BadInput):
            plan_of("raid1(2)", mount_point=f"/srv/{words}\n")
    assert refused > COUNT // 2


def _in_bash(text: str) -> str:
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", f"set -u; {text}"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, cwd="/",
    )  # fmt: skip
    return done.stdout.decode()
