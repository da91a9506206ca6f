"""What `mdadm --examine` prints of one device: superblocks of md itself, metadata of IMSM and DDF containers.

/dev/sdb1:
          Magic : a92b4efc
        Version : 1.2
    Feature Map : 0x45
     Raid Level : raid5
   Raid Devices : 4
    Data Offset : 4096 sectors
  Reshape pos'n : 3072 (3.00 MiB 3.15 MB)
  Delta Devices : 1 (3->4)
  New Chunksize : 32K
         Events : 24
         Layout : left-symmetric
     Chunk Size : 64K
   Device Role : Active device 0
   Array State : AAAA ('A' == active, '.' == missing, 'R' == replacing)

Formats: mdadm 4.2 to 4.6, super0.c, super1.c, super-intel.c, super-ddf.c; words of layouts: maps.c; bits of the feature
map: Linux, md_p.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from raidtui.values.arrays import ContainerSuperblock, MdShape, MemberSuperblock, Reshape, VolumeOnMember
from raidtui.values.units import KIB, SECTOR

_RESHAPES, _BAD_BLOCKS, _BACKWARDS, _NEW_OFFSET = 0x4, 0x8, 0x20, 0x40
_SECTORS = re.compile(r"(\d{1,20}) sectors", re.ASCII)
_ROLE = re.compile(r"(?:Active|Replacement) device (\d{1,5})", re.ASCII)
_KIB = re.compile(r"(\d{1,15})(K?)\b", re.ASCII)
_DELTA = re.compile(r"-?\d{1,5} \((\d{1,5})->(\d{1,5})\)", re.ASCII)
_PARITY_LAYOUTS = {
    "left-asymmetric": 0, "right-asymmetric": 1, "left-symmetric": 2, "right-symmetric": 3, "parity-first": 4,
    "parity-last": 5, "ddf-zero-restart": 8, "ddf-N-restart": 9, "ddf-N-continue": 10, "left-asymmetric-6": 16,
    "right-asymmetric-6": 17, "left-symmetric-6": 18, "right-symmetric-6": 19, "parity-first-6": 20,
}  # fmt: skip
"""the kernel's numbers (drivers/md/raid5.h)"""
_COPIES = re.compile(r"(near|far|offset)=(\d{1,3})", re.ASCII)
_IMSM, _DDF = "Intel Raid ISM Cfg", "de11de11"
_VOLUME = re.compile(r"^\[(.{0,16})\]:$", re.MULTILINE)
_DISK = re.compile(r"^\n  Disk\d\d Serial : ", re.MULTILINE)
_OF_VOLUME = re.compile(r"^ *([\w ]+)\[(\d{1,4})\] : (.*)$", re.MULTILINE | re.ASCII)
_PHYSICAL = re.compile(r"^ +(\d{1,4}) +[0-9a-f]{8} +\d+K (\S+)? +(\S.*)?/(.*)$", re.MULTILINE | re.ASCII)
_LEVELS = {"0": "raid0", "1": "raid1", "5": "raid5", "10": "raid10"}
"""of IMSM"""
_UUID = re.compile(r"[0-9a-f]{8}(?::[0-9a-f]{8}){3}")


def superblock(text: str) -> MemberSuperblock | None:
    """What was printed of a member (super1.c, super0.c); None without a superblock.

    The name of the array is printed raw and may hold line ends: what is printed before it counts where it occurs first,
    what is printed after it where it occurs last.
    """
    lines = [line.partition(" : ") for line in text.splitlines()]
    first = {key.strip(): value.strip() for key, _, value in reversed(lines)}
    last = {key.strip(): value.strip() for key, _, value in lines}
    if first.get("Magic") != "a92b4efc":
        return None
    this = next((key.split() for key, _, _ in reversed(lines) if key.startswith("this ")), [])  # 0.90
    role = _ROLE.fullmatch(last.get("Device Role", ""))
    slot = role[1] if role else this[4] if len(this) > 6 and this[5] == "active" else ""
    features = first.get("Feature Map", "")
    bits = int(features, 16) if re.fullmatch(r"0x[0-9a-f]{1,8}", features) else 0
    state = last.get("State", "").split(",")[0]
    version = _version(first.get("Version", ""))
    shape, reshape = _shapes(last, bits, changes=bool(bits & _RESHAPES) or version == "0.90")
    return MemberSuperblock(
        level=shape.level,
        devices=shape.devices or None,
        role=_whole(slot),
        events=_whole(last.get("Events", "")),
        updated=last.get("Update Time", ""),
        clean={"clean": True, "active": False}.get(state),
        roster=last.get("Array State", "").partition(" ")[0],
        features=bits,
        journal=last.get("Device Role") == "Journal",
        metadata=version,
        layout=shape.layout if reshape else _layout(shape.level, last.get("Layout", "")),
        chunk_bytes=shape.chunk_bytes,
        reshape=reshape,
        bad_blocks=bool(bits & _BAD_BLOCKS),
    )


