"""A NixOS module with disko.devices for the data disks of a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from raidtui.installers.ignition import mdadm_conf, udev_rules
from raidtui.installers.plan_view import ArrayView, FileSystemView, MemberView, PlanView
from raidtui.programs.udev import LIST
from raidtui.values.units import KIB, MIB

# Values as expressions of the Nix language.


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_'-]*")
_KEYWORDS = frozenset({"assert", "else", "if", "in", "inherit", "let", "or", "rec", "then", "with"})

NixValue = str | int | bool | Sequence["NixValue"] | Mapping[str, "NixValue"]


def nix(value: NixValue, indent: str = "") -> str:
    """`value` as an expression that evaluates to it; attribute sets and lists over several lines.

    Raises ValueError for a NUL, which no Nix string can hold.
    """
    inner = indent + "  "
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return nix_string(value)
        case Mapping():
            rows = [f"{inner}{_name(key)} = {nix(each, inner)};" for key, each in value.items()]
            return "\n".join(["{", *rows, f"{indent}}}"]) if rows else "{ }"
        case _:
            rows = [f"{inner}{nix(each, inner)}" for each in value]
            return "\n".join(["[", *rows, f"{indent}]"]) if rows else "[ ]"


def nix_string(text: str) -> str:
    """A double-quoted string: backslash, quote and line ends escaped, and every $, so that nothing is interpolated.

    Raises ValueError for a NUL.
    """
    if "\0" in text:
        raise ValueError("a Nix string holds no NUL")
    return '"' + "".join("\\$" if char == "$" else _ESCAPES.get(char, char) for char in text) + '"'


def _name(key: str) -> str:
    return key if _NAME.fullmatch(key) and key not in _KEYWORDS else nix_string(key)


_LIST = "/run/current-system/sw/bin/ls"
"""the same program in NixOS, which has no /usr/bin/ls"""


def native(view: PlanView) -> str:
    """A module with which disko creates arrays, volume and file systems."""
    devices: dict[str, Any] = {
        "disk": {
            f"{array.name}-{place:02}": {
                "type": "disk", "device": member.disk.path, "content": _member(array, member),
            }
            for array in view.arrays
            for place, member in enumerate(array.members)
        },
        "mdadm": {array.name: _array(view, number) for number, array in enumerate(view.arrays)},
    }  # fmt: skip
    if view.outer is not None:
        made = view.filesystems[0] if view.filesystems else None
        devices["mdadm"][view.outer.name] = _mdadm(view.outer, _content(made))
    if view.volume is not None:
        made = view.filesystems[0] if view.filesystems else None
        stripe = [f"--stripes={view.volume.stripes}", f"--stripesize={view.volume.stripe_bytes // KIB}k"]
        volume = {"size": "100%FREE", "extraArgs": stripe, **_content(made)}
        devices["lvm_vg"] = {view.name: {"type": "lvm_vg", "lvs": {view.logical_volume: volume}}}
    return nix({"disko": {"devices": devices}, **_system(view)}) + "\n"


def adopted(view: PlanView) -> str:
    """A module that mounts what is there; disko knows nothing of it."""
    mounts = {
        made.mount_point: {
            "device": f"/dev/disk/by-uuid/{made.uuid}",
            "fsType": made.type,
            "options": made.mount_options.split(","),
        }
        for made in view.filesystems
    }
    return nix({**({"fileSystems": mounts} if mounts else {}), **_system(view)}) + "\n"


def _system(view: PlanView) -> dict[str, Any]:
    rules = "".join(text for _, text in udev_rules(view)).replace(LIST, _LIST)
    udev = {"services": {"udev": {"extraRules": rules}}} if rules else {}
    return {"boot": {"swraid": {"enable": True, "mdadmConf": mdadm_conf(view)}}, **udev}


def _member(array: ArrayView, member: MemberView) -> dict[str, Any]:
    content = {"type": "mdraid", "name": array.name}
    table = member.disk.table
    if table is None:
        return content
    size = f"{table.size_bytes // MIB}M"
    partition = {"start": f"{table.start_bytes // MIB}M", "size": size, "type": "FD00", "content": content}
    return {"type": "gpt", "partitions": {"raid": partition}}


def _array(view: PlanView, number: int) -> dict[str, Any]:
    array = view.arrays[number]
    if view.volume is not None:
        return _mdadm(array, {"content": {"type": "lvm_pv", "vg": view.name}})
    if view.outer is not None:
        return _mdadm(array, {"content": {"type": "mdraid", "name": view.outer.name}})
    return _mdadm(array, _content(next((made for made in view.filesystems if made.array == number), None)))


def _mdadm(array: ArrayView, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "mdadm", "level": int(array.level.removeprefix("raid")), "metadata": array.metadata,
        "extraArgs": [f"--uuid={array.uuid}", *array.create_options], **content,
    }  # fmt: skip


def _content(made: FileSystemView | None) -> dict[str, Any]:
    if made is None:
        return {}
    return {
        "content": {
            "type": "filesystem", "format": made.type, "mountpoint": made.mount_point,
            "mountOptions": made.mount_options.split(","), "extraArgs": list(made.mkfs_options_with_uuid),
        }
    }  # fmt: skip
