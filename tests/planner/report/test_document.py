"""The document: figures beside predictions in words, and what is left out is said."""

from __future__ import annotations

from dataclasses import replace

from raidtui.answers.markdown import markdown
from raidtui.answers.report.document import document
from raidtui.answers.report.figures import drill_section, tune_section
from raidtui.answers.report.plots import HeatMap, OverTime, Ratios, Surface, plots_of
from raidtui.values.bench import Figure, Repeat
from raidtui.values.blocks import Block, Cell, Grid, Heading, Listing, Paragraph, ReportDocument
from raidtui.values.notation import LayoutText
from raidtui.values.trials import (
    Advice,
    DrillAsk,
    DrillCompared,
    DrillResult,
    Pass,
    TrialResult,
    TuneResult,
    Tuning,
    Variant,
    Workload,
)
from tests.planner.reports import report, result

FULL = report(result(), result("survey", began=1_798_010_000.0), gauges=True)


def under(made: ReportDocument, heading: str) -> list[Block]:
    """The blocks of a section."""
    found: list[Block] = []
    inside = False
    for block in made.blocks:
        if isinstance(block, Heading):
            inside = block.text == heading or (inside and block.level == 3)
        elif inside:
            found.append(block)
    return found


def first_grid(made: ReportDocument, heading: str) -> list[list[str]]:
    grid = next(block for block in under(made, heading) if isinstance(block, Grid))
    return [[cell.text for cell in row] for row in grid.rows]


def test_figures_beside_their_prediction() -> None:
    rows = first_grid(document(FULL), "Predicted and measured")
    assert rows[0] == [
        "1-13", "each disk alone: sequential read, outer zone: 13 disks, median", "-", "-", "205 MB/s", "40 %", "1.00",
        "", "12 ok, 1 LOW", "-",
    ]  # fmt: skip
    assert rows[4] == [
        "17", "the volume: sequential read on /dev/data/data", "1.56 GB/s", "0.28-2.03 GB/s",
        "1.30 GB/s", "3.0 %", "0.83", "", "ok", "members, as predicted",
    ]  # fmt: skip
    assert len(rows) == 7


def test_the_first_page_begins_with_the_size_and_ends_with_what_is_signed() -> None:
    shown = document(report(result()))
    assert shown.facts[:3] == (
        ("Usable", "31 779 909 615 616 bytes (28.90 TiB)"),
        ("df -h shows", "Size 30T, Avail 29T, rounded up; Size counts 223 164 678 144 bytes of the file system's own"),
        ("Disks", "13 x ST4000NM0035; SMART not read"),
    )
    facts = dict(shown.facts)
    assert facts["Fastest"] == "read 1.30 GB/s, write 694 MB/s"
    assert facts["Conditions"] == "sync idle, stripe_cache_size 8192, group_thread_cnt 0, scheduler mq-deadline"
    assert [name for name, _ in shown.facts[-3:]] == ["Report", "Plan", "Digest of the plan"]
    assert dict(document(report()).facts)["Machine"] == "unknown: a benchmark records it"


def test_notes_are_no_open_points() -> None:
    points, notes = (
        next(block for block in document(FULL).blocks if isinstance(block, Heading) and block.anchor == name)
        for name in ("points", "notes")
    )
    assert (points.result, notes.result) == ("2 open", "1 note")


def test_open_points_are_those_recorded_and_the_present_state_was_not_read() -> None:
    shown = document(replace(FULL, points=())).blocks
    assert shown[0] == Heading(text="Open points", anchor="points", result="none when recorded", tone="good")
    assert shown[1:3] == (
        Paragraph(text="None."),
        Paragraph(text="The present state was not read: raidtui arrays shows it.", tone="quiet"),
    )


def test_that_all_is_simulated_is_not_said_of_each_figure() -> None:
    done = result()
    labelled = tuple(replace(each, labels=("simulated", "short")) for each in done.figures)
    made = report(replace(done, bench=replace(done.bench, simulated=True), figures=labelled))
    rows = first_grid(document(made), "Predicted and measured")
    assert rows[1][1] == "all disks at once: sequential read on all 13 disks [short]"
    notes = [line for block in document(made).blocks if isinstance(block, Listing) for line in block.lines]
    assert notes
    assert not any("SIMULATED" in line for line in notes)
    assert document(made).banner == "SIMULATED: no disk was accessed, the figures come from the model"


def test_the_numbers_of_the_plots() -> None:
    plots = {plot.name: plot for plot in plots_of(FULL)}
    ratios, time = plots["ratios"], plots["bench1-time"]
    assert isinstance(ratios, Ratios)
    assert [len(row.ratios) for row in ratios.rows] == [13] + [1] * 22
    assert sorted(round(at, 2) for at, _ in ratios.rows[0].ratios) == [0.6] + [1.0] * 12
    assert isinstance(time, OverTime)
    assert (time.spans[0].task, round(time.spans[0].began), round(time.spans[0].ended)) == (1, 0, 30)
    survey = plots["bench2-survey1"]
    assert isinstance(survey, Surface)
    assert (survey.pattern, survey.regions, survey.threads) == ("write", (1, 4, 16, 64), (1, 4, 16, 64, 256))
    assert [[value is not None for value in row] for row in survey.values] == [
        [True, True, False, False, False],
        [False, True, True, False, False],
        [False, False, True, True, False],
        [False, False, False, True, True],
    ]
    heat = plots["bench1-disks"]
    assert isinstance(heat, HeatMap)
    assert heat.labels[6] == "A07 ZC1007QX"
    assert [number for number, slow in enumerate(heat.slow) if slow] == [6]


