"""Builds the document of blocks from a report: one page to sign, then the appendix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from raidtui.answers.report.figures import figure_blocks
from raidtui.answers.run import command_text
from raidtui.values.amounts import amount, moment, percent
from raidtui.values.blocks import (
    Block,
    BlockTone,
    Cell,
    Grid,
    Heading,
    Item,
    Items,
    Listing,
    Pairs,
    Paragraph,
    PlotBlock,
    ReportDocument,
    Signatures,
    cells,
)
from raidtui.values.findings import some
from raidtui.values.report import Comparison, OpenPoint, Report, ReportBuild, Section, Weight
from raidtui.values.units import binary_size, counted, decimal_size, df_size, exact_binary, grouped

ROLES = ("Built by", "Measured by", "Accepted by")
_TONES: dict[Weight, BlockTone] = {"blocking": "bad", "open": "warn", "note": "quiet"}


def document(report: Report, *, plots_left_out: str = "") -> ReportDocument:
    """The document of `report`. `plots_left_out` is the reason why there are no plots; empty if there are."""
    blocks: list[Block] = [*_points(report.points)]
    blocks += [Heading(text="Signatures", anchor="signatures"), Signatures(roles=ROLES)]
    blocks += _notes(report.points)
    if report.comparison:
        blocks += _comparison(report.comparison)
    blocks += figure_blocks(report, plots_left_out=plots_left_out)
    for number, section in enumerate(report.sections, start=1):
        blocks += _section(section, number)
    if report.build:
        blocks += _layout(report.build)
    blocks += _disks(report)
    if report.build:
        blocks += [*_proofs(report.build), *_commands(report.build)]
    blocks += [*_conditions(report), *_evidence(report)]
    word, tone = _verdict(report)
    return ReportDocument(
        id=report.id,
        title=f"{report.layout} on {report.host}" if report.layout else report.host,
        subtitle="Acceptance report" if report.build else "Benchmark report",
        banner="SIMULATED: no disk was accessed, the figures come from the model" if report.simulated else "",
        verdict=word,
        tone=tone,
        reason=report.verdict.reason if report.verdict else report.no_verdict,
        facts=_facts(report),
        blocks=tuple(blocks),
        made_by=f"raidtui {report.raidtui}, {moment(report.made)}",
        page_line=_page_line(report),
    )


class ReportPart(NamedTuple):
    """A section of a report as a screen shows it."""

    title: str
    result: str
    """in one line"""
    tone: BlockTone
    """of the result"""
    blocks: tuple[Block, ...]
    more: str = ""
    """of less weight, after the result"""
    anchor: str = ""
    """as in the document"""


def report_parts(document: ReportDocument) -> tuple[ReportPart, ...]:
    """Summary, then all sections of the document that a screen can show, in its order."""
    sections: list[tuple[Heading, list[Block]]] = []
    for block in document.blocks:
        match block:
            case Heading(level=2):
                sections.append((block, []))
            case PlotBlock() | Signatures():
                continue
            case _:
                sections[-1][1].append(block)
    banner = (Paragraph(text=document.banner, tone="warn"),) if document.banner else ()
    facts = Pairs(pairs=(*document.facts, ("Made by", document.made_by)))
    blocks = (*banner, Paragraph(text=f"{document.reason[:1].upper()}{document.reason[1:]}."), facts)
    return (
        ReportPart("Summary", document.verdict, document.tone, blocks, document.reason),
        *(ReportPart(head.short or head.text, head.result, head.tone, tuple(blocks), anchor=head.anchor)
          for head, blocks in sections if blocks),
    )  # fmt: skip


def _verdict(report: Report) -> tuple[str, BlockTone]:
    if report.verdict is None:
        return "NO VERDICT", "quiet"
    match report.verdict.word:
        case "accept":
            return "ACCEPT", "good"
        case "accept with open points":
            return f"ACCEPT, {report.verdict.open} OPEN", "warn"
        case "not accepted":
            return "NOT ACCEPTED", "bad"


def _page_line(report: Report) -> str:
    parts = [f"report {report.id}"]
    if report.build:
        parts += [f"plan {report.build.digest[:12]}", f"run {report.build.run_id[:8]}"]
    return ", ".join(parts)


def _facts(report: Report) -> tuple[tuple[str, str], ...]:
    """What the first page says beside verdict and open points: the size first, what identifies the report last."""
    build, facts = report.build, list[tuple[str, str]]()
    if build:
        facts += _sizes(build)
    if report.disks:
        facts.append(("Disks", _kinds(report)))
    if build and build.ended:
        facts.append(("Built", moment(build.ended) + (f" by {build.by}" if build.by else "")))
    if report.benches:
        last = report.benches[-1].result
        facts.append(("Measured", f"{moment(last.ended or last.bench.started)}, profile {last.bench.profile}"))
        best = ", ".join(f"{word} {text}" for word, text in _best(report))
        facts += [("Fastest", best)] if best else []
    facts += _machine(report)
    facts.append(("Report", report.id))
    if build:
        facts += [("Plan", f"{build.name}, run {build.run_id[:8]}"), ("Digest of the plan", build.digest)]
    return tuple(facts)


def _sizes(build: ReportBuild) -> Iterator[tuple[str, str]]:
    """Usable bytes, and what df shows beside them."""
    usable = build.prediction.usable_bytes
    yield "Usable", f"{grouped(usable)} bytes ({binary_size(usable)})"
    made = build.prediction.filesystems
    if made:
        total = sum(each.total_bytes for each in made)
        own = f"; Size counts {grouped(total - usable)} bytes of the file system's own" if total > usable else ""
        yield "df -h shows", f"Size {df_size(total)}, Avail {df_size(usable)}, rounded up{own}"


def _kinds(report: Report) -> str:
    """`60 x MODEL firmware F`, and how many SMART calls failing or with sectors moved."""
    disks = report.disks
    kinds = Counter(" ".join((disk.model or "unknown", *(f"firmware {disk.firmware}" for _ in disk.firmware[:1])))
                    for disk in disks)  # fmt: skip
    read = [disk.health for disk in disks if disk.health]
    bad = [health for health in read if not health.startswith("passed") or "reallocated" in health]
    smart = f"; SMART of {len(read)}: {f'{len(bad)} to look at' if bad else 'all passed'}"
    unread = "" if report.simulated else "; SMART not read"
    return some([f"{count} x {kind}" for kind, count in kinds.items()], 4) + (smart if read else unread)


_OF_MACHINE = (
    ("Machine", ("processor", "memory")),
    ("System", ("distribution", "kernel")),
    ("Tools", ("mdadm", "fio", "xfsprogs", "e2fsprogs")),
    ("Adapters", ("adapter 1", "adapter 2", "adapter 3", "adapter 4")),
)
_SETTINGS = ("sync", "degraded", "stripe_cache_size", "group_thread_cnt", "bitmap", "scheduler", "write_cache")
"""conditions of the first page, named as the kernel does; the appendix has all, of each array and disk"""


def _machine(report: Report) -> Iterator[tuple[str, str]]:
    conditions = report.conditions
    if not conditions and not report.simulated:
        yield "Machine", "unknown: a benchmark records it"
    for title, names in _OF_MACHINE:
        known = [(name, conditions[name]) for name in names if name in conditions]
        if known:
            named = title == "Tools"
            yield (
                title,
                ", ".join(value if not named or value.startswith(name) else f"{name} {value}" for name, value in known),
            )
    settings = [(name, _values(conditions, name)) for name in _SETTINGS]
    if any(values for _, values in settings):
        yield "Conditions", ", ".join(f"{name} {'/'.join(values)}" for name, values in settings if values)


def _values(conditions: Mapping[str, str], setting: str) -> tuple[str, ...]:
    """Each value that the arrays or disks have of a setting, once."""
    return tuple(dict.fromkeys(value for name, value in conditions.items() if name.rpartition(" ")[2] == setting))


def _best(report: Report) -> Iterator[tuple[str, str]]:
    """The fastest sequential figure of the array, volume or files in each direction."""
    for pattern in ("read", "write"):
        rates = [
            figure.median
            for bench in report.benches
            for task in bench.result.bench.tasks
            for figure in bench.result.figures
            if figure.task == task.number and task.job.pattern == pattern
            and task.target.kind in ("array", "volume", "files") and figure.unit == "B/s"
        ]  # fmt: skip
        if rates:
            yield pattern, amount(max(rates), "B/s")


def _points(points: Sequence[OpenPoint]) -> Iterator[Block]:
    left = [point for point in points if point.weight != "note"]
    counts = Counter(point.weight for point in left)
    yield Heading(
        text="Open points",
        anchor="points",
        result=", ".join(f"{count} {word}" for word, count in counts.items()) or "none when recorded",
        tone="bad" if counts["blocking"] else "warn" if left else "good",
    )
    yield from _items(left)
    yield Paragraph(text="The present state was not read: raidtui arrays shows it.", tone="quiet")


def _notes(points: Sequence[OpenPoint]) -> Iterator[Block]:
    """What is to be known and not settled."""
    notes = [point for point in points if point.weight == "note"]
    if notes:
        yield Heading(text="Notes", anchor="notes", result=counted(len(notes), "note"), tone="quiet")
        yield from _items(notes)


def _items(points: Sequence[OpenPoint]) -> Iterator[Block]:
    if not points:
        yield Paragraph(text="None.")
        return
    yield Items(
        items=tuple(
            Item(mark=point.weight, text=point.text, more=point.way_out, tone=_TONES[point.weight]) for point in points
        )
    )


def _comparison(comparison: Comparison) -> Iterator[Block]:
    more, less = (sum(each.judged == word for each in comparison.figures) for word in ("more", "less"))
    yield Heading(
        text="Comparison with an earlier report",
        anchor="comparison",
        short="Comparison",
        result=f"{more} higher, {less} lower of {len(comparison.figures)}; {len(comparison.changed)} settings differ",
        tone="warn" if less else "",
    )
    sides = (("before", comparison.before), ("now", comparison.after))
    yield Grid(
        columns=("", "report", "host", "layout", "measured"),
        rows=tuple(
            cells(
                word, side.id[:12], side.host + (" SIMULATED" if side.simulated else ""), side.layout or "-",
                moment(side.when),
            )
            for word, side in sides
        ),
    )  # fmt: skip
    if comparison.figures:
        tones: dict[str, BlockTone] = {"more": "good", "less": "bad"}
        yield Grid(
            columns=("test", "on", "before", "spread", "now", "spread", "now / before", "significance", "note"),
            rows=tuple(
                (
                    *cells(each.job, each.target or each.kind),
                    *cells(amount(each.before, each.unit), _spread(each.before_spread)),
                    *cells(amount(each.after, each.unit), _spread(each.after_spread)),
                    Cell(text=f"{each.ratio:.2f}"),
                    Cell(text=each.judged, tone=tones.get(each.judged, "quiet")),
                    Cell(text=each.note, tone="quiet"),
                )
                for each in comparison.figures
            ),
            right=frozenset((2, 3, 4, 5, 6)),
            optional=(3, 5, 8),
        )
    else:
        yield Paragraph(text="The reports have no figure in common.")
    for word, names in (("before", comparison.only_before), ("now", comparison.only_after)):
        if names:
            yield Paragraph(text=f"Only {word}: {', '.join(names)}.")
    if comparison.changed:
        yield Heading(text="Other differences", level=3)
        yield Grid(
            columns=("what", "before", "now"),
            rows=tuple(cells(each.name, each.before or "-", each.after or "-") for each in comparison.changed),
        )


def _spread(share: float) -> str:
    """Spread as text; `-` for a single repeat."""
    return percent(share) if share else "-"


def _section(section: Section, number: int) -> Iterator[Block]:
    anchor = "".join(char for char in section.kind if char.isascii() and char.isalnum()).lower()
    first = section.lines[0] if section.lines else section.kind
    told = "SIMULATED  " if section.simulated else ""
    yield Heading(text=section.title, anchor=f"section-{anchor or 'more'}{number}", result=f"{told}{first}")
    if section.simulated:
        yield Paragraph(text="SIMULATED: no disk was accessed.", tone="warn")
    for line in section.lines:
        yield Paragraph(text=line)
    for table in section.tables:
        if table.title:
            yield Heading(text=table.title, level=3)
        wide = len(table.columns)
        yield Grid(
            columns=table.columns,
            rows=tuple(cells(*row[:wide], *("",) * (wide - len(row))) for row in table.rows),
        )


def _layout(build: ReportBuild) -> Iterator[Block]:
    prediction = build.prediction
    yield Heading(text="Layout", anchor="layout", result=f"{build.layout}, plan {build.name}")
    yield Pairs(
        pairs=(
            ("layout", build.layout),
            ("plan", f"{build.name}, run {build.run_id}"),
            ("plan digest", build.digest),
            ("raw", f"{decimal_size(prediction.raw_bytes)} on {counted(len(prediction.disks), 'disk')}"),
            ("volume", f"{grouped(prediction.volume_bytes)} bytes ({binary_size(prediction.volume_bytes)})"),
        )
    )
    rows = []
    on_disks = (*prediction.arrays, *(prediction.journals or ()))
    for number, array in enumerate(build.arrays):
        if number < len(on_disks):
            made = on_disks[number]
            chunk = exact_binary(made.chunk_bytes) if made.chunk_bytes else "-"
            what = (made.level, str(made.members), str(made.spares), chunk, grouped(made.array_bytes))
        else:
            what = ("raid0", str(len(array.members)), "0", "-", grouped(prediction.volume_bytes))
        rows.append(cells(array.device, *what, array.uuid))
    columns = ("array", "level", "members", "spares", "chunk", "bytes", "UUID")
    yield Grid(columns=columns, rows=tuple(rows), right=frozenset((2, 3, 4, 5)), optional=(6,))
    yield Grid(
        columns=("file system", "mounted on", "device", "bytes (df)", "UUID"),
        rows=tuple(
            cells(fs.type, made.mount_point, made.device, grouped(fs.total_bytes), made.uuid)
            for made, fs in zip(build.filesystems, prediction.filesystems, strict=False)
        ),
        right=frozenset((3,)),
        optional=(4,),
    )


def _disks(report: Report) -> Iterator[Block]:
    if not report.disks:
        return
    slow = sum(disk.slow for disk in report.disks)
    one = len({disk.place.enclosure for disk in report.disks}) == 1
    yield Heading(
        text="Disks",
        anchor="disks",
        result=counted(len(report.disks), "disk") + (f", {slow} slow" if slow else ""),
        tone="warn" if slow else "",
    )
    if one and report.disks[0].place.enclosure:
        yield Paragraph(text=f"All in enclosure {report.disks[0].place.enclosure}.")
    yield Grid(
        columns=("slot", "serial", "model", "size", "role", "SMART", "read rate alone", "of group median", ""),
        rows=tuple(
            (
                *cells((disk.place.slot if one else "") or disk.place.text or disk.name or "-", disk.serial or disk.id),
                Cell(text=" ".join(part for part in (disk.model or "-", disk.firmware) if part)),
                *cells(decimal_size(disk.size_bytes) if disk.size_bytes is not None else "-", disk.role or "-"),
                Cell(text=disk.health or "-"),
                Cell(text=amount(disk.read_bytes_per_s, "B/s") if disk.read_bytes_per_s is not None else "-"),
                Cell(text=f"{disk.share:.2f}" if disk.share is not None else "-"),
                Cell(text="SLOW" if disk.slow else "", tone="bad"),
            )
            for disk in report.disks
        ),
        right=frozenset((3, 6, 7)),
        optional=(2, 5, 7, 3, 4),
    )


def _proofs(build: ReportBuild) -> Iterator[Block]:
    proven = [proof for proof in build.proofs if proof.proven]
    whole = build.outcome == "finished" and len(proven) == len(build.proofs)
    yield Heading(
        text="Verification",
        anchor="verification",
        result=f"{len(proven)} of {len(build.proofs)} steps verified, {build.purpose} {build.outcome}",
        tone="good" if whole else "warn",
    )
    sentences = sum(len(proof.sentences) for proof in proven)
    without = build.steps - len(build.proofs)
    yield Paragraph(
        text=f"{sentences} postconditions were verified by reading back from the machine. An exit code alone does not "
        "count as verification."
        + (f" {counted(without, 'step')} of {build.steps} changed nothing that is read back." if without else "")
    )
    yield Grid(
        columns=("step", "what", "read back", "sentences", ""),
        rows=tuple(
            (
                *cells(str(proof.step), proof.title, moment(proof.time) if proof.time else "-"),
                Cell(text=str(len(proof.sentences))),
                Cell(text="proven", tone="good") if proof.proven else Cell(text="NOT PROVEN", tone="bad"),
            )
            for proof in build.proofs
        ),
        right=frozenset((0, 3)),
        optional=(2,),
    )
    lines = [f"{proof.step:>3} {sentence}" for proof in build.proofs for sentence in proof.sentences]
    if lines:
        yield Listing(lines=tuple(lines), title=f"Verified postconditions, {len(lines)} lines", folded=True)


def _commands(build: ReportBuild) -> Iterator[Block]:
    failed = sum(command.exit not in (0, None) for command in build.commands)
    lost = sum(not command.ended for command in build.commands)
    summary = f"{len(build.commands)} commands, {failed or 'none'} exited non-zero"
    summary += f", {lost} without a recorded end in the journal" if lost else ""
    yield Heading(text="Commands run", anchor="commands", result=summary)
    yield Paragraph(text=f"{summary}.")
    lines = []
    for command in build.commands:
        exit_code = "  ?" if not command.ended else "   " if command.exit is None else f"{command.exit:>3}"
        lines.append(f"{command.time[:19]} {command.step:>3} {exit_code}  {command_text(command.argv)}")
    if lines:
        yield Listing(
            lines=tuple(lines), title=f"Time (UTC), step, exit code, command: {len(lines)} lines", folded=True
        )


def _conditions(report: Report) -> Iterator[Block]:
    pairs = [("raidtui", report.raidtui)]
    if report.machine_id:
        pairs.append(("machine-id", report.machine_id))
    pairs += [(name, value) for name, value in report.conditions.items()]
    first = "  ".join(f"{name} {value}" for name, value in pairs if name in ("raidtui", "kernel", "mdadm", "fio"))
    yield Heading(text="Versions and conditions", anchor="conditions", result=first)
    yield Pairs(pairs=tuple(pairs))


def _evidence(report: Report) -> Iterator[Block]:
    files = [*(report.build.evidence if report.build else ())]
    files += [file for bench in report.benches for file in bench.evidence]
    files += [file for section in report.sections for file in section.evidence]
    if not files:
        return
    yield Heading(text="Evidence", anchor="evidence", result=f"{counted(len(files), 'file')} with the SHA-256 of each")
    yield Paragraph(
        text="SHA-256 and bytes of each source file. head -c BYTES FILE | sha256sum repeats it. An undo appends to the "
        "journal of a build and changes none of these bytes."
    )
    yield Listing(
        lines=tuple(f"{file.sha256}  {file.size_bytes:>10}  {file.path}" for file in files),
        title=f"{len(files)} files",
        folded=True,
    )
