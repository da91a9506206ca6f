"""Whether what an array lost is older than the array: by event counts, update times and rosters of both sides.

An event count alone says nothing: a boot that starts an old half makes it count on, and both sides are written.
Sources: md(4); mdadm's super1.c for what --examine prints; drivers/md/md.c, which writes superblocks to working members
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, assert_never

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import is_fresh, journal_lost, newest_of, shapes, up_to_date
from raidtui.values.amounts import listed
from raidtui.values.arrays import ArrayMember, MemberState, MemberSuperblock, ObservedArray
from raidtui.values.findings import Finding, error, note, warning
from raidtui.values.safe import safe
from raidtui.values.survival import starts
from raidtui.values.units import counted, plural

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


# Why an array does not start, and what not to do; what to do first where one runs without a member.


_FEATURES = 0x1FFF
"""bits of the feature map that Linux knows (MD_FEATURE_ALL, md_p.h, 5.4 to 6.18)"""
_NOT_TO_DO = (
    "do not run mdadm --create, --zero-superblock or --assemble --force on its disks: each of them can destroy what is "
    "left; find out first why the members are missing (cables, power, dmesg)"
)

_KEEP = (
    "keep both as they are; put none back (--re-add, --add) and zero none; start each by itself read-only "
    "(mdadm --assemble --readonly) and compare its files, then decide"
)


def advice(age: Age, member: ArrayMember, array: ObservedArray) -> tuple[str, str]:
    """What follows for a device that is not in its array, in one sentence, and what to do about it."""
    device, path = safe(member.path) or f"/dev/{safe(member.device)}", safe(array.path)
    match age.verdict:
        case "older":
            return (
                "It is no blank disk: its content is older than the array's, and it may be failing.",
                "its content is older than the array's; before it is put back or replaced, find out why it was "
                "dropped (dmesg, smartctl); never build on it",
            )
        case "replaced":
            return (
                "It is no blank disk: another disk took its place, and its content is older than the array's.",
                f"once the array is checked and nothing on it is needed, mdadm --zero-superblock {device}; until then "
                "keep it from boots",
            )
        case "same" if not array.size_bytes:
            return (
                "Its content is that of the array, unless that was written since.",
                f"it came too late, or was left out: mdadm --stop {path} and mdadm --assemble --scan take it in",
            )
        case "same":
            return (
                "Its content is that of the array, unless that was written since.",
                f"find out why it is not in the array (dmesg, smartctl -x); mdadm {path} --re-add {device} puts it "
                "back. Once the array is written without a bitmap, md refuses that. Then mdadm --zero-superblock "
                f"{device} and mdadm {path} --add {device} rebuild onto it",
            )
        case "spare":
            return (
                "It is no blank disk: it was a spare of the array, which left it out or had it removed.",
                f"find out why it is not in the array (dmesg, smartctl -x); mdadm {path} --add {device} makes it a "
                "spare again",
            )
        case "journal" if array.size_bytes and not journal_lost(array):
            runs = "has another one" if array.consistency == "journal" else "runs without a journal"
            return (
                f"It was the write journal of the array, which {runs} now: what it alone holds is of no use.",
                f"mdadm --zero-superblock {device}, so that no boot finds it",
            )
        case "journal":
            return (
                "It was the write journal of the array. What it alone holds is lost once the array is written.",
                f"write nothing to the array; where both counts are the same, mdadm --stop {path} and mdadm --assemble "
                f"--scan take it in with what it holds; else mdadm {path} --add-journal {device} makes a new journal "
                "of it",
            )
        case "newer":
            return (
                "The array runs without what was written last: its own content is the older one.",
                "write nothing to the array and find out what started it (raidtui audit, DEVICE in mdadm.conf); "
                + _KEEP,
            )
        case "apart":
            return f"Neither is the older one: {age.reason}.", _KEEP
        case "unknown":
            return f"Which of both is older, its superblock cannot tell: {age.reason}.", _KEEP
        case _:
            assert_never(age.verdict)


def why(array: ObservedArray, now: str = "") -> Iterator[Finding]:
    """Reasons why `array` does not run; of one that runs and lost devices, what to do. `now`: when it was read, ISO."""
    name = words.name(array)
    for member in array.dropped:
        age = age_of((*array.members, *array.removed), member, now)
        follows, way_out = advice(age, member, array)
        yield (error if age.grave else warning)(
            "member-dropped",
            f"{_member(member)} has the superblock of {name} and is not in it: {age.read}. {follows}",
            way_out,
            name,
        )
    if "container" in array.states or not {"inactive", "stopped"} & set(array.states):
        return
    if array.metadata.startswith("external:"):
        yield from _volume(array, name)
        return
    newest = newest_of(array.members)
    unread = [member for member in array.members if member.superblock is None]
    if unread:
        yield note(
            "superblock-unread",
            f"{name}: the superblocks of {counted(len(unread), 'member')} were not read: {safe(unread[0].unread)}.",
            "run raidtui arrays as root",
            name,
        )
    if newest is None:
        return
    yield from _stale(array, newest, name, now)
    yield from _unknown_features(array, name)
    if array.lacks:
        yield from _incomplete(array, newest, name)
    if journal_lost(array):
        yield error(
            "journal-missing",
            f"{name} has a write journal, and no device here is it: md does not start it by itself.",
            "bring the journal back: what was written last may be on it alone. Without it "
            f"{words.assembled_anew(array, '--force')} starts the array read-only, and mdadm {_device(array)} "
            "--add-journal DISK gives it another",
            name,
        )
    elif array.reshape is not None:
        yield _interrupted(array)
    elif not array.lacks and not unread:
        yield note(
            "array-not-started",
            f"{name} has all of its {counted(array.devices or 0, 'member')} with one event count, and does not run.",
            "see why nothing started it: an ARRAY line that mdadm ignores, AUTO in mdadm.conf, or mdadm --stop; "
            f"{f'mdadm --run {_device(array)}' if array.path else words.assembled_anew(array)} starts it",
            name,
        )


def _device(array: ObservedArray) -> str:
    """Its path; of one that is not assembled the one that it gets."""
    return safe(array.path) or "/dev/md/NAME"


def _interrupted(array: ObservedArray) -> Finding:
    """A change of shape that was interrupted, with how it goes on."""
    name, device = words.name(array), _device(array)
    members = " ".join(safe(each.path) for each in array.members if each.state == "idle" and each.path)
    stop = f"mdadm --stop {device}; " if array.path else ""
    backup = array.reshape is not None and array.reshape.backup
    file = " --backup-file=FILE" if backup else ""
    return error(
        "reshape-interrupted",
        f"{name} stands in the middle of a reshape ({words.reshape_words(array)}).",
        f"do not create it anew: part of it has each shape. {stop}mdadm --assemble {device}{file} {members} goes on "
        "where it stands"
        + ("; FILE is the one that --grow was given, or leave that out where it moved to spares" if backup else ""),
        name,
    )


def _volume(array: ObservedArray, name: str) -> Iterator[Finding]:
    """Why an array of IMSM or DDF does not run."""
    there = {member.slot for member in array.members if member.slot is not None}
    gone = [slot for slot in range(array.devices or 0) if slot not in there]
    held = f"/dev/{safe(array.container)}" if array.container else ""
    begin = f"mdadm --incremental --run {held}" if held else "mdadm --assemble --scan, of its container first,"
    if array.devices is None:
        yield note(
            "superblock-unread", f"{name}: the metadata of its container was not read.", "run raidtui arrays as root",
            name,
        )  # fmt: skip
    elif gone:
        enough = starts(array.shape, gone)
        yield (warning if enough else error)(
            "array-incomplete",
            f"{name} ({array.level}) has {len(there)} of {counted(array.devices, 'member')} in it; "
            f"{_slots(gone)} missing.",
            f"these suffice: find out first why others are missing; {begin} starts it without them"
            if enough
            else _NOT_TO_DO,
            name,
        )
    else:
        yield note(
            "array-not-started",
            f"{name} has all of its {counted(array.devices, 'member')}, and does not run.", f"{begin} starts it", name,
        )  # fmt: skip


def _slots(gone: Sequence[int]) -> str:
    """`slots 1 and 3 are`."""
    return f"{plural('slot', len(gone))} {listed([str(slot) for slot in gone])} {'is' if len(gone) == 1 else 'are'}"


def _stale(array: ObservedArray, newest: MemberSuperblock, name: str, now: str) -> Iterator[Finding]:
    for member in array.members:
        block = member.superblock
        if member.state == "dropped" or block is None or is_fresh(block, newest):
            continue
        age = age_of(array.members, member, now)
        older, follows = age.verdict == "older", advice(age, member, array)[0]
        yield (warning if older else error)(
            "member-stale",
            f"{_member(member)} missed what was written to {name} last: {age.read}."
            if older
            else f"{_member(member)} and the newest member of {name} differ: {age.read}. {follows}",
            "md leaves it out: its content is older; it is rebuilt when it is added to the running array"
            if older
            else f"md would go by the count alone and leave it out; {_KEEP}",
            name,
        )


def _unknown_features(array: ObservedArray, name: str) -> Iterator[Finding]:
    for member in array.members:
        if member.superblock is not None and (bits := member.superblock.features & ~_FEATURES):
            yield error(
                "feature-unknown",
                f"{_member(member)}: the superblock of {name} has feature bits {bits:#x} that Linux up to 6.18 does "
                f"not know. Such a kernel refuses it.",
                "start it with the kernel that wrote it; nothing is lost",
                name,
            )


def _incomplete(array: ObservedArray, newest: MemberSuperblock, name: str) -> Iterator[Finding]:
    there = up_to_date(array.members, newest)
    gone = [slot for slot in range(array.devices or 0) if slot not in there]
    before = newest.roster.count(".")
    already = f" It ran without {before} before." if before else ""
    dirty = bool(newest.shape.parity) and newest.clean is False
    enough = all(starts(shape, [slot for slot in gone if slot < shape.devices]) for shape in shapes(array))
    begin = f"mdadm --run {_device(array)}" if array.path else words.assembled_anew(array, "--run")
    suffice = enough and not dirty and array.reshape is None
    yield (warning if suffice else error)(
        "array-incomplete",
        f"{name} ({array.level}) has {(array.devices or 0) - (array.lacks or 0)} of "
        f"{counted(array.devices or 0, 'member')} that are up to date in it; {_slots(gone)} missing.{already}",
        f"these suffice: find out first why others are missing; {begin} starts it without them"
        if suffice
        else _NOT_TO_DO,
        name,
    )
    if dirty:
        yield error(
            "dirty-degraded",
            f"{name} was in use when it was last written and has a missing member. The parity of stripes that were "
            f"being written cannot be trusted (write hole). So md does not start it by itself.",
            "bring the missing member back, if it was only pulled; starting it by force may corrupt what was being "
            "written",
            name,
        )


def _member(member: ArrayMember) -> str:
    """`sdc (slot 4, serial X)`."""
    place = f"{words.slot(member)}, " if member.place.slot else ""
    return f"{safe(member.device)} ({place}serial {safe(member.serial or 'unknown', longest=40)})"
