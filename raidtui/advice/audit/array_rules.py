"""Rules about how an array is made: checks, bitmap, spares, size, metadata, sectors, stripe, caches."""

from __future__ import annotations

from raidtui.advice.arrays import words
from raidtui.advice.arrays.state import design_of, reserved_slots, shapes
from raidtui.advice.audit.facts import AuditFacts, FileSystemStripe, Said, found, unknown
from raidtui.advice.inferred_design import NotALayout
from raidtui.predict.checks.sizes import standard_size
from raidtui.predict.design import predict
from raidtui.predict.risk.loss_rates import unreadable
from raidtui.predict.risk.spares import spares_wanted
from raidtui.sizes.md import joining_bytes
from raidtui.values.amounts import hours, listed, one_in
from raidtui.values.assumptions import defaults_for
from raidtui.values.codec import by_key
from raidtui.values.findings import some
from raidtui.values.layout import ArrayShape, parity_of
from raidtui.values.safe import safe
from raidtui.values.survival import holds_all
from raidtui.values.units import KIB, binary_size, decimal_size, exact_binary, grouped

_LONG_RESYNC_H = 4.0
_RESYNC_BYTES_PER_S = 204_800_000
"""most of a resync by the kernel's default, 200000 KiB/s of each member"""
_FLASH, _DISK = 500_000_000, 150_000_000
"""bytes/s of a member whose own rate is not known"""
_UNREADABLE = 0.01


def mismatches(facts: AuditFacts) -> Said:
    """What the last check found."""
    for array in facts.redundant:
        if not array.mismatches:
            continue
        name, parity = words.name(array), parity_of(array.level) > 0
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
            needs = joining_bytes(array.metadata, array.component_bytes, spare.data_offset_bytes or 0)
            sizes = [each.size_bytes for each in array.members if each.state == "in-sync" and each.size_bytes]
            needs = min([needs, *sizes])  # what is as large as a member is large enough
            if spare.size_bytes is not None and array.component_bytes and spare.size_bytes < needs:
                yield found(
                    "error", "spare-too-small", f"{name} {safe(spare.device)}",
                    f"The spare {words.member_name(spare)} has {grouped(spare.size_bytes)} bytes, {name} needs "
                    f"{grouped(needs)}.",
                    "md cannot use it when a member fails.", "replace it with a larger disk",
                )  # fmt: skip
            disk = next((each for each in facts.inventory.disks if each.kernel_name == spare.disk), None)
            sector = array.logical_sector_bytes
            if disk is not None and sector and disk.logical_sector_bytes > sector:
                yield found(
                    "warning", "sector-sizes", f"{name} {safe(spare.device)}",
                    f"The spare {words.member_name(spare)} has sectors of {disk.logical_sector_bytes} bytes, {name} of "
                    f"{sector}.",
                    "Once it is a member, a file system made for smaller sectors may not mount any more.",
                    "use a spare whose sectors are no larger",
                )  # fmt: skip
        disks = (array.devices or 0) - len(reserved_slots(array))
        needs_one = spares_wanted(disks, defaults_for(facts.disks_of(array))) > 0
        if array.spares or not needs_one or array.container or (have and facts.shared_spares):
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
                "After a failure it stays degraded until the disk is replaced.",
                f"mdadm /dev/{name} --add-spare DISK",
            )  # fmt: skip


