"""Sixty disks in one shelf behind SAS expanders, as their kernel, udev, lsblk, smartctl and enclosure tell of them.

Made up, in the forms of the recorded machines: a chassis like e2660 whose every reading may be broken. Of five disks
one carries an array of its own that lacks its other half, one a mounted partition, one is a multipath map with two
paths, and two are blank.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from raidtui.machine.inventory.capture import FORMAT, Capture
from raidtui.machine.system.ports import Denied, Pin, Ran, Syncing
from raidtui.programs import lsblk, multipath, smartctl
from raidtui.values.errors import MachineFailed
from tests.recorded_machines.replay import RecordedHost

T = TypeVar("T")
DISKS = 60
BYTES = 2_000_398_934_016
PART_BYTES = BYTES - 2 * 1024**2
ROLES = ("array", "mount", "map", "blank", "blank")
"""of the disks in turn"""
_HBA = "../../devices/pci0000:00/0000:00:03.0/0000:03:00.0"
_SES = "/sys/class/enclosure/0:0:99:0"
_SMART = {
    "smartctl": {"exit_status": 0}, "device": {"protocol": "SCSI"}, "rotation_rate": 7200,
    "smart_status": {"passed": True}, "power_on_time": {"hours": 20123}, "temperature": {"current": 31},
    "scsi_grown_defect_list": 3,
}  # fmt: skip


def kernel_name(number: int) -> str:
    """sda to sdz, sdaa and so on."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return f"sd{letters[number // 26 - 1] if number >= 26 else ''}{letters[number % 26]}"


def role(number: int) -> str:
    """What the disk `number` carries."""
    return ROLES[number % len(ROLES)]


def shown_name(number: int) -> str:
    """Kernel name of the row of the disk `number`: of its map where it has one."""
    return f"dm-{number}" if role(number) == "map" else kernel_name(number)


def second_path(number: int) -> str:
    """The other path to the disk `number`."""
    return kernel_name(DISKS + number)


def wwn(number: int) -> str:
    """World-wide name of the disk `number`."""
    return f"0x5000c5006000{number:04x}"


def shelf() -> Capture:
    """A fresh capture of the whole machine."""
    made = _Shelf()
    for number in range(DISKS):
        made.disk(number, kernel_name(number), path=0)
        match role(number):
            case "array":
                made.array(number)
            case "mount":
                made.mount(number)
            case "map":
                made.disk(number, second_path(number), path=1)
                made.map(number)
            case _:
                pass
    return made.capture()


class _Shelf:
    def __init__(self) -> None:
        self.texts: dict[str, Any] = {}
        self.names: dict[str, list[str]] = {_SES: ["device", "power", "subsystem"], "/sys/class/block": []}
        self.links: dict[str, str] = {_SES: f"{_HBA}/host0/target0:0:99/0:0:99:0/enclosure/0:0:99:0"}
        self.looks: dict[str, Any] = {}
        self.runs: dict[str, Any] = {}
        self.rows: list[dict[str, Any]] = []
        self.mdstat = ["Personalities : [raid1]"]
        self.mounts = ["22 1 0:21 / / rw,relatime - tmpfs tmpfs rw"]
        self.status: list[str] = []
        self.table: list[str] = []
        self.numbers: dict[str, str] = {}

    def row(self, name: str, number: str, kind: str, size: int, parent: str | None = None, **more: Any) -> None:
        """A row of lsblk, and what /sys/class/block has."""
        empty = dict.fromkeys(("model", "serial", "wwn", "vendor", "rev", "tran", "hctl", "fstype", "label", "uuid",
                               "pttype", "mountpoint"))  # fmt: skip
        made = {"kname": name, "pkname": parent, "maj:min": number, "type": kind, "size": size, "ro": False}
        made |= {"rota": True, "log-sec": 512, "phy-sec": 4096, "opt-io": 0, "zoned": "none"}
        self.rows.append(made | empty | more)
        if name not in self.names["/sys/class/block"]:
            self.names["/sys/class/block"].append(name)
        self.names.setdefault(f"/sys/class/block/{name}/holders", [])
        self.numbers[f"/dev/{name}"] = number
        self.texts[f"/sys/block/{name}/dev"] = f"{number}\n"

    def record(self, number: str, *lines: str) -> None:
        """A record of udev."""
        self.texts[f"/run/udev/data/b{number}"] = "".join(f"{line}\n" for line in (*lines, "G:systemd", "V:1"))

    def disk(self, number: int, name: str, *, path: int) -> None:
        """A device: the disk, or one path to it."""
        at = number + DISKS * path
        device, target = f"8:{at}", f"{path}:0:{number}:0"
        self.row(
            name, device, "disk", BYTES, model="NL2000SAS72", serial=f"SHELF{number:04d}", wwn=wwn(number),
            vendor="SIM     ", rev="0001", tran="sas", hctl=target,
        )  # fmt: skip
        self.record(
            device, f"S:disk/by-id/wwn-{wwn(number)}", f"S:disk/by-id/scsi-3{wwn(number)[2:]}",
            f"S:disk/by-path/pci-0000:03:00.0-sas-phy{at}-lun-0", f"E:ID_SERIAL=3{wwn(number)[2:]}",
        )  # fmt: skip
        way = f"{_HBA}/host{path}/port-{path}:0/expander-{path}:0/port-{path}:0:{number}"
        end = f"end_device-{path}:0:{number}"
        scsi = f"{way}/{end}/target{path}:0:{number}/{target}"
        self.links[f"/sys/class/block/{name}"] = f"{scsi}/block/{name}"
        self.names[f"/sys/class/block/{name}"] = ["device", "holders", "queue", "size"]
        port = "/sys/" + way.removeprefix("../../")
        self.names[port] = [f"phy-{path}:0:{number}", end]
        self.texts[f"/sys/class/sas_phy/phy-{path}:0:{number}/negotiated_linkrate"] = "6.0 Gbit\n"
        self.texts[f"/sys/block/{name}/queue/write_zeroes_max_bytes"] = "33553920\n"
        self.texts[f"/sys/class/block/{name}/device/state"] = "running\n"
        self.texts[f"/sys/block/{name}/device/timeout"] = "30\n"
        bay = f"Slot {number + 1:02d}"
        if path == 0:
            self.names[_SES].append(bay)
            self.links[f"{_SES}/{bay}/device"] = "../../../../../" + scsi.removeprefix(f"{_HBA}/host0/")
        self.looks[f"/dev/{name} {device} {BYTES}"] = {"zero": True, "places": 32}
        self.runs[json.dumps(smartctl.argv(f"/dev/{name}"))] = _ran(json.dumps(_SMART))
        self.runs[json.dumps(smartctl.recovery_argv(f"/dev/{name}"))] = _ran("{}")

    def array(self, number: int) -> None:
        """A mirror on the whole disk, whose other half is gone."""
        name, md, uuid = kernel_name(number), f"md{number}", f"{number:08x}:00000000:00000000:00000000"
        at = next(row for row in self.rows if row["kname"] == name)
        at |= {"fstype": "linux_raid_member", "uuid": uuid.replace(":", "-")}
        self.texts[f"/run/udev/data/b8:{number}"] += f"E:ID_FS_TYPE=linux_raid_member\nE:ID_FS_UUID={at['uuid']}\n"
        self.mdstat += [
            f"{md} : active raid1 {name}[0]", f"      {BYTES // 1024 - 132096} blocks super 1.2 [2/1] [U_]", "",
        ]  # fmt: skip
        self.row(md, f"9:{number}", "raid1", BYTES - 135266304, name)
        self.names[f"/sys/class/block/{name}/holders"] = [md]
        signature = {"type": "linux_raid_member", "offset": 4096, "label": "", "uuid": uuid}
        self.looks[f"/dev/{name} 8:{number} {BYTES}"] = {"busy": True, "zero": False, "signatures": [signature]}
        folder = f"/sys/block/{md}/md"
        self.names[folder] = [f"dev-{name}"]
        values = {
            "array_state": "clean", "level": "raid1", "raid_disks": "2", "degraded": "1", "metadata_version": "1.2",
            "chunk_size": "0", "layout": "0", "component_size": str(BYTES // 1024 - 132096), "bitmap/location": "none",
            "consistency_policy": "resync", f"dev-{name}/state": "in_sync", f"dev-{name}/slot": "0",
        }  # fmt: skip
        self.texts |= {f"{folder}/{key}": f"{value}\n" for key, value in values.items()}

    def mount(self, number: int) -> None:
        """A partition with a mounted file system."""
        name, device = kernel_name(number), f"259:{number}"
        part = f"{name}1"
        at = next(row for row in self.rows if row["kname"] == name)
        at["pttype"] = "gpt"
        self.texts[f"/run/udev/data/b8:{number}"] += "E:ID_PART_TABLE_TYPE=gpt\n"
        self.names[f"/sys/class/block/{name}"].append(part)
        self.row(part, device, "part", PART_BYTES, name, fstype="ext4", uuid=f"u-{number}", mountpoint=f"/srv/{number}")
        self.record(device, f"S:disk/by-uuid/u-{number}", "E:ID_FS_TYPE=ext4", "E:ID_FS_USAGE=filesystem")
        self.mounts.append(f"{100 + number} 22 {device} / /srv/{number} rw,relatime - ext4 /dev/{part} rw")
        signature = {"type": "gpt", "offset": 512}
        self.looks[f"/dev/{name} 8:{number} {BYTES}"] = {"busy": True, "zero": False, "signatures": [signature]}

    def map(self, number: int) -> None:
        """A map over two paths."""
        name, device, title = f"dm-{number}", f"252:{number}", f"mpath{number}"
        below = {kernel_name(number): f"8:{number}", second_path(number): f"8:{DISKS + number}"}
        for path in below:
            self.row(name, device, "mpath", BYTES, path)
            self.names[f"/sys/class/block/{path}/holders"] = [name]
        self.links[f"/sys/class/block/{name}"] = f"../../devices/virtual/block/{name}"
        self.names[f"/sys/class/block/{name}"] = ["dm", "holders", "queue", "size", "slaves"]
        self.texts[f"/sys/class/block/{name}/dm/uuid"] = f"mpath-3{wwn(number)[2:]}\n"
        self.texts[f"/sys/class/block/{name}/dm/name"] = f"{title}\n"
        self.texts[f"/sys/block/{name}/queue/write_zeroes_max_bytes"] = "0\n"
        self.record(
            device, f"S:disk/by-id/dm-uuid-mpath-3{wwn(number)[2:]}", f"S:disk/by-id/dm-name-{title}",
            f"E:DM_NAME={title}", f"E:DM_UUID=mpath-3{wwn(number)[2:]}",
        )  # fmt: skip
        self.looks[f"/dev/{name} {device} {BYTES}"] = {"zero": True, "places": 32}
        one, two = below.values()
        sectors = BYTES // 512
        self.status.append(
            f"{title}: 0 {sectors} multipath 2 0 0 0 2 1 A 0 1 2 {one} A 0 0 1 E 0 1 2 {two} A 0 0 1"
        )  # fmt: skip
        self.table.append(
            f"{title}: 0 {sectors} multipath 0 0 2 1 service-time 0 1 2 {one} 1 1 service-time 0 1 2 {two} 1 1"
        )  # fmt: skip

    def capture(self) -> Capture:
        """The whole of it."""
        self.mdstat.append("unused devices: <none>")
        self.texts |= {
            "/proc/mdstat": "\n".join(self.mdstat) + "\n", "/proc/self/mountinfo": "\n".join(self.mounts) + "\n",
            "/proc/swaps": "Filename Type Size Used Priority\n", "/proc/sys/kernel/hostname": "shelf\n",
            f"{_SES}/id": "0x500605b0000272bf\n",
        }  # fmt: skip
        self.names["/sys/class/enclosure"] = [_SES.rpartition("/")[2]]
        self.names["/sys/block"] = [row["kname"] for row in self.rows if row["type"] != "part"]
        self.runs[json.dumps(lsblk.ARGV)] = _ran(json.dumps({"blockdevices": self.rows}))
        self.runs[json.dumps(multipath.STATUS)] = _ran("\n".join(self.status) + "\n")
        self.runs[json.dumps(multipath.TABLE)] = _ran("\n".join(self.table) + "\n")
        return {
            "format": FORMAT, "texts": self.texts, "names": self.names, "links": self.links, "numbers": self.numbers,
            "looks": self.looks, "runs": self.runs,
            "self": {"openers": {"found": [], "unread": ""}, "euid": 0, "own_paths": []},
        }  # fmt: skip


def _ran(stdout: str) -> dict[str, Any]:
    return {"exit": 0, "stdout": stdout, "stderr": ""}


class ShelfHost(RecordedHost):
    """The machine of such a capture: what it says nothing of is not there, and an exception in it is raised."""

    def _answer(self, table: str, key: str) -> Any:
        nothing: Any = [] if table == "names" else None
        if table == "looks" and key not in self._capture[table]:
            return {"error": "no such file or directory"}
        answer = self._capture[table].get(key, nothing)
        if isinstance(answer, Exception):
            raise answer
        return super()._answer(table, key) if key in self._capture[table] else nothing


class ShelfReader:
    """The same machine as a reader of arrays has it."""

    simulated = False

    def __init__(self, document: Capture) -> None:
        self._document = document
        self._host = ShelfHost(document)

    def read_text(self, path: str) -> str | None:
        """See MachineReader."""
        return _asked(partial(self._host.text, path))

    def names(self, path: str) -> tuple[str, ...]:
        """See MachineReader."""
        return _asked(partial(self._host.names, path))

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = {}) -> Ran:
        """See MachineReader."""
        ran = _asked(partial(self._host.run, argv))
        if argv[0] == "lsblk" and ran is None:
            ran = self._host.run(lsblk.ARGV)
        if ran is None:
            raise MachineFailed(f"{argv[0]} is not installed")
        return ran

    def pin(self, path: str) -> Pin | None:
        """See MachineReader."""
        name = path.removeprefix("/dev/")
        number = self._document["numbers"].get(path)
        size = PART_BYTES if name[-1:].isdigit() else BYTES
        kind: Any = "array" if name.startswith("md") else "disk"
        return number and Pin(kind=kind, number=number, disk=number, sequence="1", size_bytes=size, name=name)

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """See MachineReader."""
        raise MachineFailed(f"{path} is not there")

    def clock(self) -> datetime:
        """See MachineReader."""
        return datetime(2026, 11, 26, tzinfo=UTC)

    def syncing(self) -> tuple[Syncing, ...]:
        """See MachineReader."""
        return ()


def _asked(ask: Callable[[], T]) -> T:
    """The answer of a reader, which fails with a sentence where the host is denied."""
    try:
        return ask()
    except Denied as problem:
        raise MachineFailed(f"reading {problem} failed: Permission denied") from problem
