"""Disks that strangers published, made into a machine: what lsblk and udev told of each, and our own look at it.

What a report does not tell (numbers, an empty look) is made up and stands for nothing.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from raidtui.machine.inventory.capture import FORMAT, Capture
from raidtui.programs import lsblk

DISKS = Path(__file__).with_name("disks.toml")
_COLUMNS = (
    "model",
    "serial",
    "wwn",
    "vendor",
    "rev",
    "tran",
    "hctl",
    "fstype",
    "label",
    "uuid",
    "pttype",
    "mountpoint",
)
_BLANK = {"zero": True, "places": 32}


def published() -> dict[str, Mapping[str, Any]]:
    """What was published, by name."""
    found: dict[str, Mapping[str, Any]] = tomllib.loads(DISKS.read_text())
    return found


def capture_of(given: Mapping[str, Any]) -> Capture:
    """The capture of such a machine; of what it says nothing nothing is there."""
    rows, texts, names, links, looks = [], {"/proc/self/mountinfo": ""}, {}, {}, {}
    for number, disk in enumerate(given["disks"]):
        name, device = disk["name"], f"8:{number}"
        sector = disk.get("sector", 512)
        rows.append(
            {
                "kname": name, "pkname": disk.get("parent"), "maj:min": device, "type": disk.get("type", "disk"),
                "size": disk["size"], "ro": False, "rota": True, "log-sec": sector, "phy-sec": sector, "opt-io": 0,
                "zoned": "none", **{column: disk.get(column) for column in _COLUMNS},
            }
        )  # fmt: skip
        lines = [f"S:disk/by-id/{link}" for link in disk.get("links", ())]
        texts[f"/run/udev/data/b{device}"] = "\n".join([*lines, *(f"E:{text}" for text in disk.get("props", ()))])
        names[f"/sys/class/block/{name}"] = ["holders", "queue"]
        names[f"/sys/class/block/{name}/holders"] = list(disk.get("holders", ()))
        links[f"/sys/class/block/{name}"] = f"../../devices/made-up/block/{name}"
        looks[f"/dev/{name} {device} {disk['size']}"] = disk.get("look", _BLANK)
    printed = {"exit": 0, "stdout": json.dumps({"blockdevices": rows}), "stderr": ""}
    return {
        "format": FORMAT, "texts": texts, "names": names, "links": links, "numbers": {}, "looks": looks,
        "runs": {json.dumps(lsblk.ARGV): printed},
        "self": {"openers": {"found": [], "unread": ""}, "euid": 0, "own_paths": []},
    }  # fmt: skip
