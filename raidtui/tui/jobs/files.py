"""Saves decisions as named designs, and finds them again."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui import __version__
from raidtui.answers.report import open_points
from raidtui.answers.report.assemble import with_comparison
from raidtui.answers.report.compare import compare_reports
from raidtui.answers.report.document import document
from raidtui.machine.system.files import write_durably
from raidtui.machine.system.places import (
    REAL_ROOT,
    benches_root,
    failures,
    private_directory,
    simulated_root,
    user_state,
)
from raidtui.session.report import FORMATS, Places, material, newest, put_together, write_report
from raidtui.tui.widgets.prompt import TextQuestion, accepts
from raidtui.values.decision import Decision
from raidtui.values.errors import BadInput, MachineFailed, RaidtuiError, Refused
from raidtui.values.notation import show
from raidtui.values.report import Report

if TYPE_CHECKING:
    from raidtui.tui.jobs.bench import BenchView
    from raidtui.tui.jobs.job_desk import JobDesk
    from raidtui.tui.terminal.app_base import TerminalApp
    from raidtui.values.saved_design import SavedDesign


def saved_of(decision: Decision, host: str) -> SavedDesign:
    """`decision` as the document that is stored."""
    from raidtui.values.saved_design import SavedDesign  # only when something is saved

    return SavedDesign(
        host=host, design=decision.design, left_out=tuple(sorted(decision.left_out)),
        taken_over=tuple(sorted(decision.taken_over)), spread=decision.spread, assumptions=decision.assumptions,
        constraints=decision.constraints, purpose=decision.purpose, ask=decision.ask, alert=decision.alert,
        plan_name=decision.plan_name, mount_point=decision.mount_point,
        homehost=decision.homehost, initramfs=decision.initramfs,
    )  # fmt: skip


def decision_of(saved: SavedDesign) -> Decision:
    """The decision that a stored document holds."""
    return Decision(
        design=saved.design, left_out=frozenset(saved.left_out), taken_over=frozenset(saved.taken_over),
        spread=saved.spread, assumptions=saved.assumptions, constraints=saved.constraints,
        purpose=saved.purpose or "streams", ask=saved.ask, alert=saved.alert,
        plan_name=saved.plan_name, mount_point=saved.mount_point,
        homehost=saved.homehost, initramfs=saved.initramfs,
    )  # fmt: skip


def known_names(desk: JobDesk) -> tuple[str, ...]:
    """Names of all designs: of this session, and stored."""
    return tuple(sorted({*desk.session.saved, *_stored_names(desk)}))


def save(desk: JobDesk, typed: str) -> str:
    """Saves the present decision under the typed name, and on disk where the app has a directory; returns the name.

    A design of that name from before this session is replaced only if `!` follows the name. Raises RaidtuiError if
    the name is taken or invalid, or if the file cannot be written; then the design is kept in this session, and
    counts as unsaved.
    """
    from raidtui.session.saved_designs import (
        valid_name,
        write_design,  # only when something is saved
    )

    session, name = desk.session, typed.removesuffix("!")
    if name == typed and name not in session.saved and name in _stored_names(desk):
        raise BadInput(f"'{name}' exists", hint=f"type another name, or {name}! to replace it")
    if desk.designs is None:
        valid_name(name)
    else:
        try:
            write_design(desk.designs, name, saved_of(session.decision, session.inventory.name))
        except (MachineFailed, Refused) as error:
            session.saved[name] = session.outcome
            raise MachineFailed(str(error), hint=f"{error.hint}; {name} is kept until you quit") from error
    session.saved[name] = session.outcome
    session.kept = session.decision
    return name


def load(desk: JobDesk, name: str) -> None:
    """Makes the decision saved as `name` the present one; it can be undone. Raises RaidtuiError if there is none."""
    found = saved_decision(desk, name)
    desk.decide(found)
    desk.session.kept = found


def saved_decision(desk: JobDesk, name: str) -> Decision:
    """The decision saved as `name`, in this session or before. Raises RaidtuiError if there is none."""
    from raidtui.session.saved_designs import read_design  # only when one is loaded

    if name not in known_names(desk):
        name = next((known for known in known_names(desk) if known.lower() == name.lower()), name)
    if name in desk.session.saved:
        return desk.session.saved[name].decision
    if desk.designs is None:
        raise BadInput(f"there is no design '{name}'", hint=f"designs: {', '.join(known_names(desk))}")
    return decision_of(read_design(desk.designs, name))


def leave_question(desk: JobDesk, leave: Callable[[], object]) -> TextQuestion:
    """Asks for a name before the app exits with a design that is not saved; Enter alone leaves without saving."""

    def accept(typed: str) -> str | None:
        name = typed.strip()
        if name:
            try:
                save(desk, name)
            except RaidtuiError as error:
                return error.with_hint
        leave()
        return None

    return TextQuestion(label="not saved: type a name to save it; Enter alone quits", accept=accept)


def keep_lost(desk: JobDesk) -> str:
    """Saves the present decision under a new name after an unexpected end; returns the sentence that names it."""
    taken, number = known_names(desk), 1
    while (name := f"kept-{number}") in taken:
        number += 1
    layout = show(desk.session.decision.design.layout)
    chassis = f" --inventory {desk.session.inventory.name}" if desk.session.inventory.simulated else ""
    try:
        save(desk, name)
    except RaidtuiError as error:
        return f"raidtui: the design {layout} is lost, it could not be saved: {error.with_hint}"
    return f"raidtui: the design {layout} is saved as {name}: raidtui{chassis} --design {name}"


def _stored_names(desk: JobDesk) -> tuple[str, ...]:
    from raidtui.session.saved_designs import design_names  # not before designs are listed

    return design_names(desk.designs) if desk.designs is not None else ()


# Copies text to the terminal's clipboard, or to a file if there is none.


LONGEST = 74_994
"""maximum length in bytes of an OSC 52 sequence that terminals accept"""
COPY_FILE = "copied.txt"
"""the only file of copied text, in the user's state directory: each copy replaces the one before"""


