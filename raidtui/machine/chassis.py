"""Inventories that are no machine: the simulated chassis that ship with raidtui, and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from raidtui.model.errors import BadInput
from raidtui.model.inventory import INVENTORY_SCHEMA, Controller, Disk, Inventory, Link, Place

_SHIPPED = Path(__file__).parent.parent / "chassis"


def names() -> tuple[str, ...]:
    """Names of the shipped chassis."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.json")))


def load(name: str) -> Inventory:
    """The shipped chassis `name`. BadInput when there is none of that name."""
    if name not in names():
        raise BadInput(f"there is no chassis '{name}'", hint=f"shipped are {', '.join(names())}")
    return _shipped(json.loads((_SHIPPED / f"{name}.json").read_text("ascii")))


def load_file(path: str) -> Inventory:
    """The inventory in the file at `path`, checked strictly. BadInput when it cannot be read as one."""
    from raidtui.machine.input_files import INVENTORY, read_named
    from raidtui.model.codec import from_json

    text = read_named(Path(path), INVENTORY)
    if INVENTORY_SCHEMA.encode() not in text:
        raise BadInput(
            f"{path} is no inventory of format {INVENTORY_SCHEMA}", hint="make one with `raidtui disks --json > FILE`"
        )
    inventory = from_json(Inventory, text, source=path)
    _check_identities(inventory, path)
    return inventory


def _check_identities(inventory: Inventory, path: str) -> None:
    """An identity names one disk; two disks of one identity would be planned as if they were one."""
    seen: set[str] = set()
    for disk in inventory.disks:
        if disk.id and disk.id in seen:
            raise BadInput(f"{path}: two disks have the identity {disk.id}", hint="leave the second one out")
        seen.add(disk.id)


def _shipped(document: dict[str, Any]) -> Inventory:
    """A shipped file as a value; tests hold it against the strict reader, so loading it needs none."""
    return Inventory(
        **{
            **document,
            "controllers": tuple(Controller(**each) for each in document.get("controllers", ())),
            "links": tuple(Link(**each) for each in document.get("links", ())),
            "disks": tuple(_disk(each) for each in document["disks"]),
        }
    )


def _disk(fields: dict[str, Any]) -> Disk:
    return Disk(**{**fields, "by_id": tuple(fields["by_id"]), "place": Place(**fields.get("place", {}))})
