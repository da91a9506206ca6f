"""Main app: holds the session, connects screens and jobs; displays and computes nothing itself."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.screen import Screen

from raidtui.session.session import Session
from raidtui.tui.jobs.session_app import SessionApp
from raidtui.tui.terminal.glyphs import GLYPHS
from raidtui.tui.terminal.profile import TerminalProfile, Tier
from raidtui.tui.widgets.frame import LAST_KEYS, Page
from raidtui.tui.widgets.prompt import TextQuestion
from raidtui.values.errors import BadInput, RaidtuiError
from raidtui.values.inventory import Disk, Inventory, Smart

if TYPE_CHECKING:
    from pathlib import Path

    from raidtui.session.jobs import Launch, Started
    from raidtui.tui.screens.guide.dialog import Guided
    from raidtui.values.design import Design
    from raidtui.values.saved_design import SavedDesign

_SAID = re.compile(r"f\d+|enter|space|delete|insert|backspace")
"""keys without a sign of their own of which it is said that they do nothing"""
_CHASSIS = "e2660"
"""simulated chassis that is offered first"""
SMART_AT_ONCE = 4
"""number of drives queried for SMART data in parallel"""
_SCREENS = "raidtui.tui.screens"


class RaidtuiApp(SessionApp):
    """App with all screens. It only reads; executors write to disks; benchmarks write their own files."""

    GUARDED = frozenset({"show", "export", "chassis", "palette", "guide"})
    COPIED_ELSE = "; e writes files"
    CSS_PATH = ["app.tcss"]  # noqa: RUF012 - its screens load the other sheet
    PAGES = (
        Page("disks", "1", f"{_SCREENS}.disks.screen", "DisksScreen"),
        Page("design", "2", f"{_SCREENS}.design.screen", "DesignScreen"),
        Page("compare", "3", f"{_SCREENS}.compare.screen", "CompareScreen"),
        Page("commands", "4", f"{_SCREENS}.commands", "CommandsScreen"),
        Page("build", "5", f"{_SCREENS}.build.screen", "BuildScreen"),
        Page("bench", "6", f"{_SCREENS}.bench.screen", "BenchScreen"),
        Page("report", "7", f"{_SCREENS}.report", "ReportScreen"),
        Page("watch", "8", f"{_SCREENS}.watch", "WatchScreen", ", every disk live"),
        Page("arrays", "9", f"{_SCREENS}.arrays", "ArraysScreen", ", the md arrays that exist, live"),
    )
    SCREENS: ClassVar[dict[str, Callable[[], Screen[Any]]]] = {page.name: page.make for page in PAGES}
    BINDINGS: ClassVar[list[BindingType]] = [
        *(page.binding("screen") for page in PAGES),
        Binding("u,ctrl+z", "undo", "undo", show=False, tooltip="undo the last decision", id="app.undo"),
        Binding("U", "redo", "redo", show=False, tooltip="redo the undone decision", id="app.redo"),
        Binding(
            "e",
            "export",
            "export",
            show=False,
            tooltip="write the files of this screen: plan and scripts, or a report",
            id="app.export",
            priority=True,
        ),
        Binding("R", "rescan", "rescan", show=False, tooltip="read all disks again", id="app.rescan"),
        Binding(
            "C",
            "chassis",
            "chassis",
            show=False,
            tooltip="work on a simulated chassis, or on disks to buy; nothing is real",
            id="app.chassis",
            priority=True,
        ),
        Binding("colon,ctrl+p", "palette", "palette", tooltip="every command by name", id="app.palette", priority=True),
        *LAST_KEYS,
    ]

    def __init__(
        self,
        inventory: Inventory,
        *,
        profile: TerminalProfile,
        run_id: str,
        design: Design | None = None,
        saved: SavedDesign | None = None,
        designs: Path | None = None,
        rescan: Callable[[], Inventory] | None = None,
        smart: Callable[[Disk], Smart | None] | None = None,
        roots: Callable[[], Sequence[Path]] | None = None,
        launch: Launch[Started] | None = None,
        allow_writes: bool = False,
        bench_root: Path | None = None,
    ) -> None:
        """`saved`: the design to begin with; `designs`: directory of saved designs, None keeps them in memory.

        `roots`: directories of runs; `launch`: starts executors, by default as a process.

        `bench_root`: directory of benchmarks, None for the default.
        """
        decision = None
        if saved is not None:
            from raidtui.session.saved_designs import decision_of  # only where one is named

            decision = decision_of(saved)
        session = Session(inventory, run_id=run_id, design=design, decision=decision, designs=designs)
        super().__init__(profile, session, roots=roots, launch=launch, allow_writes=allow_writes, bench_root=bench_root)
        self._as_left()
        self._saved = saved is not None
        self._machine = None if inventory.simulated else inventory
        self.read_again = rescan
        self.read_smart = smart

    # Export.

    async def action_export(self) -> None:
        """Asks for a directory and writes the files of the present screen into it."""
        await self.page.export()

    async def action_palette(self) -> None:
        """Opens the palette, and runs the command that is picked."""
        from raidtui.tui.palette import Palette, PaletteDialog, PaletteEntry  # not before it is opened

        async def picked(entry: PaletteEntry | None) -> None:
            ran = entry.run() if entry is not None else None
            if isawaitable(ran):
                await ran

        await self.push_screen(PaletteDialog(Palette(self, self.page)), picked)

    # Simulated chassis.

    async def action_chassis(self) -> None:
        """Asks for a simulated chassis or disks to buy, or for this machine again.

        They take the place of a machine only where that has no free disk.
        """
        # only where one is asked for
        from raidtui.machine.inventory import shipped
        from raidtui.predict.stated_disks import purchase

        if self._machine is not None and self.session.inventory is self._machine and not self.session.lacks_disks:
            self.page.say("This machine has free disks; raidtui --inventory e2660 opens a simulated chassis instead.")
            return
        names = (*shipped.names(), *(("machine",) if self._machine is not None else ()))

        def accept(typed: str) -> str | None:
            name = typed.strip()
            if name in names:
                machine = self._machine if name == "machine" else None
                self._begin_with(machine or shipped.load(name))
                return None
            try:
                self._begin_with(purchase(name))
            except BadInput as wrong:
                return f"expected one of {', '.join(names)}; or disks to buy: {wrong}"
            return None

        self.page.say(f"{', '.join(names)}; or disks to buy, such as 4x8TB or 2x1TB,1x250GB", "muted")
        await self.page.ask(TextQuestion(label="chassis or disks", answer=_CHASSIS, accept=accept))

    def on_key(self, event: events.Key) -> None:
        """Names the screens on which a key works that does nothing on this one."""
        page = self.page
        if self.screen is not page or page.asking or event.key in page.active_bindings:
            return
        shown = event.is_printable and event.key != "space"
        if not shown and not _SAID.fullmatch(event.key):
            return  # a movement at the end of its way, or a terminal's own key
        bound = {
            other: binding
            for other in self.PAGES
            for binding in reversed(other.kind.BINDINGS)  # of two with one key, such as pause and continue, the first
            if isinstance(binding, Binding) and event.key in binding.key.split(",")
        }
        name = event.character if shown else event.key.capitalize()
        if (here := next((each for other, each in bound.items() if isinstance(page, other.kind)), None)) is not None:
            page.say(f"{name} ({here.description}) has no effect now: {page.idle_reason(parse(here.action)[1])}")
        elif bound:
            works = [f"{other.digit} {other.title} ({each.description})" for other, each in bound.items()]
            page.say(f"{name} works on {', '.join(works)}")
        else:
            page.say(f"{name} does nothing on any screen: ? lists the keys, : finds commands")

    def _begin_with(self, inventory: Inventory) -> None:
        """A new session on other disks; a design of the present one stays only if it was saved."""
        self.workers.cancel_group(self, "smart")
        self.session.begin_again(inventory)
        left = self._as_left()
        self.run_follower.find(at_work=True)
        self.page.refresh_frame()
        what = left or f"{inventory.name}: {'simulated' if inventory.simulated else 'this machine'}"
        self.page.say(f"{what}; C changes it")

    def _as_left(self) -> str:
        """The disks of a chassis are as its newest runs left them. Returns that as words, empty if no run did."""
        inventory = self.session.inventory
        if inventory.origin != "chassis":
            return ""
        from raidtui.machine.system.places import simulated_root  # only for a chassis

        if not simulated_root().is_dir():
            return ""
        from raidtui.engine.site import left_on  # only for one that was built on

        with suppress(RaidtuiError):  # Arrays says why
            if (left := left_on(inventory)) is not None:
                self.session.replace_inventory(left.inventory(inventory.name))
                return f"{inventory.name} is as run {left.plan.run_id[:8]} left it: 5 Build, then D, undoes it"
        return ""

    # Building.

    def action_build(self) -> None:
        """Builds the present plan after preflight and a typed phrase."""
        self.run_follower.build()

    def may_quit_unseen(self) -> bool:
        """False while a question comes first: of a design that is not saved."""
        return not self._loses_design

    def keep_what_is_lost(self) -> str:
        """Saves a design that was not saved."""
        from raidtui.session.saved_designs import keep_lost  # only after an unexpected end

        return keep_lost(self.session) if self._loses_design else ""

    async def action_quit(self) -> None:
        """Exits. A run or a benchmark continues, and the exit message shows how to reattach.

        A question comes first where a design is not saved.
        """
        if not self._loses_design:
            self._leave()
        elif self.screen is self.page and not self.page.asking:
            from raidtui.tui.jobs.files import leave_question  # only when somebody leaves

            await self.page.ask(leave_question(self, lambda: self.call_after_refresh(self._leave)))

    @property
    def _loses_design(self) -> bool:
        return self.session.designs is not None and self.session.is_unsaved

    def _leave(self) -> None:
        said = "\n".join(filter(None, (self.run_follower.exit_message(), self.bench_follower.exit_message())))
        self.exit(message=Text(said) if said else None)

    # Four questions.

    async def action_guide(self) -> None:
        """Opens the guide; the layout taken becomes the design, or Compare shows all that match the answers."""
        from raidtui.tui.screens.guide.dialog import GuideDialog  # only when the questions are asked

        await self.push_screen(GuideDialog(self.session), self._guided)

    async def _guided(self, guided: Guided | None) -> None:
        from raidtui.session.decision import taken, with_answers  # not before it is shown

        if guided is None:
            return
        decision = with_answers(self.session.decision, guided.answers, self.session.outcome.disks)
        if guided.candidate is not None:
            self.session.decide(taken(guided.candidate, decision))
            await self.action_show("design")
            words = f"{guided.candidate.layout} is now the design; 4 shows its commands, u undoes it"
            self.page.call_after_refresh(self.page.say, words, "good")
            return
        self.session.decide(decision)
        await self.run_action("introduce", self.get_screen("compare"))
        await self.action_show("compare")

    # Wiring.

    def on_mount(self) -> None:
        """Starts what can wait until after the first frame: the present run, SMART queries.

        A saved design opens on Design.
        """
        if self._saved:
            self.call_after_refresh(self.action_show, "design")
        self.call_after_refresh(self.run_follower.find, at_work=True)
        self.call_after_refresh(self.array_follower.start)
        if self.read_smart is not None:
            self.call_after_refresh(lambda: self.run_worker(self._fill_smart(), group="smart", exclusive=True))

    def action_tier(self, tier: Tier) -> None:
        """Switches to the glyphs of another tier."""
        self.glyphs = GLYPHS[tier]
        self.page.refresh_frame()
        self.page.follow_session()
        self.repaint()

    async def _fill_smart(self) -> None:
        gate = asyncio.Semaphore(SMART_AT_ONCE)
        ask = self.read_smart
        assert ask is not None

        async def read(disk: Disk) -> tuple[str, Smart | None]:
            async with gate:
                return disk.id, await asyncio.to_thread(ask, disk)

        wanted = [disk for disk in self.session.inventory.disks if disk.id and disk.smart is None]
        for at in range(0, len(wanted), 4 * SMART_AT_ONCE):
            found = dict(await asyncio.gather(*(read(disk) for disk in wanted[at : at + 4 * SMART_AT_ONCE])))
            disks = tuple(
                replace(disk, smart=found[disk.id]) if found.get(disk.id) else disk
                for disk in self.session.inventory.disks
            )
            self.session.replace_inventory(replace(self.session.inventory, disks=disks))

    # Keys.

    def action_undo(self) -> None:
        """Undoes one decision."""
        self._walk(self.session.undo, "nothing to undo", "undid", "U redoes")

    def action_redo(self) -> None:
        """Redoes one decision."""
        self._walk(self.session.redo, "nothing to redo", "redid", "u undoes")

    def _walk(self, walk: Callable[[], int], none: str, did: str, back: str) -> None:
        """Walks the history by one decision and says what is another one now; a build is never touched."""
        from raidtui.session.decision import change_words  # not before a decision was made

        before = self.session.decision
        steps = walk()
        if not steps:
            self.page.say(none)
            return
        words = f"{did} a decision: {change_words(self.session.decision, before)}; {back}"
        self.page.say(f"{words}; the build stays, D undoes it" if self.page.page_name == "Build" else words)

    def action_rescan(self) -> None:
        """Reads the disks again in the background."""
        if self.read_again is None or self.session.inventory.simulated:
            self.page.say(f"{self.session.inventory.name} is not this machine: its disks cannot be read again")
            return
        self.page.say("reading the disks again ...")
        self.run_worker(self._rescan(), group="rescan", exclusive=True)

    async def _rescan(self) -> None:
        assert self.read_again is not None
        try:
            inventory = await asyncio.to_thread(self.read_again)
        except RaidtuiError as error:
            self.page.say(f"disks not read: {error}", "bad")
            return
        before, after = ({disk.id for disk in found.disks} for found in (self.session.inventory, inventory))
        self.session.replace_inventory(inventory)
        self.page.say(f"{len(inventory.disks)} disks, {len(after - before)} new, {len(before - after)} gone")
