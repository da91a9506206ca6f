"""Identity of a disk: from its WWN, model and serial number, never from its kernel name.

A world-wide name that several devices claim is either one disk with several paths (or its clone), or no name at all:
bridges and cheap drives give one to every disk. It is void only where the devices certainly are different disks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from raidtui.machine.inventory.block_tree import Tree
from raidtui.programs.lsblk import BlockDevice
from raidtui.programs.udevdb import UdevRecord
from raidtui.values.codec import by_key
from raidtui.values.inventory import sanitised, wwn_digits

_FILLER = re.compile(r"(?:0x|eui\.|uuid\.|naa\.)?([0f. _-]*)", re.IGNORECASE)
_FILLER_WORDS = frozenset(
    {"unknown", "none", "n/a", "na", "null", "default", "serial", "serialnumber", "noserial", "tobefilledbyoem",
     "0123456789abcdef", "0123456789", "1234567890", "123456789", "12345678", "012345678999", "123456789012"}
)  # fmt: skip
_WORLD_WIDE = re.compile(r"0x[0-9a-f]+|(?:eui|uuid)\.[0-9a-f.-]+", re.IGNORECASE)
_EXTENDED = re.compile(r"0x6[0-9a-f]{31}")
"""NAA 6: storage arrays name their LUNs so (SPC, IEEE Registered Extended)"""
_SAN = frozenset({"fc", "fcoe", "iscsi"})
_NAMESPACE = re.compile(r"nvme\..*-([0-9a-f]{8})", re.IGNORECASE)
"""the kernel's name of a namespace without EUI: vendor, serial number, model and namespace in hex (nvme sysfs.c)"""
_DASD = re.compile(r"ccw-[A-Za-z0-9]+\.[A-Za-z0-9]+\.[0-9a-f]{4}\.[0-9a-f]{2}(?:\.[0-9a-f]+)?")
"""UID of a DASD: vendor, serial number of the storage server, logical subsystem, unit address, minidisk; `ccw-0X5237`
is the volume label, which is content"""
_LINKS = (
    "dm-uuid-mpath-", "wwn-", "nvme-eui.", "nvme-uuid.", "nvme-", "ata-", "scsi-", "usb-", "virtio-", "mmc-", "ccw-",
)  # fmt: skip
_OF_WWN = r"(?:wwn-0x|scsi-[0-9]|nvme-(?:eui|uuid)\.)"
"""begins names that udev makes of a world-wide name"""
_UDEV_NAME = re.compile(rf"(?:{'|'.join(map(re.escape, _LINKS))})[A-Za-z0-9#+.:=@_\\-]+")
"""of a value that is empty udev makes `wwn-`, which many disks claim (systemd issue 27886)"""


def filler(text: str) -> bool:
    """True for a placeholder serial number or name: only zeros or Fs, `unknown`, counting digits."""
    return bool(_FILLER.fullmatch(text)) or re.sub(r"[ ._-]", "", text).lower() in _FILLER_WORDS


def identities(tree: Tree) -> dict[str, str]:
    """What each disk is known by, by kernel name; empty where it has no identity. Two disks may share one: `shared`."""
    void = void_names(tree)
    found = {block.name: identity(block, tree.records.get(block.name), void=block.name in void) for block in tree.disks}
    bays = by_key((key, block.name) for block in tree.disks if (key := _without_bay(block, found[block.name])))
    return found | {name: key for key, names in bays.items() if len(names) > 1 for name in names}


def identity(block: BlockDevice, record: UdevRecord | None, *, void: bool = False) -> str:
    """`wwn-0x...`, `eui....`, `ccw-...`, or MODEL_SERIAL; empty if the disk has no identity.

    A multipath map is `mpath-` and the name that its paths share, an NVMe namespace without EUI MODEL_SERIAL_NUMBER.
    `void`: its world-wide name names other disks too.
    """
    if block.type == "mpath":
        uuid = record.properties.get("DM_UUID", "") if record else ""
        return uuid if uuid.startswith("mpath-") and uuid == sanitised(uuid) else ""
    wwn = world_wide_name(block)
    if wwn and not void:
        return f"wwn-{wwn}" if wwn.startswith("0x") else wwn
    if block.name.startswith("dasd"):
        return _dasd_uid(record)
    if not _serial_number(block):
        return ""
    return "_".join(sanitised(part) for part in (block.model, block.serial, _namespace(block, record)) if part)


def world_wide_name(block: BlockDevice) -> str | None:
    """lsblk's WWN, if it is a type that the manufacturer must make unique."""
    wwn = (block.wwn or "").lower()
    return wwn if _WORLD_WIDE.fullmatch(wwn) and not filler(wwn) else None


