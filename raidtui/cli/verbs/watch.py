"""`raidtui watch`: live rates of every disk and array, as a screen, a table or JSON lines."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from raidtui.cli.inputs import load_inventory, names_disks, read_option
from raidtui.engine.simulation import demonstration
from raidtui.machine.gauges.rates import watch_line
from raidtui.machine.gauges.sampler import SystemTicks
from raidtui.machine.gauges.scene import scene_of, selected
from raidtui.machine.gauges.slow_disks import SlowDiskWindow, tick_table
from raidtui.machine.system.ports import Ticks
from raidtui.values.errors import BadInput, Exit
from raidtui.values.gauges import Scene, Tick

if TYPE_CHECKING:
    from raidtui.machine.gauges.expected_load import ExpectedLoads


def watch(options: argparse.Namespace) -> int:
    """Shows ticks until `--count` is reached or Ctrl-C is pressed."""
    screen = sys.stdout.isatty() and sys.stdin.isatty() and options.count is None
    text = options.json or options.plain or not screen
    ticks, loads = _source(options), _loads(options)
    if text:
        _print_all(ticks, options, loads(ticks.scene) if loads is not None else None)
        return Exit.DONE
    from raidtui.tui.start_watch import run_watch  # text output starts faster without Textual

    return run_watch(ticks, interval=options.interval, loads=loads, glyphs=options.glyphs, mouse=not options.no_mouse)


def _loads(options: argparse.Namespace) -> Callable[[Scene], ExpectedLoads] | None:
    """What the arrays of this machine should move by the workload of --ask."""
    if options.ask is None:
        return None
    if names_disks(options) or options.json:
        raise BadInput(
            "--ask is about arrays of this machine, beside their gauges",
            hint="remove --inventory, --disks and --json",
        )
    from raidtui.machine.arrays.settings import asked_loads  # only where a workload is stated
    from raidtui.machine.inventory.probe import this_machine  # beside it
    from raidtui.machine.system.runner import SystemReader  # beside it
    from raidtui.values.speed import (
        WorkloadQuestion,
        parse_ask,  # beside it
    )

    def whole(text: str) -> WorkloadQuestion:
        asked = parse_ask(text)
        if asked.state:
            raise ValueError(f"members' loads are compared of whole arrays: leave out {asked.state}")
        return asked

    ask = read_option(options, "--ask", options.ask, whole, WorkloadQuestion(kind="read"))
    return partial(asked_loads, ask, SystemReader(), this_machine())


def _source(options: argparse.Namespace) -> Ticks:
    if names_disks(options):
        named = load_inventory(options)
        if not named.simulated:
            raise BadInput(f"the disks of {named.name} are not attached here", hint="remove --inventory")
        scene, _ = selected(scene_of(named), options.names)
        return demonstration(scene)
    scene, only = selected(scene_of(), options.names)
    return SystemTicks(scene, only=only)


def _print_all(ticks: Ticks, options: argparse.Namespace, loads: ExpectedLoads | None) -> None:
    """Prints every tick as it comes."""
    show = _shower(ticks.scene, loads, as_json=options.json)
    gc.freeze()  # what is loaded stays; no collection need look at it
    write, flush = sys.stdout.write, sys.stdout.flush
    interval = 1.0 if options.interval is None else options.interval
    due = time.monotonic()
    shown = 0
    while options.count is None or shown < options.count:
        due = max(due + interval, time.monotonic())
        time.sleep(max(due - time.monotonic(), 0.0))
        write(show(ticks.take()))
        flush()
        shown += 1


def _shower(scene: Scene, loads: ExpectedLoads | None, *, as_json: bool) -> Callable[[Tick], str]:
    if as_json:
        return lambda tick: f"{watch_line(tick, simulated=scene.simulated)}\n"
    comparison = SlowDiskWindow(scene)

    def table(tick: Tick) -> str:
        comparison.add(tick)
        if loads is not None:
            loads.add(tick)
        seen = {} if loads is None else loads.now()
        return "\n".join([*tick_table(scene, tick, comparison.laggards(), seen), "", ""])

    return table
