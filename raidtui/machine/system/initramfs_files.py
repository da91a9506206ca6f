"""Reads md's configuration from an initramfs image, unpacked like the kernel does.

An image is one or more cpio archives, the last of them often compressed. gzip, bzip2, xz and lzma are unpacked here,
zstd, lz4 and lzo by their programs. Nothing is written, nothing of the image is run.
"""

from __future__ import annotations

import bz2
import lzma
import os
import re
import zlib
from pathlib import Path
from typing import BinaryIO, Protocol

from raidtui.machine.system import programs
from raidtui.programs.initramfs import DamagedArchive, Reader, Source
from raidtui.values.errors import MachineFailed

WANTED = re.compile(
    r"/(?:etc/(?:mdadm/)?mdadm\.conf(?:\.d/[^/]+\.conf)?|etc/multipath/wwids|etc/cmdline\.d/[^/]+\.conf|"
    r"(?:usr/)?s?bin/(?:mdadm|multipathd|mdraid_start))"
)
"""paths in an image that decide its assembly of arrays: mdadm, multipathd, their configuration, dracut's arguments"""
_PROGRAM = re.compile(r".*/s?bin/[^/]+")
_PROGRAMS = ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x02\x21\x4c\x18", "lz4"), (b"\x04\x22\x4d\x18", "lz4"),
             (b"\x89LZO", "lzop"))  # fmt: skip
"""first bytes of what a program unpacks to its standard output by `-dc` (kernel: lib/decompress.c)"""
_PIECE = 1 << 16
_UNPACKED: dict[tuple[str | int, ...], dict[str, str]] = {}
"""what was found, by path, device, inode, size and times of the image that was opened"""
_PATIENCE = 60.0
"""timeout in seconds after the end of a program's output"""


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def texts(path: str) -> dict[str, str]:
    """Text of every wanted file in the image, by its path; a program has an empty text.

    Raises MachineFailed with the reason if the image cannot be read. One that did not change is unpacked once: an act
    on an array that runs looks at it before and after, and each look takes seconds.
    """
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            key = (path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            if key not in _UNPACKED:
                _UNPACKED[key] = _texts(file)
            return dict(_UNPACKED[key])
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError, programs.Overdue) as problem:
        raise MachineFailed(f"{path} cannot be read: {problem}", hint="rebuild it") from problem


def _texts(file: BinaryIO) -> dict[str, str]:
    found: dict[str, bytes] = {}
    source: Source = file
    while True:
        reader = Reader(source)
        found.update(reader.files(lambda path: WANTED.fullmatch(path) is not None))
        rest = reader.rest()
        if not rest:
            break
        if source is not file:
            raise DamagedArchive("its compressed part is not an archive")
        file.seek(-len(rest), os.SEEK_CUR)
        if program := next((name for magic, name in _PROGRAMS if rest.startswith(magic)), None):
            found.update(_by_program(program, file))
            break
        source = _Unpacked(file, rest)
    return {
        path: "" if _PROGRAM.fullmatch(path) else data.decode("utf-8", "surrogateescape")
        for path, data in found.items()
    }


class _Unpacked:
    """A compressed stream and those that follow it, as one."""

    def __init__(self, file: BinaryIO, first: bytes) -> None:
        self._file = file
        self._unpacker = _unpacker(first)
        self._left = b""
        self._out = memoryview(b"")

    def read(self, count: int, /) -> bytes:
        self._out = self._out or memoryview(self._next())
        piece, self._out = self._out[:count], self._out[count:]
        return bytes(piece)

    def _next(self) -> bytes:
        """What the next piece of the file unpacks to; nothing at the end."""
        while True:
            if self._unpacker.eof:
                self._left = (self._unpacker.unused_data or self._file.read(_PIECE)).lstrip(b"\0")
                if not self._left:
                    return b""
                self._unpacker = _unpacker(self._left)
            data, self._left = self._left or self._file.read(_PIECE), b""
            if not data:
                raise DamagedArchive("its compressed part is truncated")
            if out := self._unpacker.decompress(data):
                return out


def _unpacker(first: bytes) -> _Unpacker:
    match first[:3]:
        case b"\x1f\x8b\x08":
            return zlib.decompressobj(wbits=31)
        case b"BZh":
            return bz2.BZ2Decompressor()
        case b"\xfd7z" | b"\x5d\x00\x00":
            return lzma.LZMADecompressor()
        case _:
            raise DamagedArchive(f"unknown compression (it starts with {first[:6].hex()})")


def _by_program(name: str, file: BinaryIO) -> dict[str, bytes]:
    program = programs.find(name)
    if program is None:
        raise DamagedArchive(f"{name} is not installed, but needed to decompress it")
    os.lseek(file.fileno(), file.tell(), os.SEEK_SET)  # the buffer has read ahead
    with programs.start([program, "-dc"], stdin=file.fileno(), stderr=programs.NOTHING) as process:
        assert process.stdout is not None
        try:
            reader = Reader(process.stdout)
            found = reader.files(lambda path: WANTED.fullmatch(path) is not None)
            if reader.rest():
                raise DamagedArchive("its compressed part is not an archive")
            if process.wait(_PATIENCE) != 0:
                raise DamagedArchive(f"{name} -dc ended with exit code {process.returncode}")
        finally:
            process.stdout.close()
            process.kill()
    return found
