"""/proc/mdstat: which devices the md driver holds (kernel drivers/md/md.c, md_seq_show).

Personalities : [raid1] [raid6] [raid5] [raid4]
md127 : active raid5 sdd1[3] sdc1[1] sdb1[0](F)
      2093056 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]
      [==>..................]  recovery = 12.6% (132096/1046528) finish=0.1min speed=132096K/sec

md126 : inactive sde[1](S)
      1046528 blocks super 1.2

unused devices: <none>
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidtui.model.inventory import LackingArray

_ARRAY = re.compile(r"(?P<name>\S+) : (?P<state>active|inactive)(?P<rest>.*)")
_MEMBER = re.compile(r"(\S+?)\[\d+\]")
_COUNTS = re.compile(r"\s.* \[(\d+)/(\d+)\] \[[U_]+\]", re.ASCII)
_SYNC = re.compile(r"\s+\[[=>.]+\]\s+(?P<action>\w+) *= *[\d.]+% \((?P<done>\d+)/(?P<whole>\d+)\).*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class MdArray:
    """One array of the kernel, running or not."""

    name: str
    """md127"""
    state: str
    """active or inactive"""
    level: str
    """raid5; empty when inactive"""
    members: tuple[str, ...]
    """kernel names, spares and failed ones too"""

    @property
    def words(self) -> str:
        """`md127 active raid5`."""
        return " ".join(part for part in (self.name, self.state, self.level) if part)


def parse(text: str) -> tuple[MdArray, ...]:
    """Every array in `text`."""
    found = (_ARRAY.fullmatch(line) for line in text.splitlines())
    return tuple(
        MdArray(
            name=match["name"],
            state=match["state"],
            level=next((word for word in match["rest"].split() if "[" not in word and "(" not in word), ""),
            members=tuple(_MEMBER.findall(match["rest"])),
        )
        for match in found
        if match is not None
    )


def lacking(text: str) -> tuple[LackingArray, ...]:
    """The arrays that lack members or do not run; containers of external metadata never do."""
    found: dict[str, LackingArray] = {}
    name = level = ""
    for line in text.splitlines():
        if (match := _ARRAY.fullmatch(line)) is not None:
            (array,) = parse(line)
            name, level = array.name, array.level
            if array.state == "inactive":
                found[name] = LackingArray(name=name)
        elif "super external:" in line:
            found.pop(name, None)
        elif (match := _COUNTS.fullmatch(line)) is not None and int(match[2]) < int(match[1]):
            devices = int(match[1])
            found[name] = LackingArray(name=name, level=level, devices=devices, lacks=devices - int(match[2]))
    return tuple(found.values())


def syncs(text: str) -> dict[str, float]:
    """How far the sync of each array is that has one at work, 0 to 1.

    It is fresher than sync_completed of sysfs, which md moves on every 16th part or every five minutes (md_do_sync).
    """
    found = {}
    name = ""
    for line in text.splitlines():
        match = _ARRAY.fullmatch(line)
        if match is not None:
            name = match["name"]
            continue
        match = _SYNC.fullmatch(line)
        if match is not None and name and int(match["whole"]):
            found[name] = min(int(match["done"]) / int(match["whole"]), 1.0)
    return found
