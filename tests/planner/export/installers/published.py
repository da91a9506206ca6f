"""What the formats' own documents and sources allow, written down by hand from the versions in `installer_values`.

curtin: block/schemas.py; Ignition: docs/configuration-v3_3; the role: README and defaults/main.yml. Keys that raidtui
never writes are left out.
`python -m tests.real_installers` holds exports against the real ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CURTIN: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "disk": (frozenset({"id", "type"}), frozenset({"match", "ptable", "wipe", "preserve"})),
    "partition": (
        frozenset({"id", "type", "device", "size"}),
        frozenset({"number", "flag", "wipe", "preserve"}),
    ),
    "raid": (
        frozenset({"id", "type", "name", "raidlevel", "devices"}),
        frozenset({"metadata", "spare_devices", "preserve"}),
    ),
    "lvm_volgroup": (frozenset({"id", "type", "devices", "name"}), frozenset({"preserve"})),
    "lvm_partition": (frozenset({"id", "type", "volgroup", "name"}), frozenset({"preserve"})),
    "format": (
        frozenset({"id", "type", "volume", "fstype"}),
        frozenset({"uuid", "extra_options", "preserve"}),
    ),
    "mount": (frozenset({"id", "type", "path", "device"}), frozenset({"options"})),
}
"""required and further keys of each action; `match` is Subiquity's"""
CURTIN_REFERENCES = {
    "partition": ("device",), "raid": ("devices", "spare_devices"), "lvm_volgroup": ("devices",),
    "lvm_partition": ("volgroup",), "format": ("volume",), "mount": ("device",),
}  # fmt: skip
ROLE_VOLUME = frozenset(
    {
        "name", "type", "state", "raid_level", "raid_device_count", "raid_spare_count", "raid_metadata_version",
        "raid_chunk_size", "disks", "fs_type", "fs_create_options", "fs_overwrite_existing", "mount_point",
        "mount_options",
    }
)  # fmt: skip


def check_curtin(actions: list[dict[str, Any]]) -> None:
    """Every action has its keys, and names only actions before it."""
    seen: set[str] = set()
    for action in actions:
        required, further = CURTIN[action["type"]]
        assert required <= action.keys() <= required | further, action
        for key in CURTIN_REFERENCES.get(action["type"], ()):
            named = action.get(key, [])
            assert {*([named] if isinstance(named, str) else named)} <= seen, (key, action)
        assert action["id"] not in seen
        seen.add(action["id"])


def check_role(document: dict[str, Any]) -> None:
    """Variables and keys that the role has."""
    assert document["storage_safe_mode"] is True
    assert document.keys() <= {"storage_safe_mode", "storage_use_partitions", "storage_volumes", "storage_pools"}
    volumes = list(document.get("storage_volumes", ()))
    for pool in document.get("storage_pools", ()):
        assert pool.keys() == {"name", "type", "state", "disks", "volumes"}
        volumes += pool["volumes"]
    for volume in volumes:
        assert volume.keys() <= ROLE_VOLUME, volume
        if volume.get("type") == "raid":
            assert volume["raid_device_count"] + volume["raid_spare_count"] == len(volume["disks"])


def check_ignition(document: dict[str, Any]) -> None:
    """Ignition 3.3.0 as its validator requires it: levels, sizes, absolute paths, data URLs."""
    assert document["ignition"] == {"version": "3.3.0"}
    storage = document["storage"]
    for raid in storage.get("raid", ()):
        assert raid.keys() <= {"name", "level", "devices", "spares", "options"} and raid["devices"]
        assert raid["level"] != "raid0" or not raid.get("spares")
        assert all(device.startswith("/") for device in raid["devices"])
    for made in storage.get("filesystems", ()):
        assert made.keys() <= {"device", "format", "uuid", "wipeFilesystem", "options"}
        assert made["device"].startswith("/") and made["format"] in ("ext4", "xfs")
    for disk in storage.get("disks", ()):
        assert disk.keys() == {"device", "wipeTable", "partitions"} and disk["wipeTable"] is False
    for file in storage["files"]:
        assert file["path"].startswith("/") and file["contents"]["source"].startswith("data:,")
    for unit in document["systemd"]["units"]:
        assert unit["name"].rpartition(".")[2] in ("mount", "service")
