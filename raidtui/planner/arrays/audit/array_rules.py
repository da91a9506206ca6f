"""Rules about an array itself: its state, members, spares, bitmap and checks."""

from __future__ import annotations

from raidtui.model.arrays import ArrayMember
from raidtui.model.assumptions import defaults_for
from raidtui.model.counted import counted
from raidtui.model.layout import Layout
from raidtui.model.safe import safe
from raidtui.model.units import decimal_size, grouped
from raidtui.planner.arrays import words
from raidtui.planner.arrays.age import age_of
from raidtui.planner.arrays.audit.facts import PARITY_LEVELS, AuditFacts, Said, found, unknown
from raidtui.planner.arrays.state import survives
from raidtui.planner.arrays.why import advice
from raidtui.planner.checks.sizes import standard_size
from raidtui.planner.findings import some
from raidtui.planner.numbers import hours, one_in
from raidtui.planner.reliability.loss_rates import unreadable

_DOWN = ("failed", "incomplete", "inactive")
_LONG_RESYNC_H = 4.0
_RESYNC_BYTES_PER_S = 204_800_000
"""most of a resync by the kernel's default, 200000 KiB/s of each member"""
_FLASH, _DISK = 500_000_000, 150_000_000
"""bytes/s of a member whose own rate is not known"""
_MANY = 6
"""members from which an array without a spare is named"""
_UNREADABLE = 0.01


def down(facts: AuditFacts) -> Said:
    """Arrays that do not run, or lost more than they survive."""
    for array in facts.seen.arrays:
        name = words.name(array)
        if any(state in _DOWN for state in array.states):
            yield found(
                "error", "array-down", name, f"{name} is {words.state_words(array)}.", "Its data cannot be reached.",
                "raidtui arrays shows why; do not run mdadm --create, --zero-superblock or --assemble --force on it",
            )  # fmt: skip
        elif "stopped" in array.states:
            yield found(
                "warning",
                "array-stopped",
                name,
                f"{counted(len(array.members), 'device')} carry the superblock of {name}, which is not assembled.",
                "Its data cannot be reached; disks of it that are missing are noticed by nobody.",
                "raidtui arrays shows what is there; mdadm --assemble --scan starts it where all members are",
            )


def degraded(facts: AuditFacts) -> Said:
    """Arrays that lack members."""
    for array in facts.running:
        if not array.lacks or any(state in _DOWN for state in array.states):
            continue
        name = words.name(array)
        whole = survives(array.level, array.devices)
        left = None if whole is None else whole - array.lacks
        rebuilds = array.sync is not None and array.sync.action == "recover"
        now = f" {words.sync_words(array.sync)}." if rebuilds else ""
        gone = [str(member.slot) for member in array.members if member.state in ("missing", "faulty", "rebuilding")]
        slots = f" (slot {some(gone)})" if gone and "None" not in gone else ""
        yield found(
            "warning" if rebuilds else "error",
            "array-degraded",
            name,
            f"{name} ({array.level}) lacks {array.lacks} of {counted(array.devices or 0, 'member')}{slots}.{now}",
            "A failure of the wrong member loses data."
            if left is None
            else f"It survives {counted(left, 'further failure')}."
            if left > 0
            else "One more failure loses data.",
            "wait for the rebuild; do not shut down or pull disks"
            if rebuilds
            else f"raidtui replace {name} names the disk to pull and the commands",
        )


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
        if "read-only" in array.states:
            yield found(
                "warning", "array-read-only", name, f"{name} is set read-only.", "Nothing can be written to it.",
                f"find out who did that, then mdadm --readwrite /dev/{name}",
            )  # fmt: skip


def foreign(facts: AuditFacts) -> Said:
    """Arrays made for another host."""
    for array in facts.seen.arrays:
        if "foreign" in array.states:
            name = words.name(array)
            yield found(
                "note", "array-foreign", name, f"{name} is {words.state_words(array).partition('foreign ')[2]}.",
                "mdadm may assemble it under another name at each boot.",
                "name it by UUID in mdadm.conf and fstab, or give it this host: mdadm --assemble --update=homehost",
            )  # fmt: skip


