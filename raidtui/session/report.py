"""Input of a report: runs, benchmarks, drills, tunings and earlier reports, found by id, folder or file."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from raidtui.answers.html import html_page
from raidtui.answers.markdown import markdown
from raidtui.answers.report.assemble import build_of, history, planned_disk, report_of
from raidtui.answers.report.document import document
from raidtui.answers.report.figures import drill_section, tune_section
from raidtui.answers.report.plots import plots_of
from raidtui.bench import store
from raidtui.bench.compare import compare_result
from raidtui.engine import journal
from raidtui.engine import runs as run_folders
from raidtui.engine.folders import BENCHES, RUNS, TUNINGS, OnSkipped, is_prefix, readable
from raidtui.engine.process import anything_done
from raidtui.engine.runs import Begun
from raidtui.engine.site import present, site_of_run
from raidtui.engine.sync import left_behind
from raidtui.machine.gauges.sampler import read_recording
from raidtui.machine.system.files import (
    JOURNAL,
    RECORDING,
    RESULT_FILE,
    is_directory,
    is_named,
    open_named,
    read_document,
    read_named,
    read_own,
    write_together,
)
from raidtui.machine.system.places import AS_ROOT, failures, private_directory
from raidtui.machine.system.ports import Syncing
from raidtui.session import report_plots
from raidtui.values.bench import BenchResult
from raidtui.values.codec import from_json, parsed, to_json
from raidtui.values.errors import BadInput, MachineFailed, Refused
from raidtui.values.inventory import Inventory
from raidtui.values.report import Evidence, RateHistory, Report, ReportBench, ReportBuild, ReportDisk, Section
from raidtui.values.run import ArraySync, RunStatus
from raidtui.values.trials import DrillResult, TuneResult
from raidtui.values.units import SECTOR

_HINT = "name a run, a benchmark, their folder, a result.json or a report.json"
_RESULTS = ("result.json", "report.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Input found under one name."""

    host: str
    machine_id: str | None = None
    simulated: bool = False
    build: ReportBuild | None = None
    planned: tuple[ReportDisk, ...] = ()
    benches: tuple[ReportBench, ...] = ()
    sections: tuple[Section, ...] = ()
    whole: Report | None = None
    """an earlier report, unchanged"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Directories in which ids are looked up."""

    runs: tuple[Path, ...]
    benches: tuple[Path, ...]


def material(name: str, places: Places) -> Material:
    """Input that `name` selects: a folder, a file, or the beginning of the id of a run or a benchmark.

    Raises BadInput if there is none or it has the wrong format, MachineFailed if it cannot be read.
    """
    path = Path(name)
    if is_directory(path):
        return _of_folder(path)
    if is_named(name):
        return _of_file(path)
    return _of_folder(_by_id(name, places))


def newest(
    places: Places, on_skipped: OnSkipped = lambda _: None, *, of: Inventory | None = None
) -> tuple[Material, ...]:
    """The build written to last with its benchmarks, drills and tunings; without one the newest benchmark.

    `of`: only what is on disks of that machine. A trial of a tuning is no build. Skips what cannot be read;
    `on_skipped` receives a line with its name, the reason and the way out.
    """
    begun, folders = RUNS.all_folders(places.runs, on_skipped), BENCHES.all_folders(places.benches, on_skipped)
    if not begun and not folders:
        raise Refused(
            "there is nothing to report: no run and no benchmark", hint="raidtui build PLAN, or raidtui bench"
        )
    trials = {each.run_id for _, result in _tunings(places) for each in result.tuning.variants}
    latest = sorted((each for each in begun if each.name not in trials), key=RUNS.written, reverse=True)
    here = [] if of is None else [*of.disks, *present(of).disks]
    ids, serials = {disk.id for disk in here}, {disk.serial or "" for disk in here}

    def asked(found: Material) -> bool:
        measured = {disk.serial or "" for each in found.benches for disk in each.result.bench.disks}
        return of is None or ({disk.id for disk in found.planned} <= ids and measured <= serials)

    run = next((found for _, found in readable(latest, _of_run, on_skipped) if asked(found)), None)
    if run is None:
        bench = next((found for _, found in readable(folders, _of_bench, on_skipped) if asked(found)), None)
        if bench is None and of is not None:
            hint = "raidtui status lists what there is: name a run"
            raise Refused(f"there is nothing to report on {of.name}: no run and no benchmark on its disks", hint=hint)
        if bench is None:
            raise Refused("no run and no benchmark can be read", hint="raidtui status shows the errors of the runs")
        return (bench,)
    return (run, *_beside(run, places, on_skipped))


