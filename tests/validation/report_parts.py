"""The parts of the report that have rules of their own: links, KIPAC's survey, rebuilds, the lab."""

from __future__ import annotations

from statistics import median

from tests.validation.asked import CALIBRATES, PATHOLOGIES, asked_rows, deep_rows
from tests.validation.figures import amount, median_error, p90, percent, short, signed, table
from tests.validation.fit import outcomes, withheld
from tests.validation.kipac import MIRRORED_CACHE, Kind, Line, host_slot, lines, terms
from tests.validation.lab import RANDOM, SEQUENTIAL, lab_rows
from tests.validation.rebuilds import rebuilds, rebuilds_left
from tests.validation.rows import MIB

_TAKEN, _GUESS = 0.56, 0.65
"""share of a PCIe 1.0 lane that the link table has, and the one guessed before the 45 disks were known"""


def links() -> list[str]:
    """The 45 spindles, with their cards shown and not."""
    pod = [each for each in outcomes() if each.case.links == "pod45"]
    first = pod[0]
    guess = first.point / _TAKEN * _GUESS
    errors = [each.error for each in pod]
    return [
        "## Links: the 45 spindles",
        "",
        "Measured: 416 MB/s, RAID0 of 43 disks whose members would give 5.8 GB/s. The model, through the shipped",
        f"chassis `pod45`, names **{first.bottleneck}**, one of three one-lane cards, and says",
        f"{_mb(first.point)} MB/s, {_mb(first.low)} to {_mb(first.high)}: of what such a card carries only 0.56 to",
        "0.80 of the line is known.",
        "",
        f"* The {_TAKEN} was taken from these twelve rows. They are off by {signed(min(errors))} to"
        f" {signed(max(errors))} and inside the band.",
        f"* With the {_GUESS} that was guessed before they were known: {_mb(guess)} MB/s,"
        f" {signed(guess / first.case.measured - 1)}.",
        f"* With nothing known of the way to the disks, the answers to all {len(withheld())} rows whose links bind name"
        " what is unknown, and are those of disks that no link holds back.",
        "",
    ]


def _mb(rate: float) -> str:
    return amount(rate, "bytes/s")


_NAMED: tuple[tuple[str, Kind, str], ...] = (
    ("kipac 24", "write", "one array, 1.06"),
    ("kipac 75", "write", "four arrays, 1.55"),
    ("kipac 70", "read", "four arrays, 2.87"),
)


def survey_section() -> list[str]:
    """KIPAC's 80 lines."""
    read, write = terms("read"), terms("write")
    found = {(each.survey.name, each.kind): each for each in lines()}
    sets = [_set(kind, title, chosen) for kind in ("read", "write") for title, chosen in _sets(kind)]
    named = [[said, *_compared(found[name, kind])] for name, kind, said in _NAMED]
    every = [_line(found[name, "read"], found[name, "write"]) for name in dict.fromkeys(name for name, _ in found)]
    heads = ["line", "LUNs, segment KiB, streams, requests", "read: predicted", "measured", "binds"]
    return [
        "## KIPAC's survey: queues and streams",
        "",
        "A hardware array (LSI E2660) under sgpdd-survey; what it prints as MB is MiB. Fitted on the 20 lines of one",
        f"LUN with 256 KiB segments and nothing else: an outstanding MiB brings {read.per_outstanding:.0f} MiB/s of",
        f"reads and {write.per_outstanding:.0f} of writes, a full group gives {read.group / MIB:.0f} and"
        f" {write.group / MIB:.0f} MiB/s, each",
        f"further stream adds {read.slope:.3f} and {write.slope:.3f} to the time. Inputs: the host's slot,"
        f" {host_slot() / MIB:.0f} MiB/s from the link",
        "table (whose share was taken from this survey), and for writes to several LUNs the controllers' mirrored",
        f"cache, {MIRRORED_CACHE / MIB:.0f} MiB/s, which md arrays do not have. `queue` binds where too little is"
        " outstanding.",
        "",
        *table(["direction", "lines", "n", "median error", "p90", "largest"], sets),
        *table(["named in the survey (printed GB/s)", "predicted MiB/s", "measured MiB/s", "binds"], named),
        "The largest errors are reads of four LUNs with 16 and 32 streams on each: by the terms the host's slot still",
        "binds, while the disks already seek more than those of one LUN did.",
        "",
        *table([*heads, "write: predicted", "measured", "binds", "role"], every),
    ]


def _sets(kind: str) -> list[tuple[str, list[Line]]]:
    own = [each for each in lines() if each.kind == kind]
    judging = [each for each in own if not each.survey.fits]
    return [
        ("fitting: one LUN, 256 KiB", [each for each in own if each.survey.fits]),
        ("judging: one LUN, 128 KiB", [each for each in judging if each.survey.luns == 1]),
        ("judging: two and four LUNs", [each for each in judging if each.survey.luns > 1]),
        ("judging, all", judging),
    ]


def _set(kind: str, title: str, chosen: list[Line]) -> list[str]:
    errors = [each.error for each in chosen]
    largest = max(abs(error) for error in errors)
    return [kind, title, str(len(chosen)), percent(median_error(errors)), percent(p90(errors)), percent(largest)]


def _compared(each: Line) -> list[str]:
    return [f"{each.expected / MIB:.0f}", f"{each.measured / MIB:.0f}", each.binds]


