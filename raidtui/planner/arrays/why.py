"""Why an array does not start, and what not to do; what to do first where one runs without a member."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from raidtui.model.arrays import ArrayMember, MemberSuperblock, ObservedArray
from raidtui.model.counted import counted, plural
from raidtui.model.finding import Finding
from raidtui.model.layout import PARITY
from raidtui.model.safe import safe
from raidtui.planner.arrays import words
from raidtui.planner.arrays.age import Age, age_of
from raidtui.planner.arrays.state import newest_of, survives
from raidtui.planner.findings import error, note, warning
from raidtui.planner.numbers import listed

_FEATURES = 0x1FFF
"""bits of the feature map that Linux knows (MD_FEATURE_ALL, md_p.h, 5.4 to 6.18)"""
_NOT_TO_DO = (
    "do not run mdadm --create, --zero-superblock or --assemble --force on its disks: each of them can destroy what is "
    "left; find out first why the members are missing (cables, power, dmesg)"
)

_KEEP = (
    "keep both as they are, neither put one back (--re-add, --add) nor zero one: start each by itself read-only "
    "(mdadm --assemble --readonly) and compare its files, then decide"
)


def advice(age: Age, member: ArrayMember) -> tuple[str, str]:
    """What follows for a device that is not in its array, in one sentence, and what to do about it."""
    device = f"/dev/{safe(member.device)}"
    match age.verdict:
        case "older":
            return (
                "It is no blank disk: its content is older than the array's, and it may be failing.",
                "its content is older than the array's: find out why it was dropped (dmesg, smartctl) before it is put "
                "back or replaced; never build on it",
            )
        case "replaced":
            return (
                "It is no blank disk: another disk took its place, and its content is older than the array's.",
                f"once the array is checked and nothing on it is needed, mdadm --zero-superblock {device}; until then "
                "keep it from boots",
            )
        case "same":
            return (
                "Its content is that of the array, unless that was written since.",
                "find out why it is not in the array (dmesg, smartctl -x); mdadm --re-add puts it back",
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
    newest = newest_of(array.members)
    for member in array.dropped:
        age = age_of((*array.members, *array.removed), member, now)
        follows, way_out = advice(age, member)
        if age.verdict == "same" and not array.size_bytes:
            way_out = (
                f"it came too late, or was left out: mdadm --stop {safe(array.path)} and mdadm --assemble --scan take "
                "it in"
            )
        yield (error if age.grave else warning)(
            "member-dropped",
            f"{_member(member)} has the superblock of {name} and is not in it: {age.read}. {follows}",
            way_out,
            name,
        )
    if "container" in array.states or not {"inactive", "stopped"} & set(array.states):
        return
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
    elif not unread:
        yield note(
            "array-not-started",
            f"{name} has all of its {counted(array.devices or 0, 'member')} with one event count, and does not run.",
            "see why nothing started it: an ARRAY line that mdadm ignores, AUTO in mdadm.conf, or somebody stopped it; "
            f"mdadm --assemble --scan --uuid={array.uuid} starts it",
            name,
        )


def _stale(array: ObservedArray, newest: MemberSuperblock, name: str, now: str) -> Iterator[Finding]:
    for member in array.members:
        block = member.superblock
        if member.state == "dropped" or block is None or (block.events or 0) >= (newest.events or 0):
            continue
        age = age_of(array.members, member, now)
        older = age.verdict == "older"
        yield (warning if older else error)(
            "member-stale",
            f"{_member(member)} missed what was written to {name} last: {age.read}."
            if older
            else f"{_member(member)} and the newest member of {name} differ: {age.read}. {advice(age, member)[0]}",
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
                "not know: such a kernel refuses it.",
                "start it with the kernel that wrote it; nothing is lost",
                name,
            )


def _incomplete(array: ObservedArray, newest: MemberSuperblock, name: str) -> Iterator[Finding]:
    inside = (member.superblock for member in array.members if member.state != "dropped")
    there = {block.role for block in inside if block is not None and block.events == newest.events}
    gone = [str(slot) for slot in range(array.devices or 0) if slot not in there]
    before = newest.roster.count(".")
    already = f" It ran without {before} before." if before else ""
    parity = next((count for level, count in PARITY.items() if level == array.level), 0)
    dirty = bool(parity) and newest.clean is False
    enough = (array.lacks or 0) <= (survives(array.level, array.devices) or 0) and not dirty
    yield (warning if enough else error)(
        "array-incomplete",
        f"{name} ({array.level}) has {(array.devices or 0) - (array.lacks or 0)} of "
        f"{counted(array.devices or 0, 'member')} that are up to date in it; {plural('slot', len(gone))} "
        f"{listed(gone)} {'is' if len(gone) == 1 else 'are'} missing.{already}",
        f"these suffice: find out first why others are missing; mdadm --run {safe(array.path)} starts it without them"
        if enough
        else _NOT_TO_DO,
        name,
    )
    if dirty:
        yield error(
            "dirty-degraded",
            f"{name} was in use when it was last written and lacks a member: the parity of the stripes that were "
            "being written cannot be trusted (write hole), so md does not start it by itself.",
            "bring the missing member back, if it was only pulled; starting it by force may corrupt what was being "
            "written",
            name,
        )


def _member(member: ArrayMember) -> str:
    """`sdc (bay 4, serial X)`."""
    place = f"bay {words.bay(member)}, " if member.place.slot else ""
    return f"{safe(member.device)} ({place}serial {safe(member.serial or 'unknown', longest=40)})"
