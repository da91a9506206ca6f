"""Whatever is asked: a plan touches the disks that were chosen, each once, and says everything as it was predicted."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from raidtui.scripts.build_script import build_script
from raidtui.scripts.undo_script import undo_script
from raidtui.values.choices import FILE_SYSTEMS, STACKS
from raidtui.values.codec import document_digest
from raidtui.values.layout import LEVELS, ArrayShape, Layout, Spread, least_members
from raidtui.values.notation import show
from raidtui.values.plan import Command, Plan
from tests.planner.plans import disk, every_command, plan_of
from tests.suite import examples


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    level = draw(st.sampled_from(LEVELS))
    copies = draw(st.integers(2, 3)) if level == "raid10" else 2
    spread: Spread = draw(st.sampled_from(("n", "f", "o"))) if level == "raid10" else "n"
    shapes = [
        ArrayShape(level=level, members=members, copies=copies, spread=spread)
        for members in draw(st.lists(st.integers(least_members(level, copies), 12), min_size=1, max_size=3))
        for _ in range(draw(st.integers(1, 4)))
    ]
    layout = Layout.joined(shapes, spares=draw(st.integers(0, 5)) if level != "raid0" else 0)
    text = st.text(max_size=12)
    found = tuple(
        disk(number, model=draw(text) or None, state=draw(st.sampled_from(("blank", "content"))))
        for number in range(1, layout.disks + draw(st.integers(1, 4)))
    )
    stack = draw(st.sampled_from(STACKS))
    fs = draw(st.sampled_from(FILE_SYSTEMS))
    return plan_of(show(layout), found, stack=stack, fs=fs)


@given(plans())
@examples(60)
def test_a_plan_names_only_its_disks_and_no_disk_twice(plan: Plan) -> None:
    chosen = {each.path for each in plan.disks}
    assert len(chosen) == len(plan.disks) == plan.design.layout.disks
    placed = [each for array in plan.arrays[: plan.design.layout.arrays] for each in (*array.members, *array.spares)]
    assert sorted(placed) == sorted(each.id for each in plan.disks)
    for command in every_command(plan):
        for word in command.argv:
            if word.startswith("/dev/disk"):
                assert word in chosen
            elif word.startswith("/dev/"):
                assert word.startswith(("/dev/md/data", "/dev/data")) or word == "/dev/zero"


@given(plans())
@examples(40)
def test_what_a_command_says_of_itself_is_what_its_words_say(plan: Plan) -> None:
    for command in (command for step in plan.steps for command in (*step.commands, *step.undo_commands)):
        words = [word.partition("=")[2] if word.startswith("-") else word for word in command.argv[1:]]
        assert command.devices == tuple(word for word in words if word.startswith("/dev/"))
        assert command.effect == "change" or command.devices
        assert command.without_sync == ("--assume-clean" in command.argv)
        busy = command.argv[0] in ("mount", "umount") or command.argv[:2] == ("mdadm", "--stop")
        assert command.retry == ("while busy" if busy else "never")
        assert (command.done_if is not None) == (command.argv[0] == "mount")
        assert (command.zeroed is not None) == (command.argv[0] == "blkdiscard")
        assert command.by_name == (command.argv[0] == "env" or command.argv[:2] == ("mdadm", "--monitor"))
        if command.argv[:2] == ("mdadm", "--create"):
            assert (command.makes, *command.members) == command.devices and not command.joins
        elif "--add-spare" in command.argv:
            assert (command.joins, *command.members) == command.devices and not command.makes
        else:
            assert not command.members and not command.joins
            assert command.makes == ("/dev/data/data" if command.argv[0] == "lvcreate" else "")


@given(plans())
@examples(40)
def test_everything_that_writes_can_be_told_from_what_looks(plan: Plan) -> None:
    assert document_digest(plan) == plan.digest
    assert plan.steps[0].stage == "check" and not plan.steps[0].actions
    assert plan.steps[-1].stage == "verify" and not plan.steps[-1].actions
    for each in plan.steps:
        assert each.after or each.stage == "save"
        if any(
            isinstance(action, Command) and action.argv[0] == "mdadm" and "--create" in action.argv
            for action in each.actions
        ):
            assert {reading.key for reading in each.after} >= {"MD_UUID", "MD_LEVEL", "MD_DEVICES"}


@given(plans())
@examples(25)
def test_the_scripts_are_plain_words_whatever_the_disks_say(plan: Plan) -> None:
    for script in (build_script(plan), undo_script(plan)):
        assert script.text.isascii() and script.text.replace("\n", "").isprintable()
        assert set(re.findall(r"\bwwn-\w+", script.text)) == {each.id for each in plan.disks}
