"""Build part of a report, from the plan and its journal alone."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.plan import Plan, PlanDisk
from raidtui.model.report import CommandRun, Evidence, ReportBuild, ReportDisk, StepProof
from raidtui.model.run import Record, Run


def build_of(plan: Plan, run: Run, records: Sequence[Record], evidence: tuple[Evidence, ...] = ()) -> ReportBuild:
    """The build of `plan` from its journal `records`; `run` is their fold."""
    return ReportBuild(
        run_id=plan.run_id,
        name=plan.name,
        digest=plan.digest,
        layout=plan.prediction.layout,
        design=plan.design,
        prediction=plan.prediction,
        arrays=plan.arrays,
        filesystems=plan.filesystems,
        outcome=run.outcome,
        purpose=run.purpose,
        reason=run.reason,
        began=records[0].time if records else "",
        ended=records[-1].time if records else "",
        steps=len(plan.steps),
        commands=_commands(records),
        proofs=_proofs(plan, records),
        evidence=evidence,
    )


def planned_disk(disk: PlanDisk) -> ReportDisk:
    """The ReportDisk of a plan's disk."""
    return ReportDisk(
        id=disk.id,
        serial=disk.serial or "",
        model=disk.model or "",
        place=disk.place,
        size_bytes=disk.size_bytes,
        role=disk.role,
    )


def _commands(records: Sequence[Record]) -> tuple[CommandRun, ...]:
    """Every intent record with the exit code of the result that follows it."""
    found = []
    for number, record in enumerate(records):
        if record.kind != "intent":
            continue
        behind = records[number + 1] if number + 1 < len(records) else None
        ended = behind is not None and behind.kind == "result"
        found.append(
            CommandRun(
                step=record.step,
                time=record.time,
                argv=record.argv,
                exit=behind.exit if ended and behind is not None else None,
                ended=ended,
                purpose=record.purpose,
            )
        )
    return tuple(found)


def _proofs(plan: Plan, records: Sequence[Record]) -> tuple[StepProof, ...]:
    """Proofs of the steps: after the last execution of the step, and not undone since."""
    when: dict[int, str] = {}
    for record in records:
        if record.kind == "proven" and record.purpose != "undo":
            when[record.step] = record.time
        elif record.kind in ("step", "proven", "cleaned"):
            when.pop(record.step, None)
    return tuple(
        StepProof(
            step=step.number,
            title=step.title,
            proven=step.number in when,
            time=when.get(step.number, ""),
            sentences=tuple(reading.what for reading in step.after),
        )
        for step in plan.steps
        if step.after
    )
