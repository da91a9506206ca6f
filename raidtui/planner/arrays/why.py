"""Why an array does not start, and what not to do; what to do first where one runs without a member."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.arrays import ArrayMember, ObservedArray
from raidtui.model.counted import counted, plural
from raidtui.model.finding import Finding
from raidtui.model.layout import PARITY
from raidtui.model.safe import safe
from raidtui.planner.arrays import words
from raidtui.planner.findings import error, note, warning
from raidtui.planner.numbers import listed

_FEATURES = 0x1FFF
"""bits of the feature map that Linux knows (MD_FEATURE_ALL, md_p.h, 5.4 to 6.18)"""
_NOT_TO_DO = (
    "do not run mdadm --create, --zero-superblock or --assemble --force on its disks: each of them can destroy what is "
    "left; find out first why the members are missing (cables, power, dmesg)"
)


def why(array: ObservedArray) -> Iterator[Finding]:
    """Reasons why `array` does not run; of one that runs and lacks members, what to do."""
    name = words.name(array)
    lost = array.dropped
    for member in lost:
        yield warning(
            "member-dropped",
            f"{_member(member)} has the superblock of {name} and is not in it{_behind(array, member)}.",
            "its content is older than the array's: find out why it was dropped (dmesg, smartctl) before it is put "
            "back or replaced; never build on it",
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
    if len(unread) == len(array.members):
        return
    yield from _stale(array, name)
    yield from _unknown_features(array, name)
    if array.lacks:
        yield from _incomplete(array, name)
    elif not unread:
        yield note(
            "array-not-started",
            f"{name} has all of its {counted(array.devices or 0, 'member')} with one event count, and does not run.",
            "see why nothing started it: an ARRAY line that mdadm ignores, AUTO in mdadm.conf, or somebody stopped it; "
            f"mdadm --assemble --scan --uuid={array.uuid} starts it",
            name,
        )


def _newest(array: ObservedArray) -> int:
    return max((member.superblock.events or 0 for member in array.members if member.superblock), default=0)


def _behind(array: ObservedArray, member: ArrayMember) -> str:
    """`: its event count 118 is behind 140, it was last written Thu ...`."""
    if member.superblock is None or member.superblock.events is None:
        return f"; its superblock was not read ({safe(member.unread)})" if member.unread else ""
    newest, mine = _newest(array), member.superblock.events
    behind = f", {newest - mine} behind the newest" if mine < newest else ""
    written = f", last written {safe(member.superblock.updated)}" if member.superblock.updated else ""
    return f": event count {mine}{behind}{written}"


def _stale(array: ObservedArray, name: str) -> Iterator[Finding]:
    newest = _newest(array)
    for member in array.members:
        block = member.superblock
        if member.state != "dropped" and block is not None and block.events is not None and block.events < newest:
            yield warning(
                "member-stale",
                f"{_member(member)} missed what was written to {name} last{_behind(array, member)}.",
                "md leaves it out: its content is older; it is rebuilt when it is added to the running array",
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


def _incomplete(array: ObservedArray, name: str) -> Iterator[Finding]:
    blocks = [member.superblock for member in array.members if member.superblock is not None]
    newest = max(blocks, key=lambda block: block.events or 0)
    there = {block.role for block in blocks if block.events == newest.events}
    gone = [str(slot) for slot in range(array.devices or 0) if slot not in there]
    before = newest.roster.count(".")
    already = f" It ran without {before} before." if before else ""
    yield error(
        "array-incomplete",
        f"{name} ({array.level}) has {(array.devices or 0) - (array.lacks or 0)} of "
        f"{counted(array.devices or 0, 'member')} that are up to date; {plural('slot', len(gone))} {listed(gone)} "
        f"{'is' if len(gone) == 1 else 'are'} missing.{already}",
        _NOT_TO_DO,
        name,
    )
    parity = next((count for level, count in PARITY.items() if level == array.level), 0)
    if parity and newest.clean is False:
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
