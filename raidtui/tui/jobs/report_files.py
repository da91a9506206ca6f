"""Report of what the app built and measured: gathering, writing, comparing with an older one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui import __version__
from raidtui.machine.report.files import FORMATS, write_report
from raidtui.machine.report.sources import Places, material, newest, put_together
from raidtui.machine.system.state_paths import REAL_ROOT, benches_root, simulated_root
from raidtui.model.errors import RaidtuiError
from raidtui.model.report import Report
from raidtui.planner.report import summary_text as report_text
from raidtui.planner.report.assemble import with_comparison
from raidtui.planner.report.compare_reports import compare_reports
from raidtui.planner.report.document import document
from raidtui.tui.widgets.question import TextQuestion, accepts

if TYPE_CHECKING:
    from raidtui.tui.jobs.bench_view import BenchView
    from raidtui.tui.jobs.job_desk import JobDesk


_FIRST = ("report.md", "report.json", "report.html")


def gathered(desk: JobDesk) -> Report:
    """The report on the run and the benchmark shown in the app; else on the newest ones of its machine.

    Reads and hashes files, so call it in a thread. Raises Refused if there is neither.
    """
    places, seen, watch = places_of(desk), desk.bench_player.seen, desk.run_follower.watch
    named = [str(seen.folder)] if seen is not None else []
    if watch is not None and (seen is None or seen.bench.plan_digest == watch.plan.digest):
        named.insert(0, str(watch.folder))

    def warn(text: str) -> None:
        desk.call_from_thread(desk.page.say, text, "warn")

    found = tuple(material(name, places) for name in named) or newest(places, warn)
    return put_together(found, made=_now(), version=__version__)


def places_of(desk: JobDesk) -> Places:
    """Directories of runs and benchmarks; for a simulated machine only simulated ones."""
    own, simulated = desk.bench_player.root, desk.session.inventory.simulated
    runs = simulated_root() if own is not None or simulated else REAL_ROOT
    return Places(runs=(runs,), benches=(own or benches_root(simulated=simulated),))


def summary(report: Report) -> str:
    """The report as short text for a mail or a ticket."""
    return report_text.summary(report, document(report)) + "\n"


def export_question(desk: JobDesk, name: str, make: Callable[[], Report]) -> TextQuestion:
    """The question for a directory; `make` returns the report. Plots take seconds, so a worker writes it."""

    def write(directory: str) -> None:
        desk.page.say("writing the report ...")
        desk.run_worker(_written(desk, make, Path(directory).expanduser().absolute()), group="report", exclusive=True)

    return TextQuestion(
        label="report into directory", answer=f"./raidtui-{name}", accept=accepts(write, what="a directory")
    )


async def _written(desk: JobDesk, make: Callable[[], Report], directory: Path) -> None:
    try:
        paths = await asyncio.to_thread(lambda: write_report(make(), directory, FORMATS))
    except RaidtuiError as error:
        desk.page.say(f"not written: {error.with_hint}", "bad")
        return
    shown = sorted((path.name for path in paths if path.suffix != ".svg"), key=_FIRST.index)
    plots = len(paths) - len(shown)
    tail = f" and {plots} plots" if plots else ""
    desk.page.say(f"wrote {', '.join(shown)}{tail} to {directory}", "good")


def export_bench(desk: JobDesk, seen: BenchView) -> TextQuestion:
    """The question for a directory for the report on one benchmark."""
    places = places_of(desk)

    def make() -> Report:
        return put_together((material(str(seen.folder), places),), made=_now(), version=__version__)

    return export_question(desk, f"bench-{seen.bench.id[:8]}", make)


def difference_question(desk: JobDesk, report: Report, show: Callable[[Report], None]) -> TextQuestion:
    """The question for an older report or benchmark to compare with."""

    def read(name: str) -> None:
        desk.page.say("reading it ...")
        desk.run_worker(_held(desk, report, name, show), group="report", exclusive=True)

    what = "a report, a benchmark or its directory"
    return TextQuestion(label="older report or benchmark (file, directory, id)", accept=accepts(read, what=what))


async def _held(desk: JobDesk, report: Report, name: str, show: Callable[[Report], None]) -> None:
    places = places_of(desk)
    try:
        found = await asyncio.to_thread(material, name, places)
        other = put_together((found,), made=_now(), version=__version__)
    except RaidtuiError as error:
        desk.page.say(error.with_hint, "bad")
        return
    show(with_comparison(report, compare_reports(other, report)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
