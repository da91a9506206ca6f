"""A machine to watch, in a folder: /proc, /sys and /run of it, made by hand after the kernel's documents."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

PCI = "devices/pci0000:00/0000:03:00.0"
ROW = "1000 0 8000 500 10 0 80 20 0 600 700 0 0 0 0 0 0"
THREADS = {"kthreadd": 2, "md127_raid6": 40, "md127_resync": 41, "kworker/0:1-raid5wq": 42}


def put(root: Path, files: Mapping[str, str]) -> None:
    """Writes files below `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def machine(root: Path, disks: tuple[str, ...] = ("sda", "sdb", "sdc", "sdd", "sde", "sdf")) -> Path:
    """Disks on one controller, without md."""
    for number, name in enumerate(disks):
        way = f"{PCI}/ata{number + 1}/host{number}/target{number}:0:0/{number}:0:0:0/block/{name}"
        put(
            root / "sys" / way,
            {"size": "3907029168\n", "dev": f"8:{16 * number}\n", "queue/rotational": "1\n"},
        )
        put(root / "sys" / way / f"{name}1", {"partition": "1\n", "size": "2048\n"})
        for folder in ("block", "class/block"):
            link(root / f"sys/{folder}/{name}", root / "sys" / way)
        link(root / f"sys/class/block/{name}1", root / "sys" / way / f"{name}1")
        put(root, {f"run/udev/data/b8:{16 * number}": udev(number)})
    put(
        root,
        {
            "proc/sys/kernel/hostname": "store\n",
            "proc/stat": "cpu  100 0 100 800 0 0 0 0 0 0\n",
            "sys/bus/pci/devices/0000:03:00.0/current_link_speed": "5.0 GT/s PCIe\n",
            "sys/bus/pci/devices/0000:03:00.0/current_link_width": "8\n",
        },
    )
    stats(root, dict.fromkeys((*disks, "loop0", "dm-0", "sr0", "nvme0c0n1", *(f"{disk}1" for disk in disks)), ROW))
    return root


def udev(number: int) -> str:
    """What udev knows of a disk."""
    return (
        f"E:ID_MODEL_ENC=WDC\\x20WD20EARS\\x20\nE:ID_SERIAL_SHORT=WD-{number:04d}\n"
        f"E:ID_WWN_WITH_EXTENSION=0x50014ee2b1c0de0{number}\n"
    )


def stats(root: Path, rows: Mapping[str, str]) -> None:
    """/proc/diskstats, written in place."""
    put(
        root, {"proc/diskstats": "".join(f"   8 {at:7d} {name} {row}\n" for at, (name, row) in enumerate(rows.items()))}
    )


def array(root: Path, name: str, level: str, parts: Mapping[str, tuple[str, str]], **files: str) -> None:
    """An md array; `parts`: slot and state of each component."""
    folder = root / f"sys/devices/virtual/block/{name}"
    put(folder, {"size": "7814033408\n", "dev": f"9:{name.removeprefix('md')}\n"})
    md = {"level": f"{level}\n", "array_state": "clean\n", "degraded": "0\n", "sync_action": "idle\n",
          "component_size": "1000000\n", **files}  # fmt: skip
    put(folder / "md", md)
    for part, (slot, state) in parts.items():
        put(folder / f"md/dev-{part}", {"slot": f"{slot}\n", "state": f"{state}\n"})
    for place in ("block", "class/block"):
        link(root / f"sys/{place}/{name}", folder)


def threads(root: Path, ran: Mapping[str, int]) -> None:
    """/proc/PID/stat of kernel threads, with the ticks each ran."""
    for name, ticks in ran.items():
        line = f"{THREADS[name]} ({name}) S 2 0 0 0 -1 2129984 0 0 0 0 0 {ticks} 0 0 20 0 1 0 42\n"
        put(root, {f"proc/{THREADS[name]}/stat": line})
    put(root, {"proc/2/task/2/children": " ".join(str(pid) for name, pid in THREADS.items() if name in ran)})


def link(path: Path, target: Path) -> None:
    """A relative link, as sysfs has them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(target, path.parent))