def test_the_survey_table_is_the_one_its_users_know() -> None:
    lines = next(
        block.lines for block in document(FULL).blocks if isinstance(block, Listing) and "sgpdd" in block.title
    )
    assert len(lines) == 8
    assert lines[0].split()[2:] == [
        "rsz",
        "1024",
        "crg",
        "1",
        "thr",
        "1",
        "write",
        "258.25",
        "MB/s",
        "read",
        "369.36",
        "MB/s",
    ]


def test_a_drill_is_a_section_with_its_points() -> None:
    ask = DrillAsk(run_id="a", plan_digest="b", array=0, device="/dev/md/data-0", failed="wwn-1", role=2)
    drill = DrillResult(
        ask=ask, simulated=False, outcome="finished", failed_serial="ZC1003QX", spare_serial="ZC1013QX",
        passes=(
            Pass(stage="rebuild", began="2026-12-23T08:00:00Z", seconds=21600, component_bytes=4 * 10**12,
                 bytes_per_s=185e6, watched_share=0.99),
        ),
        compared=(
            DrillCompared(name="rebuild rate", unit="B/s", measured=185e6, predicted=190e6, low=112e6, high=218e6,
                          ratio=0.97),
        ),
        mismatches=8, restored=True,
    )  # fmt: skip
    section = drill_section(drill)
    made = report(result(), sections=(section,))
    assert made.verdict is not None
    assert made.verdict.word == "not accepted"
    assert made.verdict.reason == "the check after the drill found 8 mismatched sectors on /dev/md/data-0"
    assert first_grid(document(made), "Drill on /dev/md/data-0") == [
        ["rebuild", "2026-12-23 08:00 UTC", "6.0 h", "185 MB/s", "-", "99 %"]
    ]
    clean = drill_section(replace(drill, mismatches=0))
    assert clean.points == ()


def test_markdown_has_every_table() -> None:
    made = document(FULL)
    text = markdown(made, {"ratios": "plots/ratios.svg"})
    assert text.startswith(f"<!-- raidtui-report {FULL.id} -->\n\n# 2x(4+2)+1 on stor01\n")
    assert sum(set(line) <= set("|-: ") and "-" in line for line in text.splitlines() if line.startswith("|")) >= 8
    assert "![Measured over predicted](plots/ratios.svg)" in text
    assert "bench1-time" not in text
    grids = [block for block in made.blocks if isinstance(block, Grid)]
    assert sum(len(grid.rows) for grid in grids) == 7 + 16 + 5 + 19 + 16 + 2 + 1 + 13 + 12


def test_cells_have_a_tone_and_a_word() -> None:
    cells = [
        cell
        for block in document(FULL).blocks
        if isinstance(block, Grid)
        for row in block.rows
        for cell in row
        if cell.tone in ("good", "bad", "warn") and cell.meter is None
    ]
    assert cells
    assert all(cell.text for cell in cells if cell != Cell(text="", tone="bad"))


def workload(job: str, *values: float) -> Workload:
    repeats = tuple(Repeat(value=value, began=0, ended=1) for value in values)
    middle = sorted(values)[len(values) // 2]
    figure = Figure(task=1, unit="B/s", repeats=repeats, median=middle, spread=(max(values) - min(values)) / middle)
    return Workload(job=job, title=job, figure=figure)


def test_a_tuning_is_a_section_with_a_table() -> None:
    chunks = {1: 65536, 2: 524288}
    variants = tuple(
        Variant(number=number, name=f"{chunk >> 10} KiB xfs", chunk_bytes=chunk, fs="xfs", run_id="a", plan_digest="b",
                volume_bytes=8 << 30)
        for number, chunk in chunks.items()
    )  # fmt: skip
    tuning = Tuning(
        id="c", host="h", simulated=False, layout=LayoutText.read("(4+2)"), asked_layout="2x(4+2)+1",
        slice_bytes=8 << 30, first_sync=True, profile="quick", disks=("x", "y"), variants=variants, digest="d",
    )  # fmt: skip
    trials = (
        TrialResult(variant=1, outcome="measured", workloads=(workload("read", 400e6, 410e6, 420e6),)),
        TrialResult(variant=2, outcome="failed", reason="no room", undone=False),
    )
    advice = (Advice(job="", best="64 KiB xfs", reason="64 KiB xfs is best"),)
    section = tune_section(TuneResult(tuning=tuning, trials=trials, outcome="failed", reason="no room", advice=advice,
                                      warnings=("outer zone only",)))  # fmt: skip
    assert section.lines == (
        "2 trials of (4+2) for 2x(4+2)+1 on 2 disks, at most 8 GiB of each; the initial resync of each was awaited; "
        "failed.",
        "Recommended: 64 KiB xfs is best",
    )
    (table,) = section.tables
    assert (table.columns, table.rows) == (("trial", "read"), (("64 KiB xfs", "410 MB/s (4.9 %)"),))
    assert [(point.weight, point.code) for point in section.points] == [
        ("open", "tuning-not-finished"), ("open", "tune-left"), ("note", "tune-note"),
    ]  # fmt: skip
