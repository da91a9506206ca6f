"""What an array needs that lost a member: what to pull, what fills its place, what it survives until then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import filling, journal_lost, left_to_lose, reserved_slots
from raidtui.values.amounts import hours, percent
from raidtui.values.arrays import ArrayMember, ArrayState, ObservedArray
from raidtui.values.location import short_slot
from raidtui.values.safe import safe
from raidtui.values.units import counted

RepairRow = Literal["pull", "dropped", "gone", "filling", "waiting", "spare", "reshape"]
"""pull: a disk that failed and is plugged in; dropped: it answers again and is not in the array; gone: a slot that
no disk fills; filling: a disk that takes a place; waiting: the same, its turn has not come; spare: one that waits for a
failure; reshape: the array changes its shape"""
_ORDER: tuple[ArrayState, ...] = get_args(ArrayState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """An array that lacks a member, or has one that failed or is filled."""

    array: ObservedArray
    rows: tuple[tuple[RepairRow, ArrayMember | None], ...]
    """what there is to see in it, the disk to pull first"""

    @property
    def open(self) -> bool:
        """True while a member is missing or is filled; False where only a failed disk is left to pull."""
        lacks = (self.array.lacks or 0) > len(reserved_slots(self.array)) or "failed" in self.array.states
        return lacks or any(row in ("filling", "waiting") for row, _ in self.rows) or journal_lost(self.array)

    @property
    def lost(self) -> bool:
        """True where a member failed; False where one is only filled, as by the first sync of a RAID5."""
        return any(row in ("pull", "dropped", "gone") for row, _ in self.rows) or journal_lost(self.array)


def gravest(arrays: Iterable[ObservedArray]) -> tuple[ObservedArray, ...]:
    """The arrays, the worst first: by state, then by what they survive."""

    def key(array: ObservedArray) -> tuple[int, int]:
        left = left_to_lose(array)
        return _ORDER.index(array.state), 0 if left is None else left

    return tuple(sorted(arrays, key=key))


def repairs(arrays: Iterable[ObservedArray]) -> tuple[Repair, ...]:
    """What there is to repair, the worst array first."""
    found = (Repair(array=array, rows=tuple(_rows(array))) for array in gravest(arrays))
    return tuple(each for each in found if each.open or any(row != "spare" for row, _ in each.rows))


def _rows(array: ObservedArray) -> Iterable[tuple[RepairRow, ArrayMember | None]]:
    waits = array.sync is None or array.sync.action not in ("recover", "resync")
    failed = [each for each in array.members if each.state == "faulty" or (each.state == "dropped" and array.lacks)]
    yield from (("dropped" if each.state == "dropped" else "pull", each) for each in failed)
    yield from (("gone", each) for each in _gone(array, failed))
    fills = (*filling(array), *(each for each in array.members if each.state == "replacement"))
    yield from (("waiting" if waits else "filling", each) for each in fills)
    yield from (("spare", each) for each in array.spares)
    if array.reshape is not None:
        yield "reshape", None


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
    state = array.state if array.state not in ("clean", "active") else "whole"
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
    lost = [member for row, member in first.rows if row in ("pull", "dropped", "gone") and member is not None]
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
