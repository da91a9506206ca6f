"""Captures of a machine's answers; tests replay them without the machine.

A capture is one JSON document with one table per method of `Host`. In it null means
"missing" and false "permission denied". It contains names, serial numbers and labels of the
machine, and of the disks' content only the signatures found and a hash of both ends.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from raidtui.machine.ports.host import Denied, Host, Look, Openers, Ran

FORMAT = "raidtui/capture/1"
Capture = dict[str, Any]


class RecordingHost:
    """Wrapper of a host that records every answer."""

    def __init__(self, inner: Host) -> None:
        self._inner = inner
        tables = ("texts", "names", "links", "numbers", "looks", "runs", "self")
        self._tables: dict[str, dict[str, Any]] = {table: {} for table in tables}

    def capture(self) -> Capture:
        """Answers recorded so far."""
        return {"format": FORMAT, **{name: dict(sorted(table.items())) for name, table in self._tables.items()}}

    def capture_json(self) -> str:
        """The capture as a JSON document."""
        return json.dumps(self.capture(), indent=1) + "\n"

    def _note(self, table: str, key: str, ask: Callable[[], Any]) -> Any:
        try:
            answer = ask()
        except Denied:
            self._tables[table][key] = False
            raise
        plain = dataclasses.asdict(answer) if isinstance(answer, (Look, Openers, Ran)) else answer
        self._tables[table][key] = plain
        return answer

    def text(self, path: str) -> str | None:
        """See Host."""
        answer: str | None = self._note("texts", path, lambda: self._inner.text(path))
        return answer

    def names(self, path: str) -> tuple[str, ...]:
        """See Host."""
        answer: tuple[str, ...] = self._note("names", path, lambda: self._inner.names(path))
        return answer

    def link(self, path: str) -> str | None:
        """See Host."""
        answer: str | None = self._note("links", path, lambda: self._inner.link(path))
        return answer

    def number(self, path: str) -> str | None:
        """See Host."""
        answer: str | None = self._note("numbers", path, lambda: self._inner.number(path))
        return answer

    def look(self, path: str, number: str, size: int) -> Look:
        """See Host."""
        key = f"{path} {number} {size}"
        answer: Look = self._note("looks", key, lambda: self._inner.look(path, number, size))
        return answer

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        """See Host."""
        answer: Ran | None = self._note("runs", json.dumps(argv), lambda: self._inner.run(argv))
        return answer

    def openers(self) -> Openers:
        """See Host."""
        answer: Openers = self._note("self", "openers", self._inner.openers)
        return answer

    def euid(self) -> int:
        """See Host."""
        answer: int = self._note("self", "euid", self._inner.euid)
        return answer

    def own_paths(self) -> tuple[str, ...]:
        """See Host."""
        answer: tuple[str, ...] = self._note("self", "own_paths", self._inner.own_paths)
        return answer
