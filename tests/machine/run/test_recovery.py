"""A step counts as done by what is read, and one reading that fails is enough against it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raidtui.engine import journal, recovery
from raidtui.engine.recovery import look
from raidtui.steps.check_step import answer_value
from raidtui.values.errors import MachineFailed, Refused
from raidtui.values.plan import Command, Reading, Step
from tests.faults.bench import Bench, bench, built
from tests.faults.scene import canonical, over_zeroes
from tests.machine.safety.test_ownership import person
from tests.simulated.fault_model import Fault, Killed

AFTER_ITS_LAST_COMMAND = {
    ("wipe", "blank"): "untouched", ("wipe", "unused"): "untouched",
    ("create", "predicted"): "partial", ("create", "member count"): "partial", ("create", "ours"): "partial",
    ("create", "blank"): "partial",
    ("spare", "member count"): "partial", ("spare", "predicted"): "partial",
    ("volume", "ours"): "partial", ("volume", "predicted"): "partial", ("volume", "blank"): "partial",
    ("format", "ours"): "partial", ("format", "predicted"): "partial",
    ("mount", "mounted"): "partial", ("mount", "lines"): "partial",
}  # fmt: skip
"""stage and role of a reading that fails: what its step counts as before the journal says that it was verified"""


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, reading: Reading) -> Iterator[None]:
    """This reading alone has another value."""
    with monkeypatch.context() as patched:
        patched.setattr(
            recovery, "answer_value", lambda asked, *said: "another" if asked == reading else answer_value(asked, *said)
        )
        yield


def killed() -> None:
    raise Killed


def one_of_each_role(step: Step) -> Iterator[Reading]:
    yield from {each.role: each for each in reversed(step.after)}.values()


def state_of(made: Bench, step: Step) -> str:
    return look(made.plan, made.machine, journal.records(made.folder))[step.number - 1].state


def test_a_step_that_was_not_verified_is_done_if_all_of_its_readings_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right after its last command, before anything is on what it made."""
    made = bench(canonical(), tmp_path)
    seen: dict[tuple[str, str], str] = {}
    whole: dict[str, str] = {}

    def try_all(step: Step) -> None:
        whole[step.stage] = state_of(made, step)
        for reading in one_of_each_role(step):
            with failing(monkeypatch, reading):
                seen.setdefault((step.stage, reading.role), state_of(made, step))

    for step in made.plan.steps:
        if step.stage in ("wipe", "create", "spare", "volume", "format", "mount"):
            made.hooks[("before", "proven", step.number, 0)] = lambda step=step: try_all(step)  # type: ignore[misc]
    assert made.begin().code == 0
    assert seen == AFTER_ITS_LAST_COMMAND
    done = dict.fromkeys(("create", "spare", "volume", "format", "mount"), "done")
    assert whole == {"wipe": "untouched", **done}


@pytest.mark.parametrize("stage", ["create", "spare", "volume", "format"])
def test_a_verified_step_whose_lasting_reading_fails_is_not_taken_for_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    made = built(canonical(), tmp_path)
    step = next(each for each in made.plan.steps if each.stage == stage)
    with failing(monkeypatch, next(each for each in step.after if each.lasts)), pytest.raises(Refused, match="changed"):
        state_of(made, step)


@pytest.mark.parametrize("stage", ["configure", "monitor", "tune"])
def test_settings_whose_reading_fails_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    made = built(canonical(), tmp_path)
    step = next(each for each in made.plan.steps if each.stage == stage)
    assert state_of(made, step) == "done"
    for reading in one_of_each_role(step):
        with failing(monkeypatch, reading):
            assert state_of(made, step) == "partial", reading.what


@pytest.mark.parametrize(("stage", "zeroes"), [("wipe", False), ("zero", True)])
def test_disks_whose_wipe_or_zeroes_do_not_read_back_are_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, zeroes: bool
) -> None:
    made = bench(over_zeroes() if zeroes else canonical(), tmp_path)
    create = next(each for each in made.plan.steps if each.stage == "create")
    made.hooks[("before", "step", create.number, 0)] = killed
    assert made.begin().code is None
    step = next(each for each in made.plan.steps if each.stage == stage)
    assert state_of(made, step) == "done"
    for reading in one_of_each_role(step):
        with failing(monkeypatch, reading):
            assert state_of(made, step) == "untouched", reading.what


def test_a_mount_that_failed_is_done_only_if_it_is_mounted(tmp_path: Path) -> None:
    """systemd may have been faster than mount(8), which then fails."""
    made = bench(canonical(), tmp_path)
    mount, number = next(
        (step.number, number)
        for step in made.plan.steps
        for number, action in enumerate(step.actions, start=1)
        if isinstance(action, Command) and action.argv == ("mount", "/srv/data")
    )
    for each in range(1, 6):
        made.machine.arm(Fault(kind="fail", words=("mount",), at=each))
    ended = made.begin()
    assert isinstance(ended.problem, MachineFailed)
    assert str(ended.problem).startswith("mount /srv/data ended with exit code 1")
    made.hooks[("after", "intent", mount, number)] = lambda: person(made, "mount", "/srv/data")
    assert made.resume().code == 0
    results = [each for each in journal.records(made.folder) if (each.step, each.action) == (mount, number)]
    assert [each.exit for each in results if each.kind == "result"] == [1, 1, 1, 1, 1, 32]
