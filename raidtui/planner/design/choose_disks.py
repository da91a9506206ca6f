"""Selection of the inventory's disks that a layout may use (`--only`, `--exclude`)."""

from __future__ import annotations

from raidtui.model.errors import BadInput
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.location import short_slot
from raidtui.model.safe import safe


def choose_disks(
    inventory: Inventory, *, only: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> tuple[Disk, ...]:
    """The selected disks, in the inventory's order.

    Without `only`: every selectable blank disk. With `only`: exactly the named disks, including disks with content;
    reasons against their use are findings of the prediction. A name is an identity, WWN, serial, slot, also as screens
    shorten it, or kernel name.
    Raises BadInput if a name matches no disk or several.
    """
    chosen = [named_disk(inventory, name) for name in only] if only else list(inventory.free)
    left_out = {id(named_disk(inventory, name)) for name in exclude}
    wanted = {id(disk) for disk in chosen} - left_out
    return tuple(disk for disk in inventory.disks if id(disk) in wanted)


def named_disk(inventory: Inventory, name: str) -> Disk:
    """The one disk with this identity, WWN, serial, slot, kernel name or path. Raises BadInput if there is not one."""
    found = [disk for disk in inventory.disks if name in _names(disk)]
    if len(found) == 1:
        return found[0]
    for disk in inventory.disks:
        if disk.multipath and name in {path.kernel_name for path in disk.multipath.paths}:
            raise BadInput(
                f"{name} is a path of the multipath map {safe(disk.multipath.name)}",
                hint=f"name the disk itself: {safe(disk.id)}",
            )
    if not found:
        raise BadInput(
            f"no disk matches '{name}'", hint="use a slot, name, serial or identity as listed by raidtui disks"
        )
    raise BadInput(
        f"'{name}' matches {len(found)} disks", hint="use the identity, which is unique: raidtui disks --json"
    )


def _names(disk: Disk) -> tuple[str, ...]:
    joined = disk.multipath.name if disk.multipath else ""
    slot = disk.place.slot or ""
    names = (disk.id, disk.wwn, disk.serial, slot, short_slot(slot), disk.kernel_name, disk.path, joined)
    return tuple(name for name in names if name)
