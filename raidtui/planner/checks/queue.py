"""Findings about the I/O scheduler and the queue depth that a design sets on its disks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.model.options.table import ROW
from raidtui.planner.findings import error, names, note, subject
from raidtui.planner.members import ArrayDisks

MOST_SATA_DEPTH = 32
"""NCQ has 32 tags (ACS; ATA_MAX_QUEUE of include/linux/libata.h)"""
_NO_DEPTH = ("nvme", "virtio", "mmc")
"""transports whose drivers have no device/queue_depth: it is an attribute of SCSI devices, and SATA disks are such"""


def check_queue(design: Design, shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    """Findings about both settings on all disks, spares included."""
    depth = design.queue_depth
    if depth is None and design.io_scheduler is None:
        return
    disks = [disk for share in shares for disk in share.members + share.spares]
    if maps := [disk for disk in disks if disk.multipath]:
        yield error(
            "queue-of-multipath",
            f"I/O scheduler and queue depth of a multipath disk are those of its paths: {names(maps)}.",
            "leave both out; set them for the paths by a udev rule of your own",
            subject(maps),
        )
        return
    if depth is not None:
        yield from _depth(depth, disks)
    yield note(
        "queue-not-predicted",
        "Predicted rates do not include an I/O scheduler or a queue depth.",
        "raidtui bench measures with and without them",
    )


def _depth(depth: int, disks: Sequence[Disk]) -> Iterator[Finding]:
    without = [disk for disk in disks if disk.transport in _NO_DEPTH]
    try:
        ROW.queue_depth.check(depth)
    except ValueError as problem:
        yield error("queue-depth", f"Invalid queue depth: {problem}.", "leave it out for the driver's own")
        return
    if without:
        yield error(
            "queue-depth-of-nothing",
            f"No queue depth can be set for {names(without)}: only SATA and SAS disks have one (device/queue_depth).",
            "leave the queue depth out",
            subject(without),
        )
    elif depth > MOST_SATA_DEPTH and (sata := [disk for disk in disks if disk.speaks_ata]):
        yield error(
            "queue-depth",
            f"Invalid queue depth {depth} for {names(sata)}: SATA disks take at most {MOST_SATA_DEPTH} requests at "
            "once (NCQ).",
            f"use 1 to {MOST_SATA_DEPTH}",
            subject(sata),
        )