def _shapes(values: Mapping[str, str], features: int, *, changes: bool) -> tuple[MdShape, Reshape | None]:
    """The shape of the array, and the change of shape that it is in: then it is the one that it will have.

    `changes`: it may be in one."""
    level, devices = values.get("Raid Level", ""), _whole(values.get("Raid Devices", "")) or 0
    chunk, layout = _bytes(values.get("Chunk Size", "")), _layout(level, values.get("Layout", "")) or 0
    if not changes or "Reshape pos'n" not in values:
        return MdShape(level=level, devices=devices, layout=layout, chunk_bytes=chunk), None
    delta = _DELTA.match(values.get("Delta Devices", ""))
    before = MdShape(level=level, devices=int(delta[1]) if delta else devices, layout=layout, chunk_bytes=chunk)
    position = _whole(values["Reshape pos'n"].partition(" ")[0])
    reshape = Reshape(
        before=before, position_bytes=None if position is None else position * KIB,
        backwards=bool(features & _BACKWARDS) or before.devices > devices,
        backup=bool(features & _RESHAPES) and not features & _NEW_OFFSET,
    )  # fmt: skip
    new = MdShape(
        level=level, devices=devices, layout=_layout(level, values.get("New Layout", "")) or layout,
        chunk_bytes=_bytes(values.get("New Chunksize", "")) or chunk,
    )  # fmt: skip
    return new, reshape


def _layout(level: str, words: str) -> int | None:
    """The kernel's number of a layout that mdadm printed: `left-symmetric`, `near=2, far=2`; None for none."""
    if level != "raid10":
        return _PARITY_LAYOUTS.get(words)
    found = _COPIES.findall(words)
    if not found:
        return None
    copies = {kind: int(count) for kind, count in found}
    far = copies.get("far", copies.get("offset", 1))
    return copies.get("near", 1) | far << 8 | ("offset" in copies) << 16


def shown_layout(level: str, layout: int) -> str:
    """mdadm's word for the kernel's number: `left-symmetric`, `near=2, far=2`; the number where it has none."""
    if level != "raid10":
        return next((word for word, number in _PARITY_LAYOUTS.items() if number == layout), str(layout))
    near, far, kind = layout & 0xFF, layout >> 8 & 0xFF, "offset" if layout >> 16 & 1 else "far"
    return ", ".join([f"near={near}"] * (near != 1) + [f"{kind}={far}"] * (far != 1))


def _bytes(text: str) -> int:
    """Bytes of `64K`; 0.90 prints a new chunk in bytes."""
    match = _KIB.match(text)
    return 0 if match is None else int(match[1]) * (KIB if match[2] else 1)


def _version(text: str) -> str:
    """`1.2`; `0.90` of `0.90.00` and of `0.91.00`, which an array has while its shape changes."""
    return "0.90" if text[:3] == "0.9" else text


def container(text: str, brief: str = "") -> ContainerSuperblock | None:
    """What was printed of a disk in a container; None for another one. `brief`: the same disk with --brief, for UUIDs.

    Names of volumes are printed raw: what is printed after one counts where it occurs last."""
    magic = next((line.partition(" : ")[2] for line in text.splitlines() if line.lstrip().startswith("Magic :")), "")
    own, uuids = _uuids(brief)
    if magic.startswith(_IMSM):
        head = _pairs(text[: next(iter(_sections(text)), len(text))])
        return ContainerSuperblock(
            kind="imsm", identity=head.get("UUID", "") or own, disks=_whole(head.get("Disks", "")) or 0,
            generation=_hex(head.get("Generation", "")), volumes=tuple(_imsm_volumes(text)),
        )  # fmt: skip
    if magic.lower() == _DDF:
        identity = next((line.partition(" : ")[2] for line in text.splitlines() if "Container GUID : " in line), "")
        disks = _PHYSICAL.findall(text)
        return ContainerSuperblock(
            kind="ddf", identity=own or identity, disks=len(disks), generation=_hex(_pairs(text).get("Seq", "")),
            volumes=tuple(_ddf_volumes(text, uuids)),
        )  # fmt: skip
    return None


