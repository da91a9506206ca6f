"""Making a report of what the app built and measured, writing it, and holding it against an older one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui import __version__
from raidtui.machine.report.files import FORMATS, write_report
from raidtui.machine.report.sources import Places, material, newest, put_together
from raidtui.machine.system.state_paths import REAL_ROOT, benches_root, simulated_benches_root, simulated_root
from raidtui.model.errors import RaidtuiError
from raidtui.model.report import Report
from raidtui.planner.report import summary_text as report_text
from raidtui.planner.report.assemble import beside
from raidtui.planner.report.compare_reports import versus
from raidtui.planner.report.document import document
from raidtui.tui.widgets.question import Question

if TYPE_CHECKING:
    from raidtui.tui.app import RaidtuiApp
    from raidtui.tui.jobs.bench_view import BenchSeen


_FIRST = ("report.md", "report.json", "report.html")


def gathered(app: RaidtuiApp) -> Report:
    """The run and the benchmark that the app shows; else the newest of the machine that it looks at.

    Reads files and takes hashes, so it belongs into a thread. Raises Refused where there is nothing.
    """
    places, seen, watch = places_of(app), app.benching.seen, app.following.watch
    named = [str(seen.folder)] if seen is not None else []
    if watch is not None and (seen is None or seen.bench.plan_digest == watch.plan.digest):
        named.insert(0, str(watch.folder))

    def warn(text: str) -> None:
        app.call_from_thread(app.page.say, text, "warn")

    found = tuple(material(name, places) for name in named) or newest(places, warn)
    return put_together(found, made=_now(), version=__version__)


def places_of(app: RaidtuiApp) -> Places:
    """Where things lie: of a simulated machine only simulated ones."""
    if app.benching.root is not None:
        return Places(runs=(simulated_root(),), benches=(app.benching.root,))
    if app.session.inventory.simulated:
        return Places(runs=(simulated_root(),), benches=(simulated_benches_root(),))
    return Places(runs=(REAL_ROOT,), benches=(benches_root(),))


def summary(report: Report) -> str:
    """For a mail or a ticket."""
    return report_text.summary(report, document(report)) + "\n"


def export_question(app: RaidtuiApp, name: str, make: Callable[[], Report]) -> Question:
    """Where to write the report that `make` gives. Plots take seconds, so all of it happens beside the keyboard."""

    def accept(directory: str) -> str | None:
        if not directory.strip():
            return "a directory is needed; Esc drops it"
        app.page.say("writes the report ...")
        app.run_worker(_written(app, make, Path(directory.strip()).expanduser()), group="report", exclusive=True)
        return None

    return Question(label="report into directory", answer=f"./raidtui-{name}", accept=accept)


async def _written(app: RaidtuiApp, make: Callable[[], Report], directory: Path) -> None:
    try:
        paths = await asyncio.to_thread(lambda: write_report(make(), directory, FORMATS))
    except RaidtuiError as error:
        app.page.say(f"not written: {error}; {error.hint}", "bad")
        return
    shown = sorted((path.name for path in paths if path.suffix != ".svg"), key=_FIRST.index)
    plots = len(paths) - len(shown)
    tail = f" and {plots} plots" if plots else ""
    app.page.say(f"written {', '.join(shown)}{tail} to {directory}", "good")


def export_bench(app: RaidtuiApp, seen: BenchSeen) -> Question:
    """The same of one benchmark alone."""
    places = places_of(app)

    def make() -> Report:
        return put_together((material(str(seen.folder), places),), made=_now(), version=__version__)

    return export_question(app, f"bench-{seen.bench.id[:8]}", make)


def difference_question(app: RaidtuiApp, report: Report, show: Callable[[Report], None]) -> Question:
    """Which older report or benchmark to hold it against."""

    def accept(name: str) -> str | None:
        if not name.strip():
            return "name a report, a benchmark or its folder; Esc drops it"
        app.page.say("reads it ...")
        app.run_worker(_held(app, report, name.strip(), show), group="report", exclusive=True)
        return None

    return Question(label="older report or benchmark (file, folder, id)", accept=accept)


async def _held(app: RaidtuiApp, report: Report, name: str, show: Callable[[Report], None]) -> None:
    places = places_of(app)
    try:
        found = await asyncio.to_thread(material, name, places)
        other = put_together((found,), made=_now(), version=__version__)
    except RaidtuiError as error:
        app.page.say(f"{error}; {error.hint}", "bad")
        return
    show(beside(report, versus(other, report)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