def dropped(facts: AuditFacts) -> Said:
    """Devices that carry the superblock of an array and are not in it."""
    for array in facts.seen.arrays:
        for member in array.dropped:
            age = age_of((*array.members, *array.removed), member, facts.seen.time)
            follows, way_out = advice(age, member)
            yield found(
                "error" if age.grave else "warning",
                "member-dropped",
                f"{words.name(array)} {safe(member.device)}",
                f"{_disk(member)} has the superblock of {words.name(array)} and is not in it: {age.read}.",
                follows,
                way_out,
            )


def troubled(facts: AuditFacts) -> Said:
    """Members with errors that md counted or marked."""
    for array in facts.running:
        for member in array.members:
            marks = [each for each in member.flags if each in ("write_error", "want_replacement", "blocked")]
            if member.errors or marks:
                count = f"md corrected {counted(member.errors, 'read error')}" if member.errors else ""
                yield found(
                    "warning", "member-errors", f"{words.name(array)} {safe(member.device)}",
                    f"{_disk(member)} in {words.name(array)}: {', '.join(filter(None, [count, *marks]))}.",
                    "Its sectors go bad; a rebuild of another member reads all of it.",
                    "look at smartctl -x; replace it while the array is whole",
                )  # fmt: skip


def mismatches(facts: AuditFacts) -> Said:
    """What the last check found."""
    for array in facts.redundant:
        if not array.mismatches:
            continue
        name, parity = words.name(array), array.level in PARITY_LEVELS
        yield found(
            "warning" if parity else "note",
            "mismatches",
            name,
            f"The last {array.last_action} of {name} found {grouped(array.mismatches)} sectors whose copies or parity "
            "differ.",
            "A rebuild would make wrong data of them."
            if parity
            else "On mirrors swap and memory maps cause them too; read from one copy or the other, data may differ.",
            f"check again (echo check > /sys/block/{name}/md/sync_action); if they stay, compare files with a backup, "
            "then repair",
        )


def no_bitmap(facts: AuditFacts) -> Said:
    """Arrays that resync as a whole after a cut, for hours."""
    for array in facts.redundant:
        if array.bitmap.kind == "unknown":
            yield unknown("no-bitmap", words.name(array), "its bitmap could not be read")
        if array.bitmap.kind != "none" or array.consistency not in ("resync", ""):
            continue
        disks = facts.disks_of(array)
        rates = [disk.sequential_bytes_per_s or (_DISK if disk.rotational else _FLASH) for disk in disks]
        took = array.component_bytes / min([_RESYNC_BYTES_PER_S, *rates]) / 3600
        if took >= _LONG_RESYNC_H:
            name = words.name(array)
            yield found(
                "warning", "no-bitmap", name, f"{name} has no write-intent bitmap.",
                f"Each power cut costs a resync of some {hours(took)}, and until it ends a failed member can corrupt "
                "data.",
                f"mdadm --grow --bitmap=internal /dev/{name}",
            )  # fmt: skip


def spares(facts: AuditFacts) -> Said:
    """Spares that are missing, too small, of larger sectors or not shared."""
    redundant = facts.redundant
    have = [array for array in redundant if array.spares]
    for array in redundant:
        name = words.name(array)
        for spare in array.spares:
            needs = array.component_bytes + (spare.data_offset_bytes or 0)
            if spare.size_bytes is not None and array.component_bytes and spare.size_bytes < needs:
                yield found(
                    "error", "spare-too-small", f"{name} {safe(spare.device)}",
                    f"The spare {_disk(spare)} has {grouped(spare.size_bytes)} bytes, {name} needs {grouped(needs)}.",
                    "md cannot use it when a member fails.", "replace it with a larger disk",
                )  # fmt: skip
            disk = next((each for each in facts.inventory.disks if each.kernel_name == spare.disk), None)
            sector = array.logical_sector_bytes
            if disk is not None and sector and disk.logical_sector_bytes > sector:
                yield found(
                    "warning", "sector-sizes", f"{name} {safe(spare.device)}",
                    f"The spare {_disk(spare)} has sectors of {disk.logical_sector_bytes} bytes, {name} of {sector}.",
                    "Once it is a member, a file system made for smaller sectors may not mount any more.",
                    "use a spare whose sectors are no larger",
                )  # fmt: skip
        if array.spares or (array.devices or 0) < _MANY or (have and facts.shared_spares):
            continue
        if have:
            yield found(
                "warning", "spare-not-shared", name,
                f"{name} has no spare; those of {some([words.name(each) for each in have])} are in no spare group.",
                "A spare does not move to it when a member fails.",
                "give both ARRAY lines of mdadm.conf the same spare-group, and restart mdmonitor",
            )  # fmt: skip
        else:
            yield found(
                "note", "no-spare", name, f"{name} has {array.devices} members and no hot spare.",
                "After a failure it stays degraded until somebody replaces the disk.",
                f"mdadm /dev/{name} --add-spare DISK",
            )  # fmt: skip


