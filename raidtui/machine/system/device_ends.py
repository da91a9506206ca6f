"""Reads both ends of a block device and places between them past the page cache."""

from __future__ import annotations

import errno
import mmap
import os
import threading
from collections.abc import Iterable

from raidtui.machine.system.closing import closing
from raidtui.tools.samples import LENGTH
from raidtui.tools.signatures import SPAN

_ZERO = bytearray(SPAN)
_ZERO_PLACE = bytes(LENGTH)


class Ends(threading.local):
    """Reader with one buffer per thread: new pages per device would cost more than the reads."""

    def __init__(self) -> None:
        self._pages: mmap.mmap | None = None

    def read(self, path: str, flags: int, size: int) -> tuple[bytes, bytes] | None:
        """The first and the last MiB of the device of `size` bytes at `path`; None if every byte is zero.

        Raises OSError if they cannot be read completely.
        """
        with closing(_open_direct(path, flags)) as fd:
            span = min(SPAN, size)
            head = self._read(fd, 0, span)
            tail = self._read(fd, size - span, span)
        return None if head is None and tail is None else (head or bytes(span), tail or bytes(span))

    def not_zero(self, path: str, flags: int, offsets: Iterable[int]) -> tuple[int, ...]:
        """Those of `offsets` at which `LENGTH` bytes of the device at `path` are not all zero.

        Raises OSError when one of them cannot be read whole.
        """
        with closing(_open_direct(path, flags)) as fd:
            return tuple(at for at in offsets if self._filled(fd, at, LENGTH)[:LENGTH] != _ZERO_PLACE)

    def first_nonzero(self, path: str, flags: int, areas: Iterable[tuple[int, int]]) -> int | None:
        """Offset of the first byte in `areas` (offset, length) of the device at `path` that is not zero.

        None when all are. Raises OSError when one of them cannot be read whole.
        """
        with closing(_open_direct(path, flags)) as fd:
            for start, length in areas:
                for at in range(start, start + length, SPAN):
                    span = min(SPAN, start + length - at)
                    if (found := self._read(fd, at, span)) is not None:
                        return at + span - len(found.lstrip(b"\0"))
        return None

    def parts(self, path: str, flags: int, areas: Iterable[tuple[int, int]]) -> tuple[bytes, ...]:
        """The bytes of each of `areas` (offset, length), each at most one MiB. Raises OSError as `read` does."""
        with closing(_open_direct(path, flags)) as fd:
            return tuple(self._filled(fd, at, length)[:length] for at, length in areas)

    def _read(self, fd: int, offset: int, span: int) -> bytes | None:
        """`span` bytes at `offset`; None when all are zero."""
        pages = self._filled(fd, offset, span)
        if span == SPAN and _same(pages, _ZERO):
            return None
        found = pages[:span]
        return found if any(found) else None

    def _filled(self, fd: int, offset: int, span: int) -> mmap.mmap:
        """The buffer with `span` bytes from `offset` at its start."""
        if self._pages is None:
            self._pages = mmap.mmap(-1, SPAN)  # direct reads want whole pages
        with memoryview(self._pages)[:span] as room:
            if os.preadv(fd, [room], offset) != span:
                raise OSError(errno.EIO, "it stopped early")
        return self._pages


def fingerprint(*parts: bytes) -> str:
    """128 bits of BLAKE2b over all parts, in hex; empty if every byte is zero."""
    if not any(map(any, parts)):
        return ""
    from hashlib import blake2b  # blank disks, the usual ones, need none

    return blake2b(b"".join(parts), digest_size=16).hexdigest()


def _same(pages: object, zeros: object) -> bool:
    """A bytearray compares itself with any buffer by memcmp; a slice would copy, a memoryview goes byte by byte."""
    return zeros == pages


def _open_direct(path: str, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_DIRECT)
    except OSError as problem:
        if problem.errno != errno.EINVAL:  # EINVAL: the driver does not support O_DIRECT
            raise
        return os.open(path, flags)
