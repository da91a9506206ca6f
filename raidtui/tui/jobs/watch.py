"""Gauge thread: takes ticks in the background, since files of md and of drives may block a reader."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.session.machine_watch import ArrayWatch
from raidtui.session.session import Session
from raidtui.tui.jobs.follower import Follower
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
            self._page.post_message(GaugesFailed(self, error.with_hint))

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


Extent = Literal["new", "arrays", "all"]
"""what a look reads: the arrays if the kernel lists others or others sync; the arrays; also what is around them"""


class _Found(NamedTuple):
    """What a look found."""

    of: object
    """whose arrays they are, see `_of`"""
    arrays: ObservedArrays
    inventory: Inventory
    """the disks as they were then"""
    stamp: tuple[Inventory, object] | None = None
    """of the session's chassis and its simulated machine, where that has changed"""
    present: Inventory | None = None
    """the disks of that chassis as they are"""


class ArrayFollower(Follower[Extent, "_Found | None"]):
    """The arrays as they were last read, for every screen. What is around them is read while Arrays is shown; else they
    are read when the kernel lists others, or others sync."""

    def __init__(self, app: PageApp, session: Session, runs: RunFollower) -> None:
        super().__init__(app, LOOKS_EVERY)
        self._session, self._runs = session, runs
        self.watch = ArrayWatch(session.inventory)
        self._found: _Found | None = None
        self.on_screen = False
        """True while Arrays is shown"""
        self.unread = False
        """True where the last look of Arrays has failed"""
        self._stamp: object = None
        self._disks_of: object = None
        """stamp of the simulated machine whose disks the session has"""
        runs.on_turn = self.look_now

    def start(self) -> None:
        """See Follower; the first look is now."""
        super().start()
        self.look_now()

    @property
    def seen(self) -> ObservedArrays | None:
        """The arrays of the session's machine; None where they were not read yet."""
        found = self._found
        return found.arrays if found is not None and found.of == _of(self._session.inventory) else None

    @property
    def inventory(self) -> Inventory:
        """The disks of that machine as they were then."""
        return self._found.inventory if self._found is not None and self.seen is not None else self._session.inventory

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

    def _due(self) -> Extent:
        return "all" if self.on_screen else "new"

    async def _look(self, what: Extent) -> None:
        await super()._look(what)
        if self.on_screen and what != "all":
            self.look_now()  # Arrays came during this look

    def _take(self, what: Extent) -> _Found | None:
        inventory, shipped = self._session.inventory, self._session.shipped
        if what == "new":
            stamp = self._stamp_now()
            if stamp is None or (stamp == self._stamp and not self._moves):
                return None
            self._stamp = stamp
        found = _Found(_of(inventory), *self.watch.take(inventory, self.run, around=what == "all"))
        if shipped.origin != "chassis" or self._runs.busy:
            return found
        at = shipped, self._stamp_now()
        if at == self._disks_of:
            return found
        from raidtui.engine.site import present  # a real machine needs no simulator

        return found._replace(stamp=at, present=present(shipped))

    def _apply(self, what: Extent, found: _Found | None) -> None:
        if found is None:
            return
        before, self._found = self.seen, found
        if found.present is not None and found.stamp is not None and found.stamp[0] is self._session.shipped:
            self._disks_of = found.stamp
            if found.present != self._session.inventory:
                self._session.replace_inventory(found.present)
        if self.app.has_page and (what == "all" or before is None or found.arrays.arrays != before.arrays):
            self.app.page.arrays_changed()
        self.unread = False

    def _fail(self, what: Extent, error: RaidtuiError) -> None:
        if what != "new" and self.app.has_page:  # else Arrays says why
            self.unread = True
            self.app.page.say(f"arrays not read: {error}", "bad")

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
        except RaidtuiError as error:
            self.app.page.say(error.with_hint, "bad")
            return
        await self._look("all" if self.on_screen else "arrays")
        if not self.unread:
            self.app.page.say(told, "warn")

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


def _of(inventory: Inventory) -> object:
    return inventory.name, inventory.simulated, frozenset(disk.id for disk in inventory.disks)
