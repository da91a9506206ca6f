"""Findings about write journals: what md gives none to, which disks suit, what the admin should know.

Source: mdadm 4.2 (mdadm.c, Create.c), Linux 6.1 (drivers/md/raid5.c, raid5-cache.c); figures: topics/journal.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.values.design import Design
from raidtui.values.findings import Finding, error, names, note, subject, warning
from raidtui.values.members import ArrayDisks
from raidtui.values.prediction import ArrayGeometry
from raidtui.values.units import GIB, MIB, SECTOR, binary_size, counted

_LEAST = 64 * MIB
"""of a write journal, behind its data offset; md itself wants some stripes"""
_SMALL = GIB
"""of a disk: below it md waits for members often, since it frees a quarter of the journal at a time"""
_CODE = "journal"


def least_journal(offset_bytes: int) -> int:
    """Bytes of the smallest disk for the write journal of an array whose members' data begin at `offset_bytes`."""
    return offset_bytes + _LEAST


def check_journal(design: Design) -> Iterator[Finding]:
    """What excludes a write journal, and what follows from one, whatever its disks are."""
    if not design.journal_disks:
        return
    layout = design.layout
    if not layout.parity or layout.hybrid is not None:
        kind = "a hybrid layout" if layout.hybrid is not None else f"{layout.level}"
        yield error(
            "journal-needs-parity", f"A write journal exists for RAID4, RAID5 and RAID6 only, not for {kind}.",
            "leave --journal out, or choose a parity level", _CODE,
        )  # fmt: skip
    if design.ppl or design.bitmap == "internal":
        other = "a partial parity log" if design.ppl else "a bitmap"
        yield error(
            "journal-with-other-log", f"An array has a write journal or {other}, not both.", "remove one of them", _CODE
        )
    if design.metadata != "1.2":  # with 1.0 md refuses a journal that is smaller than what is used of a member
        yield error(
            "journal-needs-metadata-1.2", f"raidtui gives no write journal to an array of metadata {design.metadata}.",
            "use metadata 1.2", "metadata",
        )  # fmt: skip
    if design.on_partitions:
        yield error(
            "journal-needs-whole-disks", "raidtui gives no write journal to an array on partitions.",
            "leave --journal out, or use whole disks as members", _CODE,
        )  # fmt: skip
    yield note(
        "journal-fixed-shape", "md gives an array with a write journal no other size and no other shape.",
        "plan the final size now; a further array, or a journal taken out later, is the way to grow", _CODE,
    )  # fmt: skip


def check_journal_disks(
    shares: Sequence[ArrayDisks], arrays: Sequence[ArrayGeometry], mirrors: Sequence[ArrayGeometry]
) -> Iterator[Finding]:
    """Findings about the disks that carry the journals, and `mirrors` of them; none without."""
    disks = [disk for share in shares for disk in share.journal]
    if not disks:
        return
    least = least_journal(max(array.data_offset_sectors for array in arrays) * SECTOR)
    least += max((mirror.data_offset_sectors for mirror in mirrors), default=0) * SECTOR
    if small := [disk for disk in disks if disk.size_bytes < least]:
        yield error(
            "journal-disk-too-small", f"Too small for a write journal, below {binary_size(least)}: {names(small)}.",
            "select a larger disk", subject(small),
        )  # fmt: skip
    elif small := [disk for disk in disks if disk.size_bytes < _SMALL]:
        yield warning(
            "journal-disk-small", f"Below 1 GiB, so that writes wait for the members often: {names(small)}.",
            "select a larger disk", subject(small),
        )  # fmt: skip
    if slow := [disk for disk in disks if disk.rotational is not False]:
        known = "is a rotating disk" if all(disk.rotational for disk in slow) else "is not known to be flash"
        yield warning(
            "journal-disk-rotating", f"A write journal {known}: {names(slow)}. Every write waits for it.",
            "select a flash disk beside the members", subject(slow),
        )  # fmt: skip
    if not mirrors:
        one = "disk" if len(disks) == 1 else "disk each"
        yield warning(
            "journal-single",
            f"The write journal is one {one}: when it fails, md fails every further write, and reads go on.",
            "keep a disk for raidtui replace, or give it two disks with --journal 2; nothing that was synced is lost",
            subject(disks),
        )  # fmt: skip
    members, data = max(((array.members, _data(array)) for array in arrays), key=lambda each: each[0] / each[1])
    yield note(
        "journal-wear",
        f"The write journal of {counted(data, 'data disk')} of {members} gets {1.066 * members / data:.2f} bytes for "
        f"each byte written{', on both of its disks' if mirrors else ''}.",
        "choose flash disks with endurance for that, whose caches outlive a power cut", subject(disks),
    )  # fmt: skip


def _data(array: ArrayGeometry) -> int:
    return array.full_stripe_bytes // (array.chunk_bytes or 1)
