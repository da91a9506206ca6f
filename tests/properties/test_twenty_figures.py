"""A figure of a design is the same text wherever it is shown, and its value is the one in the JSON document."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from raidtui import __version__
from raidtui.answers.compare import candidate_rows
from raidtui.answers.design import figures_of, prediction_text
from raidtui.answers.proposal import proposal_text
from raidtui.answers.report.assemble import build_of, report_of
from raidtui.answers.report.document import document
from raidtui.engine.journal import replay
from raidtui.fleet.apply import sheet_kind
from raidtui.fleet.texts import kind_rows
from raidtui.machine.inventory.shipped import load
from raidtui.predict.design import assess, predict
from raidtui.scripts.build_script import plan_text
from raidtui.scripts.runbook import runbook
from raidtui.session.decision import DesignOutcome
from raidtui.steps.build import compile_plan
from raidtui.tui.screens.compare.table import LOSS, MEASURES, REBUILD, present_candidate
from raidtui.tui.screens.design.screen import headline_of, result_of
from raidtui.values.amounts import hours, known_iops, known_pair, known_rate, odds
from raidtui.values.assumptions import defaults_for
from raidtui.values.blocks import Grid, Pairs
from raidtui.values.codec import to_json
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory
from raidtui.values.layout import Layout, least_members
from raidtui.values.proposal import Candidate, Constraints, Pick, Proposal
from raidtui.values.units import binary_size, decimal_size, grouped
from tests.suite import examples

FIGURES = {
    "usable size", "usable bytes", "df size", "volume", "raw size", "efficiency", "disks", "survives", "spares",
    "reading", "writing", "one stream", "random reads", "random writes", "degraded read", "read in rebuild", "rebuild",
    "loss a year", "loss at worst", "loss in 5 years", "array loss", "sector loss", "enclosure loss",
}  # fmt: skip
NOT_ALWAYS = {"df size", "spares", "degraded read", "read in rebuild", "loss at worst", "enclosure loss"}
"""figures that a design without redundancy, with several file systems, or without enclosures does not have"""
TITLES = {
    "Usable": "usable size", "Efficiency": "efficiency", "Disks": "disks", "Survives": "survives",
    "Seq read": "reading", "Seq write": "writing", "One stream": "one stream", "Rand read 4k": "random reads",
    "Rand write 4k": "random writes", "Degraded read": "degraded read", "Degraded read: in rebuild": "read in rebuild",
    "Rebuild": "rebuild", "Loss a year": "loss a year", "Loss in 5 y": "loss in 5 years",
    "Array loss": "array loss", "Sector loss": "sector loss", "Enclosure loss": "enclosure loss",
}  # fmt: skip
"""rows of `raidtui model` and of Design"""
MACHINES = ("e2660", "nas4", "trio", "nvme24", "jbod84")
Told = tuple[str, str, str]
"""figure, where it is shown, its text there"""


@cache
def machine(name: str) -> Inventory:
    return load(name)


@st.composite
def outcomes(draw: st.DrawFn) -> DesignOutcome:
    """A design on one of the shipped machines, with other sizes, names and options."""
    inventory = machine(draw(st.sampled_from(MACHINES)))
    sizes = [disk.size_bytes for disk in inventory.disks]
    alike = tuple(disk for disk in inventory.disks if sizes.count(disk.size_bytes) > 1)
    inventory = replace(inventory, disks=alike)
    able = [level for level in ("raid0", "raid1", "raid5", "raid6", "raid10") if least_members(level, 2) <= len(alike)]
    level: Any = draw(st.sampled_from(able))
    members = draw(st.integers(least_members(level, 2), min(len(alike), 16)))
    arrays = draw(st.integers(1, len(alike) // members))
    spares = 0 if level == "raid0" else draw(st.integers(0, min(len(alike) - arrays * members, 4)))
    design = Design(
        layout=Layout.of(level=level, members=members, arrays=arrays, spares=spares),
        chunk_bytes=draw(st.sampled_from((65536, 262144, 524288))), fs=draw(st.sampled_from(("xfs", "ext4"))),
        stack=draw(st.sampled_from(("lvm", "separate"))),
    )  # fmt: skip
    assumptions = replace(defaults_for(alike), afr=draw(st.sampled_from((0.0075, 0.015, 0.04))))
    decision = Decision(design=design, assumptions=assumptions, spread=draw(st.booleans()))
    return DesignOutcome(decision, inventory)


@given(outcomes())
@examples(100)
def test_a_figure_is_the_same_text_on_every_surface(outcome: DesignOutcome) -> None:
    design, said = outcome.decision.design, outcome.decision.assumptions
    disks, spread = outcome.disks, outcome.decision.spread
    made = assess(outcome.design, disks, predict(outcome.design, disks), outcome.inventory, said, spread=spread)
    assert made == outcome.assessed
    if not made.arrays or made.throughput is None or made.durability is None:
        return
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    candidate = present_candidate(outcome)
    assert candidate is not None
    for tellings in (model(outcome), screen(outcome), values(outcome), proposed(candidate), planned(outcome)):
        for figure, where, text in tellings:
            found[text and figure][text].add(where)
    assert found.keys() - {""} >= FIGURES - NOT_ALWAYS
    assert {figure: dict(texts) for figure, texts in found.items() if len(texts) > 1} == {}
    assert all(len(places) > 1 for texts in found.values() for places in texts.values()), design


def model(outcome: DesignOutcome) -> Iterator[Told]:
    """Of `raidtui model`."""
    lines = prediction_text(outcome.assessed, outcome.decision.assumptions, disks=outcome.disks).splitlines()
    above = ""
    yield "raw size", "model", lines[0].split(", ")[-1].removesuffix(" raw")
    for line in lines[1:]:
        title, value, notes = line[:17].rstrip(), line[18:50].strip(), line[51:].strip()
        above = above if title.startswith("  ") else title
        yield from row("model", f"{above}: {title.strip()}" if title.startswith("  ") else title, value, notes)
        if title == "Usable":
            yield "usable bytes", "model", notes.removesuffix(" bytes")


def screen(outcome: DesignOutcome) -> Iterator[Told]:
    """Of Design: the strip at its top and the pane of results."""
    for figure in headline_of(outcome):
        yield from row("Design's strip", figure.title, figure.value, "")
        if figure.title == "Usable":
            yield "efficiency", "Design's strip", figure.notes[0].removesuffix(" of raw")
    above = ""
    for result in figures_of(result_of(outcome)):
        above = above if result.inner else result.title
        title = f"{above}: {result.title}" if result.inner else result.title
        yield from row("Design", title, result.value, ", ".join(result.notes))


def row(where: str, title: str, value: str, notes: str) -> Iterator[Told]:
    if title in TITLES and value != "none: no redundancy":
        yield TITLES[title], where, value
    if title == "Spares" and ";" in value:
        yield "spares", where, value.split(";")[0]
    if title == "LVM stripe: volume":
        yield "volume", where, value
    if title in ("xfs: df size", "ext4: df size"):
        yield "df size", where, value
    if title == "Loss in 5 y" and notes.startswith("at worst "):
        yield "loss at worst", where, notes.split(", ")[0]


def values(outcome: DesignOutcome) -> Iterator[Told]:
    """Of the JSON document: the value behind each figure, in the form of its kind."""
    read = json.loads(to_json(outcome.assessed))
    speed, risk, files = read["throughput"], read["durability"], read["filesystems"]
    usable = sum(each["available_bytes"] for each in files)
    pair = (speed[name]["bytes_per_s"] for name in ("seq_read_one_stream", "seq_write_one_stream"))
    texts = {
        "usable size": binary_size(usable), "usable bytes": grouped(usable), "disks": f"{len(read['disks'])} used",
        "raw size": decimal_size(read["raw_bytes"]), "reading": known_rate(speed["seq_read"]["bytes_per_s"]),
        "writing": known_rate(speed["seq_write"]["bytes_per_s"]), "one stream": known_pair(*pair),
        "random reads": known_iops(speed["rand_read"]["iops"]),
        "random writes": known_iops(speed["rand_write"]["iops"]), "rebuild": hours(risk["rebuild_hours"]),
        "array loss": odds(risk["annual_array_loss_probability"]),
        "sector loss": odds(risk["annual_sector_loss_probability"]), "loss a year": odds(risk["any_loss_1y"]),
        "volume": f"{grouped(read['volume_bytes'])} bytes",
    }  # fmt: skip
    if len(files) == 1:
        texts["df size"] = f"{grouped(files[0]['total_bytes'])} bytes"
    if "degraded_seq_read" in speed:
        texts["degraded read"] = known_rate(speed["degraded_seq_read"]["bytes_per_s"])
        texts["read in rebuild"] = known_rate(speed["rebuilding_seq_read"]["bytes_per_s"])
    if risk["annual_enclosure_loss_probability"]:
        texts["enclosure loss"] = odds(risk["annual_enclosure_loss_probability"])
    for figure, text in texts.items():
        yield figure, "JSON", text


def proposed(candidate: Candidate) -> Iterator[Told]:
    """Of `propose`: the sentence of a pick and the table; of Compare: the table, and two layouts side by side."""
    pick = Pick(name="most room", layout=candidate.layout, reason="It holds most.", gives_up="nothing")
    proposal = Proposal(
        disks=candidate.disks, constraints=Constraints(), considered=1, compared=1,
        candidates=(replace(candidate, shown=True),), picks=(pick,), why_not=(), vendors=(), findings=(),
    )  # fmt: skip
    text = proposal_text(proposal, width=1000)
    sentence = re.search(
        r"  (.*) usable, reads (.*), writes (.*), random reads (.*), random writes (.*), "
        r"loss (.*?) a year(, at worst .*?)?, an array (.*?), a sector (.*?)(, by an enclosure .*)?, rebuild (.*), "
        r"(\d+) spares?\.",
        text,
    )
    assert sentence is not None, text
    usable, reads, writes, random_reads, random_writes, loss, _, array, sector, _, rebuild, spares = sentence.groups()
    said = {
        "usable size": usable, "reading": reads, "writing": writes, "random reads": random_reads,
        "random writes": random_writes, "loss a year": loss, "array loss": array, "sector loss": sector,
        "rebuild": rebuild,
    }  # fmt: skip
    for figure, told in (*said.items(), *([("spares", spares)] if candidate.layout.layout.survives else [])):
        yield figure, "propose", told
    heads, cells = (re.split(r"  +", line.strip()) for line in text.split("\n\n")[2].splitlines()[1:3])
    columns = {
        "USABLE": "usable size", "READ": "reading", "WRITE": "writing", "REBUILD": "rebuild",
    }  # fmt: skip
    for head, cell in zip(heads, cells, strict=True):
        if head in columns:
            yield columns[head], "propose's table", cell
    named = {
        "Usable": "usable size", "Reading": "reading", "Writing": "writing", "Random reads": "random reads",
        "Random writes": "random writes", "Survives": "survives", "Rebuild": "rebuild", "Loss a year": "loss a year",
        "Array loss": "array loss", "Sector loss": "sector loss",
    }  # fmt: skip
    for shown in candidate_rows(candidate):
        if shown.title in named:
            yield named[shown.title], "Compare's difference", shown.value
    narrow = {measure.title: measure.text(measure.value(candidate)) for measure in MEASURES}
    yield "rebuild", "Compare", re.sub(r" d$", " days", narrow[REBUILD.title])
    chance = narrow[LOSS.title]
    if 0.99 >= candidate.any_loss_1y >= 1e-6:
        yield "loss a year", "Compare", f"1 in {chance}"


def planned(outcome: DesignOutcome) -> Iterator[Told]:
    """Of the plan, its runbook, the report of its build, and the sheet of a fleet."""
    sizes = outcome.prediction
    plan = compile_plan(
        outcome.design, outcome.inventory, outcome.disks, sizes, run_id="0" * 32, name="data",
        mount_point="/srv/data", host="stor01",
    )  # fmt: skip
    erases = re.search(r": erases (\d+) disks?; not executed", plan_text(plan))
    assert erases is not None
    yield "disks", "plan", f"{erases[1]} used"
    kind = sheet_kind(outcome.assessed, spares=outcome.design.layout.spares, simulated=True)
    rows = dict(kind_rows(kind))
    for title, figure in (
        ("usable each", "usable size"), ("read", "reading"), ("write", "writing"), ("rebuild", "rebuild"),
        ("loss a year", "loss a year"),
    ):  # fmt: skip
        yield figure, "sheet", rows[title]
    yield "disks", "sheet", f"{rows['disks']} used"
    build = build_of(plan, replay(len(plan.steps), (), alive=False), ())
    shown = document(report_of(made="2026-12-22T14:00:00Z", version=__version__, host="stor01", build=build))
    yield "usable size", "report", dict(shown.facts)["Usable"].split(" (")[1].removesuffix(")")
    pairs = next(dict(block.pairs) for block in shown.blocks if isinstance(block, Pairs) and "raw" in dict(block.pairs))
    yield "raw size", "report", pairs["raw"].split(" on ")[0]
    yield "volume", "report", pairs["volume"].split(" (")[0]
    if len(plan.filesystems) == 1:
        grid = next(block for block in shown.blocks if isinstance(block, Grid) and "bytes (df)" in block.columns)
        yield "df size", "report", f"{grid.rows[0][3].text} bytes"
        found = re.search(r"df shows ([\d ]+ bytes)", runbook(plan))
        assert found is not None
        yield "df size", "runbook", found[1]
