"""Host wrapper that records what could not be read, and of which device, so that unreadable never counts as unused.

What fails while one device is read costs that device: `about` it. What fails elsewhere may hide users of any disk, but
for what says nothing of users: `beside`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, TypeVar

from raidtui.machine.ports.host import Denied, Host, Look, Openers, Ran
from raidtui.model.by_key import by_key
from raidtui.model.errors import MachineFailed

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
        found = [f"the mounts of {mounts} other processes: {self.way_out()}"] if mounts else []
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
