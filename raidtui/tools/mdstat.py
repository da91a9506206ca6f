"""/proc/mdstat: which devices the md driver holds (kernel drivers/md/md.c, md_seq_show).

Personalities : [raid1] [raid6] [raid5] [raid4]
md127 : active raid5 sdd1[3] sdc1[1] sdb1[0](F)
      2093056 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]

md126 : inactive sde[1](S)
      1046528 blocks super 1.2

unused devices: <none>
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ARRAY = re.compile(r"(?P<name>\S+) : (?P<state>active|inactive)(?P<rest>.*)")
_MEMBER = re.compile(r"(\S+?)\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    """One array that the kernel knows, running or not."""

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


def parse(text: str) -> tuple[Array, ...]:
    """Every array in `text`."""
    found = (_ARRAY.fullmatch(line) for line in text.splitlines())
    return tuple(
        Array(
            name=match["name"],
            state=match["state"],
            level=next((word for word in match["rest"].split() if "[" not in word and "(" not in word), ""),
            members=tuple(_MEMBER.findall(match["rest"])),
        )
        for match in found
        if match is not None
    )
