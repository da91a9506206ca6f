"""Machines whose /proc/mdstat somebody published: the kernel's other files are made of it, as md writes them.

What /proc/mdstat cannot tell (serial numbers, sizes of the disks) is made up and stands for nothing. Format and
meaning: drivers/md/md.c (md_seq_show), raid5.c, raid10.c; Documentation/admin-guide/md.rst for the files made of it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raidtui.machine.system.ports import Look, Openers, Pin, Ran, Syncing
from raidtui.programs.signatures import FoundSignature
from raidtui.values.errors import MachineFailed

PUBLIC = Path(__file__).with_name("public.toml")
_ARRAY = re.compile(r"^(md\w+) : (active|inactive|broken)(?: \(((?:auto-)?read-only)\))?(?: (raid\d+|linear))? (.+)$")
_MEMBER = re.compile(r"([\w-]+)\[(\d+)\]((?:\([A-Z]\))*)")
_BLOCKS = re.compile(r"^ *(\d+) blocks (?:super (\S+) ?)?(.*)$")
_PART = re.compile(r"(nvme\d+n\d+|sd[a-z]+|hd[a-z])(?:p?(\d+))?")
_SYNC = re.compile(r"(resync|recovery|check|reshape) *= *(?:[\d.]+% \((\d+)/(\d+)\).*speed=(\d+)K|(PENDING|DELAYED))")
_SECTORS_OF_KIB = 2


@dataclass(slots=True)
class _Array:
    name: str
    level: str
    texts: dict[str, str]
    members: dict[str, dict[str, str]]
    kib: int
    uuid: str
    sync: Syncing | None = None


@dataclass(slots=True)
class PublicMachine:
    """One of them, as a host and as a reader of a machine."""

    given: Mapping[str, Any]
    simulated: bool = field(default=False, init=False)
    arrays: list[_Array] = field(default_factory=list, init=False)
    texts: dict[str, str] = field(default_factory=dict, init=False)
    folders: dict[str, set[str]] = field(default_factory=dict, init=False)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict, init=False)
    """of lsblk, by kernel name"""

    def __post_init__(self) -> None:
        heads = [line for line in self.given["mdstat"].splitlines() if line.strip()]
        for at, line in enumerate(heads):
            if match := _ARRAY.match(line):
                following = heads[at + 1 :]
                end = next((n for n, later in enumerate(following) if _ARRAY.match(later)), len(following))
                self.arrays.append(_array(match, " ".join(following[:end]), len(self.arrays), self.given))
        for array in self.arrays:
            for device in array.members:
                self._device(device, int(array.texts["component_size"]))
        for array in self.arrays:
            self._write(array)
        self.texts |= {"/proc/mdstat": self.given["mdstat"], "/proc/sys/kernel/hostname": "public\n"}
        for name, rows in self.rows.items():
            self.texts[f"/sys/block/{name}/dev"] = rows[0]["maj:min"]
            self.texts[f"/run/udev/data/b{rows[0]['maj:min']}"] = "\n".join(
                [*(f"S:disk/by-id/{name}-made-up" for _ in rows[:1]), f"E:ID_FS_TYPE={rows[0]['fstype'] or ''}"]
            )
        self.folders["/sys/block"] = {name for name, rows in self.rows.items() if rows[0]["type"] != "part"}
        self._told()

    def _told(self) -> None:
        """What else the owner told, laid over what was made of /proc/mdstat: files, devices, answers of programs."""
        for told in self.given.get("disk", ()):
            if told["name"] not in self.rows:
                self._row(told["name"], told.get("type", "disk"), 0, told.get("parent"))
                self.folders.setdefault(f"/sys/class/block/{told['name']}", set()).update({"holders", "dev"})
            for row in self.rows[told["name"]]:
                row.update({key: value for key, value in told.items() if key in row})
            row = self.rows[told["name"]][0]
            if row["type"] != "part":
                self.folders["/sys/block"].add(told["name"])
            self.texts[f"/sys/block/{told['name']}/dev"] = row["maj:min"]
            lines = [f"S:disk/by-id/{told['name']}-made-up", *(f"E:{each}" for each in told.get("props", ()))]
            self.texts[f"/run/udev/data/b{row['maj:min']}"] = "\n".join([*lines, f"E:ID_FS_TYPE={row['fstype'] or ''}"])
        for array, files in self.given.get("md", {}).items():
            for name, text in files.items():
                folder = f"/sys/block/{array}/md/{'dev-' if isinstance(text, dict) else ''}{name}"
                pairs = (
                    {f"{folder}/{key}": each for key, each in text.items()}
                    if isinstance(text, dict)
                    else {folder: text}
                )
                self.texts |= pairs
        self.texts |= self.given.get("texts", {})
        for path, names in self.given.get("folders", {}).items():
            self.folders.setdefault(path, set()).update(names)

    def _device(self, name: str, kib: int) -> None:
        """A member with what it is on; arrays among them are written by themselves."""
        if name in self.rows or name.startswith("md"):
            return
        below = self.given.get("below", {}).get(name, name)
        match = _PART.fullmatch(below)
        assert match, name
        disk, part = match.groups()
        if disk not in self.rows:
            self._row(disk, "disk", kib * 3, None)
            self.folders[f"/sys/class/block/{disk}"] = {"holders", "dev"}
        if part:
            self._row(below, "part", kib, disk)
        if below != name:
            self._row(name, "crypt", kib, below)
            self.texts[f"/sys/block/{name}/dm/uuid"] = f"CRYPT-LUKS2-{name}"

    def _row(self, name: str, kind: str, kib: int, parent: str | None) -> None:
        flash = name.startswith("nvme")
        row = dict.fromkeys(
            [
                "zoned",
                "model",
                "serial",
                "wwn",
                "vendor",
                "rev",
                "hctl",
                "fstype",
                "label",
                "uuid",
                "pttype",
                "mountpoint",
            ]
        )
        row |= {"kname": name, "pkname": parent, "maj:min": f"{259 if flash else 8}:{len(self.rows)}", "type": kind}
        row |= {"size": kib * 1024, "ro": False, "rota": not flash, "log-sec": 512, "phy-sec": 4096, "opt-io": 0}
        row |= {"tran": "nvme" if flash else "sas", "serial": f"MADEUP-{name}" if kind == "disk" else None}
        self.rows.setdefault(name, []).append(row)

    def _write(self, array: _Array) -> None:
        """The array's rows of lsblk and files of sysfs."""
        folder = f"/sys/block/{array.name}/md"
        external = array.texts["metadata_version"].startswith("external")
        for device in array.members:
            for row in self.rows.get(device, ()):
                row["fstype"] = "isw_raid_member" if external else "linux_raid_member"
                row["uuid"] = None if external else array.uuid
        runs = array.texts["array_state"] != "inactive"
        for device in array.members if runs else ():
            self._row(array.name, array.level, array.kib, device)
            self.rows[array.name][-1]["mountpoint"] = self.given.get("mounts", {}).get(array.name)
        if not runs:
            self._row(array.name, "md", 0, None)
        self.folders[folder] = {f"dev-{device}" for device in array.members}
        self.texts |= {f"{folder}/{name}": text for name, text in array.texts.items()}
        for device, files in array.members.items():
            self.texts |= {f"{folder}/dev-{device}/{name}": text for name, text in files.items()}
            self.folders.setdefault(f"/sys/class/block/{device}/holders", set()).add(array.name)

    # As a host.

    def text(self, path: str) -> str | None:
        """See Host."""
        return self.texts.get(path)

    def names(self, path: str) -> tuple[str, ...]:
        """See Host."""
        return tuple(sorted(self.folders.get(path, ())))

    def link(self, path: str) -> str | None:
        """See Host."""
        name = path.removeprefix("/sys/class/block/")
        return f"../../devices/made-up/block/{name}" if name in self.rows else None

    def number(self, path: str) -> str | None:
        """See Host."""
        pin = self.pin(path)
        return pin.number if pin else None

    def look(self, path: str, number: str, size: int) -> Look:
        """See Host."""
        name = path.removeprefix("/dev/")
        found = next((row for row in self.rows[name] if row["fstype"]), None)
        if found is None:
            return Look(busy=True, zero=False, signatures=(FoundSignature(type="gpt", offset=512),))
        kind = FoundSignature(type=found["fstype"], offset=4096, uuid=found["uuid"] or "")
        return Look(busy=True, zero=False, signatures=(kind,))

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        """See Host."""
        for told in self.given.get("runs", ()):
            if list(argv[: len(told["argv"])]) == told["argv"] and told.get("device", argv[-1]) == argv[-1]:
                return Ran(exit=told.get("exit", 0), stdout=told.get("stdout", ""), stderr=told.get("stderr", ""))
        if argv[0] != "lsblk":
            return None
        asked = [word.removeprefix("/dev/") for word in argv if word.startswith("/dev/")]
        rows = [row for name, own in self.rows.items() if not asked or name in asked for row in own]
        return Ran(exit=0, stdout=json.dumps({"blockdevices": rows}), stderr="")

    def openers(self) -> Openers:
        """See Host."""
        return Openers()

    def euid(self) -> int:
        """See Host."""
        return 0

    def own_paths(self) -> tuple[str, ...]:
        """See Host."""
        return ()

    # As a reader.

    def read_text(self, path: str) -> str | None:
        """See MachineReader."""
        told = any(each.startswith("/etc/") for each in self.given.get("texts", ()))
        if path.startswith("/etc/") and not told:
            raise MachineFailed(f"nobody published {path}")
        return self.text(path)

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = {}) -> Ran:
        """See MachineReader."""
        examined = self.given.get("examine", {})
        if argv[:2] == ("mdadm", "--examine") and argv[2].removeprefix("/dev/") in examined:
            return Ran(exit=0, stdout=examined[argv[2].removeprefix("/dev/")], stderr="")
        if (ran := self.run(argv)) is None:
            raise MachineFailed(f"nobody published what {argv[0]} answers")
        return ran

    def pin(self, path: str) -> Pin | None:
        """See MachineReader."""
        name = path.removeprefix("/dev/")
        if name not in self.rows:
            return None
        row = self.rows[name][0]
        kind = "array" if name.startswith("md") else "partition" if row["type"] == "part" else "disk"
        number = row["maj:min"]
        return Pin(kind=kind, number=number, disk=number, sequence="1", size_bytes=row["size"], name=name)  # type: ignore[arg-type]

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """See MachineReader."""
        raise MachineFailed(f"nobody published {path}")

    def clock(self) -> datetime:
        """See MachineReader."""
        return datetime(2026, 11, 26, tzinfo=UTC)

    def syncing(self) -> tuple[Syncing, ...]:
        """See MachineReader."""
        return tuple(array.sync for array in self.arrays if array.sync)


