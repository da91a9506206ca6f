"""Screen 6: choice of a benchmark with its cost, then its live view: disks, limit, measured beside predicted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.widget import Widget

from raidtui.answers.bench import loss_blocks, task_blocks
from raidtui.answers.trials import record_lines, tune_blocks
from raidtui.bench import tuning
from raidtui.bench.prepare import of_tree
from raidtui.engine.journal import records
from raidtui.session.bench_view import BenchView
from raidtui.session.jobs import Started, change
from raidtui.tui.gauges.pane import GaugePane
from raidtui.tui.gauges.picture import BayMap
from raidtui.tui.jobs.bench_targets import BenchChoice, Ready, directory_target, profiles, targets
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.screens.bench.panes import (
    ChoicePane,
    TasksPane,
    about_lines,
    bench_text,
    cost_words,
    findings_of,
    link_lines,
    measured_bays,
    now_lines,
    profile_lines,
    progress,
    status_line,
)
from raidtui.tui.screens.bench.table import BenchTable
from raidtui.tui.terminal.text import Line, line
from raidtui.tui.widgets.blocks_pane import BlocksPane
from raidtui.tui.widgets.dialogs import TextDialog
from raidtui.tui.widgets.frame import FRAME
from raidtui.tui.widgets.lines import block_lines
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.tui.widgets.prompt import TextQuestion, accepts, word_question
from raidtui.tui.widgets.slot_map import SlotMap, disk_key, shelves
from raidtui.values.blocks import Block, Listing, Paragraph
from raidtui.values.errors import RaidtuiError

_LAID_OUT = 0.05
"""seconds after which panes that are newly shown have their width"""
_MOST_GAUGES = 10
"""maximum lines of the gauges on a short screen"""
_MOST_TABLE, _MOST_FINDINGS = 10, 5
"""lines of the table that bays leave to it, and of the findings, on a very large screen"""
_LEAST_NOW = 10
"""minimum lines of the Now pane if links have bars"""
_MOST_SKIPPED = 3
"""names of a tree that are shown at most"""
_WHILE_RUNNING = ("pause", "next_job", "stop")
_WHILE_SHOWN = ("again", "copy", "details")
_WHILE_CHOOSING = ("start", "directory", "tree", "tune")


class BenchScreen(BaseScreen):
    """Before the start the choice; then gauges, the present limit, the table, findings."""

    page_name = "Bench"
    AUTO_FOCUS = ""
    LOADS = frozenset({"bench-prepare", "bench-tree"})
    SMALL = (SmallPane("table", 5), SmallPane("now", 4), SmallPane("gauges", 6), SmallPane("findings", 3))
    SMALL_OVER = (SmallPane("now", 8), SmallPane("table", 4), SmallPane("findings", 3))
    SMALL_CHOOSING = (SmallPane("choose", 3), SmallPane("tests", 6), SmallPane("about", 5))
    QUESTIONS = BaseScreen.QUESTIONS | {"start", "directory", "tree", "stop", "pause", "next_job"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "start", "start", tooltip="start, after typing start", id="bench.start", priority=True),
        Binding("slash", "directory", "directory", tooltip="measure in another mounted directory", id="bench.directory",
                priority=True),
        Binding("O", "tree", "own tree", tooltip="measure with a tar file or directory of your own", id="bench.tree",
                priority=True),
        Binding("T", "tune", "tune", show=False, tooltip="trials on the design's blank disks, as raidtui tune does",
                id="bench.tune", priority=True),
        Binding("p", "pause", "pause", tooltip="pause, or continue", id="bench.pause",
                priority=True),
        Binding("greater_than_sign", "next_job", "next", tooltip="skip to the next test", id="bench.next",
                priority=True),
        Binding("x", "stop", "stop", tooltip="stop; results are kept, its files are removed", id="bench.stop",
                priority=True),
        Binding("enter", "details", "details", show=False, tooltip="repeats, latency and limits of a test",
                id="bench.details"),
        Binding("b", "again", "new bench", tooltip="choose a new benchmark", id="bench.again"),
        Binding("y", "copy", "copy", show=False, tooltip="copy the table as text", id="bench.copy"),
        Binding("e", "app.export", "export", tooltip="write its report: Markdown, JSON, HTML",
                priority=True),
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """Choice, tests, cost; gauges, now, table, findings."""
        self.choice = BenchChoice()
        self.choosing = ChoicePane(id="choose")
        self.tests = TasksPane(id="tests")
        self.about = Pane("Purpose and cost", id="about")
        self.where = SlotMap("Slots in use", id="where", view="array", boxes=True)
        self.gauges = GaugePane(heading="Disks", id="gauges")
        self.gauges.picture.bars = True
        self.now = Pane("Now", id="now")
        self.table = BenchTable(id="table")
        self.details = Pane("", id="details")
        self.findings = BlocksPane("Findings", id="findings")
        self.map = BayMap(id="map")
        self._scene: object = None
        self._tick: object = None
        self._frame: object = None
        self._asked = 0
        self._stage = ""
        """choosing, running, over"""
        for pane in (self.now, self.about, self.tests):
            pane.can_focus = pane is self.tests
        yield from (self.choosing, self.tests, self.about, self.where)
        yield from (self.gauges, self.now, self.table, self.details, self.map, self.findings)

    def small_panes(self) -> Sequence[SmallPane]:
        """Those of the choice, of the tests, or of the results."""
        if self.has_class("-over"):
            return self.SMALL_OVER
        return self.SMALL_CHOOSING if self.has_class("-choosing") else self.SMALL

    @property
    def seen(self) -> BenchView | None:
        """The benchmark on screen; None before the start."""
        return self.app.bench_follower.seen

    @property
    def simulated(self) -> bool:
        """True if the benchmark is simulated."""
        seen = self.seen
        if seen is not None:
            return seen.bench.simulated
        target = self.choice.target
        return target.simulated if target is not None else super().simulated

    def show_session(self) -> None:
        """Updates the choice; a running benchmark does not depend on decisions."""
        self.show_bench()
        if self.seen is None:
            self.app.bench_follower.find()
            self._look_around()

    # Choosing.

    def _look_around(self) -> None:
        if not self.choice.profiles:
            self.choice.profiles = profiles()
        self.choice.targets = targets(self.app)
        self.choice.target_at = min(self.choice.target_at, max(len(self.choice.targets) - 1, 0))
        self._prepare()

    def _prepare(self) -> None:
        """Prepares the chosen benchmark in the background."""
        self._asked += 1
        self.choice.ready, self.choice.refusal = None, ""
        self._show_choice("checking the target ...")
        if self.choice.profile is not None and self.choice.target is not None:
            self.run_worker(self._prepared(self._asked), group="bench-prepare", exclusive=True)

    async def _prepared(self, asked: int) -> None:
        profile, target = self.choice.profile, self.choice.target
        assert profile is not None
        assert target is not None
        try:
            ready, refusal = await asyncio.to_thread(target.prepare, profile), ""
        except RaidtuiError as error:
            ready, refusal = None, error.with_hint
        if asked == self._asked:
            self.choice.ready, self.choice.refusal = ready, refusal
            self._show_choice("this benchmark cannot run here")
            self.refresh_frame()

    def _show_choice(self, waiting: str) -> None:
        choice, glyphs = self.choice, self.app.glyphs
        self.choosing.show(choice)
        self.tests.show(choice.ready, waiting if choice.targets else "there is no target to measure")
        tall, huge = self.has_class("-tall"), self.has_class("-huge")

        def listed(width: int) -> list[Line]:
            return profile_lines(choice, width, glyphs, purposes=huge) if tall else []

        self.about.put(lambda width: [*about_lines(choice, width, glyphs), *listed(width)])
        disks = self.session.inventory.disks
        bays = measured_bays(choice.ready.bench, disks, glyphs) if choice.ready is not None else None
        self.where.show(*((shelves(disks), *bays) if bays is not None else ((), {}, {})))
        self._share_out_rows()
        if self.seen is None:
            self.rest(line("b, then type start", "muted") if choice.ready else ())

    @on(ChoicePane.Stepped)
    def _stepped(self, event: ChoicePane.Stepped) -> None:
        choice = self.choice
        if event.field == 0 and 0 <= choice.profile_at + event.by < len(choice.profiles):
            choice.profile_at += event.by
        elif event.field == 1 and 0 <= choice.target_at + event.by < len(choice.targets):
            choice.target_at += event.by
        else:
            return
        self._prepare()

    async def action_start(self) -> None:
        """Asks for a word, then starts the benchmark."""
        ready = self.choice.ready
        if ready is None:
            self.say(self.choice.refusal or "the benchmark is not ready yet", "warn")
            return

        self.say(cost_words(ready))
        await self.ask(word_question("type start", "start", self._begin))

    def _begin(self) -> None:
        ready = self.choice.ready
        if ready is not None and not self.app.bench_follower.busy:
            self.say("starting ...")
            self.choice.ready = None  # it is begun once
            self.app.run_worker(self._begun(ready), group="bench-begin")

    async def _begun(self, ready: Ready) -> None:
        try:
            folder, started = await asyncio.to_thread(ready.begin)
        except RaidtuiError as error:
            self._asked += 1
            await self._prepared(self._asked)  # another one to begin
            self.say(f"not started: {error.with_hint}", "bad")
            return
        self.say("")
        await self.app.bench_follower.follow(folder, started)

    async def action_directory(self) -> None:
        """Asks for another directory to measure in."""

        def choose(directory: str) -> None:
            self.choice.targets = (*self.choice.targets, directory_target(self.app, directory))
            self.choice.target_at = len(self.choice.targets) - 1
            self._prepare()

        await self.ask(TextQuestion(label="mounted directory", answer="/srv/", accept=accepts(choose)))

    async def action_tree(self) -> None:
        """Asks for a tree, and chooses its profile."""

        def accept(typed: str) -> str | None:
            self.say("reading the tree ...")
            self.run_worker(self._read_tree(Path(typed.strip()).expanduser()), group="bench-tree", exclusive=True)
            return None

        await self.ask(TextQuestion(label="tar file or directory", answer="~/", accept=accept))

    async def _read_tree(self, source: Path) -> None:
        try:
            profile, skipped = await asyncio.to_thread(of_tree, source)
        except RaidtuiError as error:
            self.say(error.with_hint, "bad")
            return
        if skipped:
            named = "; ".join(skipped[:_MOST_SKIPPED])
            profile = replace(profile, purpose=f"{profile.purpose} Skipped are {len(skipped)}: {named}.")
        self.choice.profiles = (*(each for each in self.choice.profiles if each.name != profile.name), profile)
        self.choice.profile_at = len(self.choice.profiles) - 1
        self._prepare()

    def action_tune(self) -> None:
        """Begins trials after a phrase, or shows those at work."""
        from raidtui.tui.jobs.tune_control import tune  # only for trials
        # only for trials

        show = lambda folder, started: self.app.push_screen(TuneDialog(folder, started))  # noqa: E731
        self.run_worker(tune(self.app, show), group="tune", exclusive=True)

    # Running.

    def bench_changed(self) -> None:
        """Shows what changed, unless the app is being taken down."""
        if self.table.is_attached:
            self.show_bench()

    def show_bench(self) -> None:
        """Updates all panes."""
        seen = self.seen
        stage = "choosing" if seen is None else "running" if seen.busy else "over"
        if self._stage != stage:
            if "choosing" in (stage, self._stage) or not self._stage:
                self.call_after_refresh((self.choosing if seen is None else self.table).focus)
            self._stage = stage
            self.set_class(stage == "choosing", "-choosing")
            self.set_class(stage == "over", "-over")
            self.fit_panes()
            self.set_timer(_LAID_OUT, self._share_out_rows)  # once panes have their width
        if seen is not None:
            self._show_gauges(seen)
            self._show_now(seen)
            self.table.show(seen.rows())
            losses = loss_blocks(seen.result) if stage == "over" and self.has_class("-huge") else ()
            self.findings.show((*findings_of(seen), *losses))
            self._show_details(seen)
            self.call_after_refresh(self._share_out_rows)
            picked = self.gauges.picked if self.focused in (self.gauges, self.map) else None
            self.rest(self.gauges.about(picked) if picked is not None else status_line(seen))
        frame = (seen, seen.busy, seen.paused) if seen is not None else None
        if frame != self._frame:
            self._frame = frame
            self.refresh_frame()

    def _show_gauges(self, seen: BenchView) -> None:
        if self._scene is not seen.scene:
            self._scene = seen.scene
            self.gauges.set_scene(seen.scene)
            self.map.set_scene(seen.scene, self.session.inventory.disks)
        if seen.tick is not None and seen.tick is not self._tick:
            self._tick = seen.tick
            self.gauges.show(seen.tick, seen.laggards, seen.loads)
        if self.map.names and self.has_class("-huge") and seen.tick is not None:
            self.map.show_values(self.gauges.picture)

    def _share_out_rows(self) -> None:
        """Gives the gauges the lines that they need, and the table the rest; before the start the tests."""
        if not self.table.is_attached:  # the app is being taken down
            return
        body = self.query_one("#body")
        tall, huge = self.has_class("-tall"), self.has_class("-huge")
        frame = 2 if self.gauges.boxed else 1
        if self.has_class("-choosing") and not huge:
            tests = min(self.tests.line_count() + 1 + frame, (self.app.size.height - FRAME) // 2)
            body.styles.grid_rows = f"{self.choosing.line_count() + frame} {tests} 1fr"
            return
        room = self.app.size.height - FRAME - bool(self.alarm)
        if self.has_class("-choosing"):
            body.styles.grid_rows = self._choice_rows(room, frame)
            return
        findings = frame + max(min(self.findings.line_count(), _MOST_FINDINGS), 1)
        if self.has_class("-over"):
            now = min(self.now.line_count() + frame, room * 2 // 3)
            table = min(self.table.line_count() + 1 + frame, room - now - findings)
            body.styles.grid_rows = f"{now} {table} 1fr" if huge else f"{now} 1fr {findings}"
            return
        table = min(self.table.line_count(), _MOST_TABLE) + 1 + frame
        bays_too = huge and bool(self.map.names)  # a bay has its own bar
        self.gauges.picture.bars = not bays_too
        most = room - table - findings - (0 if huge else 4 + frame) if tall else _MOST_GAUGES
        most = min(most, self.size.height // 2) if bays_too else most
        wanted = frame + self.gauges.picture.lines_wanted(max(self.gauges.inner_width(), 1), most - frame)
        if not tall:
            body.styles.grid_rows = f"{max(4, wanted)} 4 1fr {min(findings, 3)}"
        elif huge:
            now = min(self.now.line_count() + frame, most)
            upper = max(_LEAST_NOW, wanted, now)
            left = room - upper - table - frame - findings
            bays = self.map.lines_that_fit(self.table.inner_width(), left)
            self.set_class(bays > 0, "-placed")
            body.styles.grid_rows = f"{upper} 1fr {f'{bays + frame} ' if bays else ''}{findings}"
        else:
            body.styles.grid_rows = f"{max(6, wanted)} {4 + frame} 1fr {findings}"

    def _choice_rows(self, room: int, frame: int) -> str:
        """Rows before the start on a very large screen: the slots as large as fits, the tests with their loads."""
        choose = self.choosing.line_count() + frame
        tests = self.tests.line_count() // self.tests.each
        least = self.where.lines_for(0) + frame
        self.set_class(bool(self.where.shelves) and room - choose - tests - 1 - frame >= least, "-placed")
        rest = room - choose - 1 - frame - (least if self.has_class("-placed") else 0)
        each = max((count for count in (1, 2, 3) if tests * count <= rest), default=1)
        self.tests.spread(each)
        return f"{choose} {tests * each + 1 + frame} 1fr" if self.has_class("-placed") else f"{choose} 1fr"

    def _show_details(self, seen: BenchView) -> None:
        """The test under the cursor, beside the table of a very large screen."""
        row, glyphs = self.table.row, self.app.glyphs
        if row is None or not self.details.display:
            return
        changed, self.details.heading = self.details.heading != row.long_name, row.long_name
        blocks = task_blocks(
            row.tasks, seen.result, seen.compared, seen.expected(row.tasks[0]), seen.trouble, seen.scene
        )
        self.details.renew(lambda width: block_lines(blocks, width, glyphs))
        if changed:
            self.details.top = 0
            self.details.refresh()

    @on(Pane.Moved, "#table")
    def _moved(self) -> None:
        if self.seen is not None:
            self._show_details(self.seen)

    def _show_now(self, seen: BenchView) -> None:
        pane, glyphs = self.now, self.app.glyphs
        task, tick, limit = seen.task, seen.tick, seen.limit
        expected = seen.expected(task) if task is not None else None

        def lines(width: int) -> list[Line]:
            found = now_lines(seen, task, tick, expected, limit, width, glyphs, thick=self.has_class("-tall"))
            if seen.busy and tick is not None and len(found) < pane.room():
                found += link_lines(seen.scene, tick, width, glyphs)
            return found

        heading = progress(seen)
        changed, pane.heading = pane.heading != heading, heading
        pane.renew(lines)
        if changed:
            pane.refresh(Region(0, 0, pane.size.width, 1))

    @on(GaugePane.Picked)
    def _picked(self) -> None:
        self.show_bench()

    @on(SlotMap.Picked)
    def _picked_bay(self, event: SlotMap.Picked) -> None:
        if self.seen is not None:  # before the start the slots are only looked at
            self.gauges.pick(self.map.names[disk_key(event.disk)])

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the verdicts."""
        return "Predicted and measured", (
            "Where a profile repeats a test, its result is the median, its spread (highest - lowest) / median.",
            "ok: within the band of nine measurements of ten. LOW or high: outside it. Not judged: within a band whose "
            "upper end is more than four times the lower. No prediction: the model has none for this test. Not "
            "comparable: another activity, such as a resync, ran at the same time.",
            "Predicted is what the model expects of this very test: its streams, depth, request size and files. Design "
            "shows other workloads: its headline keeps every disk busy, Asked is the one that you typed.",
            "The limit seen comes from the gauges. It is members at their rate, a link at its bandwidth, md's thread "
            "at 100 %, or a slow disk.",
        )

    # Keys.

    def idle_reason(self, action: str) -> str:
        """See Frame."""
        seen = self.seen
        if seen is None:
            if action in (*_WHILE_RUNNING, *_WHILE_SHOWN):
                return "no benchmark runs; b starts one"
            return "a simulated machine has no directories" if action == "directory" and super().simulated else ""
        if seen.busy:
            waits = action == "again" or action in _WHILE_CHOOSING
            return "a benchmark runs; x stops it" if waits else ""
        if action in _WHILE_RUNNING:
            return "this benchmark is over; b begins a new one"
        return "first b, which begins a new one" if action in _WHILE_CHOOSING else ""

    def action_pause(self) -> None:
        """Pauses or continues."""
        pauses = self.seen is not None and not self.seen.paused
        if self.app.bench_follower.ask(lambda wish: replace(wish, pause=pauses)):
            self.say("pauses: the present repeat is dropped and run again later" if pauses else "continues")

    def action_next_job(self) -> None:
        """Skips to the next test."""
        task = self.seen.task if self.seen is not None else None
        if task is not None and self.app.bench_follower.ask(lambda wish: replace(wish, skip=task.number, pause=False)):
            self.say("skips this test")

    async def action_stop(self) -> None:
        """Stops it after a word."""

        def stop() -> None:
            if self.app.bench_follower.ask(lambda wish: replace(wish, stop=True)):
                self.say("stopping and removing its files ...")

        await self.ask(word_question("stop the benchmark, keep its results: type stop", "stop", stop))

    def action_again(self) -> None:
        """Returns to the choice of a benchmark."""
        self.app.bench_follower.leave()
        self._scene = self._tick = None
        self.show_bench()
        self._share_out_rows()
        self._look_around()

    def action_details(self) -> None:
        """Shows repeats, latency and limits of the test under the cursor."""

        seen, row = self.seen, self.table.row
        if seen is not None and row is not None:
            width = min(self.app.size.width - 6, 110)
            blocks = task_blocks(
                row.tasks, seen.result, seen.compared, seen.expected(row.tasks[0]), seen.trouble, seen.scene
            )
            self.app.push_screen(TextDialog(row.long_name, block_lines(blocks, width, self.app.glyphs)))

    def action_copy(self) -> None:
        """Copies the table as text."""

        if self.seen is not None:
            self.app.copy(bench_text(self.seen), "benchmark")

    async def export(self) -> None:
        """Asks for a directory and writes a report of this benchmark."""
        from raidtui.tui.jobs.files import export_bench  # only for a report of it

        if self.seen is None:
            self.say("no results yet", "warn")
        else:
            await self.ask(export_bench(self.app, self.seen))


