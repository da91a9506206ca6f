"""A commissioning script that prints a custom storage layout for MAAS (3.1 and later)."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from raidtui.planner.export.installers.plan_view import PlanView


def native(view: PlanView) -> str:
    """The script; it finds the disks' kernel names by their links below /dev/disk/by-id, or fails."""
    layout: dict[str, Any] = {}
    mounts = {}
    for number, array in enumerate(view.arrays):
        made = next((made for made in view.filesystems if made.array == number), None)
        spares = {"spares": [spare.disk.path for spare in array.spares]} if array.spares else {}
        layout[array.name] = {
            "type": "raid", "level": int(array.level.removeprefix("raid")),
            "members": [member.disk.path for member in array.members], **spares,
            **({"fs": made.type} if made else {}),
        }  # fmt: skip
        if made is not None:
            mounts[made.mount_point] = {"device": array.name, "options": made.mount_options}
    body = files(__package__).joinpath("maas_layout.py.txt").read_text("utf-8")
    return body.replace("LAYOUT = {}", f"LAYOUT = {_literal({'layout': layout, 'mounts': mounts})}", 1)


def _literal(document: dict[str, Any]) -> str:
    """`document`, of texts, integers, lists and mappings alone, as a Python literal; JSON in ASCII is one."""
    return json.dumps(document, indent=2, ensure_ascii=True)