def _uuids(brief: str) -> tuple[str, dict[int, str]]:
    """UUID of the container, and of each array in it by its number."""
    own, found = "", {}
    for line in brief.splitlines():
        words = dict(word.partition("=")[::2] for word in line.split() if "=" in word)
        uuid = words.get("UUID", "") if _UUID.fullmatch(words.get("UUID", "")) else ""
        if "member" in words and words["member"].isdecimal():
            found[int(words["member"])] = uuid
        elif line.startswith("ARRAY"):
            own = uuid
    return own, found


def _sections(text: str) -> Iterator[int]:
    return (match.start() for match in _VOLUME.finditer(text))


def _imsm_volumes(text: str) -> Iterator[VolumeOnMember]:
    starts = [*_sections(text), len(text)]
    for number, (start, end) in enumerate(pairwise(starts)):
        head, _, rest = text[start:end].partition("\n")
        disk = _DISK.search(rest)
        values = _pairs(rest[: disk.start()] if disk else rest)
        slots = values.get("Slots", "").partition("]")[0].removeprefix("[")
        level = values.get("RAID Level", "").partition(" ")[0]
        yield VolumeOnMember(
            number=number, name=head[1:-2],
            uuid=values.get("UUID", "") if _UUID.fullmatch(values.get("UUID", "")) else "",
            level=_LEVELS.get(level, ""), devices=_whole(values.get("Members", "").partition(" ")[0]) or len(slots),
            failed=tuple(slot for slot, letter in enumerate(slots) if letter == "_"),
            slot=_whole(values.get("This Slot", "").partition(" ")[0]),
            chunk_bytes=(_whole(values.get("Chunk Size", "").partition(" ")[0]) or 0) * KIB,
        )  # fmt: skip


def _ddf_volumes(text: str, uuids: Mapping[int, str]) -> Iterator[VolumeOnMember]:
    values: dict[int, dict[str, str]] = {}
    for key, number, value in _OF_VOLUME.findall(text):
        values.setdefault(int(number), {})[key.strip()] = value.strip()
    disks = {int(number): (device, state) for number, device, _, state in _PHYSICAL.findall(text)}
    this = next((number for number, (device, _) in disks.items() if device), None)
    for number, found in values.items():
        shown = re.fullmatch(r"(\d{1,4}) \((.*)\)", found.get("Raid Devices", ""), re.ASCII)
        if shown is None:
            continue
        parts = [_whole(part.partition("@")[0]) for part in shown[2].split()]
        chunk = _SECTORS.match(found.get("Chunk Size", ""))
        out = [disk for disk, (_, state) in disks.items() if "Failed" in state or "Missing" in state]
        yield VolumeOnMember(
            number=number, name=found.get("Name", ""), uuid=uuids.get(number, ""),
            level=found.get("Raid Level", "").lower(), devices=int(shown[1]),
            failed=tuple(slot for slot, disk in enumerate(parts) if disk is None or disk in out),
            slot=parts.index(this) if this is not None and this in parts else None,
            chunk_bytes=int(chunk[1]) * SECTOR if chunk else 0,
        )  # fmt: skip


def _pairs(text: str) -> dict[str, str]:
    """`Name : value` lines, each name where it occurs last."""
    lines = (line.partition(" : ") for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}


def bitmap_room(text: str) -> int | None:
    """Bytes for a bitmap on the member of 1.1 or 1.2 metadata; None: not known.

    From 4 KiB behind the superblock to the bad block log, or to where that would be before the data (super1.c:
    add_internal_bitmap1)."""
    found = _pairs(text)  # what is printed after the name counts where it is last
    start, end = (_SECTORS.search(found.get(f"{key} Offset", "")) for key in ("Super", "Data"))
    if found.get("Version") not in ("1.1", "1.2") or start is None or end is None:
        return None
    log = _SECTORS.search(found.get("Bad Block Log", ""))
    limit = int(log[1]) if log else int(end[1]) - int(start[1]) - 8
    return max(0, limit - 8) * SECTOR


def _hex(text: str) -> int:
    return int(text, 16) if re.fullmatch(r"[0-9a-f]{1,16}", text) else 0


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d{1,20}", text, re.ASCII) else None
