"""Words for arrays that exist: states, members, syncs, what stands on them. Raw text is made safe here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from raidtui.advice.arrays.state import KERNEL_FLAGS, WAITING, lost_data, reserved_slots
from raidtui.programs.mdadm_examine import shown_layout
from raidtui.values.amounts import hours, percent, rate
from raidtui.values.arrays import (
    ArrayBitmap,
    ArrayMember,
    ArrayState,
    KnownBy,
    MemberState,
    ObservedArray,
    OnArray,
    SyncNow,
)
from raidtui.values.blocks import BlockTone
from raidtui.values.layout import REDUNDANT
from raidtui.values.location import Location
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, exact_binary

_LONG = 60
HELD = ("held", "pending", "frozen")
"""actions of a sync that does not move"""
_GRAVE: tuple[ArrayState, ...] = ("failed", "journal-lost", "incomplete", "inactive", "degraded")
_SHOWN = ("write_mostly", "failfast", "blocked", "write_error", "want_replacement")
"""flags of a member that its state does not say"""
UNKNOWN = "not known to this version"


def state_tone(state: ArrayState) -> BlockTone:
    """How grave a state is."""
    if state in _GRAVE:
        return "bad"
    return "good" if state in ("clean", "active") else "quiet" if state == "container" else "warn"


def member_tone(state: MemberState) -> BlockTone:
    """How grave the state of a member is."""
    match state:
        case "faulty" | "missing":
            return "bad"
        case "dropped" | "rebuilding" | "replacement" | "idle" | "unknown":
            return "warn"
        case "in-sync" | "spare" | "journal":
            return ""
        case _:
            assert_never(state)


def state_words(array: ObservedArray) -> str:
    """`degraded (1 of 4 members missing), auto-read-only`: all states, gravest first."""
    return ", ".join(_state(array, state) for state in array.states)


_PLAIN: dict[ArrayState, str] = {
    "inactive": "inactive (assembled, not started)", "stopped": "stopped (superblocks on disks, not assembled)",
    "auto-read-only": "auto-read-only (until the first write)", "container": "a container of arrays",
}  # fmt: skip
"""what is the same of every array in that state; a state that is none of them and has no more to say is its own word"""


def _state(array: ObservedArray, state: ArrayState) -> str:
    match state:
        case "failed":
            return f"failed ({_failure(array)})"
        case "journal-lost":
            return f"journal {'failed' if any(each.is_journal for each in array.members) else 'missing'}"
        case "incomplete" | "degraded":
            return f"{state} ({_lacks(array)})"
        case "reshaping":
            return f"reshaping ({reshape_words(array)})"
        case "pending":
            return _pending(array.sync)
        case "unknown":
            return f"{safe(array.kernel_state, longest=_LONG)} ({UNKNOWN})"
        case "foreign":
            return f"foreign (made for host {safe(array.made_for, longest=_LONG)})"
        case "active" if array.kernel_state == "write-pending":
            return "active (a write waits until its superblocks say so)"
        case _:
            return _PLAIN.get(state, state)


def _lacks(array: ObservedArray) -> str:
    """`1 of 4 members missing`; of a mirror with slots in reserve what is missing beside them."""
    reserve = len(reserved_slots(array))
    if not reserve:
        return f"{array.lacks} of {counted(array.devices or 0, 'member')} missing"
    lost = (array.lacks or 0) - reserve
    return f"{f'{lost} missing, ' if lost else ''}{reserve} of {counted(array.devices or 0, 'slot')} in reserve"


def _failure(array: ObservedArray) -> str:
    if lost_data(array):
        return f"{_lacks(array)}, more than it survives"
    if array.level in REDUNDANT:
        return "md fails every write since an error on the last copy of something"
    return "more is lost than it survives"


def _pending(sync: SyncNow | None) -> str:
    if sync is None or sync.action == "held":
        return "sync pending"
    return f"{safe(sync.of) or 'sync'} pending (another sync runs on its disks)"


def reshape_words(array: ObservedArray) -> str:
    """`3 to 4 members, chunk 64 KiB to 32 KiB, 12 MiB of the array done`."""
    change = array.reshape
    if change is None:
        return ""
    old, new = change.before, array.shape
    parts = [
        f"{old.level} to {new.level}" if old.level != new.level and old.level and new.level else "",
        f"{old.devices} to {counted(new.devices, 'member')}" if old.devices != new.devices else "",
        f"chunk {exact_binary(old.chunk_bytes)} to {exact_binary(new.chunk_bytes)}"
        if old.chunk_bytes != new.chunk_bytes else "",
        f"layout {shown_layout(old.level, old.layout)} to {shown_layout(new.level, new.layout)}"
        if old.layout != new.layout else "",
        "" if change.position_bytes is None else _position(change.position_bytes, backwards=change.backwards),
    ]  # fmt: skip
    return safe(", ".join(filter(None, parts)))


def _position(position: int, *, backwards: bool) -> str:
    size = exact_binary(position) if position else "0 B"
    return f"down to {size} of the array" if backwards else f"up to {size} of the array"


def member_words(member: ArrayMember) -> list[str]:
    """Its state, flags that this does not say, and what is not known of them."""
    flags = [flag.replace("write_mostly", "write-mostly") for flag in member.flags if flag in _SHOWN]
    bad = [counted(member.bad_blocks, "bad range")] if member.bad_blocks else []
    more = [f"{safe(flag, longest=_LONG)} ({UNKNOWN})" for flag in member.flags if flag not in KERNEL_FLAGS]
    journal = ["journal"] if member.is_journal and member.state != "journal" else []
    return [member.state, *journal, *flags, *bad, *more]


def member_name(member: ArrayMember) -> str:
    """`sdc1 (serial X)`."""
    return f"{safe(member.device)} (serial {safe(member.serial or 'unknown', longest=40)})"


def name(array: ObservedArray) -> str:
    """`md127`; of one that is not assembled its name in the superblock, else its UUID."""
    return safe(array.shown_name, longest=_LONG)


def after_act(array: ObservedArray, done: str) -> str:
    """`md127 is as asked`, with the members that it lacks by then."""
    lost = f", but {counted(array.lacks, 'member')} missing: raidtui replace {array.name}" if array.lacks else ""
    return f"{name(array)} {done}{lost}"


def both_names(array: ObservedArray) -> str:
    """`md127 data-0`: the name, and the one below /dev/md where it has one."""
    _, own, given = array.path.partition("/dev/md/")
    return safe(f"{array.shown_name} {given}" if own else array.shown_name, longest=_LONG)


def shape(array: ObservedArray) -> str:
    """`raid6 of 14`."""
    level = safe(array.level or "-", longest=_LONG)
    return f"{level} of {array.devices}" if array.devices else level


def slot(member: ArrayMember) -> str:
    """The slot of a member's disk, `slot 4`, `drawer 1 slot 03`; `-` where it is not known."""
    return safe(Location.in_plan(member.place.slot or "", "").text or "-")


