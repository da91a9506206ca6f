"""What a host answers to `gauges`: the counters of its disks and arrays at this moment. It stores nothing.

Needs no pydantic, and loads what finds disks and their places only where the control host does not know them yet.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from raidtui.machine.fleet.host_side import AnswerDocument
from raidtui.machine.gauges.md import MdGauges
from raidtui.machine.gauges.open_files import KeptOpen
from raidtui.machine.gauges.sampler import is_array, is_disk, whole_devices
from raidtui.model.errors import BadInput, MachineFailed
from raidtui.model.fleet.kinds import COUNTERS_SCHEMA
from raidtui.model.gauges import Scene
from raidtui.model.inventory import Inventory
from raidtui.model.json_text import parsed
from raidtui.tools import proc_stat
from raidtui.tools.diskstats import DeviceOrder


def answer_gauges(simulated: Path | None, request: AnswerDocument) -> AnswerDocument:
    """Answers `gauges`. `simulated`: file of the inventory that stands in for this machine.

    Raises BadInput for a content that is no order, or where that file is not readable; MachineFailed as `counters`.
    """
    try:
        wanted = parsed(str(request.get("content", "")))["scene"] is True
    except (ValueError, KeyError, TypeError) as problem:
        raise BadInput(f"no order of gauges: {problem}", hint="install the same version on all hosts") from problem
    found = _counters("/") if simulated is None else _simulated_counters(simulated)
    if wanted:
        found["scene"] = _plain_scene(simulated)
    return {"content": json.dumps(found)}


def _counters(root: str) -> dict[str, Any]:
    """The counters of the machine below `root`. Raises MachineFailed if there is no /proc/diskstats."""
    base = root.rstrip("/")
    file = KeptOpen(f"{base}/proc/diskstats")
    lines = file.whole().split(b"\n")
    monotonic_s = time.monotonic()
    if not file.there:
        raise MachineFailed(f"{base}/proc/diskstats cannot be read", hint="mount /proc; it needs no root")
    numbers = DeviceOrder(lines).numbers
    whole = whole_devices(base, frozenset(numbers))
    arrays = [name for name in numbers if name in whole and is_array(name)]
    watched = {*arrays, *(name for name in whole if is_disk(name))}
    kept = b"\n".join([lines[number] for name, number in numbers.items() if name in watched])
    return {
        "schema": COUNTERS_SCHEMA,
        "boot": KeptOpen(f"{base}/proc/sys/kernel/random/boot_id").word(),
        "monotonic_s": monotonic_s,
        "diskstats": kept.decode("utf-8", "replace"),
        "processor": proc_stat.machine(KeptOpen(f"{base}/proc/stat").first()),
        "arrays": _arrays(base, arrays),
    }


def _arrays(root: str, names: list[str]) -> dict[str, Any]:
    gauges = MdGauges(root)
    gauges.line_up(names)
    return {name: asdict(now) for name, now in gauges.now().items()}


def _plain_scene(simulated: Path | None) -> Any:
    from raidtui.machine.gauges.scene import scene_of  # a host that the control host knows needs none
    from raidtui.model.codec import plain  # nor this

    return plain(scene_of() if simulated is None else _simulated_scene(simulated))


def _simulated_scene(path: Path) -> Scene:
    from raidtui.machine.gauges.scene import scene_of  # see above
    from raidtui.machine.inventory import shipped  # a real host has no inventory file

    found: Inventory = shipped.load_file(str(path))
    return scene_of(found)


def _simulated_counters(path: Path) -> dict[str, Any]:
    """Counters of disks that read at a steady rate since this machine started; one of them is slower."""
    from raidtui.machine.simulated.counters import steady_diskstats  # a real host needs no simulator

    now = time.monotonic()
    return {
        "schema": COUNTERS_SCHEMA, "boot": "simulated", "monotonic_s": now,
        "diskstats": steady_diskstats(_simulated_scene(path), path.stem, now), "arrays": {},
    }  # fmt: skip