def members_alike(facts: AuditFacts) -> Said:
    """Sectors of two sizes, and one slow kind of disk among faster ones."""
    for array in facts.running:
        disks, name = facts.disks_of(array), words.name(array)
        sectors = sorted({disk.logical_sector_bytes for disk in disks})
        if len(sectors) > 1:
            yield found(
                "note", "sector-sizes", name,
                f"Members of {name} have sectors of {sectors[0]} and {sectors[-1]} bytes.",
                "Kernels before Linux 6.19 do not assemble such an array in every order of its disks.",
                "replace the members with the larger sectors, or keep to the kernel that runs",
            )  # fmt: skip
        spins = {disk.rotational for disk in disks} - {None}
        if len(spins) > 1:
            slow = [disk.kernel_name for disk in disks if disk.rotational]
            yield found(
                "note", "slow-member", name, f"{some(slow)} of {name} rotate, the others are flash.",
                "Every write waits for the slowest member.",
                "mark them as write-mostly (RAID1), or replace them",
            )  # fmt: skip


def replacement(facts: AuditFacts) -> Said:
    """Whether a disk of another make would be too small."""
    for array in facts.redundant:
        for disk in facts.disks_of(array):
            size, used = disk.size_bytes, array.component_bytes
            whole = disk.kernel_name in {member.device for member in array.members}
            if whole and used and (size - used) * 1000 < size * 4 and not standard_size(size):
                yield found(
                    "note", "replacement-too-small", words.name(array),
                    f"{words.name(array)} uses all of {safe(disk.kernel_name)}, whose {grouped(disk.size_bytes)} bytes "
                    "are no standard size (SFF-8447).",
                    "A disk of another make may be smaller: md refuses it as a replacement.",
                    f"buy the replacement now, with at least {grouped(disk.size_bytes)} bytes",
                )  # fmt: skip
                break


def large_raid5(facts: AuditFacts) -> Said:
    """RAID5 whose rebuild reads so much that a sector may be unreadable."""
    for array in facts.redundant:
        if array.level not in ("raid4", "raid5") or array.devices is None or array.devices < 3:
            continue
        layout = Layout(level="raid5", members=array.devices)
        chance = unreadable(layout, array.component_bytes, defaults_for(facts.disks_of(array)))
        if chance >= _UNREADABLE:
            name = words.name(array)
            size = decimal_size(array.component_bytes * (array.devices - 1))
            yield found(
                "note", "raid5-large", name, f"A rebuild of {name} reads {size} without redundancy.",
                f"With the error rate of the data sheets a sector is unreadable in {one_in(chance)} rebuilds.",
                "check it every month; keep the backup current; RAID6 survives such a sector",
            )  # fmt: skip


def old_metadata(facts: AuditFacts) -> Said:
    """Superblocks of version 0.90."""
    for array in facts.seen.arrays:
        if array.metadata.startswith("0.9"):
            name = words.name(array)
            yield found(
                "note", "metadata-old", name, f"{name} has metadata {safe(array.metadata)}.",
                "It ends at 4 TiB of a member and 28 members, has no name, and its superblock can be taken for that of "
                "a partition.",
                "make new arrays with 1.2; mdadm --assemble --update=metadata turns 0.90 into 1.0",
            )  # fmt: skip


def _disk(member: ArrayMember) -> str:
    return f"{safe(member.device)} (serial {safe(member.serial or 'unknown', longest=40)})"
