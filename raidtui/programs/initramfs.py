"""The initramfs and where mdadm.conf lives, by family of distribution."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Protocol

from raidtui.values.choices import Initramfs
from raidtui.values.plan import Command


def rebuild(kind: Initramfs) -> Command:
    """Puts the new mdadm.conf into the running kernel's initramfs (Debian: update-initramfs; Fedora, RHEL: dracut)."""
    match kind:
        case "debian":
            return Command(argv=("update-initramfs", "-u"), effect="change")
        case "dracut":
            return Command(argv=("dracut", "--force", "--mdadmconf"), effect="change")


def newer_question(kind: Initramfs) -> tuple[str, ...] | None:
    """Says `newer` when an initramfs was written after mdadm.conf; None where it may lie anywhere (dracut.conf(5))."""
    if kind == "dracut":
        return None
    conf = mdadm_conf(kind)
    return (
        "find", "/boot", "-maxdepth", "1", "-name", "initrd.img-*", "-newer", conf, "-printf", "newer", "-quit",
    )  # fmt: skip


def mdadm_conf(kind: Initramfs) -> str:
    """Path of mdadm.conf."""
    return "/etc/mdadm/mdadm.conf" if kind == "debian" else "/etc/mdadm.conf"


FOLDER = "/boot"
"""where both families keep their images"""
_IMAGES = (re.compile(r"initrd\.img-(.+)"), re.compile(r"initramfs-(.+)\.img"))
_NO_BOOT = re.compile(r".*(?:kdump|\.(?:new|bak|old|old-dkms|dpkg-bak)|0-rescue-[0-9a-f]{32})")
"""of a crash kernel, of packages at work, of the rescue entry: no boot of every day uses them"""


def images(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Name and kernel release of every image among the names in /boot whose kernel is there too, in order."""
    listed = tuple(names)
    kernels = {name.partition("-")[2] for name in listed if name.startswith(("vmlinuz-", "vmlinux-"))}
    matches = ((name, pattern.fullmatch(name)) for name in listed for pattern in _IMAGES)
    found = ((name, match[1]) for name, match in matches if match is not None)
    return tuple((name, kernel) for name, kernel in found if kernel in kernels and not _NO_BOOT.fullmatch(kernel))


def rebuild_for(kind: Initramfs, kernel: str) -> tuple[str, ...]:
    """Puts the present mdadm.conf into the initramfs of one kernel."""
    if kind == "debian":
        return ("update-initramfs", "-u", "-k", kernel)
    return ("dracut", "--force", "--mdadmconf", "--kver", kernel)


DRACUT_START = "/mdraid_start"
"""end of the path of a program that dracut's images with mdadm have"""


def dracut_assembles(command_line: str, uuid: str) -> bool:
    """True if an image of dracut assembles the array: rd.md.uuid has it, or rd.auto all (modules.d: parse-md.sh)."""
    named, flags = set(), {"rd.auto": False, "rd.md": True}
    for word in command_line.split():
        key, _, value = word.partition("=")
        if key == "rd.md.uuid":
            named.add(_hexadecimal(value))
        elif key in flags:
            flags[key] = value not in ("0", "no", "off")
    return flags["rd.md"] and (_hexadecimal(uuid) in named if named else flags["rd.auto"])


def _hexadecimal(uuid: str) -> str:
    return uuid.replace(":", "").replace("-", "")


# cpio archives as an initramfs has them, "newc" (kernel: Documentation/driver-api/early-userspace/buffer-format.rst).
# Read as a stream, so that an image of some hundred MB costs no memory; only the files asked for are kept.


MAGICS = (b"070701", b"070702")
_HEADER = 110
_TRAILER = "TRAILER!!!"
_PIECE = 1 << 16
_LONGEST_NAME = 4096
_LONGEST_FILE = 1 << 20
_FIELD = 8


class Source(Protocol):
    """Bytes in order."""

    def read(self, count: int, /) -> bytes:
        """At most `count` bytes; none at the end."""


class DamagedArchive(ValueError):
    """The stream is not a cpio archive, or is truncated."""


class Reader:
    """Reads concatenated archives from a stream until other data begins."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ahead = b""
        self._at = 0

    def files(self, wanted: Callable[[str], bool]) -> dict[str, bytes]:
        """Content of the regular files whose path (absolute) is `wanted`, up to 1 MiB of each; the last one wins.

        Ends where the stream ends or where no archive begins: `rest` is what is there then. Raises Damaged.
        """
        found: dict[str, bytes] = {}
        while self._begins():
            while True:
                header = self._exactly(_HEADER)
                if header[:6] not in MAGICS:
                    raise DamagedArchive("no header of a cpio archive where one must be")
                try:
                    fields = [int(header[start : start + _FIELD], 16) for start in range(6, _HEADER, _FIELD)]
                except ValueError as problem:
                    raise DamagedArchive("a header of a cpio archive without figures") from problem
                size, length = fields[6], fields[11]
                if not 0 < length <= _LONGEST_NAME:
                    raise DamagedArchive("a name of no sensible length in a cpio archive")
                name = self._exactly(length)[:-1].decode("utf-8", "surrogateescape")
                self._align()
                path = "/" + name.removeprefix("./").lstrip("/")
                regular = fields[1] & 0o170000 == 0o100000
                if regular and wanted(path):
                    kept = self._exactly(min(size, _LONGEST_FILE))
                    self._skip(size - len(kept))
                    found[path] = kept
                else:
                    if not regular and wanted(path) and fields[1] & 0o170000 == 0o120000:
                        found.setdefault(path, b"")
                    self._skip(size)
                self._align()
                if name == _TRAILER:
                    break
        return found

    def rest(self) -> bytes:
        """The first bytes that `files` did not take for an archive; none at the end of the stream."""
        return self._ahead

    def _begins(self) -> bool:
        """Skips the zero bytes between archives; True when an archive begins."""
        while True:
            zeros = len(self._ahead) - len(self._ahead.lstrip(b"\0"))
            self._ahead, self._at = self._ahead[zeros:], 0
            if len(self._ahead) >= len(MAGICS[0]):
                return self._ahead[:6] in MAGICS
            more = self._source.read(_PIECE)
            if not more:
                return False
            self._ahead += more

    def _exactly(self, count: int) -> bytes:
        parts = []
        left = count
        while left:
            piece, self._ahead = self._ahead[:left], self._ahead[left:]
            piece = piece or self._source.read(min(left, _PIECE))
            if not piece:
                raise DamagedArchive("it ends in the middle of a cpio archive")
            parts.append(piece)
            left -= len(piece)
        self._at += count
        return b"".join(parts)

    def _skip(self, count: int) -> None:
        while count > 0:
            count -= len(self._exactly(min(count, _PIECE)))

    def _align(self) -> None:
        self._skip(-self._at % 4)
