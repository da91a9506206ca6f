"""Screen 8: live gauges of this machine, or on a simulated chassis of the design under load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.tui.gauges.pane import GaugePane
from raidtui.tui.gauges.picture import BayMap
from raidtui.tui.gauges.total import LEAST, TotalPane, most_lines
from raidtui.tui.jobs.watch import PACE, GaugesBegan, GaugesFailed, GaugesTicked, GaugeThread, LoadsOf
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.app_base import terminal_of
from raidtui.tui.terminal.text import Line, Span, line
from raidtui.tui.widgets.pane import SmallPane
from raidtui.tui.widgets.slot_map import SlotMap, disk_key
from raidtui.values.amounts import rate
from raidtui.values.gauges import Scene

if TYPE_CHECKING:
    from raidtui.machine.system.ports import Ticks

_ABOUT = (
    "/proc/diskstats is read once per interval and evaluated like iostat -x. Shown are bytes and completed requests "
    "per second, and the mean number of requests in flight. Busy is the share of the interval with a request in "
    "flight; on flash it does not show saturation. Latency is the mean of a request, with its time in the queue.",
    "Bars show the used share of a limit: bandwidth of the slot or cable, one core for md threads. "
    "A spare is marked +.",
    "A stated workload (Ask in Design, `raidtui watch --ask`) adds what each member should move, by md's rules. It is "
    "a share of what all members moved in the last ten intervals. How far each is off that is shown too.",
    "A marked disk was slower than its group for nearly all of the last minute of load. It moved fewer bytes per busy "
    "second than the group's median. Its line says how busy it is for the rate of the others.",
)


class WatchScreen(BaseScreen):
    """Gauges, and in the note line the identity and location of the disk under the cursor."""

    page_name = "Watch"
    AUTO_FOCUS = "#gauges"
    SMALL = (SmallPane("gauges", 5),)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "freeze", "pause", tooltip="pause the display, or continue", id="watch.freeze"),
    ]

    def __init__(
        self, source: Callable[[], Ticks] | None = None, *, interval: float | None = None, loads: LoadsOf | None = None
    ) -> None:
        """`source`: makes the ticks in the background; None: the app's session.

        `interval`: seconds between ticks; None: by kind of terminal. `loads`: of a
        `source`, what is expected of its disks.
        """
        super().__init__()
        self.loads = loads
        self.source = source
        self.interval = interval
        self.frozen = False
        self.gauge_thread: GaugeThread | None = None
        self._watched: object = None

    @property
    def alone(self) -> bool:
        """True if there is no session."""
        return self.source is not None

    def panes(self) -> Iterator[Widget]:
        """The gauges; where there is room all disks together, and their bays."""
        self.total = TotalPane(id="total")
        self.gauges = GaugePane(id="gauges")
        self.map = BayMap(id="map")
        yield from (self.total, self.gauges, self.map)

    # Ticks.

    def on_screen_resume(self) -> None:
        """Starts sampling."""
        super().on_screen_resume()
        self._go()

    def on_screen_suspend(self) -> None:
        """Pauses sampling."""
        if self.gauge_thread is not None:
            self.gauge_thread.rest()

    def on_unmount(self) -> None:
        """Ends the gauge thread."""
        if self.gauge_thread is not None:
            self.gauge_thread.stop()

    def _go(self) -> None:
        outcome = self.session.outcome if not self.source and super().simulated else None
        built = self.app.array_follower.built if outcome is not None else None
        states = built and [(each.uuid, each.states, [m.state for m in each.members]) for each in built[1]]
        subject = self.source or (self.session.inventory, outcome, self.session.decision.ask, states)
        if self.gauge_thread is None or subject != self._watched:
            if self.gauge_thread is not None:
                self.gauge_thread.stop()
                self.gauges.set_scene(None)
            self._watched = subject
            source, pace = self.source or self._session_source(), PACE[terminal_of(self).profile.kind]
            loads = self.loads if self.alone else self._session_loads()
            self.gauge_thread = GaugeThread(self, source, pace=pace, asked=self.interval, loads=loads)
        self.gauge_thread.go()

    def _session_source(self) -> Callable[[], Ticks]:
        from raidtui.session.machine_watch import session_ticks  # raidtui watch brings its own

        inventory, outcome, name = self.session.inventory, self.session.outcome, self.session.decision.plan_name
        built = self.app.array_follower.built if inventory.simulated else None
        return lambda: session_ticks(inventory, outcome, name, built=built)

    def _session_loads(self) -> LoadsOf | None:
        """What the arrays of this machine should move by the workload that Design asks about."""
        from raidtui.session.machine_watch import session_loads  # beside its source

        ask, inventory = self.session.decision.ask, self.session.inventory
        return session_loads(ask, inventory) if ask is not None and not inventory.simulated else None

    @on(GaugesBegan)
    def _began(self, event: GaugesBegan) -> None:
        if event.thread is self.gauge_thread:
            self.total.begin()
            self.gauges.set_scene(event.scene)
            self.map.set_scene(event.scene, None if self.alone else self.session.inventory.disks)
            self.refresh_frame()
            self.rest(self._status())

    @on(GaugesTicked)
    def _ticked(self, event: GaugesTicked) -> None:
        if event.thread is self.gauge_thread and not self.frozen:
            self.total.show(event.tick)
            self.gauges.show(event.tick, event.laggards, event.loads)
            self._share_out_rows()
            self.rest(self._status())

    @on(GaugesFailed)
    def _failed(self, event: GaugesFailed) -> None:
        if event.thread is self.gauge_thread:
            self.gauges.empty, self.gauges.empty_tone = f"nothing to watch: {event.reason}", "warn"
            self.gauges.redraw()

    def fit_panes(self) -> None:
        """Also shares out the lines anew, which no tick does while the display is paused."""
        super().fit_panes()
        if self.gauges.picture.tick is not None:
            self.call_after_refresh(self._share_out_rows)

    def _share_out_rows(self) -> None:
        """Gives the gauges the lines that they need on a large terminal, then history and bays what is left."""
        large = self.has_class("-wide") and self.has_class("-tall") and not terminal_of(self).profile.plain
        body = self.query_one("#body").size.height
        frame = 2
        if self.map.names and self.has_class("-huge") and self.gauges.picture.tick is not None:
            self.map.show_values(self.gauges.picture)
        picture, inner = self.gauges.picture, self.gauges.inner_width()
        picture.tall = large
        wanted = frame + picture.lines_wanted(inner, body - frame)
        if large and body - wanted < LEAST:
            wanted = frame + picture.lines_wanted(inner, body - frame - min(most_lines(inner), body // 3))
        spare = min(body - wanted, most_lines(self.gauges.inner_width())) if large else 0
        shown = spare >= LEAST
        if self.total.display is not shown:
            self.total.display = shown
        if shown:
            self.total.styles.height = spare
        left = body - wanted - (spare if shown else 0) - frame
        bays = self.map.lines_that_fit(self.gauges.inner_width(), left) if large and self.has_class("-huge") else 0
        if self.map.display is not bool(bays):
            self.map.display = bool(bays)
        if bays:
            self.map.styles.height = bays + frame

    @on(SlotMap.Picked)
    def _picked_bay(self, event: SlotMap.Picked) -> None:
        self.gauges.pick(self.map.names[disk_key(event.disk)])

    @on(GaugePane.Picked)
    def _picked(self) -> None:
        self.rest(self._status())

    # Texts.

    @property
    def scene(self) -> Scene | None:
        """The scene on screen."""
        return self.gauges.scene

    @property
    def simulated(self) -> bool:
        """True if the scene is simulated; before there is one, the session."""
        if self.scene is not None:
            return self.scene.simulated
        return not self.alone and super().simulated

    def _status(self) -> Line:
        """The disk under the cursor; without one the worst laggard."""
        pane = self.gauges
        if self.frozen:
            return line("DISPLAY PAUSED: p continues", "warn")
        if pane.picked is not None:
            return pane.about(pane.picked)
        slowest = next((pane.picture.disks[name] for name in pane.laggards if name in pane.picture.disks), None)
        if slowest is not None:
            return pane.about(slowest)
        tick = pane.picture.tick
        return line(f"interval {tick.seconds:.2g} s", "muted") if tick is not None else ()

    def explanation(self) -> tuple[str, Sequence[str]]:
        """How the values are computed, and the ceilings of the scene."""
        bounds = [
            f"{ceiling.name.device}: {rate(ceiling.rate)} = {ceiling.formula}"
            for ceilings in (self.scene.ceilings.values() if self.scene is not None else ())
            for ceiling in ceilings
        ]
        return "Gauges", (*_ABOUT, *bounds)

    # The frame; it works without a session.

    def show_session(self) -> None:
        """Restarts the ticks, since the simulated design has changed."""
        if self.gauge_thread is not None:
            self._go()

    def follow_session(self) -> None:
        """Follows the session if there is one."""
        if not self.alone:
            super().follow_session()
        else:
            self.gauges.redraw()

    def refresh_frame(self) -> None:
        """Shows the other screens in the title, or the host if there are none."""
        if not self.alone:
            super().refresh_frame()
            return
        state = [Span(" SIMULATED ", "simulated")] if self.simulated else []
        host = self.scene.host if self.scene is not None else ""
        self.put_title((Span(" raidtui watch ", "bar-on"),), host, state)

    def action_freeze(self) -> None:
        """Pauses the display, or continues."""
        self.frozen = not self.frozen
        self.rest(self._status())
