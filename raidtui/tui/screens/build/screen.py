"""Screen 5: a run, or an act on arrays that run. It reads the journal and writes requests; a process executes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.worker import Worker

from raidtui.answers.findings import finding_items
from raidtui.engine.folders import with_waiting
from raidtui.engine.standing import findings
from raidtui.programs.shell_quote import quote
from raidtui.session.jobs import asks_passphrase, change, go_on, standing_of
from raidtui.session.run_view import tail
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.screens.build.lines import (
    Forecast,
    command_rows,
    disk_marks,
    forecast,
    headline,
    labels_of,
    now_lines,
    paused_words,
    said_lines,
)
from raidtui.tui.screens.build.panes import BuildLogPane, BuildStepsPane, SyncBars
from raidtui.tui.terminal.text import Line, Span, line, risk_mark, wrapped
from raidtui.tui.widgets.confirm_dialog import plan_dialog
from raidtui.tui.widgets.dialogs import TextDialog
from raidtui.tui.widgets.frame import FRAME, HUGE
from raidtui.tui.widgets.lines import block_lines
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.tui.widgets.prompt import TextQuestion, word_question
from raidtui.tui.widgets.slot_map import SlotMap, shelves
from raidtui.values.amounts import hours
from raidtui.values.blocks import Block, Paragraph
from raidtui.values.errors import RaidtuiError
from raidtui.values.plan import Plan
from raidtui.values.run import DOING
from raidtui.values.safe import safe
from raidtui.values.units import KIB, parse_rate

if TYPE_CHECKING:
    from raidtui.engine.folders import ControlRequest
    from raidtui.machine.system.passphrase import Passphrase
    from raidtui.session.run_view import RunView
    from raidtui.values.findings import Finding
    from raidtui.values.run import RunPurpose, Standing

_LEAST_NOW, _MOST_NOW = 3, 6
"""lines of the running command, or of how it ended"""
_MOST_BARS = 8
"""maximum lines of the arrays pane"""
_CHASSIS = 58
"""cells of the chassis beside the steps, see later.tcss"""
_LEAST_LOG = 8
"""lines that the chassis leaves to the log"""
_WHILE_BUSY = ("pause", "throttle", "wait_for_sync", "stop")
_WHILE_IDLE = ("resume", "undo_run")
_OF_A_BUILD = ("wait_for_sync", "undo_run")
_HOW = (
    "4 Commands, then b: raidtui checks the machine again, lists every disk and asks for a phrase.",
    "The build then runs on its own, even if this app exits.",
)
_HOW_REAL = (
    "This app is read-only. To build, start raidtui --allow-writes as root, then 4 Commands and b;",
    "or e exports the plan, and as root: raidtui build DIR/plan.json",
)


class BuildScreen(BaseScreen):
    """Steps, running command, arrays, log."""

    page_name = "Build"
    AUTO_FOCUS = "#steps"
    LOADS = frozenset({"find-run", "follow"})
    SMALL = (SmallPane("steps", 6), SmallPane("now", 4), SmallPane("arrays", 5), SmallPane("log", 4))
    QUESTIONS = BaseScreen.QUESTIONS | {"throttle", "stop", "resume"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pause(True)", "pause", tooltip="start no further command", id="build.pause"),
        Binding("p", "pause(False)", "continue", tooltip="continue after a pause", id="build.continue"),
        Binding(
            "t", "throttle", "throttle", tooltip="limit the sync rate per disk", id="build.throttle", priority=True
        ),
        Binding(
            "c", "wait_for_sync(True)", "wait for sync", tooltip="make file systems after the first sync",
            id="build.wait-for-sync",
        ),
        Binding(
            "c", "wait_for_sync(False)", "do not wait", tooltip="make file systems during the first sync",
            id="build.during-sync",
        ),
        Binding("x", "stop", "stop", tooltip="stop before the next command", id="build.stop", priority=True),
        Binding("r", "resume", "resume", tooltip="check the disks and continue", id="build.resume", priority=True),
        Binding("D", "undo_run", "undo build", tooltip="undo the build: remove what the plan made", id="build.undo"),
        Binding("enter", "output", "output", tooltip="output of the command under the cursor", id="build.output"),
        Binding("q", "app.quit", "quit", tooltip="quit; a build continues without this app"),
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """Steps, running command, arrays, log, in Tab order."""
        self.steps = BuildStepsPane(id="steps")
        self.now = Pane("Now", id="now")
        self.bars = SyncBars(id="arrays")
        self.log_pane = BuildLogPane(id="log")
        self._forecast: tuple[object, Forecast] = (None, Forecast())
        self._frame: object = None
        self.map = SlotMap("Disks", id="map", view="array", boxes=True)
        yield from (self.map, self.steps, self.now, self.bars, self.log_pane)

    @property
    def seen(self) -> RunView | None:
        """The run on screen, or the act on arrays that run."""
        watch = self.app.run_follower.shown
        return watch.seen if watch is not None else None

    @property
    def simulated(self) -> bool:
        """True if the run is simulated."""
        seen = self.seen
        return seen.act.simulated if seen is not None else super().simulated

    def on_screen_resume(self) -> None:
        """Follows the newest run if none is followed."""
        self.app.run_follower.find(at_work=False)
        self.run_worker(self._when_found(), group="found", exclusive=True)
        super().on_screen_resume()
        if self.size:
            self.show_run()  # it may have ended while another screen was shown

    def _searches(self) -> list[Worker[object]]:
        """The searches for runs that are under way."""
        return [each for each in self.app.workers if each.group == "find-run" and not each.is_finished]

    async def _when_found(self) -> None:
        """Shows again what there is once the search for runs has ended."""
        for search in self._searches():
            await search.wait()
        self.show_run()

    def on_screen_suspend(self) -> None:
        """An act that has ended well gives way to the run."""
        self.app.run_follower.leave()

    def show_session(self) -> None:
        """Does nothing about decisions: a run does not depend on them."""
        self.show_run()

    def run_changed(self) -> None:
        """Shows what changed."""
        self.show_run()

    def show_run(self) -> None:
        """Updates all panes."""
        if not self.steps.is_attached:  # the app is closing and a poll has just returned
            return
        seen = self.seen
        self.show_only("" if seen is not None else "now")
        self.steps.show(seen)
        self._show_now(seen)
        expected = self._forecast_of(seen)
        if seen is not None:  # a disk that md has thrown out is as good as gone
            faulty = {disk for disk, state in self.app.array_follower.parts.items() if state == "faulty"}
            seen = replace(seen, gone=seen.gone | faulty)
        self.bars.show(seen, expected, self._lost())
        self._show_map(seen, expected)
        self.log_pane.show(seen)
        self.call_after_refresh(self._share_out_rows)
        status = self._status(seen)
        self.rest(status, below_message=(Span(" "), *status) == self.status)  # an answer to a key is not swept away
        frame = (seen.busy, seen.run.outcome, seen.wish) if seen is not None else None
        if frame != self._frame:
            self._frame = frame
            self.refresh_frame()

    def _lost(self) -> Mapping[str, str]:
        """What is said of arrays that lost a member, by UUID, as on Arrays."""
        from raidtui.advice.arrays.repair import repairs, state_words  # few machines have such an array

        follower = self.app.array_follower
        found = repairs(follower.seen.arrays, follower.members) if follower.seen is not None else ()
        return {each.array.uuid: state_words(each) for each in found if each.lost}

    def arrays_changed(self) -> None:
        """See BaseScreen."""
        super().arrays_changed()
        self.show_run()

    def _forecast_of(self, seen: RunView | None) -> Forecast:
        if seen is None:
            return Forecast()
        key = (seen.folder, self.session.inventory)
        if self._forecast[0] != key:
            self._forecast = key, forecast(seen.act, self.session.inventory, self.session.decision.assumptions)
        return self._forecast[1]

    def _share_out_rows(self) -> None:
        """Gives the panes above the log the lines that they need, and the log the rest.

        On a large screen the chassis stands beside the steps, on a very large one beside all but the log.
        """
        if not self.now.is_attached:  # the app is closing
            return
        width, height = self.app.size
        frame, tall, placed = 2 if self.now.boxed else 1, self.has_class("-tall"), self.has_class("-placed")
        least = 1 if self._stands_still else _LEAST_NOW - (frame - 1)
        now = min(max(self.now.line_count(), least), _MOST_NOW) + frame
        bars = min(self.bars.wanted, _MOST_BARS) + frame - 1
        steps, left = 6, height - FRAME - bool(self.alarm) - now - bars
        if tall:
            steps = min(self.steps.line_count() + frame, left // 2)
        if tall and placed and self.now.boxed:
            across = (width - 1) // 2 if width >= HUGE else _CHASSIS
            bays = self.map.lines_wanted(across - 4, height // 2) + frame - (len(self.map.shelves) == 1)
            beside = bays - now - bars if width >= HUGE else min(bays, left - _LEAST_LOG)
            steps = max(steps, beside)
        self.query_one("#body").styles.grid_rows = f"{steps} {now} {bars} 1fr"

    @property
    def _stands_still(self) -> bool:
        """What Now says stays for a while: a command that runs changes the height of no pane."""
        seen = self.seen
        if seen is None or seen.starting:
            return False
        return not seen.busy or (seen.run.now is not None and seen.run.now.kind in ("paused", "waiting"))

    def _show_map(self, seen: RunView | None, expected: Forecast) -> None:
        disks = self.session.inventory.disks
        ours = {disk.id for disk in seen.act.disks} if seen is not None else set()
        if seen is None or not any(disk.id in ours for disk in disks):
            self.map.show((), {}, {})
            self.set_class(False, "-placed")
            return
        self.set_class(True, "-placed")
        marks, labels = disk_marks(seen, expected, disks, self.app.glyphs), labels_of(seen, expected)
        if (marks, labels) != (self.map.marks, self.map.groups):
            self.map.show(shelves(disks), marks, labels)

    def _show_now(self, seen: RunView | None) -> None:
        pane = self.now
        if seen is None:
            pane.heading = "Looking for runs" if self._searches() else "No build yet"
            can = self.session.inventory.simulated or self.app.run_follower.allow_writes
            how = _HOW if can else _HOW_REAL
            steps = [] if self._searches() else self._steps_to_come()
            pane.put(lambda width: [*(line(row) for text in how for row in wrapped(text, width)), *steps])
            return
        heading = f"Now: {headline(seen).word}"
        changed, pane.heading = pane.heading != heading, heading
        pane.renew(lambda width: now_lines(seen, width, pane.room()))
        if changed:
            pane.refresh()

    def _steps_to_come(self) -> list[Line]:
        """The steps of the present design, where it has a plan, for a screen without a run."""
        try:
            plan = self.session.plan()
        except RaidtuiError:
            return []
        number = len(str(len(plan.steps)))
        rows: list[Line] = [(), line(f"The steps that build {plan.prediction.layout}:", "muted")]
        for step in plan.steps:
            risk = risk_mark(step.risk, self.app.glyphs)
            erased = (Span(f"  {risk.word} {len(step.destroys)}", risk.tone),) if step.destroys else ()
            rows.append((Span(f"{step.number:>{number}}  ", "muted"), Span(step.title), *erased))
        if plan.first_sync_hours:
            rows += [(), line(f"The first sync takes about {hours(plan.first_sync_hours)} on idle disks.", "muted")]
        return rows

    def _status(self, seen: RunView | None) -> Line:
        if seen is None:
            return ()
        mark = headline(seen)
        spans = [
            Span(f"run {seen.folder.name[:8]}" if isinstance(seen.act, Plan) else seen.act.noun, "strong"),
            Span(" SIMULATED" if seen.act.simulated else f" on {seen.act.host}", "title"),
            Span(f" {mark.word}", mark.tone),
        ]
        if seen.wish.pause and seen.busy:
            spans.append(Span(f"  {paused_words(seen)}: p continues", "warn"))
            return tuple(spans)
        if seen.wish.stop and seen.busy:
            spans.append(Span("  stops before the next command", "warn"))
        if seen.busy:
            spans.append(Span("  q quits, the run continues", "muted"))
        return tuple(spans)

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the step under the cursor."""
        seen = self.seen
        if seen is None:
            return "Build", _HOW
        step = seen.act.steps[self.steps.cursor]
        return step.title, (step.purpose, *([step.undo_note] if step.undo_note else ()))

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Also disables the one of two keys that asks for what is so already."""
        seen = self.seen
        if seen is not None and parameters == ({"pause": seen.wish.pause, "wait_for_sync": seen.waits}.get(action),):
            return False
        return super().check_action(action, parameters)

    def idle_reason(self, action: str) -> str:
        """See Frame."""
        seen = self.seen
        if action not in (*_WHILE_BUSY, *_WHILE_IDLE, "output"):
            return ""
        if seen is None:
            return "no build yet; 4 Commands, then b, starts one"
        if action in _OF_A_BUILD and not isinstance(seen.act, Plan):
            return f"it is for a build; the {seen.act.noun} is shown"
        if seen.busy:
            return f"{DOING[seen.purpose]} goes on; x stops it" if action in _WHILE_IDLE else ""
        if action in _WHILE_BUSY:
            return "no step runs; it works while one does"
        if action in _WHILE_IDLE and seen.undone:
            return "it is undone; 4 Commands, then b, builds again"
        if action == "resume" and seen.run.purpose == "undo":
            return "D goes on with the undo"
        return "every step is done" if action == "resume" and seen.run.outcome == "finished" else ""

    def _wish(self, how: str, wish: ControlRequest) -> None:
        seen = self.seen
        assert seen is not None
        try:
            change(seen.folder, lambda _: wish)
        except RaidtuiError as error:
            self.say(error.with_hint, "bad")
            return
        self.app.run_follower.look_now()
        self.say(how)

    def action_pause(self, pause: bool) -> None:
        """Requests a pause before the next command, or its end."""
        seen = self.seen
        if seen is not None:
            how = "no further command starts; md goes on with a sync, t limits it" if pause else "continues"
            self._wish(how, replace(seen.wish, pause=pause))

    def action_wait_for_sync(self, wait: bool) -> None:
        """Requests file systems after the first sync, or during it."""
        seen = self.seen
        if seen is not None:
            how = "waits for the sync before the file systems" if wait else "makes file systems during the sync"
            self._wish(how, with_waiting(seen.wish, wait=wait))

    async def action_throttle(self) -> None:
        """Asks for the sync limit per disk."""
        seen = self.seen
        if seen is None:
            return
        wish = seen.wish

        def accept(typed: str) -> str | None:
            if not typed.strip():
                self._wish("the sync uses the system's limit", replace(wish, sync_kib_per_s=None))
                return None
            if typed.strip().isdecimal():
                return f"{typed.strip()} has no unit: write {typed.strip()}MB/s or {typed.strip()}KiB/s"
            try:
                kib = parse_rate(typed) // KIB
            except ValueError as problem:
                return str(problem)
            if not 0 < kib < 2**31:
                return "expected at least 1 KiB/s"
            self._wish(f"the sync is limited to {typed.strip()} per disk", replace(wish, sync_kib_per_s=kib))
            return None

        before = f"{wish.sync_kib_per_s} KiB/s" if wish.sync_kib_per_s else ""
        await self.ask(
            TextQuestion(label="sync limit per disk (20MB/s, 5000KiB/s; empty: system)", answer=before, accept=accept)
        )

    async def action_stop(self) -> None:
        """Requests a stop before the next command."""
        await self._ask_word(
            "stop", "stop before the next command; no command is left half-done",
            lambda wish: self._wish("stops before the next command", replace(wish, stop=True)),
        )  # fmt: skip

    async def action_resume(self) -> None:
        """Resumes the run; if the journal does not show that it was confirmed, the phrase is required."""
        if self.seen is not None and not isinstance(act := self.seen.act, Plan):
            await self._ask_word("resume", "look at the array and continue", lambda _: self._go_on(act.purpose))
        elif self.seen is not None and not self.seen.records:
            await self._confirm("resume")
        else:
            await self._ask_word("resume", "check the disks and continue", lambda _: self._go_on("resume"))

    async def action_undo_run(self) -> None:
        """Undoes the run after the phrase; first a worker surveys what is on the arrays."""
        seen = self.seen
        if seen is not None and self._may("undo"):
            self.say("checking what is on the arrays ...")
            self.run_worker(self._undo_run(seen), group="survey", exclusive=True)

    async def _undo_run(self, seen: RunView) -> None:
        try:
            standing = await asyncio.to_thread(standing_of, seen.folder, seen.plan)
        except RaidtuiError as error:
            self.say(error.with_hint, "bad")
            return
        self.say("")
        if foreign := findings(standing):
            self._refuse_undo(seen, foreign)
            return
        await self._confirm("undo", standing)

    def _refuse_undo(self, seen: RunView, foreign: Sequence[Finding]) -> None:
        blocks: list[Block] = [*finding_items(foreign, coded=False)]
        if seen.act.simulated:  # nobody can type a command there
            blocks.append(
                Paragraph(text=f"To practise again on blank disks: quit, then rm -r {quote(str(seen.folder))}")
            )
        lines = block_lines(blocks, min(self.app.size.width - 6, 110), self.app.glyphs)
        self.app.push_screen(TextDialog("Not undone: content that does not belong to the plan", lines))

    def _may(self, purpose: RunPurpose) -> bool:
        seen = self.seen
        if seen is None:
            return False
        name = seen.act.arrays[0].device if purpose in ("replace", "extend") else seen.folder.name[:8]
        return self.app.run_follower.may_write(seen.act, f"raidtui {purpose} {safe(name)}")

    async def _confirm(self, purpose: RunPurpose, standing: Standing | None = None) -> None:
        seen = self.seen
        if seen is None or not self._may(purpose):
            return

        def answered(confirmed: bool | None) -> None:
            if confirmed:
                self._go_on(purpose, standing)

        await self.app.push_screen(plan_dialog(seen.plan, self.app.glyphs, standing=standing), answered)

    async def _ask_word(self, word: str, what: str, do: Callable[[ControlRequest], None]) -> None:
        seen = self.seen
        if seen is None:
            return
        wish = seen.wish

        await self.ask(word_question(f"{what}: type {word}", word, lambda: do(wish)))

    def _go_on(
        self, purpose: RunPurpose, standing: Standing | None = None, passphrase: Passphrase | None = None
    ) -> None:
        seen = self.seen
        assert seen is not None
        if not self._may(purpose):
            return
        launch = self.app.run_follower.launch
        try:
            if passphrase is not None:
                launch = partial(launch, passphrase=passphrase)
            elif purpose == "resume" and isinstance(seen.act, Plan) and asks_passphrase(seen.folder, seen.act):
                self.call_later(self.ask_passphrase, partial(self._go_on, purpose, standing))
                return
            started = go_on(seen.folder, purpose, launch, seen.act, standing)
        except RaidtuiError as error:
            self.say(error.with_hint, "bad")
            return
        self.run_worker(self.app.run_follower.follow(seen.folder, started, purpose), group="follow", exclusive=True)

    def action_output(self) -> None:
        """Shows the whole line under the cursor in the log with its output, or the last output of the step."""

        seen = self.seen
        if seen is None:
            return
        if self.log_pane.has_focus:
            entry = self.log_pane.entry
        else:
            step = self.steps.cursor + 1
            entry = next((each for each in reversed(self.log_pane.entries) if each.step == step and each.output), None)
        width = min(self.app.size.width - 6, 120)
        if entry is not None and not entry.output and self.log_pane.has_focus:
            whole: list[Line] = [line(row, entry.tone) for row in wrapped(entry.text, width)]
            self.app.push_screen(TextDialog(f"{entry.time} UTC", whole))
            return
        if entry is None or not entry.output:
            self.say("this line has no command output")
            return
        rows = [part for row in said_lines(tail(seen.folder, entry.output)) for part in wrapped(row, width)]
        lines: list[Line] = [line(row, "strong") for row in command_rows(entry.argv, width, 1000)]
        lines += [line(row) for row in rows] or [line("no output", "muted")]
        self.app.push_screen(TextDialog(f"{seen.folder.name[:8]}/{entry.output}", lines))
