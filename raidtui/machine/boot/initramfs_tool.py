"""Which tool rebuilds the initramfs on the host of a plan."""

from __future__ import annotations

from raidtui.machine.system.programs import ANYWHERE, find
from raidtui.model.choices import Initramfs
from raidtui.model.inventory import Inventory


def initramfs_tool(inventory: Inventory) -> Initramfs:
    """The tool found on this machine if `inventory` is of this machine, else Debian's, as of recorded machines."""
    if inventory.origin != "machine":
        return "debian"
    return "dracut" if find("dracut", ANYWHERE) and not find("update-initramfs", ANYWHERE) else "debian"
