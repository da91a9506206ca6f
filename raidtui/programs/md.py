"""/proc/mdstat: which devices the md driver holds (kernel drivers/md/md.c, md_seq_show; raid*.c, status).

Personalities : [raid1] [raid6] [raid5] [raid4]
md127 : active raid5 sdd1[3] sdc1[1] sdb1[0](F)
      2093056 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]
      [==>..................]  recovery = 12.6% (132096/1046528) finish=0.1min speed=132096K/sec

md126 : broken raid0 sdf[1] sdg[0]
      2093056 blocks super 1.2 512k chunks

unused devices: <none>

The lines below a name are about that array until the next line that is not indented: whatever word a later kernel
writes there, its facts are not moved to another array.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from typing import NamedTuple

from raidtui.programs.sysfs import count, word
from raidtui.values.arrays import slots_in_reserve
from raidtui.values.inventory import LackingArray
from raidtui.values.units import KIB, SECTOR

PATH = "/proc/mdstat"
_ARRAY = re.compile(r"(?P<name>\S+) : (?P<state>\S+)(?: \((?P<access>read-only|auto-read-only)\))?(?P<rest>.*)")
_NOT_ARRAYS = ("Personalities", "unused")
_MEMBER = re.compile(r"(?P<device>\S+?)\[\d+\](?P<marks>(?:\([A-Z]\))*)")
_COUNTS = re.compile(r"\s.* \[(\d+)/(\d+)\] \[([U_]+)\]", re.ASCII)
_SYNC = re.compile(
    r"\s+\[[=>.]+\]\s+(?P<action>\w+) *= *[\d.]+% \((?P<done>\d+)/(?P<whole>\d+)\)(?:.* speed=(?P<speed>\d+)K)?.*",
    re.ASCII,
)
_WAITS = re.compile(r"\s+(?P<action>\w+)=(?P<why>DELAYED|PENDING|REMOTE)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class MdSync:
    """How far a sync is; of each member, of RAID10 of the array."""

    done_kib: int
    whole_kib: int
    kib_per_s: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return min(self.done_kib / self.whole_kib, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MdArray:
    """One array of the kernel, running or not."""

    name: str
    """md127"""
    state: str
    """the kernel's word: active, inactive, from Linux 6.12 on broken; another of a later kernel"""
    level: str
    """raid5; empty when inactive"""
    members: tuple[str, ...]
    """kernel names, spares and failed ones too"""
    failed: tuple[str, ...] = ()
    """those of them that md threw out"""
    external: bool = False
    """its metadata is not md's: a container of IMSM or DDF, or an array in one"""
    devices: int | None = None
    """members when whole; None where no line says it"""
    works: int | None = None
    """members that work"""
    roster: str = ""
    """a letter for each slot: U in sync, _ not; empty where no line says it"""
    sync: MdSync | None = None
    """the sync that is at work"""
    waits: str = ""
    """DELAYED: a sync waits for another on its disks; PENDING: for the first write; REMOTE: another node does it"""

    @property
    def words(self) -> str:
        """`md127 active raid5`."""
        return " ".join(part for part in (self.name, self.state, self.level) if part)


def parse(text: str) -> tuple[MdArray, ...]:
    """Every array in `text`."""
    found: list[MdArray] = []
    last: MdArray | None = None
    for line in text.splitlines():
        if line[:1].isspace() or not line:
            last = None if last is None else _with(last, line)
            if last is not None:
                found[-1] = last
            continue
        match = _ARRAY.fullmatch(line)
        last = None if match is None or match["name"] in _NOT_ARRAYS else _array(match)
        found += [] if last is None else [last]
    return tuple(found)


def _array(match: re.Match[str]) -> MdArray:
    members = [(each["device"], each["marks"]) for each in _MEMBER.finditer(match["rest"])]
    level = next((word for word in match["rest"].split() if "[" not in word and "(" not in word), "")
    return MdArray(
        name=match["name"], state=match["state"], level=level, members=tuple(device for device, _ in members),
        failed=tuple(device for device, marks in members if "(F)" in marks),
    )  # fmt: skip


def _with(array: MdArray, line: str) -> MdArray:
    """The array with what a line below its name says."""
    if "super external:" in line:
        array = replace(array, external=True)
    if (match := _COUNTS.fullmatch(line)) is not None:
        return replace(array, devices=int(match[1]), works=int(match[2]), roster=match[3])
    if (match := _SYNC.fullmatch(line)) is not None and int(match["whole"]):
        done, whole, speed = (int(match[key] or 0) for key in ("done", "whole", "speed"))
        return replace(array, sync=MdSync(done_kib=done, whole_kib=whole, kib_per_s=speed))
    if (match := _WAITS.fullmatch(line)) is not None:
        return replace(array, waits=match["why"])
    return array


def lacking(text: str) -> tuple[LackingArray, ...]:
    """The arrays that lack members, failed or do not run; containers of external metadata never do."""
    return tuple(found for array in parse(text) if (found := _lacks(array)) is not None)


def _lacks(array: MdArray) -> LackingArray | None:
    if array.state == "broken":
        return LackingArray(name=array.name, level=array.level)
    if array.devices is not None and array.works is not None and array.works < array.devices:
        there = [slot for slot, letter in enumerate(array.roster) if letter == "U"]
        lacks = array.devices - array.works - len(slots_in_reserve(array.level, array.devices, there))
        if not lacks:
            return None
        return LackingArray(name=array.name, level=array.level, devices=array.devices, lacks=lacks)
    if array.state == "inactive" and not array.external:
        return LackingArray(name=array.name, level=array.level)
    return None


def syncs(text: str) -> dict[str, float]:
    """How far the sync of each array is that has one at work, 0 to 1.

    It is fresher than sync_completed of sysfs, which md moves on every 16th part or every five minutes (md_do_sync).
    """
    return {array.name: array.sync.share for array in parse(text) if array.sync is not None}


# The files of an md array under /sys/block (Documentation/admin-guide/md.rst): paths and values.


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


_CHUNK = re.compile(r"^chunksize (\d{1,12})$", re.MULTILINE)


def lockless_chunk(text: str) -> int | None:
    """Bytes that a bit of a lockless bitmap stands for, in the text of `llbitmap/metadata`: `chunksize 128` sectors
    (md-llbitmap.c, metadata_show, Linux 6.18); None where it is not there."""
    match = _CHUNK.search(text)
    return int(match[1]) * SECTOR if match else None
