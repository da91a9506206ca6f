"""Replays a capture: a host that answers as the captured machine did."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from raidtui.machine.inventory.capture import FORMAT, Capture
from raidtui.machine.system.ports import Denied, Look, Opener, Openers, Pin, Ran, Syncing
from raidtui.programs.signatures import FoundSignature
from raidtui.values.errors import BadInput, MachineFailed


class NotRecorded(MachineFailed):
    """The capture has no answer to what was asked."""


def read_capture(data: bytes, *, source: str) -> Capture:
    """The capture in `data`, gzipped or not. BadInput when it is none."""
    try:
        document = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (ValueError, OSError, EOFError) as problem:
        raise BadInput(f"{source} is no capture: {problem}", hint="make one with --record FILE") from problem
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadInput(f"{source} is no capture of format {FORMAT}", hint="make one with --record FILE")
    return document


class RecordedHost:
    """A captured machine. Strict: a question that was not recorded raises NotRecorded."""

    def __init__(self, capture: Capture) -> None:
        self._capture = capture

    def _answer(self, table: str, key: str) -> Any:
        try:
            answer = self._capture[table][key]
        except KeyError:
            raise NotRecorded(f"the capture says nothing of {table} {key}") from None
        if answer is False:
            raise Denied(key)
        return answer

    def text(self, path: str) -> str | None:
        """See Host. Captures that are older than the question say nothing of Write Zeroes: not known."""
        if path.endswith("/queue/write_zeroes_max_bytes") and path not in self._capture["texts"]:
            return None
        answer: str | None = self._answer("texts", path)
        return answer

    def names(self, path: str) -> tuple[str, ...]:
        """See Host."""
        return tuple(self._answer("names", path))

    def link(self, path: str) -> str | None:
        """See Host."""
        answer: str | None = self._answer("links", path)
        return answer

    def number(self, path: str) -> str | None:
        """See Host."""
        answer: str | None = self._answer("numbers", path)
        return answer

    def look(self, path: str, number: str, size: int) -> Look:
        """See Host."""
        facts = self._answer("looks", f"{path} {number} {size}")
        found = tuple(FoundSignature(**each) for each in facts.get("signatures", ()))
        return Look(**{**facts, "signatures": found, "not_zero": tuple(facts.get("not_zero", ()))})

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        """See Host."""
        answer = self._answer("runs", json.dumps(argv))
        return None if answer is None else Ran(**answer)

    def openers(self) -> Openers:
        """See Host."""
        answer = self._answer("self", "openers")
        return Openers(found=tuple(Opener(**each) for each in answer["found"]), unread=answer["unread"])

    def euid(self) -> int:
        """See Host."""
        return int(self._answer("self", "euid"))

    def own_paths(self) -> tuple[str, ...]:
        """See Host."""
        return tuple(self._answer("self", "own_paths"))


class RecordedReader:
    """The reader of a recorded machine. What was not asked then cannot be read."""

    simulated = False

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        def asked(*words: Any) -> Any:
            found = self._answers.get(json.dumps([name, *words]), {"failed": "not recorded"})
            if "failed" in found:
                raise MachineFailed(found["failed"])
            answer, kind = found["answer"], {"ask": Ran, "pin": Pin}.get(name)
            if name == "syncing":
                return tuple(Syncing(**each) for each in answer)
            if kind is not None and answer is not None:
                return kind(**answer)
            return tuple(answer) if isinstance(answer, list) else answer

        return asked

    def clock(self) -> datetime:
        """A moment."""
        return datetime(2026, 11, 26, tzinfo=UTC)
