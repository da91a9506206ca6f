"""Run follower: polls the run that the app shows, and an act on its arrays, at a rate that fits the terminal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from raidtui.session.session import Session
from raidtui.tui.jobs.follower import Follower
from raidtui.tui.widgets.frame import PageApp
from raidtui.values.errors import RaidtuiError
from raidtui.values.findings import Finding
from raidtui.values.plan import Act, Plan
from raidtui.values.run import DOING, RunPurpose
from raidtui.values.safe import safe
from raidtui.values.units import counted

if TYPE_CHECKING:
    from raidtui.engine.living import LivingAct
    from raidtui.engine.site import Site
    from raidtui.machine.system.passphrase import Passphrase
    from raidtui.session.jobs import Launch, Started
    from raidtui.session.run_view import RunView, RunWatch
    from raidtui.tui.terminal.text import Line
    from raidtui.tui.widgets.confirm_dialog import ConfirmDialog


T = TypeVar("T")
_CANCELLED = "cancelled: no disk was changed"


class RunFollower(Follower["Sequence[RunWatch]", "Sequence[tuple[RunView, RunView]]"]):
    """Follows at most one run, and one act on arrays that run. Workers do all access to machine and disks."""

    def __init__(
        self,
        app: PageApp,
        session: Session,
        *,
        roots: Callable[[], Sequence[Path]] | None,
        launch: Launch[Started] | None,
        allow_writes: bool,
    ) -> None:
        super().__init__(app)
        self._session = session
        self._roots = roots
        self.allow_writes = allow_writes
        self.watch: RunWatch | None = None
        """of the run"""
        self.act: RunWatch | None = None
        """of the act, until its end was seen on Build"""
        self._launch = launch
        self.on_turn: Callable[[], None] = lambda: None
        """called when an executor begins or ends, and when another run is followed"""

    @property
    def busy(self) -> bool:
        """True while an executor works on the run shown, or on an act."""
        return any(watch.seen.busy for watch in self._watches)

    @property
    def _watches(self) -> tuple[RunWatch, ...]:
        return tuple(watch for watch in (self.act, self.watch) if watch is not None)

    @property
    def shown(self) -> RunWatch | None:
        """What Build shows: the act before the run."""
        return next(iter(self._watches), None)

    @property
    def held(self) -> frozenset[str]:
        """Identities of the disks that arrays of the run shown hold."""
        return frozenset() if self.watch is None else self.watch.seen.held

    @property
    def doing(self) -> str:
        """The executor's purpose as one word."""
        shown = self.shown
        return DOING["build" if shown is None else shown.seen.purpose].upper()

    @property
    def launch(self) -> Launch[Started]:
        """The function that starts executors."""
        from raidtui.engine.process import launch  # not before a run is looked for or begun

        return self._launch or launch

    # Which run.

    async def follow(self, folder: Path, started: Started | None = None, purpose: RunPurpose = "build") -> None:
        """Follows the run, or act, in `folder` from now on; `started`: an executor that this app started for `purpose`.

        With an act on a simulated machine also the run that has it, if none is followed."""
        from raidtui.session.run_view import RunWatch  # not before a run is shown

        before = self._watches
        try:
            found = await asyncio.to_thread(RunWatch, folder, started, purpose)
            if isinstance(found.act, Plan):
                self.watch, self.act = found, None
            else:
                self.act = found
                if self.watch is None and found.act.simulated:
                    self.watch = await asyncio.to_thread(RunWatch, found.of)
        except RaidtuiError as error:
            self.app.page.say(error.with_hint, "bad")
            return
        self.start()
        await self._look([watch for watch in self._watches if watch not in before])
        self.on_turn()

    def leave(self) -> None:
        """Forgets an act that has ended well: Build shows the run again."""
        if self.act is not None and not self.act.seen.busy and self.act.seen.run.outcome == "finished":
            self.act = None

    def find(self, *, at_work: bool) -> None:
        """Follows a run with a live executor; unless `at_work`, else the newest run if none is followed yet."""
        if not self.busy and self._roots is not None:
            only = at_work or self.watch is not None
            self.app.run_worker(self._find(self._roots, at_work=only), group="find-run", exclusive=True)

    async def _find(self, roots: Callable[[], Sequence[Path]], *, at_work: bool) -> None:
        def found() -> Path | None:
            places = [root for root in roots() if root.is_dir()]
            if not places:
                return None
            if (busy := newest(places, busy_only=True)) is not None or not session.inventory.simulated:
                return busy or newest(places, busy_only=at_work)
            left = left_on(session.shipped) if self.watch is None or not self._is_here(self.watch) else None
            return left.folder if left is not None else newest(places, busy_only=at_work)

        from raidtui.engine.site import left_on  # not before a run is looked for
        from raidtui.session.jobs import newest  # beside it

        session = self._session

        before = self._watches
        folder = await asyncio.to_thread(found)
        if folder is not None and self._watches == before and all(watch.folder != folder for watch in before):
            await self.follow(folder)

    def _is_here(self, watch: RunWatch) -> bool:
        """True if the run is on disks of the session."""
        here = {(disk.id, disk.size_bytes) for disk in self._session.inventory.disks}
        return any((disk.id, disk.size_bytes) in here for disk in watch.act.disks)

    @property
    def here(self) -> RunView | None:
        """The run that is followed, if it is on disks of the session."""
        return self.watch.seen if self.watch is not None and self._is_here(self.watch) else None

    # Polling.

    def _due(self) -> Sequence[RunWatch] | None:
        return [watch for watch in self._watches if watch.due()] or None

    def _take(self, what: Sequence[RunWatch]) -> Sequence[tuple[RunView, RunView]]:
        """Each as it was before, and as it is."""
        return [(watch.seen, watch.look()) for watch in what]

    def _apply(self, what: Sequence[RunWatch], found: Sequence[tuple[RunView, RunView]]) -> None:
        changed = any(now is not before for before, now in found)
        if not changed or not self.app.has_page or not any(watch in self._watches for watch in what):
            return
        page = self.app.page
        page.run_changed()
        if any(now.busy != before.busy for before, now in found):
            page.refresh_frame()
            self.on_turn()

    # Starting.

    def may_write(self, plan: Act, verb: str) -> bool:
        """True if this app may write to the plan's disks; else it shows how to do it."""
        reason = refusal(plan, verb, allow_writes=self.allow_writes, root=is_root())
        if reason:
            self.app.page.say(reason, "warn")
        return not reason

    def build(self) -> None:
        """Runs preflight, asks for the phrase, then starts the executor."""
        app = self.app
        if self.busy:
            app.page.say("a run is in progress: 5 shows it", "warn")
            return
        try:
            plan = self._session.plan()
            if self.watch is not None and self.watch.folder.name == plan.run_id:
                self._session.renew()  # a plan is used once; the same design gets new UUIDs
                plan = self._session.plan()
        except RaidtuiError as error:
            app.page.say(f"nothing to build: {error}", "bad")
            return
        if self.may_write(plan, "raidtui build DIR/plan.json, with DIR from e"):
            app.page.say("reading the disks again ...")
            app.run_worker(self._check(plan), group="build", exclusive=True)

    async def _check(self, plan: Plan) -> None:
        from raidtui.session.jobs import objections  # not before a plan is checked
        from raidtui.values.findings import errors  # beside it

        app = self.app
        try:
            site, findings = await asyncio.to_thread(objections, plan, self._session.inventory)
        except RaidtuiError as error:
            app.page.say(error.with_hint, "bad")
            return
        if problems := errors(findings):
            self.refuse(problems)
        else:
            await self._confirm(plan, site, findings)

    def refuse(self, findings: Sequence[Finding]) -> None:
        """Shows why the preflight refuses."""
        from raidtui.answers.findings import finding_items  # not before the plan was checked
        from raidtui.tui.widgets.dialogs import TextDialog  # not before one is shown
        from raidtui.tui.widgets.lines import block_lines  # not before the plan was checked

        app = self.app
        count = len(findings)
        app.page.say(f"not built: preflight reports {counted(count, 'error')}", "bad")
        width = min(app.size.width - 6, 110)
        lines = block_lines(finding_items(findings, coded=False), width, app.glyphs)
        app.push_screen(TextDialog("Not built: preflight errors", lines))

    async def _confirm(self, plan: Plan, site: Site, warnings: Sequence[Finding]) -> None:
        from raidtui.answers.findings import finding_items  # not before the plan was checked
        from raidtui.session.jobs import begin  # beside it
        from raidtui.tui.widgets.confirm_dialog import plan_dialog  # beside it

        app = self.app
        app.page.say("")

        async def follow(folder: Path, started: Started) -> None:
            self._session.kept = self._session.decision
            await self._show(folder, started, "build")

        dialog = plan_dialog(plan, app.glyphs, notes=finding_items(warnings, coded=False))
        if not plan.asks_passphrase:
            await self.ask_and_start(dialog, lambda: begin(plan, site, self.launch), follow)
            return

        async def start(passphrase: Passphrase) -> None:
            await self._start(lambda: begin(plan, site, partial(self.launch, passphrase=passphrase)), follow)

        async def answered(confirmed: bool | None) -> None:
            if confirmed:
                await app.page.ask_passphrase(start)
            else:
                app.page.say(_CANCELLED)

        await app.push_screen(dialog, answered)

    async def ask_and_start(
        self, dialog: ConfirmDialog, start: Callable[[], tuple[Path, T]], show: Callable[[Path, T], Awaitable[object]]
    ) -> None:
        """Starts a job once `dialog` has confirmed it, and passes its folder and its executor to `show`."""
        app = self.app

        async def answered(confirmed: bool | None) -> None:
            if confirmed:
                await self._start(start, show)
            else:
                app.page.say(_CANCELLED)

        await app.push_screen(dialog, answered)

    async def _start(self, start: Callable[[], tuple[Path, T]], show: Callable[[Path, T], Awaitable[object]]) -> None:
        try:
            folder, started = await asyncio.to_thread(start)
        except RaidtuiError as error:
            self.app.page.say(f"not started: {error.with_hint}", "bad")
            return
        await show(folder, started)

    async def _show(self, folder: Path, started: Started, purpose: RunPurpose) -> None:
        await self.follow(folder, started, purpose)
        await self.app.action_show("build")

    # Changing arrays that run.

    async def carry_out(self, found: LivingAct, site: Site, page: Callable[[int], list[Line]]) -> None:
        """Asks for the phrase of an act, which `page` shows, then starts its executor."""
        from raidtui.answers.acts import confirm_phrase  # not before one is asked for
        from raidtui.session.jobs import begin_act  # beside it
        from raidtui.tui.widgets.confirm_dialog import ConfirmDialog  # beside it

        told = "SIMULATED  " if found.simulated else ""
        what = "Replace a member of" if found.purpose == "replace" else "Extend"
        heading = safe(f"{told}{what} {found.array}: it stays in use meanwhile")

        dialog = ConfirmDialog(heading, page, (confirm_phrase(found),))
        await self.ask_and_start(
            dialog, lambda: begin_act(found, site, self.launch), partial(self._show, purpose=found.purpose)
        )

    # Exit.

    def exit_message(self) -> str:
        """The exit message while a run or an act is in progress; empty if there is none."""
        if self.act is not None and self.act.seen.busy and not isinstance(self.act.act, Plan):
            return f"raidtui: the {self.act.act.noun} continues; raidtui, then 5, shows it again"
        if not self.busy or self.watch is None:
            return ""
        name = self.watch.folder.name[:8]
        told = "simulated " if self.watch.plan.simulated else ""
        return safe(f"raidtui: the {told}run {name} continues; raidtui build --attach {name} shows it again")


def refusal(plan: Act, verb: str, *, allow_writes: bool, root: bool) -> str:
    """Reason why this app may not write to the plan's disks, with `verb` as the alternative; empty if it may."""
    if plan.simulated or (allow_writes and root):
        return ""
    if not allow_writes:
        return f"this app is read-only; as root: {verb} (or start raidtui --allow-writes)"
    return f"only root can write to disks: sudo raidtui --allow-writes, or sudo {verb}"


def is_root() -> bool:
    """True if this process can write to disks."""
    return os.geteuid() == 0
