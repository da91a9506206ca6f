"""Run follower: polls the run that the app shows at a rate that fits the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.timer import Timer

from raidtui.model.counted import counted
from raidtui.model.errors import RaidtuiError
from raidtui.model.safe import safe
from raidtui.tui.terminal.profile import TerminalKind

if TYPE_CHECKING:
    from raidtui.machine.run.site import Site
    from raidtui.model.finding import Finding
    from raidtui.model.plan import Plan
    from raidtui.model.run import RunPurpose
    from raidtui.tui.jobs.desk import Desk
    from raidtui.tui.jobs.run_control import Launch
    from raidtui.tui.jobs.run_view import RunWatch, Started

TICK: dict[TerminalKind, float] = {"serial": 1.0, "console": 0.5, "ssh": 0.25, "local": 0.2}
"""seconds between polls, by kind of terminal"""


class RunFollower:
    """Follows at most one run. Workers do all access to machine and disks."""

    def __init__(
        self, desk: Desk, *, roots: Callable[[], Sequence[Path]] | None, launch: Launch | None, allow_writes: bool
    ) -> None:
        self.desk = desk
        self._roots = roots
        self.allow_writes = allow_writes
        self.watch: RunWatch | None = None
        self._launch = launch
        self._timer: Timer | None = None
        self._looking = False

    @property
    def busy(self) -> bool:
        """True while an executor works on the run shown."""
        return self.watch is not None and self.watch.seen.busy

    @property
    def held(self) -> frozenset[str]:
        """Identities of the disks that arrays of the run shown hold."""
        return frozenset() if self.watch is None else self.watch.seen.held

    @property
    def doing(self) -> str:
        """The executor's purpose as one word."""
        undoes = self.watch is not None and self.watch.seen.purpose == "undo"
        return "UNDOING" if undoes else "BUILDING"

    @property
    def launch(self) -> Launch:
        """The function that starts executors."""
        from raidtui.machine.run.launch import launch  # not before a run is looked for or begun

        return self._launch or launch

    # Which run.

    async def follow(self, folder: Path, started: Started | None = None, purpose: RunPurpose = "build") -> None:
        """Follows the run in `folder` from now on; `started`: an executor that this app started for `purpose`."""
        from raidtui.tui.jobs.run_view import RunWatch  # not before a run is shown

        try:
            self.watch = await asyncio.to_thread(RunWatch, folder, started, purpose)
        except RaidtuiError as error:
            self.desk.page.say(error.with_hint, "bad")
            return
        if self._timer is None:
            self._timer = self.desk.set_interval(TICK[self.desk.profile.kind], self.look_now)
        self._looking = True
        await self._look(self.watch)

    def find(self, *, at_work: bool) -> None:
        """Follows a run with a live executor; unless `at_work`, else the newest run if none is followed yet."""
        if not self.busy and self._roots is not None:
            only = at_work or self.watch is not None
            self.desk.run_worker(self._find(self._roots, at_work=only), group="find-run", exclusive=True)

    async def _find(self, roots: Callable[[], Sequence[Path]], *, at_work: bool) -> None:
        def found() -> Path | None:
            places = [root for root in roots() if root.is_dir()]
            if not places:
                return None
            from raidtui.tui.jobs.run_control import newest  # not before a run is looked for or begun

            return newest(places, at_work=at_work)

        before = self.watch
        folder = await asyncio.to_thread(found)
        if folder is not None and self.watch is before and (before is None or before.folder != folder):
            await self.follow(folder)

    # Polling.

    def look_now(self) -> None:
        """Polls if something may have changed and no poll is running."""
        watch = self.watch
        if watch is not None and not self._looking and watch.due():
            self._looking = True
            self.desk.run_worker(self._look(watch), group="look", exit_on_error=True)

    async def _look(self, watch: RunWatch) -> None:
        before = watch.seen
        try:
            seen = await asyncio.to_thread(watch.look)
        finally:
            self._looking = False
        if watch is not self.watch or seen is before or not self.desk.has_page:
            return
        page = self.desk.page
        page.run_changed()
        if seen.busy != before.busy:
            page.refresh_frame()

    # Starting.

    def may_write(self, plan: Plan, verb: str) -> bool:
        """True if this app may write to the plan's disks; else it shows how to do it."""
        from raidtui.tui.jobs.run_control import is_root, refusal  # not before a run is looked for or begun

        reason = refusal(plan, verb, allow_writes=self.allow_writes, root=is_root())
        if reason:
            self.desk.page.say(reason, "warn")
        return not reason

    def build(self) -> None:
        """Runs preflight, asks for the phrase, then starts the executor."""
        desk = self.desk
        if self.busy:
            desk.page.say("a run is in progress: 5 shows it", "warn")
            return
        try:
            plan = desk.session.plan()
            if self.watch is not None and self.watch.folder.name == plan.run_id:
                desk.session.renew()  # a plan is used once; the same design gets new UUIDs
                plan = desk.session.plan()
        except RaidtuiError as error:
            desk.page.say(f"nothing to build: {error}", "bad")
            return
        if self.may_write(plan, "raidtui build DIR/plan.json, with DIR from e"):
            desk.page.say("reading the disks again ...")
            desk.run_worker(self._check(plan), group="build", exclusive=True)

    async def _check(self, plan: Plan) -> None:
        from raidtui.model.finding import errors  # not before the plan was checked
        from raidtui.tui.jobs.run_control import objections  # not before a run is looked for or begun

        desk = self.desk
        try:
            site, findings = await asyncio.to_thread(objections, plan, desk.session.inventory)
        except RaidtuiError as error:
            desk.page.say(error.with_hint, "bad")
            return
        if problems := errors(findings):
            self.refuse(problems)
        else:
            await self._confirm(plan, site, findings)

    def refuse(self, findings: Sequence[Finding]) -> None:
        """Shows why the preflight refuses."""
        from raidtui.tui.widgets.findings_pane import finding_lines  # not before the plan was checked
        from raidtui.tui.widgets.text_dialog import TextDialog  # not before one is shown

        desk = self.desk
        count = len(findings)
        desk.page.say(f"not built: preflight reports {counted(count, 'error')}", "bad")
        width = min(desk.size.width - 6, 110)
        desk.push_screen(TextDialog("Not built: preflight errors", finding_lines(findings, width, desk.glyphs)))

    async def _confirm(self, plan: Plan, site: Site, warnings: Sequence[Finding]) -> None:
        from raidtui.tui.widgets.confirm_dialog import ConfirmDialog  # not before the plan was checked
        from raidtui.tui.widgets.findings_pane import finding_lines  # not before the plan was checked

        desk = self.desk
        desk.page.say("")
        notes = (*finding_lines(warnings, desk.size.width - 6, desk.glyphs), ()) if warnings else ()

        async def answered(confirmed: bool | None) -> None:
            if confirmed:
                await self._begin(plan, site)
            else:
                desk.page.say("cancelled: no disk was changed")

        await desk.push_screen(ConfirmDialog(plan, "erase", desk.glyphs, notes=notes), answered)

    async def _begin(self, plan: Plan, site: Site) -> None:
        from raidtui.tui.jobs.run_control import begin  # not before a run is looked for or begun

        desk = self.desk
        try:
            folder, started = await asyncio.to_thread(begin, plan, site, self.launch)
        except RaidtuiError as error:
            desk.page.say(f"not started: {error.with_hint}", "bad")
            return
        desk.session.kept = desk.session.decision
        await self.follow(folder, started)
        await desk.action_show("build")

    # Exit.

    def exit_message(self) -> str:
        """The exit message while a run is in progress; empty if there is none."""
        if not self.busy or self.watch is None:
            return ""
        name = self.watch.folder.name[:8]
        told = "simulated " if self.watch.plan.simulated else ""
        return safe(f"raidtui: the {told}run {name} continues; raidtui build --attach {name} shows it again")
