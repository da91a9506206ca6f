"""Inventories without a machine: the simulated chassis shipped with raidtui, and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raidtui.machine.inventory.measure_disks import require_ranges
from raidtui.machine.system.files import INVENTORY, read_named
from raidtui.values.codec import parsed
from raidtui.values.errors import BadInput
from raidtui.values.inventory import INVENTORY_SCHEMA, Controller, Disk, Inventory, Link, Lun, Place
from raidtui.values.speed import NO_FIGURES
from raidtui.values.units import MOST_DISK, MOST_DISKS, MOST_RATE

_NOT_EDITED = "make one with `raidtui disks --json > FILE`"
_RANGES: tuple[tuple[str, int, int], ...] = (
    ("size_bytes", 0, MOST_DISK),
    ("logical_sector_bytes", 1, 1024**2),
    ("physical_sector_bytes", 1, 1024**2),
    ("optimal_io_bytes", 0, 2**32),
    ("rpm", 0, 1_000_000),
    ("link_bits_per_s", 0, MOST_RATE),
    ("sequential_bytes_per_s", 1, MOST_RATE),
)
"""numbers of a disk, with the least and the most of each"""
_SHIPPED = Path(__file__).parents[2] / "chassis"


def names() -> tuple[str, ...]:
    """Names of the shipped chassis."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.json")))


def load(name: str) -> Inventory:
    """The shipped chassis `name`. Raises BadInput for an unknown name."""
    if name not in names():
        way_out = f"chassis: {', '.join(names())}; `raidtui disks --json > FILE` makes a file"
        raise BadInput(f"there is no inventory file or chassis '{name}'", hint=way_out)
    return _shipped(parsed((_SHIPPED / f"{name}.json").read_text("ascii")))


def load_file(path: str) -> Inventory:
    """The inventory in the file at `path`, strictly validated. Raises BadInput."""
    from raidtui.values.codec import from_json  # start-up: only a file that is named needs pydantic

    text = read_named(Path(path), INVENTORY)
    if INVENTORY_SCHEMA.encode() not in text:
        what = f"{path} is not an inventory of format {INVENTORY_SCHEMA}"
        try:
            parsed(text)
        except ValueError as problem:
            what += f", nor JSON: {problem}"
        raise BadInput(what, hint=_NOT_EDITED)
    inventory = from_json(Inventory, text, source=path, hint=_NOT_EDITED)
    _check_identities(inventory, path)
    require_inventory_ranges(inventory, path)
    return inventory


def require_inventory_ranges(inventory: Inventory, path: str) -> None:
    """Raises BadInput for numbers out of range, naming `path`; a size of 0 is valid (an empty card reader)."""
    if len(inventory.disks) > MOST_DISKS:
        raise BadInput(f"{path}: {len(inventory.disks)} disks; at most {MOST_DISKS} are planned", hint=_NOT_EDITED)
    for place, disk in enumerate(inventory.disks):
        for name, least, most in _RANGES:
            value = getattr(disk, name)
            if value is not None and not least <= value <= most:
                raise BadInput(
                    f"{path}: disks.{place}.{name}: out of range: {least} to {most}",
                    hint=_NOT_EDITED,
                )
        if disk.lun is not None and disk.lun.out_of_range:
            raise BadInput(f"{path}: disks.{place}.lun: {disk.lun.out_of_range}", hint=_NOT_EDITED)
    measured = {f"{place}.measured": disk.measured for place, disk in enumerate(inventory.disks) if disk.measured}
    require_ranges(measured, inventory.figures or NO_FIGURES, source=path, way_out=_NOT_EDITED)
    _check_shared(inventory, path)


def _check_shared(inventory: Inventory, path: str) -> None:
    """The rates of what disks share."""
    found = [
        *((f"controllers.{place}.{name}", getattr(each, name)) for place, each in enumerate(inventory.controllers)
          for name in ("pcie_speed_gts", "pcie_width", "pcie_max_speed_gts", "pcie_max_width")),
        *((f"links.{place}.{name}", getattr(each, name)) for place, each in enumerate(inventory.links)
          for name in ("lanes", "bits_per_s")),
    ]  # fmt: skip
    for where, value in found:
        if value is not None and not 0 <= value <= MOST_RATE:
            raise BadInput(f"{path}: {where}: out of range: 0 to {MOST_RATE}", hint=_NOT_EDITED)


def _check_identities(inventory: Inventory, path: str) -> None:
    """Raises BadInput if two disks have one identity: they would be planned as one."""
    seen: set[str] = set()
    for disk in inventory.disks:
        if disk.id and disk.id in seen:
            raise BadInput(f"{path}: two disks have the identity {disk.id}", hint="remove the second one")
        seen.add(disk.id)


def _shipped(document: dict[str, Any]) -> Inventory:
    """A shipped file as a value, not validated: tests validate it with the strict reader."""
    return Inventory(
        **{
            **document,
            "controllers": tuple(Controller(**each) for each in document.get("controllers", ())),
            "links": tuple(Link(**each) for each in document.get("links", ())),
            "disks": tuple(_disk(each) for each in document["disks"]),
        }
    )


def _disk(fields: dict[str, Any]) -> Disk:
    made = {**fields, "by_id": tuple(fields["by_id"]), "place": Place(**fields.get("place", {}))}
    if "lun" in fields:
        made["lun"] = Lun(**fields["lun"])
    return Disk(**made)
