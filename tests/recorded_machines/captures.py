"""The recorded machines, by name."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import cast

from raidtui.advice.audit.rules import audit
from raidtui.machine.arrays.read import ArraysLook, observe
from raidtui.machine.arrays.settings import audit_facts
from raidtui.machine.inventory.capture import Capture
from raidtui.machine.inventory.probe import probe
from raidtui.machine.system.ports import MachineReader
from raidtui.values.arrays import Audit, ObservedArrays
from raidtui.values.inventory import Disk, Inventory
from tests.recorded_machines.replay import RecordedHost, RecordedReader, read_capture

ROOT = Path(__file__).parent
NAMES = tuple(sorted(path.parent.name for path in ROOT.glob("*/capture.json.gz")))


@functools.cache
def _text(name: str) -> str:
    data = (ROOT / name / "capture.json.gz").read_bytes()
    return json.dumps(read_capture(data, source=name))


def capture(name: str) -> Capture:
    """A fresh copy of the capture `name`, free to be changed."""
    document: Capture = json.loads(_text(name))
    return document


def replay(document: Capture, *, smart: bool = False) -> Inventory:
    """The inventory that a capture means."""
    return probe(RecordedHost(document), smart=smart)


def by_serial(inventory: Inventory) -> dict[str | None, Disk]:
    """Disks by serial."""
    return {disk.serial: disk for disk in inventory.disks}


def observed(document: Capture) -> ObservedArrays:
    """The arrays of a capture that `raidtui audit --record` made."""
    return observe(_reader(document), replay(document))


def audited(document: Capture) -> Audit:
    """What the rules find there, without plans of runs."""
    look = ArraysLook(_reader(document), replay(document))
    return audit(audit_facts(look, look.take()))


def _reader(document: Capture) -> MachineReader:
    return cast(MachineReader, RecordedReader(document["reader"]))
