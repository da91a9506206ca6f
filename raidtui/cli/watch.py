"""`raidtui watch`: what every disk and array does right now, as a screen, a table or JSON lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from raidtui.model.errors import BadInput, Exit

if TYPE_CHECKING:
    from raidtui.machine.ticks import Ticks
    from raidtui.model.gauges import Scene, Tick
    from raidtui.model.inventory import Inventory

LEAST, MOST = 0.05, 86400.0
"""seconds between two ticks"""


def add_verb(verbs: Any, add_disk_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds `watch` to the subparsers `verbs`."""
    watch = verbs.add_parser("watch", help="every disk live: MB/s, IOPS, utilisation, latency, queue; needs no array")
    watch.add_argument("names", metavar="DISK|ARRAY", nargs="*", help="only these: name, serial, slot, identity")
    watch.add_argument("--interval", metavar="S", type=float, help="seconds between two ticks (default 1)")
    watch.add_argument("--count", metavar="N", type=int, help="end after N ticks")
    watch.add_argument("--json", action="store_true", help="one JSON object a tick")
    watch.add_argument("--plain", action="store_true", help="a table a tick, no screen")
    watch.add_argument("--record", metavar="FILE", help="keep every tick, to be shown again with --replay")
    watch.add_argument("--replay", metavar="FILE", help="show what was recorded")
    add_disk_options(watch)
    watch.set_defaults(verb="watch")


def watch(options: argparse.Namespace, inventory: Callable[[], Inventory]) -> int:
    """Shows ticks until there are no more, `--count` is reached or Ctrl-C. `inventory`: the disks that were named."""
    if options.interval is not None and not LEAST <= options.interval <= MOST:
        raise BadInput(f"--interval {options.interval:g} is out of range", hint=f"write {LEAST:g} to {MOST:g} seconds")
    if options.count is not None and options.count < 1:
        raise BadInput(f"--count {options.count} shows nothing", hint="leave it out to go on until Ctrl-C")
    screen = sys.stdout.isatty() and sys.stdin.isatty() and options.count is None
    text = options.json or options.plain or not screen
    ticks = _source(options, inventory, paced=not text)
    with ExitStack() as stack:
        if options.record is not None:
            from pathlib import Path

            from raidtui.machine.gauges.recording import Recorded, Recorder

            recorder = Recorder(Path(options.record), ticks.scene)
            stack.callback(recorder.close)
            ticks = Recorded(ticks, recorder)
        if text:
            _print_all(ticks, options)
            return Exit.DONE
        from raidtui.tui.start_watch import run_watch

        paced = options.replay is not None
        return run_watch(
            ticks, interval=options.interval, paced=paced, glyphs=options.glyphs, mouse=not options.no_mouse
        )


def _source(options: argparse.Namespace, inventory: Callable[[], Inventory], *, paced: bool) -> Ticks:
    if options.replay is not None:
        from pathlib import Path

        from raidtui.machine.gauges.recording import Replay

        if options.inventory is not None or options.disks is not None or options.names or options.record is not None:
            raise BadInput("a recording has its own disks", hint="give --replay alone")
        return Replay(Path(options.replay), speed=1.0 if paced else 0.0)
    from raidtui.machine.gauges.scene import scene_of
    from raidtui.machine.gauges.select import selected

    if options.inventory is not None or options.disks is not None:
        from raidtui.machine.simulated.ticks import SimulatedTicks, demonstration

        named = inventory()
        if not named.simulated:
            raise BadInput(f"the disks of {named.name} are not attached here", hint="leave --inventory out")
        scene, _ = selected(scene_of(named), options.names)
        return SimulatedTicks(scene, demonstration(scene))
    from raidtui.machine.gauges.sampler import SystemTicks

    scene, only = selected(scene_of(), options.names)
    return SystemTicks(scene, only=only)


def _print_all(ticks: Ticks, options: argparse.Namespace) -> None:
    """Prints every tick as it comes; a recording at once."""
    import gc
    import time

    show = _shower(ticks.scene, as_json=options.json)
    gc.freeze()  # what is loaded stays; no collection need look at it
    write, flush = sys.stdout.write, sys.stdout.flush
    interval = 1.0 if options.interval is None else options.interval
    due = time.monotonic()
    shown = 0
    while options.count is None or shown < options.count:
        if options.replay is None:
            due = max(due + interval, time.monotonic())
            time.sleep(max(due - time.monotonic(), 0.0))
        tick = ticks.take()
        if tick is None:
            return
        write(show(tick))
        flush()
        shown += 1


def _shower(scene: Scene, *, as_json: bool) -> Callable[[Tick], str]:
    if as_json:
        from raidtui.planner.gauges.json_lines import watch_line

        return lambda tick: f"{watch_line(tick, simulated=scene.simulated)}\n"
    from raidtui.planner.gauges.slow_disks import Comparison
    from raidtui.planner.gauges.table import tick_table

    comparison = Comparison(scene)

    def table(tick: Tick) -> str:
        comparison.add(tick)
        return "\n".join([*tick_table(scene, tick, comparison.laggards()), "", ""])

    return table