def selected(names: Sequence[str], places: Places, on_skipped: OnSkipped = lambda _: None) -> tuple[Material, ...]:
    """Input that `names` select. A run brings its drills and tunings, and its benchmarks unless some are named too.

    Raises as `material`; benchmarks that are not named and cannot be read are skipped, see `newest`.
    """
    found = tuple(material(name, places) for name in names)
    named = any(each.benches for each in found)
    return tuple(part for each in found for part in (each, *_beside(each, places, on_skipped, benches=not named)))


def _beside(run: Material, places: Places, on_skipped: OnSkipped, *, benches: bool = True) -> Iterator[Material]:
    """Benchmarks of the plan of `run`, the one written to last first, its drills and the tunings on its disks."""
    if run.build is None or run.whole is not None:
        return
    if benches:
        yield from _benches_of(run.build, places, on_skipped)
    drills = sorted(path for root in places.runs for path in (root / run.build.run_id).glob("drill-*/result.json"))
    disks = {disk.id for disk in run.planned}
    tunings = [folder / "result.json" for folder, result in _tunings(places) if disks.issuperset(result.tuning.disks)]
    yield from (found for _, found in readable((*drills, *tunings), _of_file, on_skipped))


def _tunings(places: Places) -> tuple[tuple[Path, TuneResult], ...]:
    """The tunings that can be read."""
    folders = TUNINGS.all_folders(root / "tunings" for root in places.runs)
    return tuple(readable(folders, lambda folder: read_document(TuneResult, folder / "result.json", RESULT_FILE)))


def _benches_of(run: ReportBuild, places: Places, on_skipped: OnSkipped) -> Iterator[Material]:
    kept = readable(BENCHES.all_folders(places.benches), store.load)  # a damaged one of another plan is irrelevant
    mine = [folder for folder, result in kept if result.bench.plan_digest == run.digest]
    yield from (found for _, found in readable(mine, _of_bench, on_skipped))


def put_together(found: Sequence[Material], *, made: str, version: str) -> Report:
    """One report of all input; a single earlier report is returned unchanged.

    `made` is now; a simulated report is made when its machine is done, if that is later. Raises BadInput for two
    builds.
    """
    if len(found) == 1 and found[0].whole is not None:
        return found[0].whole
    builds = {each.build.digest: each for each in found if each.build is not None}
    if len(builds) > 1:
        raise BadInput("a report covers one build, not two", hint="compare two builds with --against REPORT.json")
    main = next(iter(builds.values()), found[0])
    if any(each.simulated for each in found):
        made = max((made, *_ends(found)), key=datetime.fromisoformat)
    benches = {bench.result.bench.id: bench for each in found for bench in each.benches}
    return report_of(
        made=made,
        version=version,
        host=main.host,
        machine_id=main.machine_id,
        build=main.build,
        planned=main.planned,
        benches=tuple(benches.values()),
        sections=tuple(dict.fromkeys(section for each in found for section in each.sections)),
        simulated=any(each.simulated for each in found),
    )


def _ends(found: Sequence[Material]) -> Iterator[str]:
    """When the builds and benchmarks ended; simulated ones end in their machine's time, which may be ahead of ours."""
    for each in found:
        if each.build is not None and each.build.ended:
            yield each.build.ended
        yield from (bench.result.ended for bench in each.benches if bench.result.ended)


def _of_folder(folder: Path) -> Material:
    if (folder / "journal").is_file() and (folder / "plan.json").is_file():
        return _of_run(folder)
    if (folder / store.BENCH).is_file() and (folder / store.RESULT).is_file():
        return _of_bench(folder)
    for name in _RESULTS:
        if (folder / name).is_file():
            return _of_file(folder / name)
    raise BadInput(f"{folder} holds no run, benchmark, drill, tuning or report", hint=_HINT)


def _of_file(path: Path) -> Material:
    """Input from a document, by its schema."""
    data = _read(path)
    schema = _schema(data, path)
    source = str(path)
    match schema:
        case "raidtui/report/1":
            return _of_report(_checked(from_json(Report, data, source=source), path))
        case "raidtui/bench-result/1":
            if (path.parent / store.BENCH).is_file() and path.name == store.RESULT:
                return _of_bench(path.parent)
            result = from_json(BenchResult, data, source=source)
            return _bench_material(store.checked(result, path), None, (_evidence(path),))
        case "raidtui/report-section/1":
            return _section_material(from_json(Section, data, source=source))
        case "raidtui/drill-result/1":
            return _section_material(drill_section(from_json(DrillResult, data, source=source)), path)
        case "raidtui/tune-result/1":
            return _section_material(tune_section(from_json(TuneResult, data, source=source)), path)
        case _:
            raise BadInput(f"{path}: a report cannot use the schema '{schema}'", hint=_HINT)


def _schema(data: bytes, path: Path) -> str:
    """Schema of a document, or empty. Raises BadInput for invalid JSON or a number that is not finite."""

    def number(text: str) -> float:
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(f"{text} is not a finite number")
        return value

    try:
        document = parsed(data, number=number)
    except ValueError as problem:
        raise BadInput(f"{path} is not valid JSON: {problem}", hint=_HINT) from problem
    return str(document.get("schema", "")) if isinstance(document, dict) else ""


