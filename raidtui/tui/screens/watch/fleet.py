"""Screen of `raidtui fleet watch`: hosts as groups, a line each, the worst first; Enter opens the disks of one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.model.counted import counted
from raidtui.model.fleet.gauges import FleetTick
from raidtui.model.safe import safe
from raidtui.planner.fleet.host_rows import HostRow
from raidtui.tui.gauges.host_list import HostList
from raidtui.tui.gauges.pane import GaugePane
from raidtui.tui.jobs.fleet_gauge_thread import FleetFailed, FleetGaugeThread, FleetSource, FleetTicked
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.text import Line, Span, Tone, line
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.small_layout import SmallPane

_REPLAYED = 12
"""ticks that a host's disks have in their history when it is opened"""
_ABOUT = (
    "Every host is asked for the counters of its disks and its own clock; the rates are exact for the interval between "
    "two of its answers. A line adds up all disks of a host: bytes and requests; util is the mean of its disks, await "
    "the mean over its requests.",
    "A host is slow if its disks moved at least 15 % fewer bytes per busy second than those of its peers, in nearly "
    "all busy polls of the last minute. Peers are hosts with the same number of disks of the same models, three at "
    "least. Disks are compared within their host by the same rule.",
    "A host that does not answer keeps its last figures in grey, with their age and the reason.",
)


class FleetWatchScreen(BaseScreen):
    """The hosts, or the disks of the host that was opened."""

    page_name = "Watch"
    AUTO_FOCUS = "#hosts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_host", "disks", tooltip="the disks of this host", id="fleet.watch.open"),
        Binding("escape", "fold", "hosts", tooltip="back to all hosts", id="fleet.watch.fold"),
        Binding("p", "freeze", "pause", tooltip="pause the display, or continue", id="fleet.watch.freeze"),
    ]

    def __init__(self, source: FleetSource, *, interval: float, host: str = "") -> None:
        """`host`: opened at once, Esc then leaves the screen; empty for none."""
        super().__init__()
        self.source = source
        self.host = host
        """the host whose disks are shown; empty while all hosts are"""
        self._alone = bool(host)
        self.frozen = False
        self.polls = 0
        """polls so far"""
        self._thread = FleetGaugeThread(self, source, interval=interval)
        self._ticks: deque[FleetTick] = deque(maxlen=_REPLAYED)
        self._rows: dict[str, HostRow] = {}
        self.set_class(bool(host), "-host")

    def panes(self) -> Iterator[Widget]:
        """Hosts, and disks of one."""
        self.hosts = HostList(id="hosts")
        self.gauges = GaugePane(id="gauges")
        yield from (self.hosts, self.gauges)

    def small_panes(self) -> Sequence[SmallPane]:
        """Disks or hosts."""
        return (SmallPane("gauges" if self.host else "hosts", 5),)

    def on_mount(self) -> None:
        """Starts polling."""
        self._thread.go()

    def on_unmount(self) -> None:
        """Ends the thread."""
        self._thread.stop()

    @on(FleetTicked)
    def _ticked(self, event: FleetTicked) -> None:
        self.polls += 1
        if self.frozen:
            return
        self._ticks.append(event.tick)
        self._rows = {row.host: row for row in event.rows}
        self.hosts.show(event.tick, event.rows)
        if self.host:
            self._show_disks(event.tick)
        self.refresh_frame()
        self.rest(self._status())

    @on(FleetFailed)
    def _failed(self, event: FleetFailed) -> None:
        self.hosts.empty = f"no host can be asked: {event.reason}"
        self.hosts.refresh()

    def _show_disks(self, tick: FleetTick) -> None:
        found, row = tick.hosts[self.host], self._rows.get(self.host)
        self.gauges.heading = f"Disks {found.age_s:.0f} s ago" if found.age_s else "Disks"
        if found.scene is not None and found.scene != self.gauges.scene:
            self.gauges.set_scene(found.scene)
        if found.fresh and found.tick is not None:
            self.gauges.show(found.tick, row.slow_disks if row is not None else ())
        elif found.tick is None:
            self.gauges.empty = f"no figures: {row.sentence}" if row is not None else ""
        if not found.fresh:
            self.gauges.redraw()

    # Keys.

    def action_open_host(self) -> None:
        """Shows the disks of the host under the cursor."""
        row = self.hosts.row
        if not self.host and row is not None:
            self._open(row.host)

    def action_fold(self) -> None:
        """Shows all hosts, or leaves the screen of a single one."""
        if self._alone:
            self.app.pop_screen()
        elif self.host:
            self._open("")

    def _open(self, host: str) -> None:
        self.host = host
        self.set_class(bool(host), "-host")
        self.fit_panes()
        self.gauges.set_scene(None)
        for tick in self._ticks if host else ():
            self._show_disks(tick)
        (self.gauges if host else self.hosts).focus()
        self.refresh_frame()
        self.rest(self._status())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers only what changes something."""
        if action in ("open_host", "fold"):
            return bool(self.host) == (action == "fold")
        return super().check_action(action, parameters)

    def action_freeze(self) -> None:
        """Pauses the display, or continues; the hosts are asked on."""
        self.frozen = not self.frozen
        self.rest(self._status())

    @on(Pane.Moved, "#hosts")
    def _moved(self) -> None:
        self.rest(self._status())

    @on(GaugePane.Picked)
    def _picked_disk(self) -> None:
        self.rest(self._status())

    # Texts.

    @property
    def simulated(self) -> bool:
        """True if no host is real."""
        return self.source.simulated

    def _status(self) -> Line:
        """What is to be known of the host under the cursor, or of the disk in the host that is open."""
        if self.frozen:
            return line("DISPLAY PAUSED: p continues", "warn")
        name = self.host or (self.hosts.row.host if self.hosts.row is not None else "")
        row = self._rows.get(name)
        if row is None:
            return ()
        if self.host and row.problem is None and self.gauges.picked is not None:
            return self.gauges.about(self.gauges.picked)
        hint = f"; {safe(row.problem.hint)}" if row.problem is not None and row.problem.hint else ""
        tone: Tone = "bad" if row.problem is not None else "warn" if row.sentence else "muted"
        tick = self._ticks[-1].hosts[name].tick if self._ticks else None
        fine = f"poll {self.polls}, interval {tick.seconds:.2g} s by its own clock" if tick is not None else ""
        return (Span(f"{safe(name)}: ", "strong"), Span((row.sentence or fine) + hint, tone))

    def explanation(self) -> tuple[str, Sequence[str]]:
        """How the figures are computed, and who is slow."""
        return "Hosts", _ABOUT

    # The frame; there is no session.

    def follow_session(self) -> None:
        """Follows glyphs and size."""
        self.hosts.refresh()
        self.gauges.redraw()

    def refresh_frame(self) -> None:
        """The host that is open, or how many there are."""
        state = [Span(" SIMULATED ", "simulated")] if self.simulated else []
        subject = self.host or counted(len(self.source.hosts), "host")
        self.put_title((Span(" raidtui fleet watch ", "bar-on"),), subject, state)
