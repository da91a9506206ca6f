"""Text of a tuning: confirmation page, result table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.model.bench import Figure
from raidtui.model.counted import counted
from raidtui.model.safe import safe
from raidtui.model.tune import Advice, TuneResult, Tuning, Workload
from raidtui.model.units import binary_size, exact_binary
from raidtui.planner.amounts import amount, percent
from raidtui.planner.numbers import hours
from raidtui.planner.text.summary import columns

_ABREAST = 5
"""maximum columns of figures per table"""


def tuning_lines(tuning: Tuning, seconds: float) -> tuple[str, ...]:
    """The trials and their estimated `seconds`; the confirmation page of the first plan, with its disks, follows."""
    count = len(tuning.variants)
    if not tuning.layout.layout.survives:
        sync = "without redundancy there is no initial resync"
    elif tuning.first_sync:
        sync = "the initial resync of each is awaited"
    else:
        sync = "the initial resync is skipped (--assume-clean), since no data is kept"
    return (
        f"Tune {tuning.asked_layout}: {counted(count, 'trial')} of {tuning.layout} on the same "
        f"{len(tuning.disks)} disks, one after the other;",
        f"{used_of_each(tuning)} of each disk is used; {sync}.",
        f"Each is built, mounted in its own directory, measured with '{safe(tuning.profile)}' and removed, and its "
        f"disks are verified to be zero at both ends. Total time about {hours(seconds / 3600)}.",
        "",
        *columns(
            [
                ("TRIAL", "CHUNK", "FILE SYSTEM", "VOLUME", "RUN"),
                *(
                    (
                        str(each.number), exact_binary(each.chunk_bytes), each.fs, binary_size(each.volume_bytes),
                        each.run_id[:8],
                    )
                    for each in tuning.variants
                ),
            ],
            right=(0, 1, 3),
        ),
        "",
        "Plan of the first trial; the others differ only in chunk and file system:",
    )  # fmt: skip


def used_of_each(tuning: Tuning) -> str:
    """`at most 2 GiB`, or `all`."""
    return "all" if tuning.whole_disks else f"at most {exact_binary(tuning.slice_bytes)}"


def result_lines(result: TuneResult) -> tuple[str, ...]:
    """Outcome, table, recommendation, warnings, and remaining actions of a tuning."""
    tuning = result.tuning
    names = {variant.number: variant.name for variant in tuning.variants}
    tried = {names[trial.variant]: trial.workloads for trial in result.trials}
    notes = {names[trial.variant]: f"{trial.outcome}: {trial.reason}" for trial in result.trials if trial.reason}
    lines = [f"Tuning {tuning.id[:8]} of {tuning.asked_layout}: {result.outcome}"]
    if result.reason:
        lines.append(f"reason: {safe(result.reason, longest=600)}")
    lines += ["", *tune_table(tried), ""]
    lines += [f"{name}: {safe(note, longest=600)}" for name, note in notes.items()]
    return (*lines, *_advice_lines(result.advice), *(f"note: {warning}" for warning in result.warnings))


def tune_table(tried: Mapping[str, Sequence[Workload]]) -> list[str]:
    """A table of medians with spread: one row per workload, one column per variant."""
    jobs = list(dict.fromkeys(each.job for workloads in tried.values() for each in workloads))
    found = {name: {each.job: each.figure for each in workloads} for name, workloads in tried.items()}
    lines: list[str] = []
    names = list(tried)
    for start in range(0, len(names), _ABREAST):
        some = names[start : start + _ABREAST]
        rows = [("WORKLOAD", *some)]
        rows += [
            (safe(job, longest=24), *(figure_text(found[name][job]) if job in found[name] else "-" for name in some))
            for job in jobs
        ]
        lines += [*([""] if lines else []), *columns(rows, right=tuple(range(1, len(some) + 1)))]
    return lines


def figure_text(figure: Figure) -> str:
    """`412 MB/s (6 %)`: the median, and the relative spread (highest - lowest) / median."""
    spread = f" ({percent(figure.spread)})" if len(figure.repeats) > 1 else ""
    return f"{amount(figure.median, figure.unit)}{spread}"


def _advice_lines(found: Sequence[Advice]) -> list[str]:
    lines = [f"{safe(each.job, longest=24)}: {each.reason}" for each in found if each.job]
    return [*lines, *(f"recommended: {each.reason}" for each in found if not each.job), *([""] if found else [])]
