"""Rules about the state of an array: whether it runs, lacks members, waits, changes its shape, lost its journal."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.advice.arrays import words
from raidtui.advice.arrays.age import advice, age_of, why
from raidtui.advice.arrays.state import (
    critical,
    filling,
    is_container,
    left_to_lose,
    lost_data,
    replacing,
    reserved_slots,
    unknown_words,
)
from raidtui.advice.audit.facts import AuditFacts, Said, found
from raidtui.values.amounts import listed
from raidtui.values.arrays import ArrayMember, ObservedArray
from raidtui.values.findings import some
from raidtui.values.layout import REDUNDANT
from raidtui.values.safe import safe
from raidtui.values.units import counted, plural

_DOWN = ("failed", "incomplete", "inactive")
_STARTS = ("journal-missing", "reshape-interrupted", "array-incomplete", "array-not-started")
"""findings about an array that does not run which have a way out"""
_NAMED = 4
"""slots that a finding names with their devices"""
_MOVES = ("recover", "reshape", "resync", "repair")
"""syncs that fill a member as they pass"""


def down(facts: AuditFacts) -> Said:
    """Arrays that do not run, or lost more than they survive."""
    for array in facts.seen.arrays:
        name = words.name(array)
        if "failed" in array.states and array.level in REDUNDANT and not lost_data(array):
            yield found(
                "error", "array-down", name, f"{name} is {words.state_words(array)}.",
                "Nothing can be written to it; what can still be read has no other copy.",
                "copy its data elsewhere while it can be read; then unmount what is on it; "
                f"{words.assembled_anew(array, '--run')} starts it anew, and raidtui replace {name} names the disk to "
                "pull",
            )  # fmt: skip
        elif any(state in _DOWN for state in array.states):
            yield found(
                "error", "array-down", name, f"{name} is {words.state_words(array)}.", "Its data cannot be reached.",
                _way_up(array, facts.seen.time),
            )  # fmt: skip
        elif "stopped" in array.states and not _holds_volumes(array):
            carries = "carries" if len(array.members) == 1 else "carry"
            yield found(
                "warning",
                "array-stopped",
                name,
                f"{counted(len(array.members), 'device')} {carries} the superblock of {name}, which is not assembled.",
                "Its data cannot be reached; its missing disks are not reported.",
                "raidtui arrays shows what is there; mdadm --assemble --scan starts it where all members are",
            )


def _way_up(array: ObservedArray, now: str) -> str:
    """What starts an array, where that is known."""
    ways = (each.way_out for each in why(array, now) if each.code in _STARTS)
    nothing = "raidtui arrays shows why; do not run mdadm --create, --zero-superblock or --assemble --force on it"
    return next(ways, nothing)


def _holds_volumes(array: ObservedArray) -> bool:
    """True for a container whose arrays are listed by themselves."""
    return is_container(array) and any(each.container is not None and each.container.volumes for each in array.members)


def degraded(facts: AuditFacts) -> Said:
    """Arrays that lack members."""
    for array in facts.running:
        if not array.lacks or "failed" in array.states:
            continue
        name, reserve = words.name(array), reserved_slots(array)
        if len(reserve) == array.lacks:
            yield found(
                "note", "slots-in-reserve", name,
                f"{name} (raid1) has {(array.devices or 0) - array.lacks} copies in {array.devices} slots; the last "
                "ones are empty.",
                "NAS systems make their mirrors so, for disks to come; the kernel calls it degraded. A copy that was "
                "in the last of those slots would not be missed.",
                "nothing, where each disk has its copy",
            )  # fmt: skip
            continue
        fills = filling(array)
        all_filled = len(fills) + len(reserve) >= array.lacks or (not fills and _recovers(array))
        lacks = array.lacks - len(reserve)
        of = f"{counted(array.devices or 0, 'member')}{' with those in reserve' if reserve else ''}"
        yield found(
            "warning" if all_filled else "error", "array-degraded", name,
            f"{name} ({array.level}): {lacks} of {of} missing{_which(array, reserve)}.{_progress(array, fills)}",
            _exposure(array), _way_on(array, fills, all_filled=all_filled),
        )  # fmt: skip


def _recovers(array: ObservedArray) -> bool:
    """True where a rebuild is at work, and not a copy onto a replacement."""
    copies = any(each.state == "replacement" for each in array.members)
    return array.sync is not None and array.sync.action == "recover" and not copies


def _which(array: ObservedArray, reserve: frozenset[int]) -> str:
    """` (slot 1, sdb)`: slots without a working member, each with the device that has or had it, as far as known."""
    by_slot = {member.slot: member for member in array.members if member.state in ("rebuilding", "faulty")}
    missing = {member.slot for member in array.members if member.state in ("missing", "rebuilding")} - reserve
    slots = sorted(slot for slot in missing if slot is not None)
    shown = "{}, {}" if len(slots) == 1 else "{} ({})"
    texts = [shown.format(slot, safe(by_slot[slot].device)) if slot in by_slot else str(slot) for slot in slots]
    loose = [safe(each.device) for each in array.members if each.state == "faulty" and each.slot is None]
    parts = [f"{plural('slot', len(texts))} {some(texts, _NAMED)}"] if texts else []
    parts += [f"{listed(loose)} failed"] if loose else []
    return f" ({'; '.join(parts)})" if parts else ""


def _progress(array: ObservedArray, fills: Sequence[ArrayMember]) -> str:
    sync = array.sync
    if sync is not None and sync.action in _MOVES and (fills or _recovers(array)):
        return f" {words.sync_words(sync)}."
    if not fills:
        return ""
    return f" {listed([safe(each.device) for each in fills])} {'waits' if len(fills) == 1 else 'wait'} to be rebuilt."


def _exposure(array: ObservedArray) -> str:
    left, dangers = left_to_lose(array), critical(array)
    if left:
        return f"It survives {counted(left, 'further failure')}."
    if left == 0:
        return "One more failure loses data."
    if not dangers:
        return "A failure of the wrong member loses data."
    named = [f"{safe(each.device)} (slot {each.slot})" for each in dangers]
    which = listed(named) if len(named) <= _NAMED else some(named, _NAMED)
    return f"A failure of {which} loses data; one of another member does not."


def _way_on(array: ObservedArray, fills: Sequence[ArrayMember], *, all_filled: bool) -> str:
    """What to do about a missing member; a spare that md does not take yet is no reason for a further disk."""
    name, sync = words.name(array), array.sync
    if array.container:
        adds = f"mdadm /dev/{safe(array.container)} --add DISK: its container takes the disk, mdmon rebuilds onto it"
        rebuilds = bool(fills) or _recovers(array)
        return "wait for the rebuild; do not shut down or pull disks" if rebuilds else adds
    replaces = f"raidtui replace {name} names the disk to pull and the commands"
    waiting = sync is not None or array.action == "frozen" or {"read-only", "auto-read-only"} & set(array.states)
    held = array.spares and waiting
    if not fills and not held and not _recovers(array):
        return replaces
    if sync is not None and sync.action == "reshape" and not fills:
        waits = "wait for the end of the reshape, after which md rebuilds; do not shut down or pull disks"
    elif sync is not None and sync.action in _MOVES:
        waits = "wait for the rebuild; do not shut down or pull disks"
    elif sync is not None and sync.action == "pending":
        waits = "wait: it begins once the sync of another array on its disks has ended (/proc/mdstat)"
    elif "read-only" in array.states or "auto-read-only" in array.states:
        waits = words.sync_way_out(name, "read-only")
    elif sync is not None or array.action == "frozen":
        waits = words.sync_way_out(name, sync.action if sync is not None else array.action)
    else:
        waits = "wait: md begins by itself; if it does not, dmesg says why"
    return waits if all_filled or held else f"{waits}; then {replaces}"


def faulty(facts: AuditFacts) -> Said:
    """Devices that failed and are still attached to an array that does without them."""
    for array in facts.running:
        lacking = {member.slot for member in array.members if member.state in ("missing", "rebuilding")}
        for member in array.members:
            if member.state != "faulty" or member.is_journal:
                continue
            if array.lacks and (member.slot is None or member.slot in lacking):
                continue  # told with the slot that it left
            name, device = words.name(array), safe(member.device)
            spares = counted(len(array.spares), "spare") if array.spares else "no spare"
            yield found(
                "warning", "member-faulty", f"{name} {device}",
                f"{words.member_name(member)} failed and is still attached to {name}, which has all of its "
                f"{counted(array.devices or 0, 'member')} and {spares}.",
                "The next failure finds " + ("one spare less." if array.spares else "no spare."),
                f"mdadm {safe(array.path)} --remove {safe(member.path) or f'/dev/{device}'}, pull the disk, then "
                f"raidtui extend {name} spare DISK",
            )  # fmt: skip


def journal(facts: AuditFacts) -> Said:
    """Write journals that failed or are missing: md then fails every write."""
    for array in facts.running:
        if "journal-lost" not in array.states:
            continue
        name, path = words.name(array), safe(array.path)
        failed = next((member for member in array.members if member.is_journal), None)
        what = "is missing" if failed is None else f"failed: {words.member_name(failed)}"
        read_only = "read-only" in array.states
        out = "" if failed is None else f"mdadm {path} --remove {safe(failed.path) or f'/dev/{safe(failed.device)}'}; "
        begin = "" if read_only else f"unmount what is on it; {out}mdadm --readonly {path}; "
        yield found(
            "error", "journal-lost", name, f"The write journal of {name} {what}.",
            "md has set the array read-only, and refuses --readwrite." if read_only
            else "Every write to it fails with an input/output error.",
            f"{begin}mdadm {path} --add-journal DISK, which makes it writable again; without a disk, in place of that: "
            f"echo resync > /sys/block/{array.name}/md/consistency_policy; mdadm --readwrite {path}, and it runs "
            "without a journal",
        )  # fmt: skip


def reshape(facts: AuditFacts) -> Said:
    """Arrays that run between two shapes: at work, or halted."""
    for array in facts.running:
        if array.reshape is None:
            continue
        name, sync = words.name(array), array.sync
        if sync is not None and sync.action == "reshape":
            yield found(
                "note", "reshape-running", name,
                f"{name} is being reshaped ({words.reshape_words(array)}): {words.sync_words(sync)}.",
                "Until that ends a part of it has each shape; md continues after a boot.",
                "wait for its end; nothing else can be changed until then",
            )  # fmt: skip
        else:
            yield found(
                "warning", "reshape-halted", name,
                f"{name} is in the middle of a reshape that does not go on ({words.reshape_words(array)}).",
                "A part of it has each shape; nothing else can be changed until then.", _reshape_on(array),
            )  # fmt: skip


def _reshape_on(array: ObservedArray) -> str:
    name, path = words.name(array), safe(array.path)
    if "read-only" in array.states or "auto-read-only" in array.states:
        return words.sync_way_out(name, "read-only")
    if array.action == "frozen":
        return words.sync_way_out(name, "frozen")
    file = " --backup-file=FILE, the one that --grow was given" if array.reshape and array.reshape.backup else ""
    return f"mdadm --grow --continue {path}{file}; dmesg says why it stopped"


def pending(facts: AuditFacts) -> Said:
    """Syncs that wait, arrays that nobody may write."""
    for array in facts.running:
        name = words.name(array)
        if "pending" in array.states and array.sync is not None and array.sync.action == "held":
            yield found(
                "warning", "sync-pending", name, f"{name} waits for its first write before it syncs.",
                "Until that ends parity may be wrong: a failed member can then corrupt data.",
                f"mount it, or mdadm --readwrite /dev/{name}",
            )  # fmt: skip
        if "read-only" in array.states and not {"journal-lost", "reshaping"} & set(array.states):
            yield found(
                "warning", "array-read-only", name, f"{name} is set read-only.", "Nothing can be written to it.",
                f"find out who did that, then mdadm --readwrite /dev/{name}",
            )  # fmt: skip


def unknown_state(facts: AuditFacts) -> Said:
    """Words of the kernel that this version does not know."""
    for array in facts.seen.arrays:
        for word in unknown_words(array):
            name = words.name(array)
            yield found(
                "note", "state-unknown", name, f"The kernel says of {name}: {safe(word, longest=80)}, {words.UNKNOWN}.",
                "What that means for the array was not judged.", "see the kernel's Documentation/admin-guide/md.rst",
            )  # fmt: skip


def foreign(facts: AuditFacts) -> Said:
    """Arrays made for another host."""
    for array in facts.seen.arrays:
        if "foreign" in array.states:
            name = words.name(array)
            yield found(
                "note", "array-foreign", name, f"{name} was made for host {safe(array.made_for, longest=60)}.",
                "mdadm may assemble it under another name at each boot.",
                "name it by UUID in mdadm.conf and fstab, or give it this host: "
                f"{words.assembled_anew(array, '--update=homehost')}",
            )  # fmt: skip


def dropped(facts: AuditFacts) -> Said:
    """Devices that carry the superblock of an array and are not in it."""
    for array in facts.seen.arrays:
        for member in array.dropped:
            age = age_of((*array.members, *array.removed), member, facts.seen.time)
            follows, way_out = advice(age, member, array)
            yield found(
                "error" if age.grave else "warning",
                "member-dropped",
                f"{words.name(array)} {safe(member.device)}",
                f"{words.member_name(member)} has the superblock of {words.name(array)} and is not in it: {age.read}.",
                follows,
                way_out,
            )


def troubled(facts: AuditFacts) -> Said:
    """Members with errors that md counted or marked, but for those that are being replaced."""
    for array in facts.running:
        for member in array.members:
            marks = [each for each in member.flags if each in ("write_error", "want_replacement", "blocked")]
            if not (member.errors or marks) or member.state == "faulty" or replacing(array, member) is not None:
                continue
            count = f"md corrected {counted(member.errors, 'read error')}" if member.errors else ""
            yield found(
                "warning", "member-errors", f"{words.name(array)} {safe(member.device)}",
                f"{words.member_name(member)} in {words.name(array)}: {', '.join(filter(None, [count, *marks]))}.",
                "Its sectors go bad; a rebuild of another member reads all of it.",
                f"look at smartctl -x; while the array is whole: raidtui replace {words.name(array)} --member "
                f"{safe(member.device)}",
            )  # fmt: skip


def bad_blocks(facts: AuditFacts) -> Said:
    """Members on which md noted blocks that it reads no more."""
    for array in facts.running:
        name = words.name(array)
        for member in array.members:
            if not member.bad_blocks or member.state == "faulty" or replacing(array, member) is not None:
                continue
            device = safe(member.path) or f"/dev/{safe(member.device)}"
            yield found(
                "warning", "bad-blocks", f"{name} {safe(member.device)}",
                f"The log of {words.member_name(member)} in {name} has {counted(member.bad_blocks, 'range')} of bad "
                "blocks.",
                "md reads and writes them no more. There the array has one copy less; where it was the last, reads "
                "fail. A rebuild of another member copies the gap.",
                f"mdadm --examine-badblocks {device} lists them; raidtui replace {name} --member {safe(member.device)}",
            )  # fmt: skip


def names(facts: AuditFacts) -> Said:
    """Arrays of one name, of which a boot gives the path to whichever it meets first."""
    by_name: dict[str, list[ObservedArray]] = {}
    for array in facts.seen.arrays:
        if array.label and not is_container(array):
            by_name.setdefault(array.label, []).append(array)
    for label, arrays in by_name.items():
        uuids = {array.uuid for array in arrays}
        if len(uuids) < 2 or all(array.in_conf.answer == "yes" for array in arrays):
            continue
        shown, known = safe(label, longest=60), listed([array.uuid or "unknown" for array in arrays])
        yield found(
            "warning", "name-twice", words.name(arrays[0]),
            f"{counted(len(arrays), 'array')} have the name {shown}, with the UUIDs {known}.",
            f"Which of them gets /dev/md/{shown.rpartition(':')[2]} depends on what a boot meets first.",
            "name each by UUID in mdadm.conf with a path of its own, or rename one: "
            f"{words.assembled_anew(arrays[-1], '--update=name --name=NEW', '/dev/md/NEW')}",
        )  # fmt: skip