def sync_words(sync: SyncNow | None, *, short: bool = False, first: bool = False) -> str:
    """`recover 12.3 % at 94.2 MB/s per member, 5.8 h left`, `short` without the rate; empty where nothing runs.

    `first`: it is the first sync of a new array."""
    if sync is None:
        return ""
    if sync.action in WAITING:
        return f"{safe(sync.of)} waits" if sync.of else "waits"
    share = sync.done_bytes / sync.whole_bytes if sync.whole_bytes else 0.0
    left = f", {hours(sync.seconds_left / 3600)} left" if sync.seconds_left else ""
    pace = f" at {rate(sync.bytes_per_s)} per member" if sync.bytes_per_s and not short else ""
    return f"{'first sync' if first else safe(sync.action)} {percent(share, 1)}{pace}{left}"


def sync_way_out(name: str, action: str) -> str:
    """What lets a held sync of the array go on; `action` as of SyncNow, read-only, or empty where none runs."""
    match action:
        case "held" | "read-only":
            return f"mdadm --readwrite /dev/{name} starts it"
        case "frozen":
            lets = f"echo idle > /sys/block/{name}/md/sync_action lets it go on"
            return f"find out what froze it: an mdadm that runs, or a person; {lets}"
        case _:
            return "see /proc/mdstat and raidtui arrays"


def assembled_anew(array: ObservedArray, options: str = "", device: str = "") -> str:
    """The commands that stop an array and assemble it from its members, by its UUID; `device`: under another path."""
    path = safe(array.path)
    stop = f"mdadm --stop {path}; " if path else ""
    given = f" {options}" if options else ""
    return f"{stop}mdadm --assemble {device or path or '/dev/md/NAME'}{given} --uuid={safe(array.uuid)}"


def bitmap_words(bitmap: ArrayBitmap) -> str:
    """`internal, a bit for 64 MiB`."""
    chunk = f", a bit for {exact_binary(bitmap.chunk_bytes)}" if bitmap.chunk_bytes else ""
    return f"{bitmap.kind}{chunk}"


def check_words(array: ObservedArray) -> str:
    """What the last check found, as far as the kernel says."""
    if array.last_action not in ("check", "repair"):
        since = f"; since it was assembled the last sync was: {safe(array.last_action)}" if array.last_action else ""
        return f"unknown: the kernel reports none{since}"
    found = "unknown" if array.mismatches is None else counted(array.mismatches, "sector")
    return f"{array.last_action}: mismatches {found}; whether it ended, and when, the kernel does not say"


def known_words(known: KnownBy) -> str:
    """`yes, /etc/fstab line 3`."""
    return f"{known.answer.replace('-', ' ')}: {safe(known.why)}"


def stack_lines(stack: Sequence[OnArray]) -> list[str]:
    """A line for each device on the array that holds something, indented by its depth; none where nothing does."""
    return [
        f"{'  ' * each.depth}{_on_array(each)}" for each in stack if each.depth or each.content or each.mount_points
    ]


def _on_array(each: OnArray) -> str:
    group = f" of group {safe(each.group, longest=_LONG)}" if each.group else ""
    content = {"LVM2_member": f"LVM physical volume{group}", "crypto_LUKS": "LUKS"}.get(
        each.content, safe(each.content)
    )
    points = ", ".join(safe(point, longest=_LONG) for point in each.mount_points)
    where = "" if not points else ", swapped on" if points == "[SWAP]" else f", mounted at {points}"
    size = f", {binary_size(each.size_bytes)}" if each.size_bytes else ""
    return f"{safe(each.name, longest=_LONG)} ({safe(each.type)}{size}): {content or 'no signature'}{where}"
