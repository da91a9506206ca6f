"""A machine as `observe` read it, in the middle of the first test of tests/lab/test_arrays.py."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

from raidtui.programs import lsblk
from raidtui.values.codec import from_json
from raidtui.values.inventory import Inventory
from tests.recorded_machines.replay import RecordedReader


class Recorded(RecordedReader):
    """The machine of such a file, with its inventory. Files of the kernel that are read since then are not there, or as
    in `now`; lsblk was asked of the arrays alone."""

    def __init__(self, path: Path, now: Mapping[str, str] | None = None) -> None:
        found = json.loads(gzip.decompress(path.read_bytes()))
        tree = next(each for key, each in found["kept"].items() if json.loads(key)[0] == "ask" and "lsblk" in key)
        super().__init__({**found["kept"], json.dumps(["ask", lsblk.ARGV]): tree})
        self._later = now or {}
        self.inventory = from_json(Inventory, json.dumps(found["inventory"]), source=path.name)

    def read_text(self, path: str) -> str | None:
        """See MachineReader."""
        if json.dumps(["read_text", path]) not in self._answers and path.startswith("/sys/"):
            return self._later.get(path)
        found: str | None = self.__getattr__("read_text")(path)
        return found
