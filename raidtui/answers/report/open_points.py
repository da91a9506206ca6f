"""Open points of a build and its benchmarks, and the resulting verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from raidtui.answers.bench import LABELS, task_name
from raidtui.bench.compare import slow_alone
from raidtui.bench.observed_limit import READ_BACK
from raidtui.values.amounts import amount, percent, with_band
from raidtui.values.bench import BenchDisk, BenchResult, Compared, Figure, Label, Task
from raidtui.values.bench import Verdict as BandVerdict
from raidtui.values.blocks import ReportDocument
from raidtui.values.codec import by_key
from raidtui.values.findings import some
from raidtui.values.report import Acceptance, OpenPoint, Report, ReportBench, ReportBuild, ReportDisk, Section, Weight
from raidtui.values.safe import safe
from raidtui.values.units import counted

# Short text summary of a report for a mail, a ticket or the terminal.


def summary(report: Report, document: ReportDocument) -> str:
    """Verdict, facts and open points."""
    lines = [f"{safe(document.title)}: {document.verdict}", f"  {safe(document.reason)}"]
    if document.banner:
        lines.insert(0, document.banner)
    wide = max(len(name) for name, _ in document.facts)
    lines += ["", *(f"  {name:<{wide}}  {safe(value)}" for name, value in document.facts)]
    points = [point for point in report.points if point.weight != "note"]
    if points:
        lines.append("")
    for point in points:
        lines.append(f"  {point.weight}: {safe(point.text)}")
        if point.way_out:
            lines.append(f"    {safe(point.way_out)}")
    if report.comparison:
        lines += ["", f"  compared with {safe(report.comparison.before.host)}, {safe(report.comparison.before.when)}:"]
        for each in report.comparison.figures:
            target = safe(each.target or each.kind)
            lines.append(f"    {safe(each.job)} on {target}: {each.ratio:.2f}, {each.judged}")
    return "\n".join(lines)


# Disks of a report: those of the plan and those measured, as one list.


def disks_of(planned: Sequence[ReportDisk], benches: Sequence[ReportBench]) -> tuple[ReportDisk, ...]:
    """All disks, in the order of the plan, then of the benchmarks; the last measurement of each is used."""
    found = {disk.id: replace(disk, read_bytes_per_s=None, share=None, slow=False) for disk in planned}
    speeds: dict[str, float] = {}
    slow: set[str] = set()
    for bench in benches:
        for disk in bench.result.bench.disks:
            found[disk.id] = _with_name(found.get(disk.id), disk)
        speeds |= single_disk_rates(bench.result)
        slow |= slow_disks(bench.result)
    return tuple(_measured(disk, speeds, slow, found) for disk in found.values())


def single_disk_rates(result: BenchResult) -> dict[str, float]:
    """Identity to sequential bytes per second of every disk that was read alone."""
    tasks = {task.number: task for task in result.bench.tasks}
    return {
        tasks[figure.task].target.disks[0]: figure.median
        for figure in result.figures
        if tasks[figure.task].target.kind == "disk"
        and tasks[figure.task].job.pattern == "read"
        and len(tasks[figure.task].target.disks) == 1
    }


def slow_disks(result: BenchResult) -> set[str]:
    """Identities of disks that are slower than their group, by the gauges or by their own figures."""
    seen = {disk for figure in result.figures if figure.seen for disk in figure.seen.slow_disks}
    return seen | {disk for disk, _ in slow_alone(result).values()}


def _with_name(known: ReportDisk | None, disk: BenchDisk) -> ReportDisk:
    if known is None:
        role = f"{disk.role} of {disk.array}" if disk.array and disk.role else disk.role
        known = ReportDisk(id=disk.id, place=disk.place, role=role)
    return replace(
        known,
        name=disk.name,
        serial=known.serial or disk.serial,
        model=known.model or disk.model,
        firmware=disk.firmware or known.firmware,
        health=disk.health or known.health,
        place=known.place if known.place.text else disk.place,
    )


def _measured(disk: ReportDisk, speeds: dict[str, float], slow: set[str], found: dict[str, ReportDisk]) -> ReportDisk:
    if disk.id not in speeds:
        return replace(disk, slow=disk.id in slow)
    alike = [rate for id, rate in speeds.items() if id in found and found[id].model == disk.model]
    middle = median(alike)
    share = speeds[disk.id] / middle if len(alike) >= 3 and middle > 0 else None
    return replace(disk, read_bytes_per_s=round(speeds[disk.id]), share=share, slow=disk.id in slow)


_ORDER: tuple[Weight, ...] = ("blocking", "open", "note")
_JUDGED: frozenset[BandVerdict] = frozenset({"ok", "low", "high"})
"""verdicts on a figure by its band"""
_AGAIN: dict[Label, str] = {
    "short": "run each test for at least 30 s",
    "syncing": "measure again when no array syncs",
    "degraded": "replace the missing member, then measure again",
    "partial": "run the tests to their end",
    "cached": "measure with files of at least four times the memory, or with direct I/O",
    "disturbed": "measure again while no other program uses the disks",
}
"""what settles a label"""
_NAMED = 5
"""maximum names listed in a sentence"""


def open_points(
    build: ReportBuild | None,
    benches: Sequence[ReportBench],
    sections: Sequence[Section],
    disks: Sequence[ReportDisk],
) -> tuple[OpenPoint, ...]:
    """All open points, blocking ones first."""
    found = [*_of_build(build)]
    for bench in benches:
        found += [*_of_bench(bench), *_of_figures(bench), *_of_limits(bench)]
    found += [*_of_disks(disks), *_of_pair(build, benches)]
    found += [point for section in sections for point in section.points]
    return tuple(sorted(dict.fromkeys(found), key=lambda point: _ORDER.index(point.weight)))


def report_verdict(
    points: Sequence[OpenPoint], build: ReportBuild | None, benches: Sequence[ReportBench], *, simulated: bool
) -> tuple[Acceptance | None, str]:
    """(verdict, ""), or (None, reason why there is none)."""
    figures = sum(len(bench.result.figures) for bench in benches)
    if not figures:
        return None, "nothing was measured" + (f": raidtui bench {build.run_id[:8]} measures it" if build else "")
    if simulated:
        return None, "a verdict takes figures of real disks"
    blocking = [point for point in points if point.weight == "blocking"]
    left = [point for point in points if point.weight == "open"]
    if blocking:
        more = f" (and {len(blocking) - 1} more)" if len(blocking) > 1 else ""
        return Acceptance(word="not accepted", open=len(blocking) + len(left), reason=blocking[0].text + more), ""
    proven = f"{sum(len(proof.sentences) for proof in build.proofs)} postconditions were verified" if build else ""
    predicted = [row for bench in benches for row in bench.compared if row.ratio is not None]
    within = sum(row.verdict == "ok" for row in predicted)
    band = f"{within} of {len(predicted)} predicted figures are within their band"
    measured = band if predicted else f"none of {figures} figures has a prediction"
    summary = " and ".join(part for part in (proven, measured) if part)
    if left:
        return Acceptance(
            word="accept with open points", open=len(left), reason=f"{summary}; open points are listed below"
        ), ""
    return Acceptance(word="accept", open=0, reason=summary), ""


def _of_build(build: ReportBuild | None) -> Iterator[OpenPoint]:
    if build is None:
        yield _note("no-build", "the build is not part of this report: its commands and proofs are not included")
        return
    if build.purpose == "undo":
        yield _blocking("taken-back", "the build was undone", "build it again")
        return
    if build.outcome != "finished":
        why = f": {build.reason}" if build.reason else ""
        yield _blocking(
            "build-not-finished", f"the build is {build.outcome}{why}", f"raidtui resume {build.run_id[:8]}"
        )
    left = [f"{proof.step} {proof.title}" for proof in build.proofs if not proof.proven]
    if left:
        text = f"{counted(len(left), 'step')} unverified: {some(left, _NAMED)}"
        yield _blocking("not-proven", text, f"raidtui resume {build.run_id[:8]}")


def _of_bench(bench: ReportBench) -> Iterator[OpenPoint]:
    result = bench.result
    name = f"benchmark {result.bench.profile}"
    if result.outcome != "finished":
        why = f": {result.reason}" if result.reason else ""
        text = f"{name} is {result.outcome}{why}"
        yield _blocking("bench-not-finished", text, f"raidtui bench {result.bench.profile}")
    have = {figure.task for figure in result.figures}
    left = [task_name(task) for task in result.bench.tasks if task.number not in have]
    if left:
        yield open_point(
            "not-run", f"not run in {name}: {some(left, _NAMED)}", "run it, or sign that it is not required"
        )
    errors = sum(repeat.errors for figure in result.figures for repeat in figure.repeats)
    if errors:
        cure = "read the kernel log and SMART of the disks, then measure again"
        yield _blocking("io-errors", f"{counted(errors, 'I/O error')} in {name}", cure)


def _of_figures(bench: ReportBench) -> Iterator[OpenPoint]:
    tasks = {task.number: task for task in bench.result.bench.tasks}
    counts = Counter(
        label
        for figure in bench.result.figures
        if not tasks[figure.task].job.on_lost_members
        for label in figure.labels
    )
    profile = bench.result.bench.profile
    for label, count in sorted(counts.items()):
        if label == "simulated":
            continue
        weight: Weight = "blocking" if label == "degraded" else "open"
        text = f"labelled {label}: {counted(count, 'figure')} of benchmark {profile}: {LABELS[label]}"
        yield OpenPoint(weight=weight, code=f"label-{label}", text=text, way_out=_AGAIN[label])
    for row in bench.compared:
        disk = row.task in tasks and tasks[row.task].target.kind == "disk"
        if row.unit == "B" and row.verdict in ("low", "high"):
            yield _blocking("size", f"{row.name}: {_beside(row)}", "compare df and xfs_info or dumpe2fs with the plan")
        elif row.verdict == "low" and not disk:
            yield _blocking("low", f"{row.name}: {_beside(row)}", _cure(row))
        elif row.verdict == "high":
            why, cure = _why_high(tasks.get(row.task))
            yield open_point("high", f"{row.name}: {_beside(row)}; {why}", cure)
    yield from _low_disks(bench)
    yield from _other_limits(bench.compared)
    yield from _too_few_judged(bench)
    single = Counter(tasks[figure.task].job.title for figure in bench.result.figures if len(figure.repeats) < 2)
    if single:
        named = [f"{title} ({count} targets)" if count > 1 else title for title, count in single.items()]
        yield _note("one-repeat", f"a single repeat, so the spread is unknown: {some(named, _NAMED)}")


def _low_disks(bench: ReportBench) -> Iterator[OpenPoint]:
    """Disks alone below their band that are no slower than their group; those that are slower are named one by one."""
    tasks, slow = bench.result.bench.tasks, slow_disks(bench.result)
    alone = {task.number for task in tasks if task.target.kind == "disk" and not slow & set(task.target.disks)}
    rows = [row for row in bench.compared if row.task in alone and row.verdict == "low"]
    if rows:
        lowest = min(rows, key=lambda row: row.ratio or 0.0)
        yield open_point(
            "low-disks",
            f"below the band of a disk alone, but no slower than its group: {counted(len(rows), 'figure')}, the lowest "
            f"{_beside(lowest)}",
            "state their speed with --disk-speed or measure it with raidtui disks --measure; check the link that they "
            "share",
        )


def _too_few_judged(bench: ReportBench) -> Iterator[OpenPoint]:
    """A blocking point if less than half of the predicted figures of arrays, volumes and files were judged."""
    profile = bench.result.bench.profile
    asked = {task.number for task in bench.result.bench.tasks if task.job.predicted and not task.target.disks_alone}
    rows = [row for row in bench.compared if row.task in asked]
    judged = sum(row.verdict in _JUDGED for row in rows)
    if bench.result.figures and not any(row.ratio is not None for row in bench.compared):
        text = f"no figure of benchmark {profile} has a prediction"
        yield _blocking("nothing-compared", text, "measure what a plan built, with a profile that the model predicts")
    elif 2 * judged < len(rows):
        cure = (
            "measure again without the conditions named beside the figures; raidtui disks --measure narrows wide bands"
        )
        text = f"only {judged} of {counted(len(rows), 'predicted figure')} of benchmark {profile} could be judged"
        yield _blocking("too-few-judged", text, cure)


def _why_high(task: Task | None) -> tuple[str, str]:
    """(likely reason, way out) of a figure above its band."""
    if task is not None and not task.job.direct:
        cure = "measure with direct I/O, or with files of at least four times the memory"
        return "the page cache likely served a part of it", cure
    cure = "measure the disks with raidtui disks --measure, then predict again; see whether a controller caches"
    return "a cache of the controller or disks, or the prediction is too low", cure


def _other_limits(rows: Sequence[Compared]) -> Iterator[OpenPoint]:
    """Notes on figures within their band but with another limit than predicted."""
    known = (row for row in rows if row.verdict == "ok" and row.limit_seen.known and row.limit_predicted.known)
    differ = (row for row in known if not row.limit_seen.agrees_with(row.limit_predicted))
    found = by_key(((row.limit_seen, row.limit_predicted), row.name) for row in differ)
    for (seen, predicted), names in found.items():
        yield _note("other-limit", f"limited by {seen}, predicted was {predicted}: {some(names, _NAMED)}")


def _of_limits(bench: ReportBench) -> Iterator[OpenPoint]:
    tasks = {task.number: task for task in bench.result.bench.tasks}
    for figure in bench.result.figures:
        task = tasks[figure.task]
        share = _read_back(task, figure)
        if share is not None:
            yield open_point(
                "partial-stripes",
                f"{task_name(task)}: partial-stripe writes (members read {percent(share)} of the bytes written)",
                "write full stripes: check stripe unit and width of the file system, and the record size",
            )


def _read_back(task: Task, figure: Figure) -> float | None:
    """Bytes read over written of a sequential writer if they indicate partial stripes; else None."""
    share = figure.seen.write_reads_share if figure.seen else None
    return share if share is not None and share > READ_BACK and task.job.pattern == "write" else None


def _of_disks(disks: Sequence[ReportDisk]) -> Iterator[OpenPoint]:
    for disk in disks:
        if not disk.slow:
            continue
        who = ", ".join(part for part in (disk.place.text, f"serial {disk.serial}" if disk.serial else disk.id) if part)
        how = f" reads at {percent(disk.share)} of its group's median" if disk.share else " is slower than its group"
        yield open_point("slow-disk", f"disk {who}{how}", "check SMART and the cabling, or make it a spare")


def _of_pair(build: ReportBuild | None, benches: Sequence[ReportBench]) -> Iterator[OpenPoint]:
    measured = [task for bench in benches for task in bench.result.bench.tasks if bench.result.figures]
    if measured and all(task.target.disks_alone for task in measured):
        text = "disks alone were measured, no array, volume or file system"
        yield _blocking("disks-alone", text, "raidtui bench RUN measures what was built")
    for bench in benches:
        asked = bench.result.bench
        if build and asked.plan_digest and asked.plan_digest != build.digest:
            yield open_point(
                "other-plan",
                f"benchmark {asked.profile} measured plan {asked.plan_digest[:12]}, built was {build.digest[:12]}",
                "measure the built plan",
            )
        elif build and not asked.plan_digest:
            yield _note("unknown-plan", f"benchmark {asked.profile} does not record which plan it measured")
    hosts = sorted({bench.result.bench.host for bench in benches})
    if len(hosts) > 1:
        yield _note("hosts", f"figures of several hosts: {some(hosts, _NAMED)}")


def _beside(row: Compared) -> str:
    summary = amount(row.measured, row.unit)
    if row.predicted is None or row.low is None or row.high is None:
        return summary
    ratio = f", ratio {row.ratio:.2f}" if row.ratio is not None else ""
    return f"{summary}, predicted {with_band(row.predicted, row.low, row.high, row.unit)}{ratio}"


def _cure(row: Compared) -> str:
    return f"check {row.limit_seen}" if row.limit_seen.known else "find the limit with raidtui watch while it runs"


def _blocking(code: str, text: str, way_out: str) -> OpenPoint:
    return OpenPoint(weight="blocking", code=code, text=text, way_out=way_out)


def open_point(code: str, text: str, way_out: str) -> OpenPoint:
    """A point that must be signed for."""
    return OpenPoint(weight="open", code=code, text=text, way_out=way_out)


def _note(code: str, text: str) -> OpenPoint:
    return OpenPoint(weight="note", code=code, text=text)
