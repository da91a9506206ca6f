"""Which disks of an inventory a layout may take, in which order."""

from __future__ import annotations

from raidtui.model.errors import BadInput
from raidtui.model.inventory import Disk, Inventory


def choose_disks(
    inventory: Inventory, *, only: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> tuple[Disk, ...]:
    """The disks to plan on, in the inventory's order.

    Without `only`: every disk that may be chosen and is blank. With `only`: exactly the disks
    named, so that a disk with old content is taken when the admin says its name; what forbids it
    is then a finding of the prediction. A name is an identity, WWN, serial, slot or kernel name.

    Raises BadInput when a name fits no disk or more than one.
    """
    chosen = [_named(inventory, name) for name in only] if only else list(inventory.free)
    left_out = {id(_named(inventory, name)) for name in exclude}
    wanted = {id(disk) for disk in chosen} - left_out
    return tuple(disk for disk in inventory.disks if id(disk) in wanted)


def _named(inventory: Inventory, name: str) -> Disk:
    found = [disk for disk in inventory.disks if name in _names(disk)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise BadInput(f"no disk is called '{name}'", hint="raidtui disks lists slot, name, serial and identity")
    raise BadInput(
        f"'{name}' is the name of {len(found)} disks", hint="use the identity, which is unique: raidtui disks --json"
    )


def _names(disk: Disk) -> tuple[str, ...]:
    names = (disk.id, disk.wwn, disk.serial, disk.place.slot, disk.kernel_name, disk.path)
    return tuple(name for name in names if name)
