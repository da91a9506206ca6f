"""Why an array does not start, and what not to do; what to do first where one runs without a member."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from raidtui.model.arrays import ArrayMember, MemberSuperblock, ObservedArray
from raidtui.model.counted import counted, plural
from raidtui.model.finding import Finding
from raidtui.model.safe import safe
from raidtui.planner.arrays import words
from raidtui.planner.arrays.age import Age, age_of
from raidtui.planner.arrays.state import is_fresh, journal_lost, newest_of, shapes, up_to_date
from raidtui.planner.findings import error, note, warning
from raidtui.planner.numbers import listed
from raidtui.planner.survival import starts

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


def advice(age: Age, member: ArrayMember, array: ObservedArray) -> tuple[str, str]:
    """What follows for a device that is not in its array, in one sentence, and what to do about it."""
    device, path = safe(member.path) or f"/dev/{safe(member.device)}", safe(array.path)
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
        case "same" if not array.size_bytes:
            return (
                "Its content is that of the array, unless that was written since.",
                f"it came too late, or was left out: mdadm --stop {path} and mdadm --assemble --scan take it in",
            )
        case "same":
            return (
                "Its content is that of the array, unless that was written since.",
                f"find out why it is not in the array (dmesg, smartctl -x); mdadm {path} --re-add {device} puts it "
                "back. Once the array is written without a bitmap, md refuses that; then mdadm --zero-superblock "
                f"{device} and mdadm {path} --add {device} rebuild onto it",
            )
        case "spare":
            return (
                "It is no blank disk: it was a spare of the array, which left it out or had it removed.",
                f"find out why it is not in the array (dmesg, smartctl -x); mdadm {path} --add {device} makes it a "
                "spare again",
            )
        case "journal":
            return (
                "It was the write journal of the array: what it holds that the array has not is lost once that is "
                "written.",
                f"write nothing to the array: where both counts are the same, mdadm --stop {path} and mdadm --assemble "
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
            "see why nothing started it: an ARRAY line that mdadm ignores, AUTO in mdadm.conf, or somebody stopped it; "
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
                "not know: such a kernel refuses it.",
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