def _section_material(section: Section, path: Path | None = None) -> Material:
    kept = section if path is None else replace(section, evidence=(_evidence(path),))
    return Material(host="", simulated=section.simulated, sections=(kept,))


def _of_run(folder: Path) -> Material:
    begun = run_folders.load(folder)
    evidence = (_evidence(folder / "plan.json"), _evidence(folder / "journal", _built_bytes(begun)))
    return Material(
        host=begun.plan.host,
        machine_id=begun.plan.machine_id,
        simulated=begun.plan.simulated,
        build=build_of(begun.plan, begun.run, begun.records, evidence),
        planned=tuple(planned_disk(disk) for disk in begun.plan.disks),
    )


def _of_bench(folder: Path) -> Material:
    path = folder / store.RESULT
    _schema(_read(path), path)
    result = store.load(folder)
    files = [folder / store.RESULT, *sorted((folder / store.RAW).glob("*.json"))]
    gauges = folder / store.GAUGES
    shown = None
    if gauges.is_file():
        files.append(gauges)
        shown = _history(gauges, {disk.name for disk in result.bench.disks})
    return _bench_material(result, shown, tuple(_evidence(path) for path in files))


def _bench_material(result: BenchResult, shown: RateHistory | None, evidence: tuple[Evidence, ...]) -> Material:
    bench = ReportBench(result=result, compared=compare_result(result), history=shown, evidence=evidence)
    asked = result.bench
    return Material(host=asked.host, machine_id=asked.machine_id, simulated=asked.simulated, benches=(bench,))


def _of_report(report: Report) -> Material:
    planned = report.disks if report.build else ()
    return Material(
        host=report.host, machine_id=report.machine_id, simulated=report.simulated, build=report.build,
        planned=planned, benches=report.benches, sections=report.sections, whole=report,
    )  # fmt: skip


def _checked(report: Report, path: Path) -> Report:
    for bench in report.benches:
        store.checked(bench.result, path)
    return report


def _history(path: Path, names: set[str]) -> RateHistory | None:
    """History of the disks below the targets, or of all disks if these are unknown."""
    scene, ticks = read_recording(path)
    mine = tuple(disk for disk in scene.disks if disk.name in names)
    return history(replace(scene, disks=mine or scene.disks), ticks)