def _array(head: re.Match[str], below: str, number: int, given: Mapping[str, Any]) -> _Array:
    """The array of one paragraph."""
    name, state, read_only, level, listed = head.groups()
    blocks = _BLOCKS.match(below)
    assert blocks, below
    kib, metadata, rest = int(blocks[1]), blocks[2] or "0.90", blocks[3]
    counts = re.search(r"\[(\d+)/(\d+)\] \[([U_]+)\]", rest)
    listing = {device: (int(at), flags) for device, at, flags in _MEMBER.findall(listed)}
    devices, roster = (int(counts[1]), counts[3]) if counts else (len(listing), "U" * len(listing))
    kernel = {"read-only": "readonly", "auto-read-only": "read-auto"}.get(read_only or "", "clean")
    kernel = state if state != "active" else kernel
    chunk = re.search(r"(\d+)[kK] chunk", rest)
    sync = _sync(name, rest, held=kernel == "read-auto")
    return _Array(
        name=name, level=level or "", kib=kib, uuid=f"{number + 1:08x}:00000000:00000000:00000000", sync=sync,
        members=_members(
            listing, roster, given.get("slots", {}), runs=state != "inactive",
            rebuilds=sync is not None and sync.action == "recover",
        ),
        texts={
            "array_state": kernel, "level": level or "",
            "raid_disks": str(devices if level else 0), "degraded": str(roster.count("_")),
            "metadata_version": metadata, "chunk_size": str(int(chunk[1]) * 1024 if chunk else 0),
            "layout": str(_layout(rest)), "component_size": str(_component(kib, level or "", devices, rest)),
            "bitmap/location": "+8" if "bitmap:" in rest else "none",
            "bitmap/metadata": "internal" if "bitmap:" in rest else "",
            "consistency_policy": "journal" if "(J)" in listed else "bitmap" if "bitmap:" in rest else "resync",
        },
    )  # fmt: skip


