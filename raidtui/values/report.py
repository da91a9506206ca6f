"""A report: what was built of which disks, how it was proven, what was measured, what is open, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from raidtui.values.bench import BenchResult, Compared, TargetKind, Unit
from raidtui.values.codec_rules import Value
from raidtui.values.design import Design
from raidtui.values.location import PlacedDisk
from raidtui.values.plan import PlanArray, PlanFileSystem
from raidtui.values.prediction import Prediction
from raidtui.values.run import RunOutcome, RunPurpose

Weight = Literal["blocking", "open", "note"]
"""blocking: not accepted while it stands; open: to be settled or signed for; note: to be known, not counted"""
VerdictWord = Literal["accept", "accept with open points", "not accepted"]
Judged = Literal["more", "less", "no difference that the repeats show", "one repeat, no spread", "not the same job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Value):
    """A file the report was made from."""

    path: str
    """where it lay, as it was read"""
    sha256: str
    """of its content, hex"""
    size_bytes: int
    """of its content; of a journal up to the end of the build, which an undo appends to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRun(Value):
    """One command of the build, or one file it wrote, as the journal has it."""

    step: int
    """number of the step"""
    time: str
    """when it was about to run, UTC, ISO 8601"""
    argv: tuple[str, ...]
    """program and arguments; for a file: write and its path"""
    exit: int | None = None
    """exit code; None for a file, and for a command whose end the journal does not have"""
    ended: bool
    """True when the journal has its end"""
    purpose: RunPurpose = "build"
    """what it was run for"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepProof(Value):
    """What had to be true after a step, and whether it was read back."""

    step: int
    """number of the step"""
    title: str
    """what it does"""
    proven: bool
    """True when every sentence was proven after the step ran last"""
    time: str = ""
    """when, UTC, ISO 8601; empty when it was not"""
    sentences: tuple[str, ...]
    """what had to be true"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportBuild(Value):
    """The build: what was planned, what ran, what was proven."""

    run_id: str
    """of the plan and its run"""
    name: str
    """of the plan"""
    digest: str
    """SHA-256 of the plan"""
    layout: str
    """canonical notation"""
    design: Design
    """what was asked"""
    prediction: Prediction
    """what it was to be, to the byte"""
    arrays: tuple[PlanArray, ...]
    """with the UUIDs they carry"""
    filesystems: tuple[PlanFileSystem, ...]
    """with the UUIDs they carry"""
    outcome: RunOutcome
    """how the last executor ended"""
    purpose: RunPurpose
    """what it was for; `undo`: the build was taken back"""
    reason: str = ""
    """why it stopped or failed"""
    began: str = ""
    """time of the first record, UTC, ISO 8601; empty when nothing was begun"""
    ended: str = ""
    """time of the last one"""
    by: str = ""
    """the user who started it, `alice as root` after sudo; empty where the journal does not have it"""
    steps: int
    """of the plan"""
    commands: tuple[CommandRun, ...]
    """in order"""
    proofs: tuple[StepProof, ...]
    """of every step that had something to prove, in order"""
    evidence: tuple[Evidence, ...] = ()
    """plan and journal"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDisk(PlacedDisk):
    """A disk, with what was found of it."""

    firmware: str = ""
    """its firmware when it was measured"""
    health: str = ""
    """what SMART said of it when it was measured"""
    name: str = ""
    """kernel name when it was measured; empty where it was not"""
    size_bytes: int | None = None
    """capacity, where the plan says it"""
    role: str = ""
    """member of which array, or spare"""
    read_bytes_per_s: int | None = None
    """sequential read of it alone; None where that was not measured"""
    share: float | None = None
    """that over the median of the disks of its model that were measured the same way"""
    slow: bool = False
    """True where a measurement names it as slower than its group"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskHistory(Value):
    """One disk over the intervals of a history."""

    name: str
    """kernel name at the time"""
    bytes_per_s: tuple[int | None, ...]
    """read and written, mean over each interval; None where no tick fell into it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateHistory(Value):
    """The recorded gauges of a benchmark, as means over intervals of equal length."""

    began: float
    """seconds since 1970, start of the first interval"""
    seconds: float
    """length of an interval"""
    read_bytes_per_s: tuple[int | None, ...]
    """of all disks together; None where no tick fell into it"""
    write_bytes_per_s: tuple[int | None, ...]
    """the same, written"""
    disks: tuple[DiskHistory, ...]
    """in the order of the scene"""
    ticks: int
    """how many ticks the means were made of"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportBench(Value):
    """One benchmark, whole."""

    result: BenchResult
    """what was asked, on what, and every figure with its repeats"""
    compared: tuple[Compared, ...]
    """each figure beside what the model said"""
    history: RateHistory | None = None
    """gauges over time; None where none were recorded"""
    evidence: tuple[Evidence, ...] = ()
    """result, recording and what fio printed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPoint(Value):
    """Something the reader must know before signing."""

    weight: Weight
    """how much it matters"""
    code: str
    """stable name"""
    text: str
    """what is so"""
    way_out: str = ""
    """what settles it; empty for a note"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionTable(Value):
    """A table of a further section."""

    title: str = ""
    """what it shows"""
    columns: tuple[str, ...]
    """headings"""
    rows: tuple[tuple[str, ...], ...]
    """a cell for each column"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Value):
    """What else was done and found: a drill, a tuning. A document, a part of a report."""

    schema: Literal["raidtui/report-section/1"] = "raidtui/report-section/1"
    """format of this document"""
    kind: str
    """drill, tune"""
    title: str
    """heading"""
    simulated: bool = False
    """True when no disk was touched"""
    lines: tuple[str, ...] = ()
    """paragraphs"""
    tables: tuple[SectionTable, ...] = ()
    """tables behind them"""
    points: tuple[OpenPoint, ...] = ()
    """what is open of it"""
    evidence: tuple[Evidence, ...] = ()
    """its result"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance(Value):
    """Whether what was built may go into service, as far as this report can tell."""

    word: VerdictWord
    """the answer"""
    open: int
    """points that are blocking or open"""
    reason: str
    """why, in a sentence or two"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedReport(Value):
    """One of the two that are compared."""

    id: str
    """report or benchmark"""
    host: str
    """host name"""
    when: str
    """start of its first benchmark, UTC, ISO 8601"""
    layout: str
    """canonical notation; empty where unknown"""
    simulated: bool
    """True when no disk was touched"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Value):
    """A figure that both have."""

    job: str
    """name of the job"""
    kind: TargetKind
    """on what it ran"""
    target: str
    """as the later side names it"""
    unit: Unit
    """of both"""
    before: float
    """median there"""
    after: float
    """median here"""
    before_spread: float
    """(highest - lowest) / median there"""
    after_spread: float
    """the same here"""
    ratio: float
    """after over before"""
    judged: Judged
    """more or less only where the repeats of the two do not overlap"""
    note: str = ""
    """what differs of the jobs, or labels that weaken the comparison"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed(Value):
    """Something besides the figures that differs between the two."""

    name: str
    """condition, layout, disk, ..."""
    before: str
    """there; empty where there is none"""
    after: str
    """here; empty where there is none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Value):
    """This report beside an earlier one, or another machine's."""

    before: ComparedReport
    """what it is held against"""
    after: ComparedReport
    """this one"""
    figures: tuple[Difference, ...]
    """of jobs that ran on the same kind of target in both"""
    only_before: tuple[str, ...] = ()
    """figures that this one does not have"""
    only_after: tuple[str, ...] = ()
    """figures that the other one does not have"""
    changed: tuple[Changed, ...] = ()
    """what else differs: layout, conditions, disks"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Value):
    """All that is known of a build and its benchmarks, for the person who signs."""

    schema: Literal["raidtui/report/1"] = "raidtui/report/1"
    """format of this document"""
    id: str
    """12 hex digits of SHA-256 over what it was made from"""
    made: str
    """UTC, ISO 8601"""
    raidtui: str
    """version that made it"""
    host: str
    """host name"""
    machine_id: str | None = None
    """/etc/machine-id"""
    simulated: bool
    """True when any part of it comes from the model and no disk was touched"""
    layout: str = ""
    """canonical notation; empty where unknown"""
    build: ReportBuild | None = None
    """the build; None where the array was built otherwise"""
    disks: tuple[ReportDisk, ...]
    """of the build and of the benchmarks"""
    benches: tuple[ReportBench, ...]
    """in the order they were run"""
    sections: tuple[Section, ...] = ()
    """drills, tunings"""
    conditions: dict[str, str] = field(default_factory=dict)
    """of the last benchmark: versions and settings, name to value"""
    points: tuple[OpenPoint, ...]
    """blocking first, then open ones, then notes"""
    verdict: Acceptance | None = None
    """None where nothing was measured on real disks"""
    no_verdict: str = ""
    """why there is none"""
    comparison: Comparison | None = None
    """beside another report, where one was named"""
