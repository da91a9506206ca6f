"""State of a run computed from its journal, by a table of the record kinds that may follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from raidtui.model.errors import BadInput
from raidtui.model.run import Record, RecordKind, Run, RunOutcome, RunPurpose, StepProgress, StepState

_HELD: frozenset[RecordKind] = frozenset({"paused", "waiting", "progress"})
"""kinds recorded while the executor waits; any may follow any other, and each may repeat"""
_IN_STEP: frozenset[RecordKind] = _HELD | {"sampled", "intent", "proven", "cleaned", "begun", "stopped", "failed"}
FOLLOWS: dict[RecordKind | None, frozenset[RecordKind]] = {
    None: frozenset({"begun"}),
    "begun": _HELD | {"step", "kept", "begun", "stopped", "failed", "finished"},
    "step": _IN_STEP,
    "sampled": _IN_STEP,
    "intent": frozenset({"intent", "result", "begun", "stopped", "failed"}),
    "result": _IN_STEP | {"result"},
    "cleaned": _HELD | {"step", "begun", "stopped", "failed"},
    "proven": _HELD | {"step", "kept", "begun", "stopped", "failed", "finished"},
    "kept": frozenset({"kept", "begun", "stopped", "failed", "finished"}),
    "paused": _IN_STEP | {"step", "finished"},
    "waiting": _IN_STEP | {"step", "finished"},
    "progress": _IN_STEP | {"step", "finished"},
    "stopped": frozenset({"begun"}),
    "failed": frozenset({"begun"}),
    "finished": frozenset({"begun"}),
}
"""record kind to the kinds that may follow; after a crash any of them may be the last"""
_OF_A_STEP: frozenset[RecordKind] = frozenset({"step", "sampled", "intent", "result", "proven", "cleaned"})
_LIVES: tuple[RunPurpose, ...] = ("replace", "extend")
"""acts on arrays that run: a step that was done by what was read is not begun"""
_ENDS: dict[RecordKind, RunOutcome] = {"finished": "finished", "stopped": "stopped", "failed": "failed"}


def replay(steps: int, records: Sequence[Record], *, alive: bool) -> Run:
    """State of the run of a plan with `steps` steps. `alive`: an executor holds the lock now.

    Raises BadInput if the order of the records is invalid.
    """
    states: dict[int, StepState] = dict.fromkeys(range(1, steps + 1), "waiting")
    done = dict.fromkeys(states, 0)
    spent = dict.fromkeys(states, 0.0)
    begun_at: dict[int, str] = {}
    together, unbegun = _together(records)
    before: RecordKind | None = None
    current = 0
    for record in records:
        if record.kind not in FOLLOWS[before]:
            raise BadInput(f"invalid journal: '{record.kind}' after '{before}' (record {record.sequence})")
        if record.kind in _OF_A_STEP and record.step not in states:
            raise BadInput(
                f"invalid journal: step {record.step} of a plan with {steps} steps (record {record.sequence})"
            )
        before = record.kind
        match record.kind:
            case "begun":
                current = 0
                if record.purpose == "undo":
                    states = dict.fromkeys(states, "waiting")
                done = {number: done[number] if states[number] == "done" else 0 for number in done}
                states = {number: state if state == "done" else "waiting" for number, state in states.items()}
            case "step":
                current = record.step
                states[current], done[current] = "running", 0
                begun_at[current] = record.time
            case "result":
                done[record.step] = done[record.step] + 1 if record.step in together else record.action
            case "proven":
                states[record.step] = "waiting" if record.purpose == "undo" else "done"
            case "cleaned":
                states[record.step] = "waiting"
            case "failed" if current and states.get(current) == "running":
                states[current] = "failed"
            case _:
                pass
        if record.step in begun_at:
            spent[record.step] = _between(begun_at[record.step], record.time)
    if unbegun:
        raise BadInput(f"invalid journal: 'result' without an intent (record {unbegun})")
    last = records[-1] if records else None
    states |= {number: "done" for number in _left_out(steps, records) if states[number] == "waiting"}
    ended = _ENDS.get(last.kind) if last else None
    return Run(
        purpose=last.purpose if last else "build",
        outcome=ended or ("running" if alive else "interrupted"),
        steps=tuple(
            StepProgress(number=number, state=state, actions_done=done[number], seconds=spent[number])
            for number, state in states.items()
        ),
        now=last,
        reason=last.text if last and last.kind in ("stopped", "failed") else "",
    )


def _left_out(steps: int, records: Sequence[Record]) -> range:
    """Steps of an act on arrays that run which were passed: what was read said that they are done."""
    if not records or records[-1].purpose not in _LIVES:
        return range(0)
    last = steps if records[-1].kind == "finished" else max(each.step for each in records) - 1
    return range(1, last + 1)


def _together(records: Sequence[Record]) -> tuple[frozenset[int], int]:
    """Steps whose commands run at the same time, so that they end in any order; the first end of none, or 0."""
    found: set[int] = set()
    running = 0
    for record in records:
        running = 0 if record.kind == "begun" else running + (record.kind == "intent") - (record.kind == "result")
        if running < 0:
            return frozenset(found), record.sequence
        if running > 1:
            found.add(record.step)
    return frozenset(found), 0


def _between(start: str, end: str) -> float:
    """Seconds between two times; 0 if the clock went backwards."""
    return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
