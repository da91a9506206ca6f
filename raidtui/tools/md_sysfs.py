"""The files of an md array under /sys/block (Documentation/admin-guide/md.rst): paths and values."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from raidtui.model.units import KIB
from raidtui.tools.sysfs import count, word

_DEVICE = "dev-"
_BOTH = re.compile(r"(-?\d+)(?: \((-?\d+)\))?", re.ASCII)
_VOLUME = re.compile(r"external:[/-]([^/]+)/(.*)")


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


class Both(NamedTuple):
    """A value of an array whose shape changes; without a change both are the same."""

    now: int | None
    """what it will be, and is where the change has come"""
    before: int | None


def both(text: str) -> Both:
    """The values of `4 (3)` or `4`; None for what is no number."""
    match = _BOTH.fullmatch(text)
    if match is None:
        return Both(None, None)
    return Both(int(match[1]), int(match[2] or match[1]))


def container(metadata: str) -> tuple[str, int | None]:
    """Kernel name of the container of `external:/md127/0`, and the array's number in it; `-` in place of the first `/`:
    mdmon may not change it. Empty for none."""
    match = _VOLUME.fullmatch(metadata)
    return (match[1], count(match[2])) if match else ("", None)


def md_uuid(text: str) -> str:
    """md's form of a UUID, however it is divided; empty when it is none, or all zeros."""
    digits = re.sub(r"[:-]", "", text).lower()
    if not re.fullmatch(r"[0-9a-f]{32}", digits) or not digits.strip("0"):
        return ""
    return ":".join(digits[at : at + 8] for at in range(0, 32, 8))


def kernel_uuid(text: str, metadata: str) -> str:
    """The same of the file `uuid`: md keeps that of 0.90 in words of the processor's byte order (super_90_validate)."""
    found = md_uuid(text)
    if metadata[:3] != "0.9" or sys.byteorder != "little":
        return found
    return ":".join("".join(reversed([word[at : at + 2] for at in range(0, 8, 2)])) for word in found.split(":"))


def limit(text: str) -> int | None:
    """Bytes per second of `6000 (local)` or `200000 (system)`, in KiB; None where there is none."""
    least = count(text.partition(" ")[0])
    return None if least is None else least * KIB


def read_question(path: str) -> tuple[str, ...]:
    """The value in a file."""
    return ("cat", path)
