"""Gauge thread: takes ticks in the background, since files of md and of drives may block a reader."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.session.machine_watch import ArrayWatch
from raidtui.session.session import Session
from raidtui.tui.jobs.run_follower import RunFollower
from raidtui.tui.terminal.profile import TerminalKind
from raidtui.tui.widgets.frame import PageApp
from raidtui.values.arrays import MemberState, ObservedArray, ObservedArrays
from raidtui.values.errors import RaidtuiError
from raidtui.values.gauges import Scene, Tick
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan

if TYPE_CHECKING:
    from raidtui.machine.gauges.expected_load import ExpectedLoads, LoadSeen
    from raidtui.machine.gauges.slow_disks import Laggard
    from raidtui.machine.system.ports import Ticks
    from raidtui.session.run_view import RunView


LoadsOf = Callable[["Scene"], "ExpectedLoads"]
"""makes what is expected of the disks of a scene; reads the arrays, so it is called in the background"""
PACE: dict[TerminalKind, float] = {"serial": 3.0, "console": 2.0, "ssh": 2.0, "local": 2.0}
"""seconds between ticks, by kind of terminal"""
CROWD = 500
"""number of disks from which the interval doubles, since nobody can read that many changing numbers"""
_JUDGED_EVERY = 4.0
"""seconds between searches for slow disks, which take longer than a tick"""


@dataclass
class GaugesBegan(Message):
    """Message: the scene is known."""

    thread: GaugeThread
    scene: Scene


@dataclass
class GaugesTicked(Message):
    """Message: a new tick; None after the last one."""

    thread: GaugeThread
    tick: Tick
    laggards: Sequence[Laggard]
    loads: Mapping[str, LoadSeen]


@dataclass
class GaugesFailed(Message):
    """Message: there is nothing to watch."""

    thread: GaugeThread
    reason: str


class GaugeThread:
    """Thread that takes ticks from a source at intervals and posts them to `page`."""

    def __init__(
        self, page: MessagePump, source: Callable[[], Ticks], *, pace: float, asked: float | None,
        loads: LoadsOf | None = None,
    ) -> None:  # fmt: skip
        """`asked`: seconds between ticks, None: `pace`. `loads`: what is expected."""
        self._page = page
        self._source = source
        self._loads = loads
        self._seconds = pace if asked is None else asked
        self._asked = asked is not None
        self._wanted = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def go(self) -> None:
        """Starts or resumes sampling."""
        self._wanted.set()
        if self._thread is None:
            # A daemon thread: exit never waits for it, since reading a file of a hung drive may block for minutes.
            self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)
            self._thread.start()

    def rest(self) -> None:
        """Pauses sampling."""
        self._wanted.clear()

    def stop(self) -> None:
        """Ends the thread."""
        self._over.set()
        self._wanted.set()

    def _run(self) -> None:
        try:
            ticks = self._source()
            if not self._asked and len(ticks.scene.disks) >= CROWD:
                self._seconds *= 2
            self._page.post_message(GaugesBegan(self, ticks.scene))
            self._take_all(ticks)
        except RaidtuiError as error:
            self._page.post_message(GaugesFailed(self, str(error)))

    def _take_all(self, ticks: Ticks) -> None:
        from raidtui.machine.gauges.slow_disks import SlowDiskWindow  # by the thread, beside the first picture

        comparison = SlowDiskWindow(ticks.scene)
        loads = self._loads(ticks.scene) if self._loads is not None else None
        slow: tuple[Laggard, ...] = ()
        due = time.monotonic() + self._seconds
        judged = 0.0
        while not self._over.wait(max(due - time.monotonic(), 0.0)):
            if not self._wanted.is_set():
                self._wanted.wait()
                ticks.take()  # drops the interval of the pause
                due = time.monotonic() + self._seconds
                continue
            tick = ticks.take()
            comparison.add(tick)
            if tick.time >= judged + _JUDGED_EVERY:
                judged, slow = tick.time, comparison.laggards()
            if loads is not None:
                loads.add(tick)
            self._page.post_message(GaugesTicked(self, tick, slow, {} if loads is None else loads.now()))
            due = max(due + self._seconds, time.monotonic())


# The arrays of the session's machine, read again and again: this machine's, or those of the simulated run followed.


LOOKS_EVERY: dict[TerminalKind, float] = {"serial": 10.0, "console": 5.0, "ssh": 5.0, "local": 5.0}
"""seconds between looks, by kind of terminal"""
_MDSTAT = "/proc/mdstat"


class ArrayFollower:
    """The arrays as they were last read, for every screen. While Arrays is shown that screen looks; else they are read
    when the kernel lists others, or others syncs."""

    def __init__(self, app: PageApp, session: Session, runs: RunFollower) -> None:
        self.app, self._session, self._runs = app, session, runs
        self.watch = ArrayWatch(session.inventory)
        self._found: tuple[object, ObservedArrays, Inventory] | None = None
        """whose they are, arrays, disks as they were then"""
        self.on_screen = False
        """True while Arrays is shown, which looks by itself"""
        self._stamp: object = None
        self._disks_of: object = None
        """stamp of the simulated machine whose disks the session has"""
        self._one_at_a_time = asyncio.Lock()
        runs.on_turn = self.look_now

    def start(self) -> None:
        """Looks from now on."""
        self.app.set_interval(LOOKS_EVERY[self.app.profile.kind], self.look_now)
        self.look_now()

    @property
    def seen(self) -> ObservedArrays | None:
        """The arrays of the session's machine; None where they were not read yet."""
        return self._found[1] if self._found is not None and self._found[0] == self._of() else None

    @property
    def inventory(self) -> Inventory:
        """The disks of that machine as they were then."""
        return self._found[2] if self._found is not None and self.seen is not None else self._session.inventory

    @property
    def parts(self) -> Mapping[str, MemberState]:
        """What each disk is in its array, by identity; a disk in several in the one where it is not in sync."""
        members = [member for each in (self.seen.arrays if self.seen is not None else ()) for member in each.members]
        members.sort(key=lambda each: each.state != "in-sync")
        return {member.disk_id: member.state for member in members if member.disk_id}

    @property
    def run(self) -> RunView | None:
        """What the machine may be at; None where the run that is followed is on other disks."""
        return self._runs.here

    @property
    def built(self) -> tuple[Plan, Sequence[ObservedArray]] | None:
        """The plan of the run that is followed, and its arrays as they are; None where none of them was found."""
        seen, run = self.seen, self.run
        if seen is None or run is None:
            return None
        order = [array.uuid for array in run.plan.arrays]
        found = sorted((each for each in seen.arrays if each.uuid in order), key=lambda each: order.index(each.uuid))
        return (run.plan, found) if found else None

    @property
    def members(self) -> Mapping[str, Sequence[str]]:
        """Identities of the members that the arrays of the run were built of, by slot, by the array's UUID."""
        run = self.run
        return {} if run is None else {array.uuid: array.members for array in run.plan.arrays}

    def _of(self) -> object:
        inventory = self._session.inventory
        return inventory.name, inventory.simulated, frozenset(disk.id for disk in inventory.disks)

    async def look(self, *, around: bool = True) -> None:
        """Reads the arrays now; `around`: see `ArrayWatch.take`. Raises RaidtuiError where they cannot be read."""
        async with self._one_at_a_time:
            inventory, of, before = self._session.inventory, self._of(), self.seen
            found = await asyncio.to_thread(self.watch.take, inventory, self.run, around=around)
            self._found = (of, *found)
            await self._renew_disks()
        if self.app.has_page and (before is None or found[0].arrays != before.arrays):
            self.app.page.arrays_changed()

    async def _renew_disks(self) -> None:
        """The session gets the disks of its chassis as they are, once what a run did to them has ended."""
        session, shipped = self._session, self._session.shipped
        if shipped.origin != "chassis" or self._runs.busy:
            return
        from raidtui.engine.site import present  # a real machine needs no simulator

        stamp = shipped, await asyncio.to_thread(self._stamp_now)
        if stamp != self._disks_of:
            now = await asyncio.to_thread(present, shipped)
            if session.shipped is shipped:
                self._disks_of = stamp
                if now != session.inventory:
                    session.replace_inventory(now)

    def practise(self, name: str, *, swap: bool = False) -> None:
        """Fails a disk of the simulated machine, or swaps it for a new one, so that its repair can be practised."""
        page = self.app.page
        if not self._session.inventory.simulated:
            page.say("only a simulated disk can be failed here: C opens a chassis, then build on it", "warn")
        elif self.run is None:
            page.say("no array is built on this chassis yet: 4 Commands, then b", "warn")
        else:
            self.app.run_worker(self._practise(self.run, name, swap=swap), group="practise", exclusive=True)

    async def _practise(self, run: RunView, name: str, *, swap: bool) -> None:
        from raidtui.session.jobs import fail_disk  # only where it is asked for

        try:
            told, swapped = await asyncio.to_thread(fail_disk, run.folder, run.plan, name, swap=swap)
            if swapped is not None:
                old, new = swapped
                inventory = self._session.inventory
                disks = tuple(new if disk.id == old.id else disk for disk in inventory.disks)
                self._session.replace_inventory(replace(inventory, disks=disks))
            await self.look(around=self.on_screen)
        except RaidtuiError as error:
            self.app.page.say(error.with_hint, "bad")
        else:
            self.app.page.say(told, "warn")

    def look_now(self) -> None:
        """Reads them in the background, if something is new."""
        if not self.on_screen and not self._one_at_a_time.locked():
            self.app.run_worker(self._look_if_new(), group="arrays-below", exclusive=True)

    async def _look_if_new(self) -> None:
        try:
            stamp = await asyncio.to_thread(self._stamp_now)
            if stamp is None or (stamp == self._stamp and not self._moves):
                return
            self._stamp = stamp
            await self.look(around=False)
        except RaidtuiError:
            return  # Arrays says why

    @property
    def _moves(self) -> bool:
        """True while something is synced on a simulated machine: its time goes on."""
        seen = self.seen
        return seen is not None and seen.simulated and any(array.sync is not None for array in seen.arrays)

    def _stamp_now(self) -> object:
        """What changes with the arrays; None where there are none."""
        if not self._session.inventory.simulated:
            from raidtui.machine.system.runner import SystemReader  # a simulated machine needs none
            from raidtui.programs import md  # beside it

            text = SystemReader().read_text(_MDSTAT) or ""
            return text if md.parse(text) else None
        run = self.run
        if run is None:
            return None
        from raidtui.engine.site import MACHINE, home_of  # a real machine needs no simulator

        try:
            return run.folder, self._runs.busy, (home_of(run.folder) / MACHINE).stat().st_mtime_ns
        except OSError:
            return None
