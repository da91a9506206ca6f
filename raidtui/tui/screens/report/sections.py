"""Sections of a report: each with a one-line result and its full text. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.bench import VERDICTS, Bench
from raidtui.model.counted import counted
from raidtui.model.report import OpenPoint, Report, ReportBench, ReportBuild, Section, Weight
from raidtui.model.units import binary_size, decimal_size
from raidtui.planner.amounts import rate
from raidtui.planner.measurement.compare import SIMULATED
from raidtui.planner.text.run import command_text
from raidtui.tui.jobs.bench_rows import BenchRow, rows
from raidtui.tui.screens.bench.table import row_lines, title_line
from raidtui.tui.screens.report.difference import difference_section
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, line, wrapped
from raidtui.tui.widgets.bays import short_slot
from raidtui.tui.widgets.paragraphs import Part, pairs, paragraph


def parts(report: Report, glyphs: Glyphs) -> tuple[Part, ...]:
    """All sections that are not empty, in reading order."""
    found = [_summary(report, glyphs), _points(report, glyphs), _figures(report, glyphs)]
    if report.build is not None:
        found.append(_ran(report.build, glyphs))
    found.append(_disks(report, glyphs))
    found += [_further(section, glyphs) for section in report.sections]
    if report.comparison is not None:
        found.append(difference_section(report.comparison, glyphs))
    found += [_evidence(report), _versions(report)]
    return tuple(found)


def verdict_mark(report: Report, glyphs: Glyphs) -> Mark:
    """Mark of the verdict."""
    if report.verdict is None:
        return Mark(glyphs.unknown, "NO VERDICT", "warn")
    match report.verdict.word:
        case "accept":
            return Mark(glyphs.good, "ACCEPT", "good")
        case "accept with open points":
            count = report.verdict.open
            return Mark(glyphs.alert, f"ACCEPT, {count} OPEN", "warn")
        case "not accepted":
            return Mark(glyphs.failed, "NOT ACCEPTED", "bad")


def weight_mark(weight: Weight, glyphs: Glyphs) -> Mark:
    """Mark of an open point's weight."""
    match weight:
        case "blocking":
            return Mark(glyphs.failed, "blocking", "bad")
        case "open":
            return Mark(glyphs.alert, "open", "warn")
        case "note":
            return Mark(glyphs.note, "note", "title")


def _summary(report: Report, glyphs: Glyphs) -> Part:
    mark = verdict_mark(report, glyphs)
    reason = report.verdict.reason if report.verdict is not None else report.no_verdict
    facts: list[tuple[str, str]] = [("host", report.host), ("layout", report.layout or "not known")]
    if report.build is not None:
        facts += _built(report.build)
    facts += [
        ("measured", f"{each.result.bench.profile}, {_day(each.result.bench.started)}") for each in report.benches
    ]
    facts.append(("report", f"{report.id}, made {_day(report.made)} by raidtui {report.raidtui}"))

    def lines(width: int) -> list[Line]:
        said = list(wrapped(reason, width - 2))
        head: list[Line] = [(Span(f"{mark.glyph} {mark.word}", mark.tone),)]
        return [*head, *(line(f"  {row}") for row in said), (), *pairs(facts, width)]

    return Part(title="Summary", short=(Span(mark.word, mark.tone), Span(f"  {reason}", "muted")), lines=lines)


def _built(build: ReportBuild) -> list[tuple[str, str]]:
    facts = [("plan", f"'{build.name}', digest {build.digest[:12]}")]
    room = build.prediction.filesystem
    if room is not None:
        facts.append(("capacity", f"{binary_size(room.available_bytes)} available after mkfs (computed)"))
    facts += [("mounted", f"{each.mount_point} on {each.device}") for each in build.filesystems]
    return facts


def _points(report: Report, glyphs: Glyphs) -> Part:
    counts = {word: sum(point.weight == word for point in report.points) for word in ("blocking", "open", "note")}
    tone: Tone = "bad" if counts["blocking"] else "warn" if counts["open"] else "good"
    said = ", ".join(
        counted(count, "note") if word == "note" else f"{count} {word}" for word, count in counts.items() if count
    )

    def lines(width: int) -> list[Line]:
        if not report.points:
            return [line(f"{glyphs.good} none", "good")]
        return [row for point in report.points for row in point_lines(point, width, glyphs)]

    return Part(title="Open points", short=(Span(said or "none", tone),), lines=lines)


