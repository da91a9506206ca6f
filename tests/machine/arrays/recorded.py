"""A machine as `observe` read it, in the middle of the first test of tests/lab/test_arrays.py."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from raidtui.model.codec import from_json
from raidtui.model.inventory import Inventory
from tests.recorded_machines.replay import RecordedReader


class Recorded(RecordedReader):
    """The machine of such a file, with its inventory; files that are read since then are not there."""

    def __init__(self, path: Path) -> None:
        found = json.loads(gzip.decompress(path.read_bytes()))
        limits = [f"/sys/block/{name}/md/sync_speed_max" for name in found["kept"]['["names", "/sys/block"]']["answer"]]
        later = {json.dumps(["read_text", path]): {"answer": None} for path in limits}
        super().__init__({**later, **found["kept"]})
        self.inventory = from_json(Inventory, json.dumps(found["inventory"]), source=path.name)
