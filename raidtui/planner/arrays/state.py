"""States of an md array, from what the kernel and its superblocks say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from raidtui.model.arrays import ArrayMember, ArrayState, MemberState, MemberSuperblock, SyncNow

REDUNDANT = ("raid1", "raid4", "raid5", "raid6", "raid10")
"""levels that can rebuild a member"""
_ORDER: tuple[ArrayState, ...] = get_args(ArrayState)
_SURVIVES = {"raid0": 0, "linear": 0, "raid4": 1, "raid5": 1, "raid6": 2}
"""members that a level may lose; RAID1 all but one, RAID10 as many as its copies allow, which the kernel knows"""
_NO_HOST = ("", "any")
"""hosts in an array's name that mean none (mdadm(8), --homehost)"""


def array_states(
    kernel: str,
    *,
    level: str,
    devices: int | None,
    lacks: int | None,
    metadata: str,
    sync: SyncNow | None,
    made_for: str,
    host: str,
) -> tuple[ArrayState, ...]:
    """All states of an array whose array_state is `kernel` (empty: not assembled), gravest first."""
    found: list[ArrayState] = []
    runs = kernel not in ("", "inactive")
    if metadata.startswith("external:") and level in ("", "container"):
        return ("container",)
    most = survives(level, devices)
    if runs and (kernel == "broken" or (most is not None and (lacks or 0) > most)):
        found.append("failed")
    elif lacks:
        found.append("degraded" if runs else "incomplete")
    if not runs:
        found.append("inactive" if kernel else "stopped")
    if sync is not None and sync.action in ("held", "pending"):
        found.append("pending")
    if made_for not in (*_NO_HOST, host):
        found.append("foreign")
    if kernel in ("read-auto", "readonly"):
        found.append("auto-read-only" if kernel == "read-auto" else "read-only")
    elif runs:
        found.append("clean" if kernel in ("clean", "broken") else "active")
    return tuple(sorted(found, key=_ORDER.index))


def survives(level: str, devices: int | None) -> int | None:
    """Members that an array of `devices` may lose; None for RAID10 and levels that are not known."""
    return devices - 1 if level == "raid1" and devices else _SURVIVES.get(level)


def member_state(flags: frozenset[str], slot: int | None, *, runs: bool) -> MemberState:
    """The part of a member, from the words of its `state` in sysfs (Documentation/admin-guide/md.rst)."""
    if "faulty" in flags:
        return "faulty"
    if not runs:
        return "idle"
    if "journal" in flags:
        return "journal"
    if "replacement" in flags:
        return "replacement"
    if "in_sync" in flags:
        return "in-sync"
    return "spare" if slot is None else "rebuilding"


def missing(members: Sequence[ArrayMember], devices: int | None) -> list[ArrayMember]:
    """A missing member for each slot that no device has."""
    filled = {member.slot for member in members if member.state not in ("replacement", "faulty", "dropped")}
    return [ArrayMember(slot=slot, state="missing") for slot in range(devices or 0) if slot not in filled]


def newest_roster(
    members: Sequence[ArrayMember], apart: Sequence[ArrayMember] = ()
) -> tuple[str, int | None, int | None]:
    """(level, members when whole, members that are not in it) of an array that does not run, by superblocks.

    A member counts where its event count is that of the newest, also of those `apart`, and it has a slot.
    """
    newest = newest_of((*members, *apart))
    if newest is None or newest.devices is None:
        return newest.level if newest else "", None, None
    there = {
        block.role
        for block in (member.superblock for member in members)
        if block is not None and block.role is not None and block.events == newest.events
    }
    return newest.level, newest.devices, max(newest.devices - len(there), 0)


def newest_of(members: Sequence[ArrayMember]) -> MemberSuperblock | None:
    """The superblock with the highest event count; None where none was read."""
    blocks = [member.superblock for member in members if member.superblock is not None]
    return max(blocks, key=lambda block: block.events or 0, default=None)
