"""The files of an md array under /sys/block (Documentation/admin-guide/md.rst): paths and values."""

from __future__ import annotations

import re

from raidtui.model.units import KIB
from raidtui.tools.sysfs import count, word

_DEVICE = "dev-"
_COMPLETED = re.compile(r"(\d+) / (\d+)")


def folder(array: str) -> str:
    """Directory of the array with this kernel name."""
    return f"/sys/block/{array}/md"


def value_path(array: str, name: str) -> str:
    """File of one of its values: degraded, sync_action, mismatch_cnt, stripe_cache_size, ..."""
    return f"{folder(array)}/{name}"


def member_path(array: str, device: str, name: str) -> str:
    """File of a member, named as the kernel names the device: state, slot."""
    return f"{folder(array)}/{_DEVICE}{device}/{name}"


def members(names: tuple[str, ...]) -> tuple[str, ...]:
    """Kernel names of the members among the names in the directory of an array."""
    return tuple(name.removeprefix(_DEVICE) for name in names if name.startswith(_DEVICE))


def by_number(name: str) -> tuple[int, str]:
    """Sorts md2 before md10."""
    match = re.fullmatch(r"md(\d+)", name, re.ASCII)
    return int(match[1]) if match else 1 << 30, name


def flags(text: str | None) -> frozenset[str]:
    """`in_sync,want_replacement` as a set; empty where the file is gone."""
    return frozenset(each for each in word(text).split(",") if each)


def limit(text: str) -> int | None:
    """Bytes per second of `6000 (local)` or `200000 (system)`, in KiB; None where there is none."""
    least = count(text.partition(" ")[0])
    return None if least is None else least * KIB


def read_question(path: str) -> tuple[str, ...]:
    """The value in a file."""
    return ("cat", path)
