"""Captures of a machine's answers; tests replay them without the machine.

A capture is one JSON document with one table per method of `Host`, and one of what a `MachineReader` was asked. In it
null means "missing" and false "permission denied". It contains names, labels, UUIDs and mount points of the machine,
and of the disks' content only the signatures found and a hash of both ends. Command lines of other programs than
mdadm's monitor, and lines of fstab that name no local device, which may hold passwords, are left out. `masked` also
replaces serial numbers, world wide names, the host's name and mail addresses.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from raidtui.machine.ports.host import Denied, Host
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Inventory
from raidtui.tools import fstab, mdadm

FORMAT = "raidtui/capture/1"
Capture = dict[str, Any]
_LOCAL = re.compile(r"\s*(?:#|/dev/|(?:PART)?(?:UUID|LABEL)=)")
"""start of a line of fstab that names a device, or is a comment"""
_WORLD_WIDE = re.compile(r"[0-9a-f]{16,}")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
_SHORT = 6
"""a serial number or name of fewer characters may stand for anything else, and is kept"""
_TABLES = {"text": "texts", "names": "names", "link": "links", "number": "numbers", "look": "looks", "run": "runs"}
"""of what a host is asked; questions without words share one"""


class RecordingHost:
    """Wrapper of a host that records every answer."""

    def __init__(self, inner: Host) -> None:
        self._inner = inner
        self._tables: dict[str, dict[str, Any]] = {table: {} for table in (*_TABLES.values(), "self")}

    def capture(self) -> Capture:
        """Answers recorded so far."""
        return {"format": FORMAT, **{name: dict(sorted(table.items())) for name, table in self._tables.items()}}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        table = _TABLES.get(name, "self")

        def asked(*words: Any) -> Any:
            key = json.dumps(words[0]) if name == "run" else " ".join(map(str, words)) if words else name
            try:
                answer = getattr(self._inner, name)(*words)
            except Denied:
                self._tables[table][key] = False
                raise
            self._tables[table][key] = _plain(answer)
            return answer

        return asked


class RecordingReader:
    """Wrapper of a `MachineReader` that records every answer, or why there is none."""

    def __init__(self, inner: MachineReader) -> None:
        self._inner = inner
        self.simulated = inner.simulated
        self.answers: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def asked(*words: Any) -> Any:
            key = json.dumps([name, *words])
            try:
                answer = getattr(self._inner, name)(*words)
            except MachineFailed as problem:
                self.answers[key] = {"failed": str(problem)}
                raise
            self.answers[key] = {"answer": _plain(_without_secrets(words[0], answer) if words else answer)}
            return answer

        return asked


class MachineCapture:
    """What this machine answers, for one file."""

    def __init__(self, host: Host, reader: MachineReader) -> None:
        self._host = RecordingHost(host)
        self._reader = RecordingReader(reader)

    @property
    def host(self) -> Host:
        """The host, recorded."""
        return cast(Host, self._host)

    @property
    def reader(self) -> MachineReader:
        """The reader, recorded."""
        return cast(MachineReader, self._reader)

    def text(self, inventory: Inventory, *, mask: bool) -> str:
        """The capture as a JSON document."""
        document = {**self._host.capture(), "reader": self._reader.answers}
        return json.dumps(masked(document, inventory) if mask else document, indent=1) + "\n"


def masked(document: Capture, inventory: Inventory) -> Capture:
    """`document` with other words of the same length for what names disks and the host, and one mail address."""
    names = [
        text for disk in inventory.disks for text in (*disk.by_id, disk.id, disk.wwn or "", disk.place.enclosure or "")
    ]
    known: dict[str, str] = {}
    for found in (number for name in names for number in _WORLD_WIDE.findall(name)):
        known.setdefault(found, f"{found[:7]}{len(known) + 1:0{len(found) - 7}x}")
    words = [*(disk.serial or "" for disk in inventory.disks), inventory.name]
    for word in (word.strip() for word in words):
        if len(word) >= _SHORT:
            known.setdefault(word, f"M{len(known) + 1:0{len(word) - 1}}")
    longest_first = sorted(known, key=len, reverse=True)
    told = {word: re.compile(re.escape(word)) for word in longest_first if _WORLD_WIDE.fullmatch(word)}
    told |= {
        word: re.compile(rf"(?<![0-9A-Za-z]){re.escape(word)}(?![0-9A-Za-z])")
        for word in longest_first
        if word not in told
    }

    def mask(value: Any) -> Any:
        if isinstance(value, dict):
            return {mask(key): mask(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [mask(each) for each in value]
        if isinstance(value, str):
            for word, pattern in told.items():
                value = pattern.sub(known[word], value)
            return _MAIL.sub("somebody@example.org", value)
        return value

    changed: Capture = mask(document)
    return changed


def _without_secrets(asked: object, answer: Any) -> Any:
    if asked == fstab.PATH and isinstance(answer, str):
        return "".join(line for line in answer.splitlines(keepends=True) if not line.strip() or _LOCAL.match(line))
    if re.fullmatch(r"/proc/\d+/cmdline", str(asked)) and isinstance(answer, str) and not mdadm.is_monitor(answer):
        return ""
    return answer


def _plain(answer: Any) -> Any:
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return dataclasses.asdict(answer)
    if isinstance(answer, tuple):
        return [_plain(each) for each in answer]
    return answer.isoformat() if isinstance(answer, datetime) else answer
