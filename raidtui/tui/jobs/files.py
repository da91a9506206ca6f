"""Questions whose answers write files: a design before the app is left, a plan, a report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui import __version__
from raidtui.answers.report import open_points
from raidtui.answers.report.assemble import with_comparison
from raidtui.answers.report.compare import compare_reports
from raidtui.answers.report.document import document
from raidtui.machine.system.places import REAL_ROOT, benches_root, simulated_root
from raidtui.session.report import FORMATS, Places, material, newest, put_together, write_report
from raidtui.session.saved_designs import save
from raidtui.tui.jobs.session_app import SessionApp
from raidtui.tui.widgets.prompt import TextQuestion, accepts
from raidtui.values.errors import RaidtuiError
from raidtui.values.report import Report

if TYPE_CHECKING:
    from raidtui.session.bench_view import BenchView


def leave_question(app: SessionApp, leave: Callable[[], object]) -> TextQuestion:
    """Asks for a name before the app exits with a design that is not saved; Enter alone leaves without saving."""

    def accept(typed: str) -> str | None:
        name = typed.strip()
        if name:
            try:
                save(app.session, name)
            except RaidtuiError as error:
                return error.with_hint
        leave()
        return None

    return TextQuestion(label="not saved: type a name to save it; Enter alone quits", accept=accept)


# Export of the plan: asks for a directory and reports the files written.


def export_question(app: SessionApp) -> TextQuestion | str:
    """The question for a directory, or the reason why there is nothing to export."""
    from raidtui.scripts.files import write_plan  # only when something is written

    try:
        plan = app.session.plan()
    except RaidtuiError as error:
        return f"nothing to export: {error}"

    def write(directory: str) -> None:
        paths = write_plan(plan, Path(directory).expanduser().absolute())
        app.session.kept = app.session.decision
        names = ", ".join(path.name for path in paths)
        app.page.say(f"written to {paths[0].parent}: {names}; nothing was executed", "good")

    return TextQuestion(
        label="export into directory", answer=f"./raidtui-{plan.name}", accept=accepts(write, what="a directory")
    )


# Report of what the app built and measured: gathering, writing, comparing with an older one.


_FIRST = ("report.md", "report.json", "report.html")


def gathered(app: SessionApp) -> Report:
    """The report on the run and the benchmark shown in the app; else on the newest ones of its machine.

    Reads and hashes files, so call it in a thread. Raises Refused if there is neither.
    """
    places, seen, watch = places_of(app), app.bench_follower.seen, app.run_follower.watch
    named = [str(seen.folder)] if seen is not None else []
    if watch is not None and (seen is None or seen.bench.plan_digest == watch.plan.digest):
        named.insert(0, str(watch.folder))

    def warn(text: str) -> None:
        app.call_from_thread(app.page.say, text, "warn")

    found = tuple(material(name, places) for name in named) or newest(places, warn)
    return put_together(found, made=_now(), version=__version__)


def places_of(app: SessionApp) -> Places:
    """Directories of runs and benchmarks; for a simulated machine only simulated ones."""
    own, simulated = app.bench_follower.root, app.session.inventory.simulated
    runs = simulated_root() if own is not None or simulated else REAL_ROOT
    return Places(runs=(runs,), benches=(own or benches_root(simulated=simulated),))


def summary(report: Report) -> str:
    """The report as short text for a mail or a ticket."""
    return open_points.summary(report, document(report)) + "\n"


def report_question(app: SessionApp, name: str, make: Callable[[], Report]) -> TextQuestion:
    """The question for a directory; `make` returns the report. Plots take seconds, so a worker writes it."""

    def write(directory: str) -> None:
        app.page.say("writing the report ...")
        app.run_worker(_written(app, make, Path(directory).expanduser().absolute()), group="report", exclusive=True)

    return TextQuestion(
        label="report into directory", answer=f"./raidtui-{name}", accept=accepts(write, what="a directory")
    )


async def _written(app: SessionApp, make: Callable[[], Report], directory: Path) -> None:
    try:
        paths = await asyncio.to_thread(lambda: write_report(make(), directory, FORMATS))
    except RaidtuiError as error:
        app.page.say(f"not written: {error.with_hint}", "bad")
        return
    shown = sorted((path.name for path in paths if path.suffix != ".svg"), key=_FIRST.index)
    plots = len(paths) - len(shown)
    tail = f" and {plots} plots" if plots else ""
    app.page.say(f"wrote {', '.join(shown)}{tail} to {directory}", "good")


def export_bench(app: SessionApp, seen: BenchView) -> TextQuestion:
    """The question for a directory for the report on one benchmark."""
    places = places_of(app)

    def make() -> Report:
        return put_together((material(str(seen.folder), places),), made=_now(), version=__version__)

    return report_question(app, f"bench-{seen.bench.id[:8]}", make)


def difference_question(app: SessionApp, report: Report, show: Callable[[Report], None]) -> TextQuestion:
    """The question for an older report or benchmark to compare with."""

    def read(name: str) -> None:
        app.page.say("reading it ...")
        app.run_worker(_held(app, report, name, show), group="report", exclusive=True)

    what = "a report, a benchmark or its directory"
    return TextQuestion(label="older report or benchmark (file, directory, id)", accept=accepts(read, what=what))


async def _held(app: SessionApp, report: Report, name: str, show: Callable[[Report], None]) -> None:
    places = places_of(app)
    try:
        found = await asyncio.to_thread(material, name, places)
        other = put_together((found,), made=_now(), version=__version__)
    except RaidtuiError as error:
        app.page.say(error.with_hint, "bad")
        return
    show(with_comparison(report, compare_reports(other, report)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