def _line(read: Line, write: Line) -> list[str]:
    at = read.survey
    shape = f"{at.luns}, {at.segment_bytes // 1024}, {at.regions}, {at.threads}"
    return [at.name, shape, *_compared(read), *_compared(write), "fitting" if at.fits else "judging"]


def rebuild_section() -> list[str]:
    """Rates of single members while md rebuilds or checks."""
    own = rebuilds()
    judging = [each.error for each in own if not each.fits]
    near = sum(abs(error) <= 0.25 for error in judging) / len(judging)
    shown = [
        [each.name, short(each.source), each.said, _mb(each.expected), _mb(each.measured),
         f"{each.expected / each.measured:.2f}", each.binds, "fitting" if each.fits else "judging", each.note]
        for each in own
    ]  # fmt: skip
    return [
        "## Rebuilds",
        "",
        f"{len(own)} reports of `rebuild.csv` through `raidtui/predict/speed/rebuild_time.py`, "
        f"{len(judging)} of them judging:"
        f" median error {percent(median_error(judging))}, p90 {percent(p90(judging))},",
        f"within a quarter {percent(near)}. Three whose report names a load of unknown size are left out; with the two",
        f"that have a disk's figure it would be {percent(near * len(judging) / (len(judging) + 2))}. What md's thread",
        "and the links carry was taken from the fitting rows. MB/s of",
        "each member.",
        "",
        *table(["row", "source", "what", "predicted", "measured", "predicted / measured", "binds", "role", "remark"],
               shown),
        *table(["row left out", "what", "rule"], [[each.name, each.said, each.why] for each in rebuilds_left()]),
    ]  # fmt: skip


def asked_section() -> list[str]:
    """Rows that name streams, size and depth, asked in that form (`raidtui model --ask`)."""
    shown = []
    for each in asked_rows():
        unit = "IOPS" if each.requests else "bytes/s"
        role = PATHOLOGIES.get(each.number, "sets a constant" if each.number in CALIBRATES else "judges")
        low, high = (amount(end, unit) for end in (each.low, each.high))
        inside = "yes" if each.inside else "**no**"
        line = [str(each.number), each.said, str(each.answer.ask), amount(each.point, unit), f"{low} to {high}"]
        shown.append([*line, amount(each.measured, unit), inside, str(each.answer.bottleneck), role])
    judging = [each for each in asked_rows() if each.number not in CALIBRATES and each.number not in PATHOLOGIES]
    return [
        "## Stated streams, request size and queue depth",
        "",
        f"{sum(each.inside for each in judging)} of {len(judging)} judging rows of `throughput.csv` lie in the band.",
        "Fourteen are one source's, nine of which set the band of their class: they judge the effect of the size only.",
        "Direct sequential work of hard disks at low depth has no row: those answers say so, in bands of x10 and more.",
        "",
        *table(["row", "workload", "asked", "predicted", "band", "measured", "inside", "limit", "role"], shown),
        "Random requests of 4 KiB on RAID5 of eight disks of 2 TB, behind two adapters (`fio_plot_raid5.csv`). The knee"
        " of random",
        "requests was fitted to the first; the second judges it. Half of each was fitted to nothing.",
        "",
        *table(["adapter", "work", "rows", "in band", "median error", "median width", "role"], _deep()),
    ]


def _deep() -> list[list[str]]:
    shown = []
    for adapter, kind in dict.fromkeys((each.adapter, each.kind) for each in deep_rows()):
        own = [each for each in deep_rows() if (each.adapter, each.kind) == (adapter, kind)]
        width = median(each.answer.high / each.answer.low for each in own)
        error = median_error(each.point / each.measured - 1 for each in own)
        role = "judging" if adapter == "IBM M1015" or kind == "randrw" else "fitting"
        inside = sum(each.inside for each in own)
        shown.append([adapter, kind, str(len(own)), str(inside), percent(error), f"x{width:.1f}", role])
    return shown


def lab_section() -> list[str]:
    """md on throttled disks; nothing while the lab has not run."""
    own = [each for each in lab_rows() if each.expected is not None]
    if not own:
        return []
    silent = [each.name for each in lab_rows() if each.expected is None and each.level != "disk"]
    shown = []
    for each in own:
        unit = "IOPS" if each.random else "bytes/s"
        moved = f"{each.member_bytes:.2f}" if each.member_bytes else ""
        ratio = f"{each.ratio or 0.0:.2f}"
        line = [each.name, amount(each.expected or 0.0, unit), amount(each.measured, unit), ratio]
        shown.append([*line, "yes" if each.inside else "**no**", moved, each.explained])
    inside = sum(each.inside for each in own)
    return [
        "## The lab: md on throttled disks",
        "",
        f"{inside} of {len(own)} rows lie within {SEQUENTIAL[0]:g} to {SEQUENTIAL[1]:g} (sequential) or"
        f" {RANDOM[0]:g} to {RANDOM[1]:g} (random), predicted over measured.",
        "Disks of a virtual machine, limited in bytes or in requests a second; they do not seek, so the level rules",
        "for flash hold. Members' ceiling, without a band. MB/s or operations a second.",
        *([f"Not compared, for the model says nothing of them: {'; '.join(silent)}."] if silent else []),
        "",
        *table(["array and work", "predicted", "measured", "predicted / measured", "as asked",
                "members' bytes per byte", "cause"], shown),
    ]  # fmt: skip
