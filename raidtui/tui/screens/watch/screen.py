"""Screen 8: every disk live. What is watched is this machine, a recording, or on a chassis the design at work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.model.gauges import Scene, WatchedDisk
from raidtui.model.safe import safe
from raidtui.planner.numbers import rate
from raidtui.tui.gauges.pane import GaugePane
from raidtui.tui.jobs.gauge_thread import PACE, Began, Failed, Ticked, Watching
from raidtui.tui.screens.base import Page
from raidtui.tui.terminal.text import Line, Span, fit, line

if TYPE_CHECKING:
    from raidtui.machine.ports.ticks import Ticks

_ABOUT = (
    "One reading of /proc/diskstats an interval, worked out as iostat -x does: bytes moved and requests completed a "
    "second, the share of the interval with a request in flight (on flash that is no measure of being full), the mean "
    "time of a request with its time in the queue, the mean number in flight.",
    "Bars show how much of a bound is used: what the slot or cable carries, and one processor core for md's threads. "
    "A spare is marked +.",
    "A marked disk was behind its group in nearly all of the last minute the group was busy: it moved fewer bytes for "
    "each second busy than the group's median. `behind` says by how much.",
)


class WatchPage(Page):
    """Gauges, and of the disk under the cursor all that tells it from the others."""

    page_name = "Watch"
    AUTO_FOCUS = "#gauges"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "freeze", "freeze", tooltip="the picture stays, or goes on", id="watch.freeze"),
    ]

    def __init__(self, source: Callable[[], Ticks] | None = None, *, interval: float | None = None) -> None:
        """`source`: what is watched, asked for beside the keyboard; the app's session when None.

        `interval`: seconds between ticks; None: as often as the terminal can take. A recording has its own: 0.
        """
        super().__init__()
        self.source = source
        self.interval = interval
        self.frozen = False
        self.watching: Watching | None = None
        self._watched: object = None

    @property
    def alone(self) -> bool:
        """There is no session beside it."""
        return self.source is not None

    def panes(self) -> Iterator[Widget]:
        """The gauges."""
        self.gauges = GaugePane(id="gauges")
        yield self.gauges

    # What is watched.

    def on_screen_resume(self) -> None:
        """Ticks are wanted."""
        super().on_screen_resume()
        self._go()

    def on_screen_suspend(self) -> None:
        """Nobody looks."""
        if self.watching is not None:
            self.watching.rest()

    def on_unmount(self) -> None:
        """Nobody will."""
        if self.watching is not None:
            self.watching.stop()

    def _go(self) -> None:
        subject = self.source or (self.session.inventory, self.session.outcome if super().simulated else None)
        if self.watching is None or subject != self._watched:
            if self.watching is not None:
                self.watching.stop()
                self.gauges.set_scene(None)
            self._watched = subject
            source, pace = self.source or self._session_source(), PACE[self.desk.profile.kind]
            self.watching = Watching(self, source, pace=pace, asked=self.interval)
        self.watching.go()

    def _session_source(self) -> Callable[[], Ticks]:
        from raidtui.tui.jobs.gauge_source import session_ticks

        inventory, outcome, name = self.session.inventory, self.session.outcome, self.session.decision.plan_name
        return lambda: session_ticks(inventory, outcome, name)

    @on(Began)
    def _began(self, event: Began) -> None:
        if event.watching is self.watching:
            self.gauges.set_scene(event.scene)
            self.refresh_frame()
            self.rest(self._status())

    @on(Ticked)
    def _ticked(self, event: Ticked) -> None:
        if event.watching is self.watching and not self.frozen:
            self.gauges.show(event.tick, event.laggards)
            self.rest(self._status())

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        if event.watching is self.watching:
            self.gauges.empty = f"nothing to watch: {event.reason}"
            self.gauges.redraw()

    @on(GaugePane.Picked)
    def _picked(self) -> None:
        self.rest(self._status())

    # Words.

    @property
    def scene(self) -> Scene | None:
        """What is watched."""
        return self.gauges.scene

    @property
    def simulated(self) -> bool:
        """Known from the scene; before there is one, from the session."""
        if self.scene is not None:
            return self.scene.simulated
        return not self.alone and super().simulated

    def _status(self) -> Line:
        """The disk under the cursor; without one, the worst laggard."""
        pane = self.gauges
        if self.frozen:
            return line("FROZEN: Space goes on", "warn")
        if pane.picked is not None:
            return self._about(pane.picked)
        slowest = next((pane.picture.disks[name] for name in pane.laggards if name in pane.picture.disks), None)
        if slowest is not None:
            return self._about(slowest)
        tick = pane.picture.tick
        return line(f"an interval is {tick.seconds:.2g} s", "muted") if tick is not None else ()

    def _about(self, disk: WatchedDisk) -> Line:
        lag = self.gauges.laggards.get(disk.name)
        behind = []
        if lag is not None:
            glyph = self.desk.glyphs.alert
            behind = [Span(f"{glyph} {100 * lag.share:.0f} % behind its group for {lag.seconds:.0f} s: ", "warn")]
        who = " ".join(safe(part) for part in (disk.slot, disk.name, disk.model, disk.serial) if part)
        where = ", ".join(safe(part) for part in (disk.enclosure, disk.controller, disk.link) if part)
        return (*behind, Span(who, "strong"), Span(f"  {where}" if where else "", "muted"))

    def explanation(self) -> tuple[str, Sequence[str]]:
        """How the figures come about, and the bounds of what is watched."""
        bounds = [
            f"{ceiling.name.device}: {rate(ceiling.rate)} = {ceiling.formula}"
            for ceilings in (self.scene.ceilings.values() if self.scene is not None else ())
            for ceiling in ceilings
        ]
        return "Gauges", (*_ABOUT, *bounds)

    # The frame, which does without a session.

    def show_session(self) -> None:
        """On a chassis the design at work is another one now."""
        if self.watching is not None:
            self._go()

    def follow_session(self) -> None:
        """Only where there is one."""
        if not self.alone:
            super().follow_session()
        else:
            self.gauges.redraw()

    def refresh_frame(self) -> None:
        """The screens beside this one, or where the disks are."""
        if not self.alone:
            super().refresh_frame()
            return
        state = [Span(" SIMULATED ", "badge")] if self.simulated else []
        title = (Span(" raidtui watch ", "bar-on"),)
        room = self.app.size.width - sum(len(span.text) for span in (*title, *state)) - 2
        host = self.scene.host if self.scene is not None else ""
        name = fit(host, min(cell_len(safe(host)), max(room, 0)), self.desk.glyphs)
        self.title_bar.put(title, (*([Span(f" {name} ", "bar")] if name else []), *state))
        self.refresh_hints()

    def action_freeze(self) -> None:
        """The picture stays, or goes on."""
        self.frozen = not self.frozen
        self.rest(self._status())
