"""Arrays and multi-disk file systems that disks are parts of, by the UUID in the signature of each part."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidtui.model.inventory import Disk

_UUID = re.compile(r"[0-9a-f]{8}[:-]?(?:[0-9a-f]{4}[:-]?){4}[0-9a-f]{8}|[0-9a-f]{32}", re.IGNORECASE)


def container_uuids(disk: Disk) -> set[str]:
    """UUIDs, without separators, of the multi-disk containers that the disk is a part of."""
    return {
        re.sub("[:-]", "", use.signature.uuid).lower()
        for use in disk.uses
        if use.signature is not None and (use.kind == "md-member" or use.signature.type == "btrfs")
        if use.signature.uuid and _UUID.fullmatch(use.signature.uuid)
    }


def lost_members(disks: Sequence[Disk]) -> dict[str, str]:
    """Kernel name to array (`md0 active raid5`) of each disk that an array which runs now has lost.

    Such a disk has the superblock of an array of which other disks are members now, and is no member itself.
    """
    running = {
        uuid: use.where
        for disk in disks
        for use in disk.uses
        if use.kind == "md-member" and use.active
        for uuid in container_uuids(disk)
    }
    idle = [disk for disk in disks if not any(use.active for use in disk.uses)]
    return {
        disk.kernel_name: running[uuid] for disk in idle for uuid in sorted(container_uuids(disk)) if uuid in running
    }