def void_names(tree: Tree) -> frozenset[str]:
    """Kernel names of the disks whose world-wide name says nothing: others have it that certainly are other disks.

    A disk that may be a path to the same disk as one of the others, or its clone, is not among them.
    """
    sharing = by_key((wwn, block) for block in tree.disks if (wwn := world_wide_name(block)))
    return frozenset(
        block.name
        for group in sharing.values()
        if len(group) > 1
        for block in group
        if all(different_disks(tree, block, other) for other in group if other is not block)
    )


def different_disks(tree: Tree, one: BlockDevice, other: BlockDevice) -> bool:
    """True if two devices with one world-wide name cannot be paths to one disk: by serial number or size.

    Of a LUN neither proves it: arrays show the serial number of the controller that the path leads to (SPC), and a path
    that was not scanned again has the size before it grew.
    """
    if any(_of_an_array(tree, block) for block in (one, other)):
        return False
    serials = _serial_number(one), _serial_number(other)
    if all(serials) and serials[0] not in serials[1] and serials[1] not in serials[0]:
        return True
    return bool(one.size and other.size) and one.size != other.size


def shared(found: Iterable[str]) -> frozenset[str]:
    """Identities that more than one disk has."""
    return frozenset(each for each, count in Counter(found).items() if each and count > 1)


def by_id(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Names under /dev/disk/by-id of every disk, best first, without those of two devices or that may move to another.

    Such are names made of a void world-wide name, a DASD's volume label, and `nvme-MODEL_SERIAL` where udev makes
    `nvme-MODEL_SERIAL_1` too: with a further namespace the first may lead to that (systemd issue 31448).
    """
    claims = Counter(link for record in tree.records.values() for link in record.links)
    void = void_names(tree)
    found: dict[str, tuple[str, ...]] = {}
    for block in tree.disks:
        record = tree.records.get(block.name)
        links = record.links if record else ()
        names = {link.removeprefix("disk/by-id/") for link in links if link.startswith("disk/by-id/")}
        lies = re.compile(_OF_WWN + re.escape(wwn_digits(block.wwn))) if block.name in void else None
        mine = (
            name
            for name in names
            if claims[f"disk/by-id/{name}"] == 1 and _UDEV_NAME.fullmatch(name)
            and not (lies and lies.fullmatch(name.lower()))
            and not (name.startswith("ccw-") and not _DASD.fullmatch(name))
            and not any(re.fullmatch(rf"{re.escape(name)}_\d+", other) for other in names if name.startswith("nvme-"))
        )  # fmt: skip
        found[block.name] = tuple(sorted(mine, key=_rank))
    return found


def by_path(tree: Tree, name: str) -> str | None:
    """Name under /dev/disk/by-path."""
    record = tree.records.get(name)
    paths = sorted(link for link in (record.links if record else ()) if link.startswith("disk/by-path/"))
    return paths[0].removeprefix("disk/by-path/") if paths else None


def _without_bay(block: BlockDevice, known_by: str) -> str:
    """The identity without the number that ends the model; empty where it is not made of model and serial number.

    Enclosures show their own serial number, and a model that ends with the bay, such as DISK03, for every disk.
    """
    model = sanitised(block.model or "")
    if not known_by.startswith(f"{model}_") or not model:
        return ""
    return re.sub(r"[._-]*[0-9]+$", "", model) + known_by.removeprefix(model)


def _rank(name: str) -> tuple[int, str]:
    return next(at for at, prefix in enumerate(_LINKS) if name.startswith(prefix)), name


def _serial_number(block: BlockDevice) -> str:
    """The serial number in the form that is compared; empty where there is none.

    lsblk shows the world-wide name in its place where udev knows no other (util-linux issue 1143).
    """
    text = sanitised(block.serial or "").lower()
    if filler(text) or wwn_digits(block.wwn) in (wwn_digits(text), wwn_digits(text.removeprefix("3"))):
        return ""
    return text


def _namespace(block: BlockDevice, record: UdevRecord | None) -> str:
    """Number of an NVMe namespace; empty for other disks, and where it is not known."""
    if not block.name.startswith("nvme"):
        return ""
    if match := _NAMESPACE.fullmatch(block.wwn or ""):
        return str(int(match[1], 16))
    number = record.properties.get("ID_NSID", "") if record else ""
    return number if number.isascii() and number.isdecimal() else ""


def _dasd_uid(record: UdevRecord | None) -> str:
    """`ccw-IBM.750000000DXYZ1.0010.12`; empty where it is not known: the serial number is a label on the disk."""
    found = [link.removeprefix("disk/by-id/") for link in (record.links if record else ())]
    found += [f"ccw-{record.properties['ID_UID']}"] if record and "ID_UID" in record.properties else []
    return next((name for name in sorted(found) if _DASD.fullmatch(name)), "")


def _of_an_array(tree: Tree, block: BlockDevice) -> bool:
    """True for a LUN of a storage array, or a namespace behind a fabric or with several controllers."""
    if block.name.startswith("nvme"):
        return "/virtual/" in tree.ways.get(block.name, "")
    return block.transport in _SAN or bool(_EXTENDED.fullmatch((block.wwn or "").lower()))
