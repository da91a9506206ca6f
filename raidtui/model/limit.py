"""A limit: what bounds a rate, by its kind and, where a machine has several of a kind, its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from raidtui.model.codec_rules import TextValue

LimitKind = Literal[
    "unknown", "members", "members, one slow", "partial stripes", "disk link", "port multiplier", "expander", "cable",
    "PCIe slot", "stated link", "link of all members", "md thread", "one stream", "memory", "program", "member",
    "sync_speed_max", "md sync thread", "controller cache", "band", "other",
]  # fmt: skip
"""unknown: neither model nor gauges tell; stated link: the one link of all members that the admin gave a rate for, in a
rebuild `link of all members`; program: too little is kept in flight; controller cache: of
hardware controllers, which mirror what is written; member: the disk alone, in a rebuild; band: the slowest of a
hybrid layout; other: named
by a table of measurements, or by another version"""
_TEXTS: dict[str, LimitKind] = {kind: kind for kind in get_args(LimitKind) if kind not in ("unknown", "other")}
_NAMED: tuple[LimitKind, ...] = ("port multiplier", "expander", "cable", "PCIe slot", "band")
_SHARED_LINKS: frozenset[LimitKind] = frozenset(("port multiplier", "expander", "cable", "PCIe slot", "stated link"))


@dataclass(frozen=True, slots=True, order=True)
class Limit(TextValue):
    """What bounds a rate. In files it is its text, `port multiplier ata1.pmp`; an unknown one is empty there."""

    kind: LimitKind
    name: str = ""
    """which of its kind, raw text of the machine; empty where there is only one"""

    def __str__(self) -> str:
        """Its text, in files and for people: kind and name."""
        if self.kind == "unknown":
            return ""
        return self.name if self.kind == "other" else f"{self.kind} {self.name}".strip()

    @classmethod
    def read(cls, text: str) -> Limit:
        """The limit of this text."""
        if not text:
            return UNKNOWN
        if text in _TEXTS:
            return cls(_TEXTS[text])
        for kind in _NAMED:
            if text.startswith(f"{kind} "):
                return cls(kind, text[len(kind) + 1 :])
        return cls("other", text)

    @property
    def known(self) -> bool:
        """False if neither model nor gauges show a limit."""
        return self.kind != "unknown"

    @property
    def is_shared_link(self) -> bool:
        """True for links that several disks share."""
        return self.kind in _SHARED_LINKS

    @property
    def short(self) -> str:
        """Its text without the name, but for one of no kind."""
        return self.name if self.kind == "other" else str(Limit(self.kind))

    @property
    def device(self) -> str:
        """`expander-0:0`: its text, of a link below a controller its name, which tells what it is."""
        return self.name if self.kind in ("port multiplier", "expander", "cable") else str(self)

    def agrees_with(self, other: Limit) -> bool:
        """True where both are one thing: one slow member sets the pace of all, and a lone stream is its program's.

        An unknown limit agrees with none.
        """
        return self.known and _SAME.get(self, self) == _SAME.get(other, other)


UNKNOWN = Limit("unknown")
MEMBERS = Limit("members")
SLOW_MEMBER = Limit("members, one slow")
PARTIAL_STRIPES = Limit("partial stripes")
DISK_LINK = Limit("disk link")
MD_THREAD = Limit("md thread")
ONE_STREAM = Limit("one stream")
MEMORY_CHANNELS = Limit("memory")
PROGRAM = Limit("program")
CONTROLLER_CACHE = Limit("controller cache")
_SAME = {SLOW_MEMBER: MEMBERS, ONE_STREAM: PROGRAM}
