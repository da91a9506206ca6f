"""A step as a person reads it."""

from __future__ import annotations

import dataclasses
import shlex

from raidtui.machine.inventory.shipped import load
from raidtui.model.design import Design
from raidtui.model.notation import parse
from raidtui.model.plan import Command, Plan, Question, Reading, Step, WriteFile
from raidtui.tui.screens.commands.step_listing import action_lines, named_paths, undo_words, why_lines
from raidtui.tui.state.session import Session
from raidtui.tui.terminal.glyphs import ASCII
from raidtui.tui.terminal.text import Line


def plan() -> Plan:
    session = Session(load("nas4"), run_id="0" * 32, design=Design(layout=parse("(2+2)")))
    return session.plan()


def text(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in line).rstrip() for line in lines]


STEP = Step(
    number=1, stage="create", title="t", purpose="because it must be so",
    actions=(
        Command(argv=("mdadm", "--create", "a b"), effect="destroy"),
        WriteFile(path="/etc/x", text="1\n2\n3\n4\n5\n6\n7\n"),
    ),
    after=tuple(
        Reading(role="setting", what=f"check {number % 6}", question=Question(argv=("true",)), key="", answer="")
        for number in range(12)
    ),
    undo=(
        Command(argv=("/sbin/mdadm", "--stop", "/dev/md/x"), effect="change"),
        WriteFile(path="/etc/x", text="", fenced=True),
    ),
    undo_note="the data is gone",
)  # fmt: skip


def test_arguments_are_quoted_and_long_files_shortened() -> None:
    shown = text(action_lines(STEP, {}, 80, ASCII, shlex.quote, expanded=False))
    assert shown == [
        "mdadm --create 'a b'", "writes /etc/x", "  | 1", "  | 2", "  | 3", "  | 4",
        "    ... 3 more lines: Enter shows all",
    ]  # fmt: skip
    assert "  | 7" in text(action_lines(STEP, {}, 80, ASCII, shlex.quote, expanded=True))


def test_reasons_proofs_and_the_way_back_stand_under_their_titles() -> None:
    assert text(why_lines(STEP, 60, shlex.quote, expanded=False)) == [
        "WHY           because it must be so",
        "CONDITIONS    check 0",
        "              check 1",
        "              check 2",
        "              ... 3 more: Enter shows all",
        "UNDO          /sbin/mdadm --stop /dev/md/x",
        "              remove this plan's lines from /etc/x",
        "              the data is gone",
    ]
    assert undo_words(STEP) == "mdadm, edit"
    assert undo_words(dataclasses.replace(STEP, undo=())) == "-"


def test_a_step_that_only_checks_says_what() -> None:
    shown = text(action_lines(dataclasses.replace(STEP, actions=()), {}, 80, ASCII, shlex.quote, expanded=False))
    assert shown[0].startswith("runs no command")
    assert shown[1:] == [f"  - check {number}" for number in range(6)]


def test_disks_are_named_beside_their_paths() -> None:
    made = plan()
    create = next(step for step in made.steps if step.stage == "create")
    slots = {disk.id: f"b{number}" for number, disk in enumerate(made.disks, start=1)}
    shown = text(action_lines(create, named_paths(made, slots), 100, ASCII, shlex.quote, expanded=True))
    for number, disk in enumerate(made.disks, start=1):
        (row,) = (line for line in shown if disk.path in line)
        assert row.endswith(f"  b{number}  {disk.serial}  3.96 TB")


def test_two_plans_of_one_session_share_no_uuid() -> None:
    session = Session(load("nas4"), run_id="0" * 32, design=Design(layout=parse("(2+2)")))
    first = session.plan()
    session.decide(dataclasses.replace(session.decision, design=Design(layout=parse("raid10(4)"))))
    second = session.plan()
    session.undo()
    assert {array.uuid for array in first.arrays}.isdisjoint(array.uuid for array in second.arrays)
    assert session.plan() == first