def point_lines(point: OpenPoint, width: int, glyphs: Glyphs) -> list[Line]:
    """An open point with its remedy."""
    mark = weight_mark(point.weight, glyphs)
    head = f"{mark.glyph} {mark.word}: "
    said = list(wrapped(f"{head}{point.text}", width))
    found: list[Line] = [(Span(head, mark.tone), Span(said[0][len(head) :]))]
    found += [line(f"  {row}") for row in wrapped(" ".join(said[1:]), width - 2)]
    return found + [line(f"  {row}", "good") for row in wrapped(point.way_out, width - 2)]


def bench_rows(bench: ReportBench) -> tuple[BenchRow, ...]:
    """The results of one benchmark as table rows."""
    return rows(
        bench.result.bench.tasks,
        {figure.task: figure for figure in bench.result.figures},
        {each.task: each for each in bench.compared},
        {},
        at=0,
        over=True,
    )


def _figures(report: Report, glyphs: Glyphs) -> Part:
    judged = [each.verdict for bench in report.benches for each in bench.compared]
    counts = {word: judged.count(word) for word in VERDICTS}
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    tone: Tone = "bad" if counts["low"] else "good" if counts["ok"] else "muted"

    def lines(width: int) -> list[Line]:
        found: list[Line] = []
        for bench in report.benches:
            head = bench.result.bench
            found += [(Span(_headline(head), "title"), Span(f"  {bench.result.outcome}", "muted")), title_line(width)]
            found += row_lines(bench_rows(bench), width, glyphs)
            for note, names in _notes(bench).items():
                found += [line(f"    {row}", "muted") for row in wrapped(f"{', '.join(names)}: {note}", width - 4)]
            found.append(())
        return found[:-1] or [line("nothing measured yet: Bench (6)", "muted")]

    return Part(title="Predicted, measured", short=(Span(said or "nothing measured", tone),), lines=lines)


def _notes(bench: ReportBench) -> dict[str, list[str]]:
    """Notes on results, without duplicates, each with the names of its jobs."""
    names = {task.number: task.job.name for task in bench.result.bench.tasks}
    found: dict[str, list[str]] = {}
    for each in bench.compared:
        for note in each.note:
            name = names.get(each.task, each.name)
            if note != SIMULATED and name not in found.setdefault(note, []):
                found[note].append(name)
    return found


def _headline(bench: Bench) -> str:
    told = "SIMULATED  " if bench.simulated else ""
    return f"{told}{bench.profile}, {_day(bench.started)}"


def _ran(build: ReportBuild, glyphs: Glyphs) -> Part:
    failed = [each for each in build.commands if each.exit not in (0, None)]
    proven = sum(proof.proven for proof in build.proofs)
    said = f"{build.steps} steps, {len(build.commands)} commands, {len(failed)} failed"
    said += f"; {proven} of {len(build.proofs)} verified"
    good = build.outcome == "finished" and proven == len(build.proofs)

    def lines(width: int) -> list[Line]:
        found: list[Line] = [
            (Span(f"{build.purpose} {build.outcome}", "good" if good else "warn"), Span(f"  {build.reason}", "muted")),
            (),
        ]
        for proof in build.proofs:
            sign = Span(f"{glyphs.good} ", "good") if proof.proven else Span(f"{glyphs.unknown} ", "warn")
            count = f"  {len(proof.sentences)} conditions {'verified' if proof.proven else 'NOT VERIFIED'}"
            found.append((sign, Span(f"step {proof.step:>2}  "), Span(proof.title), Span(count, "muted")))
        found += [(), line("commands", "title")]
        for each in build.commands:
            code = "" if each.exit in (0, None) else f"  exit {each.exit}"
            row = fit(command_text(each.argv), max(width - 7 - len(code), 10), glyphs).rstrip()
            found.append((Span(f"  {each.step:>2}  ", "muted"), Span(row), Span(code, "bad")))
        return found

    return Part(title="What ran", short=(Span(said, "text" if good else "warn"),), lines=lines)