def copy_out(app: TerminalApp, text: str, what: str, *, otherwise: str = "; e writes files") -> str:
    """Copies `text`; returns a message with the destination. OSC 52 is not acknowledged, so success is not claimed.

    `otherwise`: another way to get it.
    """
    payload = text.encode()
    sequence = len(base64.b64encode(payload)) + len("\x1b]52;c;\a")
    if not app.profile.plain and sequence <= LONGEST:
        app.copy_to_clipboard(text)
        return f"{what}: {len(payload)} bytes sent to the terminal's clipboard (OSC 52){otherwise}"
    reason = "this terminal has no clipboard" if app.profile.plain else "too long for a terminal's clipboard"
    path = user_state() / COPY_FILE
    try:
        private_directory(path.parent)
        with failures(path, "make room there"):
            write_durably(path, text, mode=0o600)
    except RaidtuiError as problem:
        return f"{what}: not copied: {reason}, and {problem}"
    return f"{what}: {len(payload)} bytes written to {path} ({reason})"


# Export of the plan: asks for a directory and reports the files written.


def export_question(desk: JobDesk) -> TextQuestion | str:
    """The question for a directory, or the reason why there is nothing to export."""
    from raidtui.scripts.files import write_plan  # only when something is written

    try:
        plan = desk.session.plan()
    except RaidtuiError as error:
        return f"nothing to export: {error}"

    def write(directory: str) -> None:
        paths = write_plan(plan, Path(directory).expanduser().absolute())
        desk.session.kept = desk.session.decision
        names = ", ".join(path.name for path in paths)
        desk.page.say(f"written to {paths[0].parent}: {names}; nothing was executed", "good")

    return TextQuestion(
        label="export into directory", answer=f"./raidtui-{plan.name}", accept=accepts(write, what="a directory")
    )


# Report of what the app built and measured: gathering, writing, comparing with an older one.


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
    return open_points.summary(report, document(report)) + "\n"


def report_question(desk: JobDesk, name: str, make: Callable[[], Report]) -> TextQuestion:
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

    return report_question(desk, f"bench-{seen.bench.id[:8]}", make)


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
