"""A run is what its journal says, and nothing that cannot be."""

from dataclasses import replace

import pytest

from raidtui.engine.journal import replay
from raidtui.values.errors import BadInput
from raidtui.values.run import Record, RecordKind


def records(*kinds: tuple[RecordKind, int, int]) -> list[Record]:
    return [
        Record(
            sequence=number, kind=kind, step=step, action=action, boot="b", time=f"2026-01-02T03:04:{number:02d}+00:00"
        )
        for number, (kind, step, action) in enumerate(kinds, start=1)
    ]


BUILT = records(
    ("begun", 0, 0), ("step", 1, 0), ("proven", 1, 0), ("step", 2, 0), ("intent", 2, 1), ("result", 2, 1),
    ("intent", 2, 2), ("result", 2, 2), ("proven", 2, 0), ("finished", 0, 0),
)  # fmt: skip


def test_a_whole_run() -> None:
    run = replay(2, BUILT, alive=False)
    assert run.outcome == "finished"
    assert [(step.state, step.actions_done, step.seconds) for step in run.steps] == [("done", 0, 1.0), ("done", 2, 5.0)]


def test_a_run_that_ends_in_a_command_is_interrupted_unless_somebody_is_at_it() -> None:
    cut = BUILT[:5]
    assert replay(2, cut, alive=False).outcome == "interrupted"
    assert replay(2, cut, alive=True).outcome == "running"
    assert [step.state for step in replay(2, cut, alive=True).steps] == ["done", "running"]


def test_an_undone_step_is_not_done() -> None:
    undo = [replace(each, purpose="undo") for each in records(("begun", 0, 0), ("step", 2, 0), ("proven", 2, 0))]
    run = replay(2, [*BUILT, *undo], alive=True)
    assert [step.state for step in run.steps] == ["waiting", "waiting"]


@pytest.mark.parametrize(
    "kinds",
    [
        ("begun", "step", "paused", "paused", "intent", "result", "proven", "finished"),
        ("begun", "step", "waiting", "paused", "intent", "result", "proven", "finished"),
        ("begun", "step", "paused", "waiting", "paused", "stopped"),
        ("begun", "step", "intent", "result", "paused", "paused", "proven", "step", "waiting", "proven"),
        ("begun", "step", "waiting", "failed"),
    ],
)
def test_a_pause_may_come_at_any_moment_and_twice(kinds: tuple[RecordKind, ...]) -> None:
    assert replay(2, records(*((kind, 1, 1) for kind in kinds)), alive=True).now is not None


def test_no_more_commands_end_than_began() -> None:
    kinds: tuple[RecordKind, ...] = ("begun", "step", "intent", "intent", "result", "result", "result")
    with pytest.raises(BadInput, match=r"'result' without an intent \(record 7\)"):
        replay(1, records(*((kind, 1, 1) for kind in kinds)), alive=True)


@pytest.mark.parametrize("step", [0, 3])
@pytest.mark.parametrize(("before", "kind"), [((), "step"), ((("step", 2, 0),), "proven")])
def test_a_step_that_the_plan_has_not_is_an_error(
    before: tuple[tuple[RecordKind, int, int], ...], kind: RecordKind, step: int
) -> None:
    with pytest.raises(BadInput, match=f"invalid journal: step {step} of a plan with 2"):
        replay(2, records(("begun", 0, 0), ("step", 1, 0), ("proven", 1, 0), *before, (kind, step, 0)), alive=False)


@pytest.mark.parametrize("kinds", [("proven",), ("begun", "result"), ("begun", "step", "result"), ("finished",)])
def test_what_cannot_follow_is_an_error(kinds: tuple[RecordKind, ...]) -> None:
    with pytest.raises(BadInput, match="invalid journal"):
        replay(2, records(*((kind, 1, 1) for kind in kinds)), alive=False)
