"""Names in the kernel's /sys: a disk's path to its controller, and the speed of its link.

The link /sys/class/block/<name> spells the way from the PCI bus to the disk:

    ../../devices/pci0000:00/0000:00:03.0/0000:03:00.0/host0/port-0:0/expander-0:0/port-0:0:12/
        end_device-0:0:12/target0:0:12/0:0:12:0/block/sdm          SAS behind an expander
    ../../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:4:0/2:4:0:0/block/sdf
                                                                    SATA; channel 4 is a port multiplier's port
    ../../devices/pci0000:00/0000:04:00.0/nvme/nvme0/nvme0n1         NVMe
    ../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1        NVMe with several controllers

Link speeds: `12.0 Gbit` (sas_phy negotiated_linkrate), `6.0 Gbps` (ata_link sata_spd),
`16.0 GT/s PCIe` (PCI current_link_speed).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_HCTL = re.compile(r"\d+:\d+:\d+:\d+")
_ACTIVE = re.compile(r"\[([a-z0-9_-]+)\]")
_LONGEST = 40
"""digits of a number; no counter of the kernel has half as many"""
_NUMBER = re.compile(r"(\d+(?:\.\d+)?) *(Gbit|Gbps|GT/s)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SysfsPath:
    """Path from the bus to a disk in sysfs; None for a missing stage. Paths are absolute."""

    pci: str | None = None
    """PCI address nearest to the disk"""
    expander: str | None = None
    """SAS expander nearest to the disk, such as expander-0:1"""
    sas_port: str | None = None
    """directory of the SAS port that ends at the disk"""
    sas_device: str | None = None
    """SAS end device, such as end_device-0:0:12"""
    ata_port: str | None = None
    """directory of the ATA port"""
    channel: int = 0
    """SCSI channel; behind a SATA port multiplier the number of its port"""
    scsi: str | None = None
    """directory of the SCSI device"""
    nvme_subsystem: str | None = None
    """directory of an NVMe subsystem with several controllers"""


def sysfs_path(link: str) -> SysfsPath:
    """The SysfsPath of the target of the link /sys/class/block/<name>."""
    parts = link.split("/")
    start = parts.index("devices") if "devices" in parts else 0
    at = {stage: number for number, part in enumerate(parts) if (stage := _stage(part))}

    def name(stage: str) -> str | None:
        return parts[at[stage]] if stage in at else None

    def path(stage: str, back: int = 0) -> str | None:
        return "/sys/" + "/".join(parts[start : at[stage] + 1 - back]) if stage in at else None

    return SysfsPath(
        pci=name("pci"),
        expander=name("expander"),
        sas_port=path("end_device", back=1),
        sas_device=name("end_device"),
        ata_port=path("ata"),
        channel=int((name("scsi") or "0:0").split(":")[1]),
        scsi=path("scsi"),
        nvme_subsystem=path("nvme-subsys"),
    )


def expanders(link: str) -> tuple[tuple[str, str], ...]:
    """Each SAS expander on the way that `link` spells, the controller's first, with the directory of the port above it.

    That port joins the lanes of one wide link: those of the controller, or of the expander before.
    """
    parts = link.split("/")
    start = parts.index("devices") if "devices" in parts else 0
    return tuple(
        (part, "/sys/" + "/".join(parts[start:at])) for at, part in enumerate(parts) if part.startswith("expander-")
    )


def _stage(part: str) -> str | None:
    """What a component of the way is; None for those in between."""
    for stage in ("expander-", "end_device-"):
        if part.startswith(stage):
            return stage[:-1]
    for stage in ("ata", "nvme-subsys"):
        if part.startswith(stage) and part.removeprefix(stage).isdigit():
            return stage
    if part.count(":") == 2 and _PCI.fullmatch(part):
        return "pci"
    return "scsi" if part.count(":") == 3 and _HCTL.fullmatch(part) else None


def bits_per_s(text: str | None) -> int | None:
    """Line rate in bits per second of `12.0 Gbit` or `6.0 Gbps`; None for `Unknown` and `<unknown>`."""
    match = _NUMBER.match(text or "")
    return None if match is None else round(float(match[1]) * 1_000_000_000)


def gigatransfers(text: str | None) -> float | None:
    """PCIe speed of one lane in gigatransfers per second; None when the bus has no such thing."""
    match = _NUMBER.match(text or "")
    return None if match is None else float(match[1])


def queue_depth_path(disk: str) -> str:
    """Requests that a SCSI disk with this kernel name is given at once; NVMe and virtio disks have no such file."""
    return f"/sys/block/{disk}/device/queue_depth"


def scheduler_path(disk: str) -> str:
    """I/O schedulers of a disk with this kernel name, the active one in brackets: `[mq-deadline] kyber none`."""
    return f"/sys/block/{disk}/queue/scheduler"


def slaves_path(device: str) -> str:
    """Directory with the kernel names of the devices below a device-mapper device, such as the paths of a map."""
    return f"/sys/block/{device}/slaves"


def device_state_path(disk: str) -> str:
    """State of the SCSI device of a disk with this kernel name: `running`, `offline`, `blocked`."""
    return f"/sys/class/block/{disk}/device/state"


def start_path(partition: str) -> str:
    """First sector, of 512 bytes, of the partition with this kernel name."""
    return f"/sys/class/block/{partition}/start"


def write_zeroes_path(disk: str) -> str:
    """Most bytes that the disk with this kernel name zeroes with one Write Zeroes; 0: it has none (Linux 4.10)."""
    return f"/sys/block/{disk}/queue/write_zeroes_max_bytes"


def word(text: str | None) -> str:
    """Content of a file of sysfs without blanks around it; empty where there is no file."""
    return (text or "").strip()


def count(text: str | None) -> int | None:
    """The whole number in a file of sysfs; None if there is none."""
    found = word(text)
    return int(found) if found.isascii() and found.isdecimal() and len(found) < _LONGEST else None


def active_scheduler(text: str | None) -> str | None:
    """The active I/O scheduler in the text of `scheduler_path`; None if it names none."""
    match = _ACTIVE.search(text or "")
    return None if match is None else match[1]


def writable_question(path: str) -> tuple[str, ...]:
    """The path if its owner may write the file; the kernel makes it read-only where the driver cannot set the value."""
    return ("find", path, "-perm", "-0200")


def scsi_addresses(disk: str) -> str:
    """Directory with one name, the disk's host:channel:target:lun."""
    return f"/sys/block/{disk}/device/scsi_device"


def host_depth_path(address: str) -> str:
    """Requests that the SCSI host of the disk with this address takes at once."""
    return f"/sys/class/scsi_host/host{address.partition(':')[0]}/can_queue"


def partition_name(disk: str, number: int) -> str:
    """Kernel name of a partition: sda1, nvme0n1p1 (kernel block/partitions/core.c)."""
    return f"{disk}p{number}" if disk[-1:].isdigit() else f"{disk}{number}"
