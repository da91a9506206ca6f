"""Recommendation of a chunk and file system, and whether its lead exceeds the spread of the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from raidtui.model.bench import Figure
from raidtui.model.plan import Plan
from raidtui.model.tune import Advice, TuneResult, Workload
from raidtui.model.units import KIB, exact_binary
from raidtui.planner.amounts import percent
from raidtui.planner.numbers import listed, two_digits

UNPROVEN_SHARE = 0.05
"""assumed spread of a single repeat, relative, to both sides"""
_USUAL_CHUNK = 512 * KIB
"""mdadm's default chunk, kept unless another is better"""


def interval(figure: Figure) -> tuple[float, float]:
    """(lowest, highest) repeat, widened for a single one."""
    values = [repeat.value for repeat in figure.repeats]
    if len(values) < 2:
        return figure.median * (1 - UNPROVEN_SHARE), figure.median * (1 + UNPROVEN_SHARE)
    return min(values), max(values)


def beats(one: Figure, other: Figure) -> bool:
    """True if every repeat of `one` is above every repeat of `other`."""
    return interval(one)[0] > interval(other)[1]


def best_of(found: Mapping[str, Figure]) -> tuple[str, tuple[str, ...]]:
    """(name of the highest median, names that it does not beat)."""
    best = max(found, key=lambda name: found[name].median)
    return best, tuple(name for name in found if name != best and not beats(found[best], found[name]))


def advise(tried: Mapping[str, Sequence[Workload]], *, usual: str = "") -> tuple[Advice, ...]:
    """Advice per job, then over all jobs. `tried` maps variants to their workloads.

    `usual` is kept if there is no significant difference.
    """
    jobs = list(dict.fromkeys(workload.job for workloads in tried.values() for workload in workloads))
    figures = {
        job: {name: each.figure for name, workloads in tried.items() for each in workloads if each.job == job}
        for job in jobs
    }
    complete = [name for name in tried if all(name in figures[job] for job in jobs)]
    if len(complete) < 2 or not jobs:
        return ()
    each = tuple(_for_job(job, {name: figures[job][name] for name in complete}) for job in jobs)
    return (*each, _overall(figures, complete, usual))


def advice(result: TuneResult) -> tuple[Advice, ...]:
    """Advice from the measured trials of `result`."""
    names = {variant.number: variant.name for variant in result.tuning.variants}
    tried = {names[trial.variant]: trial.workloads for trial in result.trials if trial.outcome == "measured"}
    usual = [each for each in result.tuning.variants if each.name in tried and each.chunk_bytes == _USUAL_CHUNK]
    usual.sort(key=lambda variant: variant.fs != "xfs")
    return advise(tried, usual=usual[0].name if usual else "")


def warnings(result: TuneResult, plan: Plan) -> tuple[str, ...]:
    """Limitations of these measurements, one sentence each."""
    tuning = result.tuning
    found = []
    if tuning.simulated:
        found.append(
            "SIMULATED: all figures come from the model, which hardly depends on the chunk; nothing was measured"
        )
    if tuning.whole_disks:
        found.append(
            "nothing limits the size of one RAID0 or of one disk without md, so whole disks were used; where on them "
            "the files are is up to the file system"
        )
    else:
        found.append(
            f"only the first {exact_binary(tuning.slice_bytes)} of each disk were used: on rotating disks that is the "
            "outer zone with the shortest seeks; the inner zone has about half the rate, and random access over a "
            "whole disk is slower. Compare the variants with each other, not with the final array"
        )
    if plan.design.layout.survives and not tuning.first_sync:
        found.append("the initial resync was skipped; use --first-sync to wait for it")
    labels = {label for trial in result.trials for each in trial.workloads for label in each.figure.labels}
    if "short" in labels:
        found.append("measured for less than 30 s each: caches of drives and of md have more effect than in production")
    if "cached" in labels:
        found.append("some files fit into memory, so the page cache may have served requests")
    if any(len(each.figure.repeats) < 2 for trial in result.trials for each in trial.workloads):
        found.append(
            f"figures of one repeat have no spread; differences below {percent(UNPROVEN_SHARE)} are not significant"
        )
    return tuple(found)


def _for_job(job: str, found: dict[str, Figure]) -> Advice:
    best, ties = best_of(found)
    if len(ties) == len(found) - 1:
        return Advice(
            job=job,
            best=best,
            ties=ties,
            reason="no significant difference between the trials: all overlap",
        )
    worst = min(found, key=lambda name: found[name].median)
    times = _times(found[best].median, found[worst].median)
    same = f"; {listed(ties)} {_overlap(ties)} with it" if ties else ""
    return Advice(job=job, best=best, ties=ties, reason=f"{best} is best, {times} of {worst}{same}")


def _overall(figures: dict[str, dict[str, Figure]], names: list[str], usual: str) -> Advice:
    tops = {job: max(found[name].median for name in names) for job, found in figures.items()}
    score = {
        name: exp(sum(log(max(found[name].median, 1e-9) / max(tops[job], 1e-9)) for job, found in figures.items())
                  / len(figures))
        for name in names
    }  # fmt: skip
    best = max(names, key=lambda name: score[name])
    ties = tuple(
        name
        for name in names
        if name != best and not any(beats(found[best], found[name]) for found in figures.values())
    )
    share = f"on average {percent(score[best])} of the best value over all {len(figures)} workloads"
    if usual in ties:
        rest = tuple(name for name in (best, *ties) if name != usual)
        return Advice(
            job="", best=usual, ties=rest,
            reason=f"keep {usual}: {best} is not significantly better in any workload",
        )  # fmt: skip
    if len(ties) == len(names) - 1:
        return Advice(job="", best=best, ties=ties, reason="no significant difference between the trials")
    same = f"; {listed(ties)} {_overlap(ties)} with it in every workload, so either is fine" if ties else ""
    return Advice(job="", best=best, ties=ties, reason=f"{best}: {share}{same}")


def _overlap(names: Sequence[str]) -> str:
    return "overlaps" if len(names) == 1 else "overlap"


def _times(best: float, worst: float) -> str:
    return f"{two_digits(best / worst)} times the figure" if worst > 0 else "against 0"
