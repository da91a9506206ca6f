"""Permanent settings: a second udev rule file that sorts after the plan's own, and the step that writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from raidtui.model.codec_rules import Value
from raidtui.model.plan import Command, Plan, Reading, Step, WriteFile
from raidtui.planner.compile.step_builder import fact, only_if
from raidtui.tools import identity, md_sysfs, udev_rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept(Value):
    """Record in the directory of the run: the rule file with the settings that were made permanent."""

    path: str
    """of the rule file"""
    text: str
    """text of the file without the last line end"""


def kept_rule(plan: Plan, best: Mapping[str, int]) -> Kept:
    """The rule file for measured values; `values` maps settings to values."""
    lines = [f"# Arrays of {plan.name}, run {plan.run_id}: best values found by raidtui tune --settings --keep."]
    legs = plan.arrays[: plan.design.layout.arrays]
    for array in plan.arrays:
        top = array.device == plan.filesystems[0].device if plan.filesystems else False
        tuning = udev_rule.ArrayTuning(
            uuid=array.uuid,
            read_ahead_kib=best.get("read_ahead_kb") if top else None,
            stripe_cache_entries=best.get("stripe_cache_size") if array in legs else None,
            group_threads=best.get("group_thread_cnt") if array in legs else None,
        )
        if tuning != udev_rule.ArrayTuning(uuid=array.uuid):
            lines.append(udev_rule.line(tuning))
    return Kept(path=udev_rule.kept_path(plan.name), text="\n".join(lines))


def keep_step(plan: Plan, kept: Kept, before: Kept | None, values: Mapping[str, int]) -> Step:
    """Writes the rule, replacing an earlier one; `values`: path in sysfs to the value it must have afterwards."""
    old = () if before is None else (only_if(_same(before), identity.remove((before.path,))),)
    return Step(
        number=1,
        stage="tune",
        title="Make the settings permanent",
        purpose="A udev rule sets them whenever the arrays appear; an undo of the run removes the rule.",
        actions=(
            *old,
            WriteFile(path=kept.path, text=kept.text),
            udev_rule.reload(),
            *(udev_rule.trigger(array.device) for array in plan.arrays),
        ),
        after=(
            _same(kept),
            *(
                fact("setting", f"{path} is {value}", md_sysfs.read_question(path), str(value))
                for path, value in sorted(values.items())
            ),
        ),
    )


def with_kept(step: Step, kept: Kept | None) -> Step:
    """`step`; if it is the tuning step, its undo also removes the permanent settings."""
    if kept is None or step.stage != "tune":
        return step
    gone: tuple[Command, ...] = (only_if(_same(kept), identity.remove((kept.path,))),)
    return replace(step, undo=(*gone, *step.undo))


def _same(kept: Kept) -> Reading:
    return fact(
        "setting",
        f"{kept.path} is unchanged since raidtui wrote it",
        identity.digest_question(kept.path),
        identity.digest_answer(kept.path, kept.text),
    )