def _by_id(name: str, places: Places) -> Path:
    found: list[Path] = []
    if is_prefix(name):
        kinds = ((RUNS, places.runs), (BENCHES, places.benches))
        every = [folder for kind, roots in kinds for folder in kind.all_folders(roots)]
        found = [folder for folder in every if folder.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    many = f"{len(found)} runs or benchmarks start with" if found else "there is no run, benchmark or file called"
    raise BadInput(f"{many} '{name}'", hint="raidtui status shows them")


def _read(path: Path) -> bytes:
    return read_named(path, RESULT_FILE)


def _built_bytes(begun: Begun) -> int:
    """Length of the journal up to the end of the build: what an undo appends to it later is not counted."""
    lines = read_own(begun.folder / "journal", JOURNAL).split(b"\n")
    built = itertools.takewhile(lambda record: record.purpose != "undo", begun.records)
    return sum(len(line) + 1 for line, _ in zip(lines, built, strict=False))


def _evidence(path: Path, longest: int | None = None) -> Evidence:
    """Size and hash of the present file, or of its first `longest` bytes. Raises MachineFailed."""
    digest, size = hashlib.sha256(), 0
    with failures(path, AS_ROOT), os.fdopen(open_named(path, RECORDING), "rb") as file:
        while part := file.read(1 << 20 if longest is None else min(longest - size, 1 << 20)):
            digest.update(part)
            size += len(part)
    return Evidence(path=str(path), sha256=digest.hexdigest(), size_bytes=size)


# A report as files: Markdown, JSON, one HTML page, plots. Overwrites only files of the same report.


FORMATS = ("md", "json", "html")
_HEAD = 600
"""bytes at the start of every file that contain the report's id"""
_NO_PLOTS = "There are no plots: matplotlib was not installed where this report was made."
_FIRST_TAG = re.compile(r"(?=<svg\b)")


def texts(report: Report, formats: tuple[str, ...]) -> dict[str, str]:
    """File name to content."""
    drawable = report_plots.available()
    wanted = "html" in formats or "md" in formats
    drawn = report_plots.drawn(plots_of(report)) if drawable and wanted else {}
    shown = document(report, plots_left_out="" if drawable else _NO_PLOTS)
    found: dict[str, str] = {}
    if "json" in formats:
        found["report.json"] = to_json(report) + "\n"
    if "html" in formats:
        found["report.html"] = html_page(shown, drawn)
    if "md" in formats:
        files = {name: f"plots/{name}.svg" for name in drawn}
        found["report.md"] = markdown(shown, files)
        mark = f"<!-- raidtui-report {report.id} -->\n"
        found |= {files[name]: _FIRST_TAG.sub(mark, svg, count=1) for name, svg in drawn.items()}
    return found


def write_report(report: Report, directory: Path, formats: tuple[str, ...]) -> tuple[Path, ...]:
    """Writes the report into `directory`, created if missing. Returns the written paths.

    Writes all files or none. Raises Refused if a file of another origin has one of the names or others may write into
    the directory; MachineFailed.
    """
    return write_texts(texts(report, formats), directory, report.id)


def is_file_of(path: Path, formats: Sequence[str]) -> bool:
    """True for the name of a file of one of the formats; False for a directory, also of such a name."""
    return path.suffix.removeprefix(".") in formats and not path.is_dir()


def write_file(report: Report, path: Path) -> tuple[Path, ...]:
    """Writes the report into the file `path`, whose suffix names the format; Markdown with its plots beside it.
    Returns the written paths. Raises as `write_report`."""
    found = texts(report, (path.suffix.removeprefix("."),))
    own = f"report{path.suffix}"
    return write_texts(
        {path.name if name == own else name: text for name, text in found.items()}, path.parent, report.id
    )


def write_texts(found: Mapping[str, str], directory: Path, id: str) -> tuple[Path, ...]:
    """Like `write_report`, with file name to content."""
    try:
        taken = [name for name in found if _is_foreign(directory / name, id)]
        if directory.is_symlink() and not directory.is_dir():
            taken.append(str(directory))
        if taken:
            raise Refused(
                f"{directory} already holds {', '.join(taken)} of another origin",
                hint="name another directory with --out, or remove them",
            )
        there = {folder for folder in (directory, directory / "plots") if folder.exists()}
        try:
            for folder in dict.fromkeys((directory, *((directory / name).parent for name in found))):
                private_directory(folder)
            write_together({directory / name: text for name, text in found.items()}, mode=0o600)
        except BaseException:
            for folder in (directory / "plots", directory):
                if folder not in there:
                    with contextlib.suppress(OSError):  # the first error is the one to report
                        folder.rmdir()
            raise
        return tuple(directory / name for name in found)
    except OSError as problem:
        where = problem.filename or directory
        raise MachineFailed(f"{where}: {problem.strerror}", hint="name a directory that can be written") from problem


def _is_foreign(path: Path, id: str) -> bool:
    """True if a file exists there that is not part of this report."""
    if path.is_symlink():
        return True
    if not path.exists():
        return False
    if not path.is_file():
        return True
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not (b"raidtui-report " + id.encode() in head or (b"raidtui/report/1" in head and id.encode() in head))


# What a run came to, as scripts and control hosts read it.


def status_of(begun: Begun) -> RunStatus:
    """What a run came to."""
    plan, run = begun.plan, begun.run
    return RunStatus(
        run_id=plan.run_id, plan=plan.name, host=plan.host, digest=plan.digest, simulated=plan.simulated,
        folder=str(begun.folder), purpose=run.purpose, outcome=run.outcome, reason=run.reason,
        anything_done=anything_done(begun.records), steps_done=sum(step.state == "done" for step in run.steps),
        steps=run.steps, last=run.now, syncing=syncs_of(begun), left_behind=unrestored(begun),
    )  # fmt: skip


def syncs_of(begun: Begun) -> tuple[ArraySync, ...]:
    """The arrays of a run that sync now; none before its first command."""
    if not anything_done(begun.records):
        return ()
    reader = site_of_run(begun.folder, begun.plan).reader()
    syncs = {sync.device: sync for sync in reader.syncing()}
    pins = [(array.device, reader.pin(array.device)) for array in begun.plan.arrays] if syncs else []
    return tuple(_as_sync(device, syncs[pin.name]) for device, pin in pins if pin is not None and pin.name in syncs)


def _as_sync(device: str, sync: Syncing) -> ArraySync:
    left = (sync.all_sectors - sync.done_sectors) * SECTOR
    return ArraySync(
        device=device, action=sync.action, bytes_per_s=sync.bytes_per_s,
        done=min(sync.done_sectors / sync.all_sectors, 1.0) if sync.all_sectors else 0.0,
        seconds_left=left / sync.bytes_per_s if sync.bytes_per_s else None,
    )  # fmt: skip


def unrestored(begun: Begun) -> tuple[str, ...]:
    """Sync limits that a killed executor of the run did not restore; a simulated machine has its own boot id."""
    if begun.alive:
        return ()
    boot = "" if begun.plan.simulated else journal.boot_id()
    return left_behind(begun.folder, boot)
