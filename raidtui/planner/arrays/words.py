"""Words for arrays that exist: states, members, syncs, what stands on them. Raw text is made safe here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from raidtui.model.arrays import (
    ArrayBitmap,
    ArrayMember,
    ArrayState,
    KnownBy,
    MemberState,
    ObservedArray,
    OnArray,
    SyncNow,
)
from raidtui.model.counted import counted
from raidtui.model.finding import Severity
from raidtui.model.safe import safe
from raidtui.model.units import binary_size, exact_binary
from raidtui.planner.amounts import percent, rate
from raidtui.planner.numbers import hours
from raidtui.planner.report.blocks import BlockTone

TONES: dict[Severity, BlockTone] = {"error": "bad", "warning": "warn", "note": "quiet"}
_LONG = 60
HELD = ("held", "pending", "frozen")
"""actions of a sync that does not move"""
_GRAVE: tuple[ArrayState, ...] = ("failed", "incomplete", "inactive", "degraded")


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
        case "dropped" | "rebuilding" | "replacement" | "idle":
            return "warn"
        case "in-sync" | "spare" | "journal":
            return ""
        case _:
            assert_never(state)


def state_words(array: ObservedArray) -> str:
    """`degraded (1 of 4 members lacks), auto-read-only`: all states, gravest first."""
    return ", ".join(_state(array, state) for state in array.states)


def _state(array: ObservedArray, state: ArrayState) -> str:
    lacks = f"lacks {array.lacks} of {counted(array.devices or 0, 'member')}"
    match state:
        case "failed":
            return (
                f"failed ({lacks}, more than it survives)" if array.lacks else "failed (more is lost than it survives)"
            )
        case "incomplete":
            return f"incomplete ({lacks})"
        case "degraded":
            return f"degraded ({lacks})"
        case "inactive":
            return "inactive (assembled, not started)"
        case "stopped":
            return "stopped (superblocks on disks, not assembled)"
        case "pending":
            held = array.sync is not None and array.sync.action == "held"
            return "sync pending" if held else "sync pending (another sync runs on its disks)"
        case "foreign":
            return f"foreign (made for host {safe(array.made_for, longest=_LONG)})"
        case "auto-read-only":
            return "auto-read-only (until the first write)"
        case "read-only" | "active" | "clean":
            return state
        case "container":
            return "a container of arrays"
        case _:
            assert_never(state)


def name(array: ObservedArray) -> str:
    """`md127`; of one that is not assembled its name in the superblock, else its UUID."""
    return safe(array.shown_name, longest=_LONG)


def both_names(array: ObservedArray) -> str:
    """`md127 data-0`: the name, and the one below /dev/md where it has one."""
    _, own, given = array.path.partition("/dev/md/")
    return safe(f"{array.shown_name} {given}" if own else array.shown_name, longest=_LONG)


def shape(array: ObservedArray) -> str:
    """`raid6 of 14`."""
    level = safe(array.level or "-", longest=_LONG)
    return f"{level} of {array.devices}" if array.devices else level


def bay(member: ArrayMember) -> str:
    """The bay of a member's disk; `-` where it is not known."""
    return safe(member.place.slot or "-")


def sync_words(sync: SyncNow | None, *, short: bool = False) -> str:
    """`recover 12.3 % at 94.2 MB/s per member, 5.8 h left`, `short` without the rate; empty where nothing runs."""
    if sync is None:
        return ""
    if sync.action in ("held", "pending"):
        return "waits"
    share = sync.done_bytes / sync.whole_bytes if sync.whole_bytes else 0.0
    left = f", {hours(sync.seconds_left / 3600)} left" if sync.seconds_left else ""
    pace = f" at {rate(sync.bytes_per_s)} per member" if sync.bytes_per_s and not short else ""
    return f"{safe(sync.action)} {percent(share, 1)}{pace}{left}"


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
