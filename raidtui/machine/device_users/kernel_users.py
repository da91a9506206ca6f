"""Users of block devices in the kernel without a holder entry or a process: loop devices, exports to other machines,
and the backing device of zram.

DRBD, bcache, swap, mounted file systems and most device-mapper targets open their device exclusively or show under
`holders`; the inventory finds these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from raidtui.model.inventory import Use

KernelUse = tuple[str, Use]
"""path of a block device, or of a file, and its use"""
_CONFIG = "/sys/kernel/config"
_LIO_FILE = re.compile(r"(?:File|iBlock device|UDEV PATH): *(/\S+)")
"""`info` of a LIO store (kernel target_core_file.c, fd_show_configfs_dev_params; target_core_iblock.c)"""


class Files(Protocol):
    """Text files and directories of a machine; see `Host`."""

    def text(self, path: str, /) -> str | None:
        """Content of a file; None if there is none."""

    def names(self, path: str, /) -> tuple[str, ...]:
        """Names in a directory, sorted."""


def kernel_users(host: Files) -> tuple[KernelUse, ...]:
    """Every such use; the path is the kernel's text and may not exist."""
    return (*_loops(host), *_lio(host), *_nvmet(host), *_zram(host), *_scst(host), *_gadgets(host))


def _loops(host: Files) -> Iterator[KernelUse]:
    """Loop devices: not a holder of their backing device, and no exclusive open of it."""
    for name in _numbered(host, "loop"):
        if path := _path(host, f"/sys/class/block/{name}/loop/backing_file"):
            yield path.removesuffix(" (deleted)"), Use(kind="loop", where=name, active=True)


def _lio(host: Files) -> Iterator[KernelUse]:
    """Devices that the LIO target exports; also for vhost-scsi and the USB gadget f_tcm (configfs)."""
    core = f"{_CONFIG}/target/core"
    for hba in host.names(core):
        for store in host.names(f"{core}/{hba}"):
            folder = f"{core}/{hba}/{store}"
            named = host.text(f"{folder}/udev_path")  # None: not a store; empty: it was made without one
            path = (named or "").strip()
            match = _LIO_FILE.search(host.text(f"{folder}/info") or "") if named is not None and not path else None
            path = match[1] if match else path
            if path.startswith("/"):
                yield path, Use(kind="exported", where=f"LIO {hba}/{store}", active=True)


def _nvmet(host: Files) -> Iterator[KernelUse]:
    """Devices that the NVMe target exports (configfs)."""
    top = f"{_CONFIG}/nvmet/subsystems"
    for each in host.names(top):
        for space in host.names(f"{top}/{each}/namespaces"):
            if path := _path(host, f"{top}/{each}/namespaces/{space}/device_path"):
                yield path, Use(kind="exported", where=f"NVMe {each}/namespaces/{space}", active=True)


def _zram(host: Files) -> Iterator[KernelUse]:
    """Where zram writes pages back to (admin-guide/blockdev/zram.rst, backing_dev)."""
    for name in _numbered(host, "zram"):
        if path := _path(host, f"/sys/class/block/{name}/backing_dev"):
            yield path, Use(kind="holder", where=name, active=True)


def _scst(host: Files) -> Iterator[KernelUse]:
    """Devices that SCST exports (scst README, sysfs: `filename` of a device; the first line is the path)."""
    top = "/sys/kernel/scst_tgt/devices"
    for name in host.names(top):
        if path := _path(host, f"{top}/{name}/filename"):
            yield path, Use(kind="exported", where=f"SCST {name}", active=True)


def _gadgets(host: Files) -> Iterator[KernelUse]:
    """Devices that this machine exports as USB mass storage (usb/gadget_configfs.rst)."""
    top = f"{_CONFIG}/usb_gadget"
    for gadget in host.names(top):
        for function in host.names(f"{top}/{gadget}/functions"):
            units = host.names(f"{top}/{gadget}/functions/{function}") if "mass_storage" in function else ()
            for unit in (unit for unit in units if unit.startswith("lun.")):
                if path := _path(host, f"{top}/{gadget}/functions/{function}/{unit}/file"):
                    yield path, Use(kind="exported", where=f"USB gadget {gadget} {unit}", active=True)


def _numbered(host: Files, kind: str) -> tuple[str, ...]:
    """Kernel names of the block devices of a driver: loop0, loop1."""
    return tuple(name for name in host.names("/sys/class/block") if re.fullmatch(rf"{kind}\d+", name))


def _path(host: Files, path: str) -> str:
    """The absolute path in the first line of a file; empty when there is none."""
    line = (host.text(path) or "").partition("\n")[0].strip()
    return line if line.startswith("/") else ""
