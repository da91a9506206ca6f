"""Whether what an array lost is older than the array: by event counts, update times and rosters of both sides.

An event count alone says nothing: a boot that starts an old half makes it count on, and both sides are written.
Sources: md(4); mdadm's super1.c for what --examine prints; drivers/md/md.c, which writes superblocks to working members
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from raidtui.model.arrays import ArrayMember, MemberState, MemberSuperblock
from raidtui.model.safe import safe

AgeVerdict = Literal["older", "replaced", "same", "spare", "journal", "newer", "apart", "unknown"]
"""replaced: older, and another disk took its place while it still worked. same: the last write reached both. spare:
it had no slot, and no data; md writes no superblock to a member that it threw out. apart: each was written without the
other"""
_SIDE: tuple[MemberState, ...] = ("in-sync", "idle")
_HERE = "AR"
"""letters of a roster for members that were there: active, being replaced"""
_FIRST_YEAR = 2001
"""md is as old; a clock that was not set starts in 1970 or 1980"""
_ZONES = timedelta(hours=26)
"""between any two places; mdadm prints the time of the machine's own"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """What was concluded of a device that is not in its array, and from what."""

    verdict: AgeVerdict
    read: str
    """what both superblocks say, made safe"""
    reason: str = ""
    """why it is apart, or unknown"""
    rival: bool = False
    """it counts more changes than the array, or has every slot with what left beside it"""

    @property
    def grave(self) -> bool:
        """True where the array that runs may not be the side that is wanted."""
        return self.rival or self.verdict in ("newer", "apart")


def age_of(members: Sequence[ArrayMember], member: ArrayMember, now: str = "") -> Age:
    """How old `member` is beside those of `members` that are in the array, or would be.

    `now`: when they were read, ISO; empty: times in the future are not noticed.
    """
    block = member.superblock
    if block is None or block.events is None:
        why = f" ({safe(member.unread)})" if member.unread else ""
        return Age(verdict="unknown", read=f"its superblock was not read{why}", reason="nothing is known of it")
    ours = [each.superblock for each in members if each is not member and each.state in _SIDE and each.superblock]
    newest = max(ours, key=lambda each: each.events or 0, default=None)
    read = _read(block, newest)
    if newest is None or newest.events is None:
        return Age(verdict="unknown", read=read, reason="no superblock of the array's members was read")
    beside = [
        each.superblock
        for each in members
        if each is not member and each.state == member.state == "dropped" and each.superblock
    ]
    found = _Sides(block, newest, ours, beside)
    verdict, reason = _judged(found, now)
    rival = block.events > newest.events or (found.alone and not found.slots)
    return Age(verdict=verdict, read=read, reason=reason, rival=rival)


class _Sides:
    """What the superblocks of both sides list of each other."""

    def __init__(
        self, block: MemberSuperblock, newest: MemberSuperblock, ours: Sequence[MemberSuperblock],
        beside: Sequence[MemberSuperblock],
    ) -> None:  # fmt: skip
        self.block, self.newest = block, newest
        self.counts, self.most = block.events or 0, newest.events or 0
        with_it = {each.role for each in beside if abs((each.events or 0) - self.counts) <= 1}
        fresh = {each.role for each in ours if (each.events or 0) >= self.most - 1} - {None}
        self.slots = fresh - with_it - {block.role}
        """of the array's members, but for those that it has itself, or what left beside it"""
        self.alone = bool(with_it)
        """others left beside it"""
        self.taken = block.role in fresh
        self.lists = {_letter(block, slot) in _HERE for slot in self.slots if slot is not None}
        """whether it lists them: some, all, none"""


def _read(block: MemberSuperblock, newest: MemberSuperblock | None) -> str:
    parts = [
        f"event count {block.events}" + (f", the array's {newest.events}" if newest is not None else ""),
        f"last written {safe(block.updated) or 'unknown'}"
        + (f", the array {safe(newest.updated) or 'unknown'}" if newest is not None else ""),
    ]
    if block.roster:
        parts.append(f"slots {safe(block.roster)} by it" + (f", {safe(newest.roster)} by the array" if newest else ""))
    return "; ".join(parts)


def _judged(sides: _Sides, now: str) -> tuple[AgeVerdict, str]:
    block, newest = sides.block, sides.newest
    if block.journal or (block.role is None and sides.counts <= sides.most):
        return "journal" if block.journal else "spare", ""
    if block.role is None:
        return "unknown", "it has no slot, and counts more changes than the array"
    if not block.roster or not newest.roster:
        return "unknown", "its metadata has no list of slots"
    has_it = _letter(newest, block.role) in _HERE
    if sides.lists == {False} and not has_it:
        return "apart", "each lists itself and not the other: both were written alone"
    mine, theirs = _moment(block.updated, now), _moment(newest.updated, now)
    if mine is None or theirs is None:
        whose = "its" if mine is None else "the array's"
        return "unknown", f"{whose} update time is no time of a working clock"
    fewer = sides.counts < sides.most
    if sides.counts == sides.most:
        if mine == theirs:
            return "same", ""
        return "unknown", "the counts are the same and the times are not: both were written since"
    if fewer != (mine <= theirs) and mine != theirs:
        said = "fewer changes and was written later" if fewer else "more changes and was written earlier"
        return "unknown", f"it counts {said}: a clock was wrong, or both were written alone"
    if not sides.slots and sides.alone:
        return "unknown", "what left with it has every slot of the array: they may have been written alone"
    if not fewer:
        return ("newer", "") if has_it and True in sides.lists else _AHEAD
    if True not in sides.lists:
        return "unknown", "it counts fewer changes, and lists none of the array's members"
    return ("replaced" if sides.taken and _letter(block, block.role) == "R" else "older"), ""


_AHEAD: tuple[AgeVerdict, str] = ("unknown", "it counts more changes, and the array ran without it")


def _letter(block: MemberSuperblock, slot: int) -> str:
    return block.roster[slot] if slot < len(block.roster) else "."


def _moment(updated: str, now: str) -> datetime | None:
    """The time that mdadm printed; None for one that no working clock shows."""
    try:
        found = datetime.strptime(updated, "%a %b %d %H:%M:%S %Y")
        latest = datetime.fromisoformat(now).replace(tzinfo=None) + _ZONES if now else datetime.max
    except ValueError:
        return None
    return found if found.year >= _FIRST_YEAR and found <= latest else None
