"""Text of a tuning: confirmation page, result table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.model.bench import Figure
from raidtui.model.counted import counted
from raidtui.model.safe import safe
from raidtui.model.tune import Advice, TuneResult, Tuning, Workload
from raidtui.model.units import binary_size, exact_binary
from raidtui.planner.amounts import amount, percent
from raidtui.planner.measurement.tune_advice import best_of
from raidtui.planner.numbers import hours
from raidtui.planner.text.summary import columns

ABREAST = 5
"""maximum columns of figures in a table of a wide terminal"""


def tuning_lines(tuning: Tuning, seconds: float) -> tuple[str, ...]:
    """The trials and their estimated `seconds`; the confirmation page of the first plan, with its disks, follows."""
    count = len(tuning.variants)
    if not tuning.layout.layout.survives:
        sync = "without redundancy there is no initial resync"
    elif tuning.first_sync:
        sync = "the initial resync of each is awaited"
    else:
        sync = "the initial resync is skipped (--assume-clean), since no data is kept"
    shared = f" on {counted(tuning.arrays, 'array')}" if tuning.arrays < count else ""
    own = any(each.mkfs or each.mount_options for each in tuning.variants)
    differ = "chunk, file system and options" if own else "chunk and file system"
    return (
        f"Tune {tuning.asked_layout}: {counted(count, 'trial')}{shared} of {tuning.layout} on the same "
        f"{len(tuning.disks)} disks, one after the other;",
        f"{used_of_each(tuning)} of each disk is used; {sync}.",
        f"Each is built, mounted in its own directory, measured with '{safe(tuning.profile)}' and removed, and its "
        f"disks are verified to be zero at both ends. Total time about {hours(seconds / 3600)}.",
        *(
            ("Trials of one run share its array: file system and mount are made again for the next, the array is not.",)
            if shared
            else ()
        ),
        "",
        *columns(
            [
                ("TRIAL", "CHUNK", "FILE SYSTEM", "VOLUME", "RUN", *(("MKFS", "MOUNT OPTIONS") if own else ())),
                *(
                    (
                        str(each.number), exact_binary(each.chunk_bytes), each.fs, binary_size(each.volume_bytes),
                        each.run_id[:8], *((each.mkfs or "-", each.mount_options or "-") if own else ()),
                    )
                    for each in tuning.variants
                ),
            ],
            right=(0, 1, 3),
        ),
        "",
        f"Plan of the first trial; the others differ only in {differ}:",
    )  # fmt: skip


def used_of_each(tuning: Tuning) -> str:
    """`at most 2 GiB`, or `all`."""
    return "all" if tuning.whole_disks else f"at most {exact_binary(tuning.slice_bytes)}"


def result_lines(result: TuneResult, abreast: int = ABREAST) -> tuple[str, ...]:
    """Outcome, table of at most `abreast` figures a row, recommendation, warnings, remaining actions of a tuning."""
    tuning = result.tuning
    names = {variant.number: variant.name for variant in tuning.variants}
    tried = {names[trial.variant]: trial.workloads for trial in result.trials}
    notes = {names[trial.variant]: f"{trial.outcome}: {trial.reason}" for trial in result.trials if trial.reason}
    lines = [f"Tuning {tuning.id[:8]} of {tuning.asked_layout}: {result.outcome}"]
    if result.reason:
        lines.append(f"reason: {safe(result.reason, longest=600)}")
    lines += ["", *tune_table(tried, abreast), ""]
    lines += [f"{name}: {safe(note, longest=600)}" for name, note in notes.items()]
    return (*lines, *_advice_lines(result.advice), *(f"note: {warning}" for warning in result.warnings))


def tune_table(tried: Mapping[str, Sequence[Workload]], abreast: int = ABREAST) -> list[str]:
    """Medians with spread: one row per workload, one column per variant; of many variants, one row per variant."""
    jobs = list(dict.fromkeys(each.job for workloads in tried.values() for each in workloads))
    found = {name: {each.job: each.figure for each in workloads} for name, workloads in tried.items()}
    names = list(tried)
    if len(names) <= abreast:
        rows = [("WORKLOAD", *names)]
        rows += [(safe(job, longest=24), *(_cell(found[name], job) for name in names)) for job in jobs]
        return columns(rows, right=tuple(range(1, len(names) + 1)))
    lines: list[str] = []
    for some in (jobs[start : start + abreast] for start in range(0, len(jobs), abreast)):
        tops = {job: best_of({name: found[name][job] for name in names if job in found[name]}) for job in some}
        rows = [("TRIAL", *(safe(job, longest=24) for job in some))]
        rows += [(name, *(_mark(name, tops[job]) + _cell(found[name], job) for job in some)) for name in names]
        lines += [*([""] if lines else []), *columns(rows, right=tuple(range(1, len(some) + 1)))]
    return [*lines, "", "* best of a column; = equal to it: the difference is below the noise of the repeats"]


def _cell(found: Mapping[str, Figure], job: str) -> str:
    return figure_text(found[job]) if job in found else "-"


def _mark(name: str, top: tuple[str, Sequence[str]]) -> str:
    return "* " if name == top[0] else "= " if name in top[1] else ""


def figure_text(figure: Figure) -> str:
    """`412 MB/s (6 %)`: the median, and the relative spread (highest - lowest) / median."""
    spread = f" ({percent(figure.spread)})" if len(figure.repeats) > 1 else ""
    return f"{amount(figure.median, figure.unit)}{spread}"


def _advice_lines(found: Sequence[Advice]) -> list[str]:
    lines = [f"{safe(each.job, longest=24)}: {each.reason}" for each in found if each.job]
    return [*lines, *(f"recommended: {each.reason}" for each in found if not each.job), *([""] if found else [])]
