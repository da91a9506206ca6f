"""A machine as `observe` read it: `Recorder` keeps every answer, `Recorded` gives it again.

Made in the lab's machine of tests/lab/test_arrays.py, in the middle of its first test:
`python3 -c "import recorded; recorded.record('arrays.json')"`, then gzip.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raidtui.machine.ports.host import Ran
from raidtui.machine.ports.runner import Pin, Syncing
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Inventory

_KINDS = {"ask": Ran, "pin": Pin, "syncing": Syncing}


class Recorder:
    """A reader that keeps what it was asked."""

    def __init__(self, inner: Any) -> None:
        self.kept: dict[str, Any] = {}
        self._inner = inner
        self.simulated = False

    def __getattr__(self, name: str) -> Any:
        def asked(*words: Any) -> Any:
            key = json.dumps([name, *words])
            try:
                answer = getattr(self._inner, name)(*words)
            except MachineFailed as problem:
                self.kept[key] = {"failed": str(problem)}
                raise
            self.kept[key] = {"answer": _plain(answer)}
            return answer

        return asked


class Recorded:
    """The machine of a recording; what was not asked then cannot be read."""

    simulated = False

    def __init__(self, path: Path) -> None:
        found = json.loads(gzip.decompress(path.read_bytes()))
        self._kept = found["kept"]
        self.inventory = from_json(Inventory, json.dumps(found["inventory"]), source=path.name)

    def __getattr__(self, name: str) -> Any:
        def asked(*words: Any) -> Any:
            found = self._kept.get(json.dumps([name, *words]), {"failed": "not recorded"})
            if "failed" in found:
                raise MachineFailed(found["failed"])
            answer, kind = found["answer"], _KINDS.get(name)
            if name == "syncing":
                return tuple(Syncing(**each) for each in answer)
            if kind is not None and answer is not None:
                return kind(**answer)
            return tuple(answer) if isinstance(answer, list) else answer

        return asked

    def clock(self) -> datetime:
        """A moment."""
        return datetime(2026, 11, 26, tzinfo=UTC)


def _plain(answer: Any) -> Any:
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return dataclasses.asdict(answer)
    if isinstance(answer, tuple):
        return [_plain(each) for each in answer]
    return answer.isoformat() if isinstance(answer, datetime) else answer


def record(path: str) -> None:
    """Records this machine."""
    from raidtui.machine.arrays.read import observe
    from raidtui.machine.inventory.this_machine import this_machine
    from raidtui.machine.system.runner import SystemReader

    inventory, recorder = this_machine(), Recorder(SystemReader())
    observe(recorder, inventory)
    document = {"inventory": json.loads(to_json(inventory)), "kept": recorder.kept}
    Path(path).write_text(json.dumps(document, indent=0))
