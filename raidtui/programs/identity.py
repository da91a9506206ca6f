"""Read-only commands for the identity and use of devices and the content of files (lsblk, blockdev, grep, ...)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath

from raidtui.values.paths import MAP_LINKS
from raidtui.values.plan import Command

_COLUMNS = ("TYPE", "MOUNTPOINT", "MODEL", "SERIAL", "WWN")
_NAMES = ("TYPE", "MODEL", "SERIAL", "WWN")


def numbers_question(device: str) -> tuple[str, ...]:
    """Prints type, bytes, bytes per logical sector, read-only flag, from the kernel."""
    return ("lsblk", "--nodeps", "--noheadings", "--bytes", "--raw", "--output=TYPE,SIZE,LOG-SEC,RO", device)


def numbers_answer(device: str, sector_bytes: int, size_bytes: int) -> str:
    """Output of `numbers_question` for a writable disk of this size with this path."""
    return f"{_kind(device)} {size_bytes} {sector_bytes} 0"


def disk_question(device: str, *, alone: bool) -> tuple[str, ...]:
    """Prints the disk's names as NAME="value" pairs on one line; unless `alone`, one more line per device on it."""
    nodeps = ("--nodeps",) if alone else ()
    return ("lsblk", *nodeps, "--noheadings", "--pairs", f"--output={','.join(_COLUMNS)}", device)


def disk_answer(model: str | None, serial: str | None, wwn: str | None) -> str:
    """Output of `disk_question` for this disk if it is not mounted and (unless `alone`) nothing is on it."""
    values = ("disk", "", model or "", serial or "", wwn or "")
    return " ".join(f'{name}="{pair_value(value)}"' for name, value in zip(_COLUMNS, values, strict=True))


def names_question(device: str) -> tuple[str, ...]:
    """Prints the disk's names as NAME="value" pairs on one line, whatever is on it or mounted from it."""
    return ("lsblk", "--nodeps", "--noheadings", "--pairs", f"--output={','.join(_NAMES)}", device)


def names_answer(model: str | None, serial: str | None, wwn: str | None) -> str:
    """Output of `names_question` for this disk."""
    values = ("disk", model or "", serial or "", wwn or "")
    return " ".join(f'{name}="{pair_value(value)}"' for name, value in zip(_NAMES, values, strict=True))


def tree_question(devices: Sequence[str]) -> tuple[str, ...]:
    """The disks and everything on them, a line each: partitions, arrays, volumes, with their mount points."""
    return ("lsblk", "--noheadings", "--pairs", "--output=TYPE,MOUNTPOINT", *devices)


def tree_answer(devices: Sequence[str], partitions: int = 0) -> str:
    """Output of `tree_question` for unused disks with this total of partitions and nothing else on them."""
    kinds = (*map(_kind, devices), *("part",) * partitions)
    return "\n".join(f'TYPE="{kind}" MOUNTPOINT=""' for kind in kinds)


def _kind(device: str) -> str:
    """lsblk's type of the disk at a path of a plan."""
    return "mpath" if device.startswith(MAP_LINKS) else "disk"


def size_question(device: str) -> tuple[str, ...]:
    """Size in bytes."""
    return ("blockdev", "--getsize64", device)


def uuid_question(device: str) -> tuple[str, ...]:
    """UUID of what is on the device, read from the device itself, as UUID=value."""
    return ("blkid", "--probe", "--output", "export", device)


def absent_question(path: str) -> tuple[str, ...]:
    """Succeeds when no such path exists."""
    return ("test", "!", "-e", path)


def not_link_question(path: str) -> tuple[str, ...]:
    """Succeeds when the path is no symbolic link."""
    return ("test", "!", "-L", path)


def mention_question(pattern: str, path: str) -> tuple[str, ...]:
    """The path when the file has a line with `pattern` (extended regular expression); else nothing, exit 1 or 2."""
    return ("grep", "--no-messages", "--files-with-matches", "--devices=skip", "--extended-regexp", pattern, path)


def block_question(begin: str, end: str, path: str) -> tuple[str, ...]:
    """The lines of a file from the line `begin` to the line `end`."""
    return ("sed", "--quiet", f"/^{begin}$/,/^{end}$/p", path)


def text_question(path: str) -> tuple[str, ...]:
    """A file's text."""
    return ("cat", path)


def digest_question(path: str) -> tuple[str, ...]:
    """SHA-256 of a file, and its path."""
    return ("sha256sum", path)


def digest_answer(path: str, text: str) -> str:
    """Output of `digest_question` for a file with this text and a line end."""
    digest = hashlib.sha256((text + "\n").encode("utf-8", "surrogateescape")).hexdigest()
    return f"{digest}  {path}"


def file_question(path: str) -> tuple[str, ...]:
    """Type and permissions (hexadecimal), owner, mount point of what a path leads to; fails where there is none."""
    return ("stat", "--dereference", "--format=%f %u %m", path)


def roots_alone_question(path: str) -> tuple[str, ...]:
    """Prints the path and each directory above it that belongs to root, is no link and is writable by root alone."""
    return (
        "find", *_with_parents(path), "-maxdepth", "0", "!", "-type", "l", "-user", "root", "!", "-perm", "/022",
    )  # fmt: skip


def roots_alone_answer(path: str) -> str:
    """Output of `roots_alone_question` where nobody else can change what the path leads to."""
    return "\n".join(_with_parents(path))


def _with_parents(path: str) -> tuple[str, ...]:
    return (path, *map(str, PurePosixPath(path).parents))


def remove(paths: Sequence[str]) -> Command:
    """Removes files."""
    return Command(argv=("rm", "--", *paths), effect="change")


def sync_file(path: str) -> Command:
    """Writes what only the page cache has of a file to its disk (coreutils 8.24 and later)."""
    return Command(argv=("sync", "--", path), effect="change")


def link(target: str, name: str) -> Command:
    """Makes a symbolic link that was not there."""
    return Command(argv=("ln", "--symbolic", "--", target, name), effect="change")


def host_question() -> tuple[str, ...]:
    """The host's name."""
    return ("uname", "--nodename")


def raw_value(text: str) -> str:
    """`text` as libsmartcols writes it in raw output: blanks, backslashes and what cannot be printed become \\xHH."""
    return "".join(
        chr(byte) if 0x20 < byte < 0x7F and byte != ord("\\") else f"\\x{byte:02x}"
        for byte in text.encode("utf-8", "surrogateescape")
    )


def pair_value(text: str) -> str:
    """`text` as libsmartcols writes it between quotes: what a shell could take for its own becomes \\xHH."""
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\`$' else f"\\x{byte:02x}"
        for byte in text.encode("utf-8", "surrogateescape")
    )
