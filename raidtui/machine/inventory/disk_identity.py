"""Identity of a disk: from its WWN, model and serial number, never from its kernel name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from raidtui.machine.inventory.block_tree import Tree
from raidtui.tools.lsblk import BlockDevice
from raidtui.tools.udevdb import UdevRecord

_FILLER = re.compile(r"(?:0x|eui\.|uuid\.|naa\.)?([0f. _-]*)", re.IGNORECASE)
_FILLER_WORDS = frozenset(
    {"unknown", "none", "n/a", "na", "null", "default", "serial", "serialnumber", "noserial", "tobefilledbyoem",
     "0123456789abcdef", "0123456789", "1234567890", "123456789", "12345678", "012345678999", "123456789012"}
)  # fmt: skip
_WORLD_WIDE = re.compile(r"0x[0-9a-f]+|(?:eui|uuid)\.[0-9a-f.-]+", re.IGNORECASE)
_LINKS = ("dm-uuid-mpath-", "wwn-", "nvme-eui.", "nvme-uuid.", "nvme-", "ata-", "scsi-", "usb-", "virtio-", "mmc-")


def filler(text: str) -> bool:
    """True for a placeholder serial number or name: only zeros or Fs, `unknown`, counting digits."""
    return bool(_FILLER.fullmatch(text)) or re.sub(r"[ ._-]", "", text).lower() in _FILLER_WORDS


def identity(block: BlockDevice, record: UdevRecord | None) -> str:
    """`wwn-0x...`, `eui....`, or MODEL_SERIAL; empty if the disk has no identity.

    A multipath map is `mpath-` and the name that its paths share.
    """
    if block.type == "mpath":
        uuid = record.properties.get("DM_UUID", "") if record else ""
        return uuid if uuid.startswith("mpath-") and uuid == sanitised(uuid) else ""
    wwn = world_wide_name(block)
    if wwn:
        return f"wwn-{wwn}" if wwn.startswith("0x") else wwn
    if block.serial is None or filler(block.serial):
        return ""
    return "_".join(sanitised(part) for part in (block.model, block.serial) if part)


def world_wide_name(block: BlockDevice) -> str | None:
    """lsblk's WWN, if it is a type that the manufacturer must make unique."""
    wwn = (block.wwn or "").lower()
    return wwn if _WORLD_WIDE.fullmatch(wwn) and not filler(wwn) else None


def sanitised(text: str) -> str:
    """`text` as udev writes it into a by-id link: blanks become one underscore, odd characters too (udev-util.c)."""
    return re.sub(r"[^A-Za-z0-9#+.:=@_-]", "_", re.sub(r"\s+", "_", text.strip()))


def shared(identities: Iterable[str]) -> frozenset[str]:
    """Identities that more than one disk has."""
    return frozenset(each for each, count in Counter(identities).items() if each and count > 1)


def by_id(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Names under /dev/disk/by-id of every disk, best first, without those of two devices."""
    claims = Counter(link for record in tree.records.values() for link in record.links)
    found: dict[str, tuple[str, ...]] = {}
    for block in tree.disks:
        record = tree.records.get(block.name)
        links = record.links if record else ()
        names = [link.removeprefix("disk/by-id/") for link in links if link.startswith("disk/by-id/")]
        mine = (name for name in names if claims[f"disk/by-id/{name}"] == 1 and name.startswith(_LINKS))
        found[block.name] = tuple(sorted(mine, key=_rank))
    return found


def by_path(tree: Tree, name: str) -> str | None:
    """Name under /dev/disk/by-path."""
    record = tree.records.get(name)
    paths = sorted(link for link in (record.links if record else ()) if link.startswith("disk/by-path/"))
    return paths[0].removeprefix("disk/by-path/") if paths else None


def _rank(name: str) -> tuple[int, str]:
    return next(at for at, prefix in enumerate(_LINKS) if name.startswith(prefix)), name
