"""How a disk of the lab becomes QEMU's block nodes and devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lab.disk import Disk
from tests.lab.host import LabError
from tests.lab.qemu import HBAS, Attachment, node_options


def attach_disk(
    disk: Disk, file: Path, number: int, port: int | None = None, *, first_of_group: bool = False
) -> Attachment:
    """The attachment of a disk; `number` makes its ids unique, `port` is an NVMe disk's PCIe port.

    `first_of_group`: no other disk has made the limit that it shares.
    """
    name = f"disk{number}"
    options = {"driver": "file", "filename": str(file), "locking": "off", "node-name": f"{name}-file"}
    node: dict[str, Any] = node_options({"driver": "raw", "file": node_options(options)})
    objects: tuple[dict[str, Any], ...] = ()
    if disk.faults:
        rules = [fault.rule() for fault in disk.faults]
        node = node_options({"driver": "blkdebug", "image": node, "inject-error": rules})
    if disk.bps is not None or disk.iops is not None:
        limits = {"bps-total": disk.bps or 0, "iops-total": disk.iops or 0}
        objects = ({"qom-type": "throttle-group", "id": f"limit{number}", "limits": limits},)
        node = node_options({"driver": "throttle", "throttle-group": f"limit{number}", "file": node})
    if disk.shared is not None:
        group, together = disk.shared
        if first_of_group:
            limits = {"bps-total": together, "iops-total": 0}
            objects = (*objects, {"qom-type": "throttle-group", "id": f"shared-{group}", "limits": limits})
        node = node_options({"driver": "throttle", "throttle-group": f"shared-{group}", "file": node})
    node = {**node, "node-name": name, "detect-zeroes": "unmap"}
    common: dict[str, Any] = {
        "drive": name,
        "serial": disk.serial,
        "logical_block_size": disk.logical_block,
        "physical_block_size": disk.physical_block,
    }
    if disk.kind == "nvme":
        if port is None:
            raise LabError("an NVMe disk needs a PCIe port")
        return Attachment(node, ({**common, "driver": "nvme", "id": f"{name}-0", "bus": f"port{port}"},), objects)
    common |= {
        "driver": "scsi-hd",
        "vendor": disk.vendor,
        "product": disk.product,
        "rotation_rate": disk.rotation,
        "share-rw": disk.paths > 1,
    }
    if disk.wwn is not None:
        common["wwn"] = disk.wwn
    if disk.firmware is not None:
        common["ver"] = disk.firmware
    devices = tuple(
        {**common, "id": f"{name}-{path}", "bus": f"hba{(disk.controller + path) % HBAS}.0"}
        for path in range(disk.paths)
    )
    return Attachment(node, devices, objects)


def attach_share(file: Path, serial: str, port: int) -> Attachment:
    """The attachment of a shared directory's image, read-only."""
    name = f"share{port}"
    options = {"driver": "file", "filename": str(file), "read-only": True}
    node = node_options({"driver": "raw", "node-name": name, "read-only": True, "file": node_options(options)})
    device = {"driver": "virtio-blk-pci", "id": f"{name}-0", "drive": name, "serial": serial, "bus": f"port{port}"}
    return Attachment(node, (device,))
