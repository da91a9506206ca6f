"""Disks of the lab in this process's memory, served over NBD, with a log of every write and flush in one order.

A log replayed up to some entry is what the disks held at that moment; `durable` replays it as a drive leaves it that
lost its volatile cache. `MediumServer` speaks as much of the protocol as QEMU's client asks for.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import socket
import struct
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.lab.disk import Backing

BLOCK = 4096
SECTOR = 512
_ZERO = bytes(BLOCK)
_MAGIC, _OPTION, _REPLY = b"NBDMAGICIHAVEOPT", 0x49484156454F5054, 0x3E889045565A9
_REQUEST, _SIMPLE = 0x25609513, 0x67446698
_EXPORT_NAME, _GO, _INFO = 1, 7, 6
_ACK, _INFO_REPLY, _UNSUPPORTED = 1, 3, 2**31 + 1
_FLAGS = 0b1100101  # flags are there; flush; trim; write zeroes
_READ, _WRITE, _DISCONNECT, _FLUSH, _TRIM, _WRITE_ZEROES = 0, 1, 2, 3, 4, 6


@dataclass(frozen=True, slots=True)
class Entry:
    """A write to a disk, or a flush of it."""

    disk: str
    offset: int = 0
    length: int = 0
    """0: a flush"""
    data: bytes | None = None
    """None: zeroes, of a discard too"""

    @property
    def flush(self) -> bool:
        """Whether what was written to the disk before is durable from here on."""
        return self.length == 0

    def parts(self) -> Iterator[Entry]:
        """Its sectors; of a long one not more than some hundred pieces."""
        step = max(SECTOR, self.length // 256 // SECTOR * SECTOR)
        for at in range(0, self.length, step):
            piece = None if self.data is None else self.data[at : at + step]
            yield Entry(self.disk, self.offset + at, min(step, self.length - at), piece)


class Medium(Backing):
    """The content of a disk: blocks that were written, over a file that stays as it is, or over zeroes."""

    def __init__(self, size: int, file: Path | None = None) -> None:
        """`file` may be shorter than the disk."""
        self.bytes = size
        self.blocks: dict[int, bytes] = {}
        self.writes = 0
        """that were taken since it was made"""
        self._below = None if file is None else file.open("rb", buffering=0)
        self._lock = threading.Lock()

    def _blocks(self, first: int, count: int) -> bytearray:
        found = bytearray(count * BLOCK)
        if self._below is not None:
            below = os.pread(self._below.fileno(), len(found), first * BLOCK)
            found[: len(below)] = below
        for at in range(count):
            if (block := self.blocks.get(first + at)) is not None:
                found[at * BLOCK : (at + 1) * BLOCK] = block
        return found

    def read(self, offset: int, length: int) -> bytes:
        """Bytes as they are on the disk."""
        first, last = offset // BLOCK, (offset + length - 1) // BLOCK
        with self._lock:
            found = self._blocks(first, last + 1 - first)
        return bytes(found[offset - first * BLOCK :][:length])

    def put(self, entry: Entry) -> None:
        """Does what the entry says."""
        if entry.flush:
            return
        end = entry.offset + entry.length
        self.writes += 1
        with self._lock:
            for number in range(entry.offset // BLOCK, (end + BLOCK - 1) // BLOCK):
                start, stop = max(entry.offset, number * BLOCK), min(end, (number + 1) * BLOCK)
                at = slice(start - entry.offset, stop - entry.offset)
                new = bytes(stop - start) if entry.data is None else entry.data[at]
                if len(new) < BLOCK:
                    old, place = self._blocks(number, 1), start - number * BLOCK
                    old[place : place + len(new)] = new
                    new = bytes(old)
                if self._below is None and new == _ZERO:
                    self.blocks.pop(number, None)
                else:
                    self.blocks[number] = new

    def erase(self) -> None:
        """Make the whole disk blank; no guest may be using it."""
        self.blocks = {}

    def content_digest(self) -> str:
        """SHA-256 over size and content of a disk that is over zeroes."""
        digest = hashlib.sha256(str(self.bytes).encode())
        for number in sorted(self.blocks):
            digest.update(b"@%d:" % number)
            digest.update(self.blocks[number])
        return digest.hexdigest()

    def is_blank(self, start: int = 0, end: int | None = None) -> bool:
        """Whether every byte in [start, end), which are multiples of a block, is zero."""
        stop = self.bytes if end is None else end
        return not any(start <= number * BLOCK < stop for number in self.blocks)


def durable(log: Sequence[Entry], losing: Mapping[str, random.Random]) -> Iterator[Entry]:
    """What of a log is on the disks once the power is gone; those of `losing` lose their volatile cache.

    Such a disk has all that it wrote before its last flush. Of what came later a draw decides whether it has nothing,
    some requests or some sectors, in whatever order: an older write may be there without a later one.
    """
    flushed = {entry.disk: at for at, entry in enumerate(log) if entry.flush}
    ways = {disk: draw.choice(("nothing", "requests", "sectors")) for disk, draw in losing.items()}
    shares = {disk: draw.choice((0.1, 0.5, 0.9)) for disk, draw in losing.items()}
    for at, entry in enumerate(log):
        if entry.disk not in losing or at < flushed.get(entry.disk, -1):
            yield entry
            continue
        draw, way = losing[entry.disk], ways[entry.disk]
        pieces = (entry,) if way == "requests" else entry.parts() if way == "sectors" else ()
        yield from (piece for piece in pieces if draw.random() < shares[entry.disk])


class MediumServer:
    """Serves media by their names on a socket, from `with` to the end of its block."""

    def __init__(self, socket_path: Path, media: Mapping[str, Medium]) -> None:
        """Nothing is recorded until `log` is given a list."""
        self.path = socket_path
        self.media = media
        self.log: list[Entry] | None = None
        self._order = threading.Lock()
        self._clients: list[threading.Thread] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(socket_path))
        self._listening.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listening.close()

    def wait_closed(self) -> None:
        """Wait until all that clients sent before they ended is done."""
        while self._clients:
            self._clients.pop().join()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._clients.append(
                    threading.Thread(target=self._serve, args=self._listening.accept()[:1], daemon=True)
                )
                self._clients[-1].start()

    def _serve(self, line: socket.socket) -> None:
        with line, contextlib.suppress(OSError, EOFError):
            line.sendall(_MAGIC + struct.pack(">H", 0b11))  # fixed newstyle, no zeroes
            _take(line, 4)
            if name := self._agreed(line):
                self._transmit(line, name)

    def _agreed(self, line: socket.socket) -> str:
        """The disk that the client asks for."""
        while True:
            _, option, length = struct.unpack(">QII", _take(line, 16))
            data = _take(line, length)

            def reply(kind: int, answer: bytes = b"", option: int = option) -> None:
                line.sendall(struct.pack(">QIII", _REPLY, option, kind, len(answer)) + answer)

            if option in (_GO, _INFO):
                (size,) = struct.unpack(">I", data[:4])
                name = data[4 : 4 + size].decode()
                reply(_INFO_REPLY, struct.pack(">HQH", 0, self.media[name].bytes, _FLAGS))
                reply(_ACK)
                if option == _GO:
                    return name
            elif option == _EXPORT_NAME:
                return ""
            else:
                reply(_UNSUPPORTED)

    def _transmit(self, line: socket.socket, name: str) -> None:
        medium = self.media[name]
        while True:
            _, _, kind, handle, offset, length = struct.unpack(">IHHQQI", _take(line, 28))
            answer = b""
            match kind:
                case 0:  # read
                    answer = medium.read(offset, length)
                case 1:
                    self._record(medium, Entry(name, offset, length, _take(line, length)))
                case 4 | 6:
                    self._record(medium, Entry(name, offset, length))
                case 3:
                    self._record(medium, Entry(name))
                case _:
                    return
            line.sendall(struct.pack(">IIQ", _SIMPLE, 0, handle) + answer)

    def _record(self, medium: Medium, entry: Entry) -> None:
        with self._order:
            medium.put(entry)
            if self.log is not None:
                self.log.append(entry)


def _take(line: socket.socket, length: int) -> bytes:
    data = bytearray(length)
    view, at = memoryview(data), 0
    while at < length:
        got = line.recv_into(view[at:])
        if got == 0:
            raise EOFError
        at += got
    return bytes(data)


def replayed(base: Mapping[str, dict[int, bytes]], log: Iterable[Entry], media: Mapping[str, Medium]) -> None:
    """Puts the blocks of `base` and then a log on the media."""
    for name, medium in media.items():
        medium.blocks, medium.writes = dict(base[name]), 0
    for entry in log:
        media[entry.disk].put(entry)
    for medium in media.values():
        medium.writes = 0
