"""A machine as `observe` read it, in the middle of the first test of tests/lab/test_arrays.py."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from raidtui.model.codec import from_json
from raidtui.model.inventory import Inventory
from tests.recorded_machines.replay import RecordedReader


class Recorded(RecordedReader):
    """The machine of such a file, with its inventory; files that are read since then are not there, or as in `now`."""

    def __init__(self, path: Path, now: Mapping[str, str] | None = None) -> None:
        found = json.loads(gzip.decompress(path.read_bytes()))
        arrays = found["kept"]['["names", "/sys/block"]']["answer"]
        files = [f"/sys/block/{each}/md/{name}" for each in arrays for name in ("sync_speed_max", "logical_block_size")]
        later = {json.dumps(["read_text", file]): {"answer": (now or {}).get(file)} for file in files}
        super().__init__({**later, **found["kept"]})
        self.inventory = from_json(Inventory, json.dumps(found["inventory"]), source=path.name)
