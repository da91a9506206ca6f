"""`raidtui disks --measure`: says how long it takes, measures, stores, and keeps what was measured on Ctrl-C."""

from __future__ import annotations

import os
import sys

from raidtui.machine.inventory import measured_speeds
from raidtui.machine.inventory.measure_machine import MachineMeasurement, MeasureProgress
from raidtui.machine.system.run_lock import lock_is_free
from raidtui.machine.system.state_paths import REAL_LOCK, speeds_path
from raidtui.model.counted import counted
from raidtui.model.errors import Locked
from raidtui.model.inventory import Inventory
from raidtui.model.safe import safe
from raidtui.planner.text.measured import disk_figures, link_figures


def measure(inventory: Inventory) -> Inventory:
    """The inventory with new figures of its unused disks and of the machine, which are stored.

    Raises Locked while another process measures or a run writes.
    """
    path = speeds_path()
    with measured_speeds.only_measurement(path):
        if not lock_is_free(REAL_LOCK):
            raise Locked("a run uses the disks", hint="raidtui status shows it; measure when it has ended")
        session = MachineMeasurement(inventory, measured_speeds.quiet(inventory.disks))
        groups = len(session.groups)
        _say(
            f"reading {counted(len(session.quiet), 'unused disk')} one by one, then those of "
            f"{counted(groups, 'shared link')} at once, then memory: about {session.seconds:.0f} s; writes nothing"
        )
        try:
            for progress in session.run():
                _tell(session, progress)
        except KeyboardInterrupt:
            _say(f"interrupted: what was measured of {len(session.found)} disks is kept")
            raise
        finally:
            if session.found or session.figures.memory:
                measured_speeds.keep(path, session.found, session.figures)
    everything = measured_speeds.stored(path)
    kernel = os.uname().release
    return measured_speeds.with_measured(inventory, dict(everything.disks), everything.machine, kernel=kernel)


def _tell(session: MachineMeasurement, progress: MeasureProgress) -> None:
    if progress.problem:
        _say(safe(progress.problem))
        return
    for disk in progress.disks:
        _say(f"{safe(disk.kernel_name)}: {disk_figures(session.found[disk.id])}")
    for link in progress.links:
        _say(f"{safe(str(link.limit))}: {link_figures(link)}")


def _say(text: str) -> None:
    print(f"raidtui: {text}", file=sys.stderr, flush=True)
