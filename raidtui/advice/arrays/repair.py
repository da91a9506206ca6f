"""What an array needs that lost a member: what to pull, what fills its place, what it survives until then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Literal, get_args

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import filling, journal_lost, left_to_lose, reserved_slots
from raidtui.values.amounts import hours, listed, percent
from raidtui.values.arrays import ArrayMember, ArrayState, ObservedArray
from raidtui.values.location import short_slot
from raidtui.values.safe import safe
from raidtui.values.units import counted

RepairRow = Literal["pull", "failed", "dropped", "gone", "filling", "waiting", "spare", "reshape"]
"""pull: a disk that failed and is plugged in; failed: the same in an array that has failed, where it stays in its
bay; dropped: it answers again and is not in the array; gone: a slot that no disk fills; filling: a disk that takes a
place; waiting: the same, its turn has not come; spare: one that waits for a failure; reshape: the array changes its
shape"""
_ORDER: tuple[ArrayState, ...] = get_args(ArrayState)
_LOST: tuple[RepairRow, ...] = ("pull", "failed", "dropped", "gone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """An array that lacks a member, or has one that failed or is filled, or that changes its shape."""

    array: ObservedArray
    rows: tuple[tuple[RepairRow, ArrayMember | None], ...]
    """what there is to see in it, the disk to pull first"""
    first: bool = False
    """no repair: its first sync runs"""

    @property
    def open(self) -> bool:
        """True while a member is missing or is filled; False where only a failed disk is left to pull."""
        lacks = (self.array.lacks or 0) > len(reserved_slots(self.array)) or "failed" in self.array.states
        return lacks or any(row in ("filling", "waiting") for row, _ in self.rows) or journal_lost(self.array)

    @property
    def lost(self) -> bool:
        """True where a member failed; False where one is only filled, as by the first sync of a RAID5."""
        return any(row in _LOST for row, _ in self.rows) or journal_lost(self.array)

    @property
    def reshapes(self) -> bool:
        """True where it changes its shape and lacks nothing: no repair."""
        return self.array.reshape is not None and not self.open and not self.lost


def heading(found: Sequence[Repair]) -> str:
    """What stands over them: a first sync and a reshape are no repair."""
    kinds = {"First sync" if each.first else "Reshape" if each.reshapes else "To repair" for each in found}
    return "To repair" if not kinds or "To repair" in kinds else ", ".join(sorted(kinds))


def gravest(arrays: Iterable[ObservedArray]) -> tuple[ObservedArray, ...]:
    """The arrays, the worst first: by state, then by what they survive; of equals data-0 first."""

    def key(array: ObservedArray) -> tuple[int, int, int, str]:
        left = left_to_lose(array)
        return _ORDER.index(array.state), 0 if left is None else left, len(array.path), array.path

    return tuple(sorted(arrays, key=key))


def repairs(
    arrays: Iterable[ObservedArray], built: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> tuple[Repair, ...]:
    """What there is to repair, and what a first sync fills, the worst array first. `built`: identities of the members
    that arrays were built of, in the order of their slots, by UUID."""
    found = (
        Repair(array=array, rows=tuple(_rows(array)), first=is_first_sync(array, built.get(array.uuid, ())))
        for array in gravest(arrays)
    )
    return tuple(each for each in found if each.open or any(row != "spare" for row, _ in each.rows))


def is_first_sync(array: ObservedArray, members: Sequence[str]) -> bool:
    """True while an array syncs that has each member that it was built of in its slot, and lost none."""
    if array.sync is None or array.sync.action not in ("recover", "resync") or not members:
        return False
    parts = [each for each in array.members if each.state not in ("spare", "journal")]
    slots = {each.slot: each.disk_id for each in parts if each.state in ("in-sync", "rebuilding")}
    return len(parts) == len(members) and slots == dict(enumerate(members))


def _rows(array: ObservedArray) -> Iterable[tuple[RepairRow, ArrayMember | None]]:
    waits = array.sync is None or array.sync.action not in ("recover", "resync")
    failed = [each for each in array.members if each.state == "faulty" or (each.state == "dropped" and array.lacks)]
    pulled: RepairRow = "failed" if "failed" in array.states else "pull"
    failed = in_order_of_failure(failed) if pulled == "failed" else failed
    yield from (("dropped" if each.state == "dropped" else pulled, each) for each in failed)
    yield from (("gone", each) for each in _gone(array, failed))
    if "failed" in array.states:  # nothing is filled
        return
    fills = (*filling(array), *(each for each in array.members if each.state == "replacement"))
    yield from (("waiting" if waits else "filling", each) for each in fills)
    yield from (("spare", each) for each in array.spares)
    if array.reshape is not None:
        yield "reshape", None


def in_order_of_failure(members: Iterable[ArrayMember]) -> list[ArrayMember]:
    """Members that failed, that with the lowest event count first: md counts on without it. Those whose superblock was
    not read come last."""

    def events(member: ArrayMember) -> float:
        block = member.superblock
        return inf if block is None or block.events is None else block.events

    return sorted(members, key=events)


def failure_words(array: ObservedArray) -> str:
    """`in this order: bay 1, bay 2`, as far as event counts say so; empty where nothing failed that is plugged in."""
    failed = in_order_of_failure(each for each in array.members if each.state == "faulty")
    counts = {None if each.superblock is None else each.superblock.events for each in failed}
    names = [f"{place_words(each)}, {words.member_name(each)}" for each in failed]
    if len(counts) == len(failed) > 1 and None not in counts:
        return f"first {', then '.join(names)}, by their event counts"
    return f"{listed(names)}{'; in which order is not known' if len(failed) > 1 else ''}" if names else ""


def _gone(array: ObservedArray, failed: Sequence[ArrayMember]) -> Sequence[ArrayMember]:
    """Slots that nothing fills, without those of the disks that failed and are plugged in."""
    reserve, known = reserved_slots(array), {each.disk_id for each in failed if not each.is_journal}
    slots = [each for each in array.members if each.state == "missing" and each.slot not in reserve]
    others = [each for each in slots if not each.disk_id or each.disk_id not in known]
    theirs = max(len(known) - (len(slots) - len(others)), 0)  # the kernel does not say in which slot they were
    nameless = [each for each in others if not each.disk_id]
    return [each for each in others if each not in nameless[:theirs]]


def state_words(repair: Repair) -> str:
    """`DEGRADED: survives 1 more failure`."""
    array, left = repair.array, left_to_lose(repair.array)
    if repair.first:
        return f"FIRST SYNC {progress(array)}: {'no redundancy until its end' if not left else f'survives {left}'}"
    state = array.state if array.state not in ("clean", "active") else "whole"
    if state == "failed" and array.lacks:
        return f"FAILED: {array.lacks} of {counted(array.devices or 0, 'member')} missing"
    if array.lacks is None or state in ("failed", "incomplete", "inactive", "stopped"):
        return state.upper()
    if left is None:
        return f"{state.upper()}: a failure of the wrong disk loses data"
    return f"{state.upper()}: " + (f"survives {left} more" if left else "one more failure loses data")


def row_words(repair: Repair, row: RepairRow, member: ArrayMember | None) -> str:
    """What stands behind a disk: its state, or how far it is filled."""
    array = repair.array
    match row:
        case "filling":
            return progress(array)
        case "waiting":
            return words.sync_words(array.sync, short=True) or "waits for md to begin"
        case "reshape":
            return words.reshape_words(array)
        case "dropped":
            return "answers again"
        case "gone":
            return "no disk answers there" if member is not None and member.serial else "nothing fills this slot"
        case "spare" if (array.lacks or 0) > len(filling(array)) + len(reserved_slots(array)):
            return "takes the place next"
        case "pull" if member is not None and member.is_journal:
            return "journal failed: every write fails"
        case _:
            return member.state if member is not None else ""


def progress(array: ObservedArray) -> str:
    """`28 %, 4.2 h left`; empty where nothing is synced."""
    sync = array.sync
    if sync is None:
        return ""
    left = f", {hours(sync.seconds_left / 3600)} left" if sync.seconds_left else ""
    return f"{percent(sync.done_bytes / sync.whole_bytes if sync.whole_bytes else 0.0)}{left}"


def in_sync_words(array: ObservedArray) -> str:
    """`13 of 14 members in sync`; of an array that does not run what comes first."""
    if "failed" in array.states:
        return "leave its disks where they are, write nothing to them"
    if not array.runs:
        return "it does not run: read below why, and write nothing to its disks"
    there = sum(member.state == "in-sync" for member in array.members)
    return f"{there} of {counted(array.devices or 0, 'member')} in sync"


def place_words(member: ArrayMember, *, short: bool = False) -> str:
    """The bay of a member's disk; where that is not known its kernel name, else its number in the array."""
    if member.place.slot:
        return safe(short_slot(member.place.slot) if short else member.place.slot)
    return safe(member.device) or (f"member {member.slot}" if member.slot is not None else "a member")


