"""Files of /proc and /sys that are read at every tick: opened once, read from their start each time.

The kernel regenerates such a file when it is read from offset 0 (fs/seq_file.c, fs/kernfs), which saves the opening.
"""

from __future__ import annotations

import contextlib
import os

_PART = 1 << 16
_LINE = 4096


class KeptOpen:
    """One file. After a read error (device removed) every later read returns nothing."""

    __slots__ = ("_handle",)

    def __init__(self, path: str) -> None:
        self._handle = -1
        with contextlib.suppress(OSError, ValueError):
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def there(self) -> bool:
        """False after a read error."""
        return self._handle >= 0

    def first(self) -> bytes:
        """Its first 4096 bytes, which is all of a value in sysfs; empty when it cannot be read."""
        if self._handle < 0:
            return b""
        try:
            return os.pread(self._handle, _LINE, 0)
        except OSError:
            self.close()
            return b""

    def word(self) -> str:
        """The first line, without blanks around it; empty when it cannot be read."""
        return self.first().partition(b"\n")[0].decode("utf-8", "replace").strip()

    def whole(self) -> bytes:
        """All of it; empty if it cannot be read. A seq_file returns a page per read, so an empty read is the end."""
        parts = []
        offset = 0
        try:
            while self._handle >= 0 and (part := os.pread(self._handle, _PART, offset)):
                parts.append(part)
                offset += len(part)
        except OSError:
            self.close()
            return b""
        return b"".join(parts)

    def close(self) -> None:
        """Closes the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __del__(self) -> None:
        self.close()
