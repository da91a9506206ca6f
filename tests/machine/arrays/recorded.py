"""A machine as `observe` read it, in the middle of the first test of tests/lab/test_arrays.py."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from raidtui.model.codec import from_json
from raidtui.model.inventory import Inventory
from tests.recorded_machines.replay import RecordedReader


class Recorded(RecordedReader):
    """The machine of such a file, with its inventory."""

    def __init__(self, path: Path) -> None:
        found = json.loads(gzip.decompress(path.read_bytes()))
        super().__init__(found["kept"])
        self.inventory = from_json(Inventory, json.dumps(found["inventory"]), source=path.name)