# Dialog of trials: their progress, and the table of results at the end.


_LOOK_SECONDS = 0.5
_WORKLOAD, _FIGURE = 14, 21
"""cells of the table's first column, and of each other"""


class TuneDialog(TextDialog):
    """Follows the trials in a directory; closing it does not stop them."""

    CSS_PATH = "../../widgets/text_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "stop", "stop", tooltip="stop the trials", show=False)]

    def __init__(self, folder: Path, started: Started | None) -> None:
        super().__init__("Trials", ())
        self.folder, self.started = folder, started
        self.pane.aside = "x stops, Esc closes, T shows them again"

    def on_mount(self) -> None:
        """Looks at once, then as time passes."""
        self.look()
        self.set_interval(_LOOK_SECONDS, self.look)
        super().on_mount()

    def look(self) -> None:
        """Shows progress while trials run, the result after."""
        width = self.app.size.width - 4
        try:
            blocks = self._blocks(width)
        except RaidtuiError as error:
            blocks = (Paragraph(text=error.with_hint),)
        self.text = block_lines(blocks, width, self.pane.glyphs)
        self.pane.put(lambda _: self.text)
        self.fit()

    def _blocks(self, width: int) -> Sequence[Block]:
        result = tuning.load(self.folder)
        if result.outcome != "running" and (self.started is None or not self.started.running()):
            self.pane.aside = "Esc closes"
            return tune_blocks(result, max((width - _WORKLOAD) // _FIGURE, 1))
        rows = tuple(row for record in records(self.folder) for row in record_lines(record))
        return (Listing(lines=rows),)

    def action_stop(self) -> None:
        """Asks the executor to stop; what stands is undone first."""
        change(self.folder, lambda wish: replace(wish, stop=True))
        self.pane.aside = "stopping: what stands is undone first"
