"""Host wrapper that records paths this user may not read, so that unreadable never counts as unused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from raidtui.machine.ports.host import Denied, Host, Look, Openers, Ran

T = TypeVar("T")


class Noting:
    """A host whose `text`, `names` and `link` return "missing" if permission is denied; `denied` has these paths."""

    def __init__(self, inner: Host) -> None:
        self._inner = inner
        self.denied: list[str] = []

    def _ask(self, path: str, ask: Callable[[str], T], nothing: T) -> T:
        try:
            return ask(path)
        except Denied:
            self.denied.append(path)
            return nothing

    def text(self, path: str) -> str | None:
        """See Host."""
        return self._ask(path, self._inner.text, None)

    def names(self, path: str) -> tuple[str, ...]:
        """See Host."""
        return self._ask(path, self._inner.names, ())

    def link(self, path: str) -> str | None:
        """See Host."""
        return self._ask(path, self._inner.link, None)

    def number(self, path: str) -> str | None:
        """See Host."""
        return self._inner.number(path)

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

    def was_denied(self, name: str) -> bool:
        """True if permission was denied for sysfs' directory of the block device `name`, or for a file in it."""
        directory = f"/sys/class/block/{name}"
        return any(path == directory or path.startswith(f"{directory}/") for path in self.denied)

    def sentences(self) -> tuple[str, ...]:
        """Denied paths, with the hint."""
        processes = sum(path.startswith("/proc/") and path.endswith("/ns/mnt") for path in self.denied)
        others = [path for path in self.denied if not path.endswith("/ns/mnt")]
        found = []
        if processes:
            found.append(f"the mounts of {processes} other processes: {self.way_out()}")
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            found.append(f"{others[0]}{more}: {self.way_out()}")
        return tuple(found)
