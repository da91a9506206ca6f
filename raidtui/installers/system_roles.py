"""Variables of the Ansible role linux-system-roles.storage, as YAML (JSON is YAML)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raidtui.installers.built import options_by_blivet
from raidtui.installers.plan_view import FileSystemView, PlanView
from raidtui.installers.text import as_json
from raidtui.values.units import KIB


def native(view: PlanView) -> str:
    """Volumes of type raid, one an array."""
    volumes = []
    for number, array in enumerate(view.arrays):
        made = next((made for made in view.filesystems if made.array == number), None)
        chunk = array.geometry.chunk_bytes
        volumes.append(
            {
                "name": array.name, "type": "raid", "state": "present", "raid_level": array.level,
                "raid_device_count": len(array.members), "raid_spare_count": len(array.spares),
                "raid_metadata_version": array.metadata,
                **({"raid_chunk_size": f"{chunk // KIB} KiB"} if chunk else {}),
                "disks": [member.disk.path for member in (*array.members, *array.spares)],
                **_file_system(made, options_by_blivet(view, made) if made else ()),
            }
        )  # fmt: skip
    return as_json(
        {"storage_safe_mode": True, "storage_use_partitions": view.on_partitions, "storage_volumes": volumes}
    )


def adopted(view: PlanView) -> str:
    """Volumes that the role finds and mounts."""
    if view.volume is not None:
        volumes = [{"name": view.logical_volume, **_file_system(made)} for made in view.filesystems]
        disks = [array.device for array in view.arrays]
        pool = {"name": view.name, "type": "lvm", "state": "present", "disks": disks, "volumes": volumes}
        return as_json({"storage_safe_mode": True, "storage_pools": [pool]})
    found = [
        {
            "name": made.device.rpartition("/")[2], "type": "disk", "state": "present", "disks": [made.device],
            **_file_system(made),
        }
        for made in view.filesystems
    ]  # fmt: skip
    return as_json({"storage_safe_mode": True, "storage_volumes": found})


def _file_system(made: FileSystemView | None, created_with: Sequence[str] = ()) -> dict[str, Any]:
    if made is None:
        return {"fs_type": "unformatted"}
    options = {"fs_create_options": " ".join(created_with)} if created_with else {}
    return {
        "fs_type": made.type, **options, "fs_overwrite_existing": False, "mount_point": made.mount_point,
        "mount_options": made.mount_options,
    }  # fmt: skip
