"""Findings about members on partitions: sizes that do not fit, metadata that can be taken for the whole disk's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.layout import HybridLayout
from raidtui.model.units import MIB, exact_binary, grouped, round_down
from raidtui.planner.findings import error, name, names, note, subject
from raidtui.planner.geometry.gpt import largest_partition, partition_bytes

COPY_TABLE = (
    "copy it from a member: sfdisk --dump MEMBER | sed -e '/label-id/d' -e '/lba/d' -e 's/ uuid=[^,]*,//' | sfdisk NEW"
)
"""how a new disk gets the partition that members have"""


def check_partitions(design: Design, disks: Sequence[Disk]) -> Iterator[Finding]:
    """Findings about the partitions of `design` on `disks`; none for members that are whole disks.

    Of bands only what holds for every partition: the rest is in `bands`.
    """
    if not design.on_partitions:
        return
    if design.metadata == "0.90":
        # super0.c: the superblock is in the last 128 KiB, with no field for the device it belongs to
        yield error(
            "partition-metadata",
            "Metadata 0.90 at the end of a partition can be taken for that of the whole disk.",
            "use metadata 1.2",
            "metadata",
        )
    if maps := [disk for disk in disks if disk.multipath]:
        yield error(
            "partition-multipath",
            f"Members on partitions are for disks with one path: kpartx makes those of a multipath map "
            f"({names(maps)}), under other names and at another moment.",
            "use whole disks: leave out --members partitions and --partition-size, and choose no hybrid layout",
            subject(maps),
        )
        return
    if design.layout.plain:
        yield error(
            "partition-plain",
            "Partitions are for members of md arrays; this layout has none.",
            "leave out --members partitions and --partition-size",
        )
        return
    if design.trial is not None:
        yield error(
            "partition-trial", "A tuning measures whole disks, not partitions.", "tune without --members partitions"
        )
    if design.partitions is None or isinstance(design.layout, HybridLayout):
        return
    wanted = design.partitions.size_bytes
    if wanted is not None and wanted < MIB:
        yield error(
            "partition-too-small", f"A partition of {exact_binary(wanted)} is smaller than 1 MiB.", "name a larger size"
        )
        return
    for disk in disks:
        largest = largest_partition(disk.size_bytes, disk.logical_sector_bytes)
        if largest < max(MIB, round_down(wanted or 0, MIB)):
            yield error(
                "partition-too-large",
                f"{name(disk)} has room for a partition of {largest} bytes at most, less than the {wanted or MIB} bytes"
                " asked for.",
                f"name at most {largest} bytes, or leave the disk out",
                disk.id,
            )
            return
    if wanted is not None and wanted % MIB:
        yield note(
            "partition-rounded",
            f"Partitions end at whole MiB: {round_down(wanted, MIB)} bytes each, not {wanted}.",
            "name a multiple of 1 MiB",
        )
    sizes = {partition_bytes(design, disk) for disk in disks}
    size = f"of {grouped(sizes.pop())} bytes" if len(sizes) == 1 else "as large as the disk allows"
    yield note(
        "partition-replacement",
        f"Each disk gets a GPT with one partition {size}, from 1 MiB on. A replacement disk needs one as well before "
        "mdadm can take it.",
        f"{COPY_TABLE}; then mdadm --manage ARRAY --add-spare NEW-part1",
    )