def _disks(report: Report, glyphs: Glyphs) -> Part:
    slow = [disk for disk in report.disks if disk.slow]
    said = f"{len(report.disks)} disks" + (f", {len(slow)} slow" if slow else "")

    def lines(_width: int) -> list[Line]:
        found: list[Line] = [
            line(f"  {'slot':<8} {'serial':<20} {'size':>8}  {'reads':>9} {'share':>6}  role", "muted")
        ]
        for disk in report.disks:
            slot = short_slot(disk.place.slot_text) or disk.name
            speed = rate(disk.read_bytes_per_s) if disk.read_bytes_per_s else "-"
            share = f"{disk.share:.2f}" if disk.share is not None else "-"
            size = decimal_size(disk.size_bytes) if disk.size_bytes else "-"
            found.append(
                (
                    Span(f"{glyphs.alert if disk.slow else ' '} ", "warn"),
                    Span(f"{fit(slot, 8, glyphs)} ", "title"),
                    Span(f"{fit(disk.serial or disk.id, 20, glyphs)} ", "strong"),
                    Span(f"{size:>8}  {speed:>9} "),
                    Span(f"{share:>6}", "warn" if disk.slow else "text"),
                    Span(f"  {disk.role or disk.model}", "muted"),
                )
            )
        return found

    return Part(title="Disks", short=(Span(said, "warn" if slow else "text"),), lines=lines)


def _further(section: Section, glyphs: Glyphs) -> Part:
    def lines(width: int) -> list[Line]:
        found = [row for each in section.lines for row in paragraph(each, width)]
        for table in section.tables:
            found += [(), *_table(table.title, table.columns, table.rows)]
        return [*found, *(row for point in section.points for row in point_lines(point, width, glyphs))]

    told = "SIMULATED  " if section.simulated else ""
    first = section.lines[0] if section.lines else section.kind
    return Part(title=section.title, short=(Span(f"{told}{first}", "muted"),), lines=lines)


def _table(title: str, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[Line]:
    wide = [max(len(row[place]) for row in (columns, *cells)) for place in range(len(columns))]

    def said(row: Sequence[str]) -> str:
        return "  ".join(f"{cell:<{cells}}" for cell, cells in zip(row, wide, strict=True))

    head = [line(title, "title")] if title else []
    return [*head, line(said(columns), "muted"), *(line(said(row)) for row in cells)]


def _evidence(report: Report) -> Part:
    files = [each for bench in report.benches for each in bench.evidence]
    files = [*(report.build.evidence if report.build else ()), *files]
    ticks = sum(bench.history.ticks for bench in report.benches if bench.history is not None)
    raw = sum(bool(repeat.fio) for b in report.benches for figure in b.result.figures for repeat in figure.repeats)
    counts = ((len(files), "files with their SHA-256"), (raw, "fio outputs"), (ticks, "gauge ticks"))
    said = ", ".join(f"{count} {what}" for count, what in counts if count) or "none"

    def lines(width: int) -> list[Line]:
        found: list[Line] = []
        for each in files:
            found += [line(row) for row in wrapped(each.path, width)]
            found += [
                line(f"  {row}", "muted")
                for row in wrapped(f"{each.size_bytes} bytes, SHA-256 {each.sha256}", width - 2)
            ]
        return found or [line("no files", "muted")]

    return Part(title="Evidence", short=(Span(said, "text"),), lines=lines)


def _versions(report: Report) -> Part:
    known = {"raidtui": report.raidtui, **report.conditions}
    first = "  ".join(
        f"{name} {value}" for name, value in known.items() if name in ("raidtui", "kernel", "mdadm", "fio")
    )
    return Part(
        title="Versions, settings", short=(Span(first, "text"),), lines=lambda width: pairs(list(known.items()), width)
    )


def _day(time: str) -> str:
    """`2026-11-21 14:02` of an ISO time."""
    return time[:16].replace("T", " ") if time else "at an unknown time"
