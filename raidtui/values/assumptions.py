"""Assumptions of the speed and risk models: the admin may set every figure, each default has a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.values.codec_rules import Value
from raidtui.values.inventory import Disk

SYNC_SPEED_MAX = 204_800_000
"""bytes per second and member: the kernel's sync_speed_max of 200000 KiB/s (Documentation/admin-guide/md.rst)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions(Value):
    """Inputs of the models beside design and disks. Probabilities are per year."""

    disk_bytes_per_s: int | None = None
    """sequential speed of every disk at its outer zone, set by the admin; None: measured, family table or class"""
    disk_write_bytes_per_s: int | None = None
    """the same for writing; None: as for reading"""
    disk_iops: int | None = None
    """random operations per second of every disk, set by the admin; None: as above"""
    link_bytes_per_s: int | None = None
    """one link that all members share, set by the admin; None: only the links in the inventory"""
    memory_bytes_per_s: int | None = None
    """memory bandwidth, reads and writes together, set by the admin; None: an estimate"""
    md_write_bytes_per_s: int | None = None
    """what md's thread of one parity array writes, set by the admin; None: a typical machine's"""
    cipher_bytes_per_s: int | None = None
    """what all processor cores together encrypt, set by the admin; None: encryption bounds no rate"""
    parity_threads: int = 0
    """group_thread_cnt of parity arrays; 0 is the kernel's default of one thread for each array"""
    sync_max_bytes_per_s: int = SYNC_SPEED_MAX
    """sync_speed_max, bytes per second and member"""
    rebuild_share: float = 0.5
    """share of the members' time that a rebuild gets beside foreground load; 1 on an idle array"""
    afr: float = 0.015
    """failures per disk and year (Backblaze Drive Stats lifetime 1.4 to 1.6 %)"""
    ure_per_bit: float = 1e-15
    """unreadable sectors per bit read (data sheets of nearline disks)"""
    restock_days: float = 30.0
    """from a failure until a new disk is inserted as a spare"""
    monitor: bool = True
    """True where mdadm --monitor will run: without it no spare moves between arrays"""
    correlation: float = 10.0
    """factor on the hazard of further failures in a group; the upper end of the interval shown
    (Schroeder and Gibson, FAST 2007; Elerath and Pecht, DSN 2007)"""
    enclosure_afr: float = 0.01
    """outages per enclosure and year (judgement; no published rate)"""
    enclosure_loss: float = 0.01
    """chance that such an outage destroys data (judgement: 1 to 5 %)"""
    mission_years: float = 5.0
    """time that losses are summed over"""


DEFAULTS = Assumptions()
FLASH_DEFAULTS = Assumptions(ure_per_bit=1e-17)
"""the same for flash, whose data sheets promise one unreadable bit in 1e17"""


def defaults_for(disks: Sequence[Disk]) -> Assumptions:
    """Default assumptions for these disks."""
    return FLASH_DEFAULTS if disks and all(disk.rotational is False for disk in disks) else DEFAULTS