def _component(kib: int, level: str, devices: int, rest: str) -> int:
    """KiB of each member that the array uses."""
    copies = re.search(r"(\d+) (?:near|far|offset)-copies", rest)
    parts = {"raid0": devices, "raid4": devices - 1, "raid5": devices - 1, "raid6": devices - 2}.get(level, 1)
    return kib * int(copies[1]) // devices if copies else kib // max(parts, 1)


def _layout(rest: str) -> int:
    """md's number of a layout (raid10.c: near | far << 8)."""
    if found := re.search(r"algorithm (\d+)", rest):
        return int(found[1])
    if found := re.search(r"(\d+) (near|far|offset)-copies", rest):
        copies = int(found[1])
        return {"near": copies | 1 << 8, "far": 1 | copies << 8, "offset": 1 | copies << 8 | 1 << 16}[found[2]]
    return 0


def _members(
    listing: Mapping[str, tuple[int, str]], roster: str, told: Mapping[str, int], *, runs: bool, rebuilds: bool
) -> dict[str, dict[str, str]]:
    """Files of each member. Its number is that of its descriptor: its slot, unless it came later."""
    whole = {at for at, letter in enumerate(roster) if letter == "U"}
    slots = {device: at for device, at in told.items() if device in listing and at in whole} or {
        device: at for device, (at, flags) in listing.items() if at in whole and not set(flags) & set("FSJ")
    }
    free = sorted(whole - set(slots.values()))
    gaps = [at for at, letter in enumerate(roster) if letter == "_"] if rebuilds else []
    found: dict[str, dict[str, str]] = {}
    for device in sorted(listing, key=lambda each: listing[each]):
        flags = listing[device][1]
        words = ["write_mostly"] if "W" in flags else []
        if "F" in flags:
            found[device] = {"state": ",".join(["faulty", *words]), "slot": "none"}
        elif "S" in flags or not runs:
            found[device] = {"state": "spare", "slot": "none"}
        elif "J" in flags:
            found[device] = {"state": "journal,in_sync", "slot": "journal"}
        elif device in slots:
            found[device] = {"state": ",".join(["in_sync", *words]), "slot": str(slots[device])}
        elif free:
            found[device] = {"state": ",".join(["in_sync", *words]), "slot": str(free.pop(0))}
        else:
            found[device] = {"state": "spare", "slot": str(told.get(device, gaps[0])) if gaps else "none"}
    return found


def _sync(name: str, rest: str, *, held: bool) -> Syncing | None:
    match = _SYNC.search(rest)
    if match is None:
        return None
    action = "recover" if match[1] == "recovery" else match[1]
    if match[5]:
        return Syncing(device=name, action="held" if held else "pending", done_sectors=0, all_sectors=0, bytes_per_s=0)
    done, whole, speed = (int(text) for text in match.groups()[1:4])
    return Syncing(
        device=name, action=action, done_sectors=done * _SECTORS_OF_KIB, all_sectors=whole * _SECTORS_OF_KIB,
        bytes_per_s=speed * 1024,
    )  # fmt: skip


def machines() -> dict[str, Mapping[str, Any]]:
    """What was published, by name."""
    found: dict[str, Mapping[str, Any]] = tomllib.loads(PUBLIC.read_text())
    return found
