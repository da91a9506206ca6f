"""Ignition (spec 3.3.0) and Butane (fcos 1.4.0): arrays by mdadm's own options, files and units of the system."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from raidtui.installers.exported import ExportFile
from raidtui.installers.plan_view import ArrayView, FileSystemView, PlanView
from raidtui.installers.text import as_json
from raidtui.programs import systemd
from raidtui.programs.shell_quote import ascii_text
from raidtui.values.errors import Refused
from raidtui.values.units import MIB

# Files of a system that uses the plan's arrays: mdadm.conf, the udev rules, mount units.


MONITOR = systemd.MONITOR


def mdadm_conf(view: PlanView) -> str:
    """The plan's lines in mdadm.conf."""
    return "".join(f"{written.text}\n" for written in view.written("configure"))


def udev_rules(view: PlanView) -> tuple[tuple[str, str], ...]:
    """(path, text) of the rules that tune the arrays."""
    return tuple((written.path, f"{written.text}\n") for written in view.written("tune"))


def mount_units(view: PlanView) -> tuple[ExportFile, ...]:
    """A mount unit for each file system; one that is missing does not fail the boot."""
    return tuple(
        ExportFile(name=systemd.unit_name(made.mount_point, "mount"), text=_unit(made)) for made in view.filesystems
    )


def _unit(made: FileSystemView) -> str:
    return (
        f"[Unit]\nDescription=Data of raidtui on {made.mount_point}\n"
        f"[Mount]\nWhat=/dev/disk/by-uuid/{made.uuid}\nWhere={made.mount_point}\nType={made.type}\n"
        f"Options={made.mount_options}\n"
        "[Install]\nWantedBy=multi-user.target\n"
    )


RAID_TYPE = "a19d880f-05fc-4d3b-a006-743f0f84911e"
"""GUID of a partition that is a member of an md array"""
_MODE = 0o644


def ignition(view: PlanView) -> str:
    """The JSON that Ignition reads; it creates arrays and file systems."""
    return as_json(_document(view, _IGNITION, build=True))


def ignition_adopted(view: PlanView) -> str:
    """The JSON with files and units alone."""
    return as_json(_document(view, _IGNITION, build=False))


def butane(view: PlanView) -> str:
    """The YAML that butane translates; it creates arrays and file systems."""
    return as_json(_document(view, _BUTANE, build=True))


def butane_adopted(view: PlanView) -> str:
    """The YAML with files and units alone."""
    return as_json(_document(view, _BUTANE, build=False))


_IGNITION = {
    "wipe_table": "wipeTable", "start_mib": "startMiB", "size_mib": "sizeMiB", "type_guid": "typeGuid",
    "wipe_filesystem": "wipeFilesystem",
}  # fmt: skip
"""names of Butane's keys in Ignition"""
_BUTANE: dict[str, str] = {}


def _document(view: PlanView, keys: dict[str, str], *, build: bool) -> dict[str, Any]:
    top: dict[str, Any] = {"ignition": {"version": "3.3.0"}} if keys else {"variant": "fcos", "version": "1.4.0"}
    storage: dict[str, Any] = {}
    if build:
        if view.on_partitions:
            storage["disks"] = [_disk(view, number) for number in range(len(view.disks))]
        storage["raid"] = [_raid(array) for array in view.arrays]
        storage["filesystems"] = [
            {
                "device": made.device, "format": made.type, "uuid": made.uuid, "wipe_filesystem": False,
                "options": list(made.mkfs_options),
            }
            for made in view.filesystems
        ]  # fmt: skip
    storage["files"] = [
        {"path": path, "mode": _MODE, "overwrite": True, "contents": _contents(text, inline=not keys)}
        for path, text in (("/etc/mdadm.conf", mdadm_conf(view)), *udev_rules(view))
        if text
    ]
    units: list[dict[str, Any]] = [
        {"name": unit.name, "enabled": True, "contents": unit.text} for unit in mount_units(view)
    ]
    units.append({"name": MONITOR, "enabled": True})
    renamed: dict[str, Any] = _renamed({**top, "storage": storage, "systemd": {"units": units}}, keys)
    return renamed


def _contents(text: str, *, inline: bool) -> dict[str, str]:
    return {"inline": text} if inline else {"source": f"data:,{quote(text)}"}


def _raid(array: ArrayView) -> dict[str, Any]:
    devices = [member.path for member in (*array.members, *array.spares)]
    spares = {"spares": len(array.spares)} if array.spares else {}
    options = [f"--metadata={array.metadata}", f"--uuid={array.uuid}", *array.create_options]
    return {"name": array.name, "level": array.level, "devices": devices, **spares, "options": options}


def _disk(view: PlanView, number: int) -> dict[str, Any]:
    disk = view.disks[number].disk
    table = disk.table
    assert table is not None
    if table.start_bytes % MIB or table.size_bytes % MIB:
        raise Refused(
            f"the partition of {disk.path} is no whole number of MiB, which Ignition counts in",
            hint="plan with --partition-size in MiB",
        )
    partition = {
        "number": 1, "label": ascii_text(table.name), "start_mib": table.start_bytes // MIB,
        "size_mib": table.size_bytes // MIB, "guid": table.partition_guid, "type_guid": RAID_TYPE,
    }  # fmt: skip
    return {"device": disk.path, "wipe_table": False, "partitions": [partition]}


def _renamed(value: Any, keys: dict[str, str]) -> Any:
    match value:
        case dict():
            return {keys.get(key, key): _renamed(each, keys) for key, each in value.items()}
        case list():
            return [_renamed(each, keys) for each in value]
        case _:
            return value


# Units, udev rules, mdadm.conf and repart definitions for a system that uses the plan's arrays.


_CONF = "etc/mdadm/mdadm.conf"


def native(view: PlanView) -> tuple[ExportFile, ...]:
    """All files, those for systemd-repart first; `--empty=require` keeps it off disks that hold something."""
    return (*_repart(view), *adopted(view))


def adopted(view: PlanView) -> tuple[ExportFile, ...]:
    """The files of the system."""
    units = (ExportFile(name=f"etc/systemd/system/{unit.name}", text=unit.text) for unit in mount_units(view))
    rules = (ExportFile(name=path.lstrip("/"), text=text) for path, text in udev_rules(view))
    paths = [written.path.lstrip("/") for written in view.written("configure")]
    return (*units, ExportFile(name=(paths or [_CONF])[0], text=mdadm_conf(view)), *rules)


def _repart(view: PlanView) -> tuple[ExportFile, ...]:
    found = []
    for member in view.disks:
        table = member.disk.table
        if table is None:
            continue
        name = member.disk.path.rpartition("/")[2]
        text = (
            f"# systemd-repart --dry-run=no --empty=require --definitions=repart.d/{name} {member.disk.path}\n"
            f"[Partition]\nType={RAID_TYPE}\nLabel={ascii_text(table.name).replace('%', '%%')}\n"
            f"UUID={table.partition_guid}\n"
            f"SizeMinBytes={table.size_bytes}\nSizeMaxBytes={table.size_bytes}\n"
        )
        found.append(ExportFile(name=f"repart.d/{name}/50-member.conf", text=text))
    return tuple(found)