def line_words(found: Sequence[Repair], *, short: bool = False) -> str:
    """The line above every screen: `drawer 1 slot 02 of data-1 is missing: 9 shows what to do`; empty if nothing is.

    `short`: with short names of slots, for a narrow terminal."""
    shown = [each for each in found if each.open]
    if not shown:
        return ""
    first, array = shown[0], shown[0].array
    name = safe(array.path.removeprefix("/dev/md/") if array.path.startswith("/dev/md/") else array.shown_name)
    if "failed" in array.states:
        missing = f", {counted(array.lacks, 'member')} missing" if array.lacks else ""
        more = f" (and {counted(len(shown) - 1, 'array')})" if len(shown) > 1 else ""
        return f"{name} has failed{missing}{more}: 9 shows what to do"
    lost = [member for row, member in first.rows if row in _LOST and member is not None]
    fills = [member for row, member in first.rows if row in ("filling", "waiting") and member is not None]
    parts = []
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        place = place_words(lost[0], short=short)
        verb = "are" if more else "is"
        parts.append(
            f"{name} lost its journal {place}" if lost[0].is_journal else f"{place}{more} of {name} {verb} missing"
        )
    elif journal_lost(array):
        parts.append(f"{name} lost its journal")
    elif not fills:
        parts.append(f"{counted(array.lacks, 'member')} of {name} missing" if array.lacks else f"{name} has failed")
    if fills:
        how = f", {progress(array)}" if array.sync is not None and array.sync.seconds_left else ""
        parts.append(f"{'' if parts else f'{name}: '}{place_words(fills[0], short=short)} fills{how}")
    others = f" (and {counted(len(shown) - 1, 'array')})" if len(shown) > 1 else ""
    return f"{'; '.join(parts)}{others}: 9 shows what to do"
