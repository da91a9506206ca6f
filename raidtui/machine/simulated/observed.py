"""External view of the machine: a fresh inventory, and digests of what is read of a disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from raidtui.machine.simulated.core.argv_parser import ProgramFailed
from raidtui.machine.simulated.core.devices import holders, must_resolve
from raidtui.machine.simulated.core.state import Drive, State
from raidtui.machine.simulated.core.storage import areas_digest, below, check_read, drive_of, ends, within
from raidtui.machine.simulated.device_users import opened_by
from raidtui.machine.simulated.md import output
from raidtui.machine.simulated.tools import leftovers
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.units import MIB
from raidtui.planner.holds import refusal, without_lost_members
from raidtui.tools import mdstat
from raidtui.tools.samples import LENGTH, sample_offsets


def inventory(state: State, like: Inventory) -> Inventory:
    """Inventory that a probe would return now; constant fields are copied from `like`."""
    present = [drive for drive in state.drives if drive.present]
    claims = Counter(drive.disk.id for drive in present)
    links = Counter(link for drive in present for link in drive.disk.by_id)
    disks = tuple(without_lost_members([_disk(state, drive, claims, links) for drive in present]))
    return replace(like, name=state.host, disks=disks, lacking=mdstat.lacking(output.mdstat(state)))


def fingerprint(state: State, path: str, areas: Sequence[tuple[int, int]]) -> str:
    """See Runner."""
    if not areas:
        return _fingerprint(_whole(state, path))
    return areas_digest(_read_areas(state, path, areas)[0], areas)


def first_nonzero(state: State, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
    """See Runner."""
    drive, origin = _read_areas(state, path, areas)
    for start, length in areas if drive.marks else ():
        if found := within(drive, origin + start, length):
            return max(start, found[0].offset - origin)
    return None


def _read_areas(state: State, path: str, areas: Sequence[tuple[int, int]]) -> tuple[Drive, int]:
    """The drive that a path leads to, and where on it the device begins. Failed where an area cannot be read."""
    key = must_resolve(state, path)
    drive, origin, _ = below(state, key)
    if drive is None:
        raise ProgramFailed("not a disk")
    for start, length in areas if drive.unreadable or not drive.present else ():
        check_read(state, key, start, length)
    return drive, origin


def _whole(state: State, path: str) -> Drive:
    """The drive that a path leads to, its ends readable. Failed otherwise."""
    drive = drive_of(state, must_resolve(state, path))
    if drive is None:
        raise ProgramFailed("not a whole disk")
    for start in (0, drive.disk.size_bytes - MIB):
        check_read(state, drive.key, start, MIB)
    return drive


def _fingerprint(drive: Drive) -> str:
    """What the inventory that the machine was made from says, as long as both ends are as they were then."""
    now = ends(drive)
    return drive.disk.fingerprint if now == drive.first_ends else now


def _disk(state: State, drive: Drive, claims: Counter[str], links: Counter[str]) -> Disk:
    locked = any(hold.how == "locked" for hold in drive.holds)
    opened = opened_by(state, drive.key)
    found = leftovers.uses_of(drive, holders(state, drive.key), opened)
    blank = not drive.partitions and not any(use.kind not in leftovers.SAYS_NOTHING for use in found)
    size = drive.disk.size_bytes
    unread = any(area.touches(start, MIB) for area in drive.unreadable for start in (0, size - MIB))
    unread = unread or any(area.touches(at, LENGTH) for area in drive.unreadable for at in sample_offsets(size))
    twin = claims[drive.disk.id] > 1
    disk = replace(
        drive.disk, id="" if twin else drive.disk.id, kernel_name=drive.name, uses=found,
        state="unknown" if unread else "blank" if blank else "content",
        partitions=tuple(part.number for part in drive.partitions), bsd_locked=locked, fingerprint=_fingerprint(drive),
        opened_by=opened, sampled=leftovers.sampled(drive) if drive.marks else drive.disk.sampled,
        by_id=tuple(link for link in drive.disk.by_id if links[link] == 1), not_selectable=None,
    )  # fmt: skip
    reason = refusal(disk, twin=twin, unknown_because="its ends cannot be read")
    return replace(disk, not_selectable=reason)