def one_disk(facts: AuditFacts) -> Said:
    """Members of one array on one disk: it takes them along when it fails."""
    for array in facts.redundant:
        working = (each for each in array.members if each.state in ("in-sync", "rebuilding", "replacement"))
        on = by_key((each.disk, each) for each in working if each.disk)
        for disk, members in on.items():
            slots = {each.slot for each in members if each.slot is not None}
            if len(slots) < 2:
                continue
            name, named = words.name(array), listed([safe(each.device) for each in members])
            left = all(holds_all(shape, slots) for shape in shapes(array))
            yield found(
                "warning" if left else "error", "members-share-disk", f"{name} {safe(disk)}",
                f"{named} of {name} are on one disk, {safe(disk)}.",
                f"When that disk fails, {name} loses {len(slots)} members at once"
                + (", which it survives." if left else ", more than it survives."),
                "move all but one of them to other disks, one after the other",
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
        if parity_of(array.level) != 1 or array.devices is None or array.devices < 3:
            continue
        shape = ArrayShape(level="raid5", members=array.devices)
        chance = unreadable(shape, array.component_bytes, defaults_for(facts.disks_of(array)))
        if chance >= _UNREADABLE:
            name = words.name(array)
            size = decimal_size(array.component_bytes * (array.devices - 1))
            yield found(
                "note", "raid5-large", name, f"A rebuild of {name} reads {size} without redundancy.",
                f"With the error rate of the data sheets 1 in {one_in(chance)} rebuilds meets an unreadable sector.",
                "check it every month; keep the backup current; RAID6 survives such a sector",
            )  # fmt: skip


def old_metadata(facts: AuditFacts) -> Said:
    """Superblocks of version 0.90."""
    for array in facts.seen.arrays:
        if array.metadata.startswith("0.9"):
            name = words.name(array)
            yield found(
                "note", "metadata-old", name, f"{name} has metadata {safe(array.metadata)}.",
                "It ends at 4 TiB of a member and 28 members, and has no name. Its superblock can be taken for that "
                "of a partition.",
                f"make new arrays with 1.2; {words.assembled_anew(array, '--update=metadata')} turns 0.90 into 1.0",
            )  # fmt: skip


def misaligned(facts: AuditFacts) -> Said:
    """Members whose data does not start on a sector of their disk."""
    disks = {disk.kernel_name: disk for disk in facts.inventory.disks if disk.kernel_name}
    for array in facts.running:
        name = words.name(array)
        off = [
            member
            for member in array.members
            if member.disk in disks and member.start_bytes is not None and member.data_offset_bytes is not None
            if (member.start_bytes + member.data_offset_bytes) % disks[member.disk].physical_sector_bytes
        ]
        if off:
            sector = disks[off[0].disk].physical_sector_bytes
            yield found(
                "warning", "member-misaligned", name,
                f"{some([f'{safe(each.device)} (byte {each.start_bytes})' for each in off])} of {name} "
                f"{'starts' if len(off) == 1 else 'start'} off the {sector}-byte sectors of the disk.",
                "The disk reads and writes two sectors for each block of 4 KiB written. Small writes take several "
                "times as long.",
                f"one after the other: a partition that starts on 1 MiB, then raidtui replace {name} --member "
                f"{safe(off[0].device)}",
            )  # fmt: skip


# Rules about what makes arrays slow: file systems that do not know the stripe, read-ahead, stripe cache.


_EXT4_BLOCKS = (1024, 2048, 4096)
_PAGE = 4096
_ROWS = 4
"""stripes that the cache should hold for a writer"""


def stripe_geometry(facts: AuditFacts) -> Said:
    """File systems whose stripe is not that of what they stand on, also after it has grown."""
    for held in facts.stripes:
        shown = safe(held.shown)
        if held.why:
            yield unknown("stripe-geometry", shown, held.why)
            continue
        built = design_of(held.device, facts.seen.arrays, facts.seen.volumes, facts.inventory)
        if isinstance(built, NotALayout):
            yield unknown("stripe-geometry", shown, f"the stripe below it is not known: {built.reason}")
            continue
        predicted = predict(built.design, built.disks)
        unit, width = predicted.true_sunit_bytes, predicted.true_sunit_bytes * predicted.true_stripe_width
        if width <= unit or _fits(held, unit, width):
            continue
        where = f"at {shown}" if held.point else f"on {shown}, not mounted,"
        yield found(
            "warning", "stripe-geometry", shown,
            f"The {held.kind} {where} {_shown(held)}; a full stripe below it is "
            f"{exact_binary(width)} of {exact_binary(unit)} chunks.",
            "Its writes do not fill stripes: parity levels then read before they write.", _corrected(held, unit, width),
        )  # fmt: skip


def _corrected(held: FileSystemStripe, unit: int, width: int) -> str:
    """How the file system gets this stripe: XFS takes it at a mount, and not at a remount."""
    path, point = safe(held.path), safe(held.point)
    again = f"umount {point}; " if point else ""
    if held.kind == "ext4":
        options = f"stride={unit // 4096},stripe_width={width // 4096}"
        return f"tune2fs -E {options} {path}, then {'unmount and mount it' if point else 'mount it'}"
    if not held.width:  # xfs_mount.c: without the bit of data alignment in its superblock the mount fails
        return (
            "an XFS that was made without a stripe takes none at a mount; where its speed matters, mkfs.xfs makes it "
            f"anew with -d su={unit // KIB}k,sw={width // unit}"
        )
    options = f"sunit={unit // 512},swidth={width // 512}"
    return f"{again}mount -o {options} {path} {point or 'MOUNTPOINT'}; the same options in its line of fstab keep it"


def _fits(held: FileSystemStripe, unit: int, width: int) -> bool:
    if held.kind == "xfs":
        return held.unit_bytes == unit and held.width == width
    return held.width is not None and any(held.width * block == width for block in _EXT4_BLOCKS)


def _shown(held: FileSystemStripe) -> str:
    if held.width is None:
        return "has no stripe"
    if held.kind == "xfs":
        return f"has stripes of {exact_binary(held.width)} in units of {exact_binary(held.unit_bytes or 0)}"
    return f"has stripes of {held.width} blocks"


def caches(facts: AuditFacts) -> Said:
    """Read-ahead below two stripes, a stripe cache that holds hardly any."""
    for array in facts.running:
        if not array.chunk_bytes or array.devices is None:
            continue
        name = words.name(array)
        stripe = array.chunk_bytes * max(1, array.devices - parity_of(array.level))
        ahead = facts.read_ahead.get(name)
        if ahead is not None and ahead * KIB < stripe:
            yield found(
                "note", "read-ahead", name,
                f"{name} is read ahead by {exact_binary(ahead * KIB)}; a full stripe has {exact_binary(stripe)}.",
                "One sequential reader does not keep all members busy.",
                f"blockdev --setra {4 * stripe // 1024} /dev/{name}, kept by a udev rule",
            )  # fmt: skip
        pages = facts.caches.get(name)
        if pages is not None and parity_of(array.level) and pages * _PAGE < _ROWS * array.chunk_bytes:
            wanted = _ROWS * array.chunk_bytes // _PAGE
            yield found(
                "note", "stripe-cache", name,
                f"The stripe cache of {name} has {pages} pages: {pages * _PAGE / array.chunk_bytes:.2g} chunks of each "
                "member.",
                "Stripes are dropped from the cache before they are full, and md reads the rest.",
                f"echo {wanted} > /sys/block/{name}/md/stripe_cache_size ("
                f"{binary_size(wanted * _PAGE * array.devices)} of memory), kept by a udev rule",
            )  # fmt: skip
