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
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Any, Literal, TypeVar, cast

from raidtui.machine.system.ports import Denied, Host, Look, MachineReader, Openers, Ran
from raidtui.programs import mdadm, mount
from raidtui.values.codec import by_key
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Inventory

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
    if asked == mount.PATH and isinstance(answer, str):
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


# Host wrapper that records what could not be read, and of which device, so that unreadable never counts as unused.
# What fails while one device is read costs that device: `about` it. What fails elsewhere may hide users of any disk,
# but for what says nothing of users: `beside`.


T = TypeVar("T")
Cause = Literal["denied", "failed", "odd"]
"""no permission; the machine failed; what was read has no meaning, or raidtui none for it"""
_DENIED = "permission denied"


def way_to_read(cause: Cause, denied: str) -> str:
    """How what could not be read is read; `denied`: hint where permissions are missing."""
    match cause:
        case "denied":
            return denied
        case "failed":
            return "the kernel's log (dmesg) says why; reseat the disk or leave it out"
        case "odd":
            return "raidtui disks --record FILE keeps what was read, for a report"


@dataclass(frozen=True, slots=True)
class Unread:
    """One thing that could not be read."""

    what: str
    """words for what was read; its path where it has one"""
    why: str
    cause: Cause
    path: str = ""
    """empty for what has none"""

    def __str__(self) -> str:
        return f"{self.what} ({self.why})"

    @property
    def hides_mounts(self) -> bool:
        """True for the mount namespace of a process without permission."""
        return self.cause == "denied" and self.path.startswith("/proc/") and self.path.endswith("/ns/mnt")


@dataclass(slots=True)
class _Log:
    """What could not be read on one machine."""

    machine: list[Unread] = field(default_factory=list)
    beside: list[Unread] = field(default_factory=list)
    devices: dict[str, list[Unread]] = field(default_factory=dict)


class Noting:
    """A host whose `text`, `names` and `link` return "missing" for what cannot be read; the log has it."""

    def __init__(self, inner: Host, log: _Log | None = None, place: list[Unread] | None = None) -> None:
        self._inner = inner
        self._log = log or _Log()
        self._place = self._log.machine if place is None else place
        """where this one notes what it cannot read"""

    @staticmethod
    def of(host: Host) -> Noting:
        """`host` with its log, or with a new one."""
        return host if isinstance(host, Noting) else Noting(host)

    def about(self, device: str) -> Noting:
        """The same machine, where what cannot be read is about the device with this kernel name."""
        return Noting(self._inner, self._log, self._log.devices.setdefault(device, []))

    def beside(self) -> Noting:
        """The same machine, where what cannot be read hides no user of a disk: places, speeds, health."""
        return Noting(self._inner, self._log, self._log.beside)

    def note(self, what: str, why: str, cause: Cause = "odd") -> None:
        """Records that `what` could not be read."""
        self._place.append(Unread(what, why, cause))

    def tried(self, what: str, ask: Callable[[], T], nothing: T, *, path: str = "") -> T:
        """The answer of `ask`, which reads `what`; where that fails `nothing`, and a note.

        An error that nobody foresaw is a note too, with the place in the code, but about the machine as a whole it is
        raised: it may hide users of all disks.
        """
        try:
            return ask()
        except Denied:
            unread = Unread(what, _DENIED, "denied", path)
        except MachineFailed as problem:
            unread = Unread(what, str(problem), "failed", path)
        except Exception as problem:
            if self._place is self._log.machine:
                raise
            unread = Unread(what, unforeseen(problem), "odd", path)
        self._place.append(unread)
        return nothing

    def unread_of(self, device: str) -> tuple[Unread, ...]:
        """What could not be read of a device."""
        return tuple(dict.fromkeys(self._log.devices.get(device, ())))

    @property
    def users_unread(self) -> bool:
        """True if something could not be read that may hide users of any disk."""
        return bool(self._log.machine)

    def text(self, path: str) -> str | None:
        """See Host."""
        nothing: str | None = None
        return self.tried(path, lambda: self._inner.text(path), nothing, path=path)

    def names(self, path: str) -> tuple[str, ...]:
        """See Host."""
        nothing: tuple[str, ...] = ()
        return self.tried(path, lambda: self._inner.names(path), nothing, path=path)

    def link(self, path: str) -> str | None:
        """See Host."""
        nothing: str | None = None
        return self.tried(path, lambda: self._inner.link(path), nothing, path=path)

    def number(self, path: str) -> str | None:
        """See Host."""
        nothing: str | None = None
        return self.tried(path, lambda: self._inner.number(path), nothing, path=path)

    def look(self, path: str, number: str, size: int) -> Look:
        """See Host."""
        return self._inner.look(path, number, size)

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        """See Host."""
        return self._inner.run(argv)

    def openers(self) -> Openers:
        """See Host."""
        return self._inner.openers()

    def euid(self) -> int:
        """See Host."""
        return self._inner.euid()

    def own_paths(self) -> tuple[str, ...]:
        """See Host."""
        return self._inner.own_paths()

    def way_out(self) -> str:
        """Hint for reading more."""
        return "run as root" if self.euid() != 0 else "run outside of the container"

    def sentences(self) -> tuple[str, ...]:
        """What could not be read, with the hint; equal reasons are one sentence."""
        everywhere = [*self._log.machine, *self._log.beside]
        for name in sorted(self._log.devices):
            everywhere += self.unread_of(name)
        mounts = sum(each.hides_mounts for each in everywhere)
        who = "1 other process" if mounts == 1 else f"{mounts} other processes"
        found = [f"the mounts of {who}: {self.way_out()}"] if mounts else []
        rest = [each for each in everywhere if not each.hides_mounts]
        for (why, cause), several in by_key(((each.why, each.cause), each.what) for each in rest).items():
            more = f" and {len(several) - 1} more" if len(several) > 1 else ""
            reason = "" if cause == "denied" else f" ({why})"
            found.append(f"{several[0]}{more}{reason}: {way_to_read(cause, self.way_out())}")
        return tuple(found)


def unforeseen(problem: Exception) -> str:
    """Words for an error that no code expects, with its place."""
    at = traceback.extract_tb(problem.__traceback__)
    place = f" in {PurePath(at[-1].filename).name}, line {at[-1].lineno}" if at else ""
    return f"{type(problem).__name__}: {problem}{place}"
