"""What a boot starts from disks that are in an array no more and still carry its superblock.

Sources: mdadm 4.1 to 4.6, Incremental.c: the devices that mdadm has met so far are compared by event count; the newest
count, and those with one less, make the array (count_active); one that it thinks complete is started at once, one that
could run without its missing members after half a minute (mdadm-last-resort@.timer). What comes later is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.boot import BootArray, BootMember
from raidtui.model.counted import plural
from raidtui.model.finding import Finding
from raidtui.model.md import MdShape
from raidtui.model.safe import safe
from raidtui.planner.boot.configuration import ConfReading, named
from raidtui.planner.findings import error, some, warning
from raidtui.planner.numbers import listed
from raidtui.planner.survival import starts

_HERE = "AR"
"""letters of a roster for members that were there: active, being replaced"""


def check_removed(array: BootArray, reading: ConfReading, where: str, *, sure: bool = True) -> Iterator[Finding]:
    """A finding where a boot by this configuration would, or might, start the array from removed disks.

    `where`: the file that has the configuration. `sure`: the next boot goes by it, so that it is an error.
    """
    old = [each for each in array.removed if reading.allows(each)]
    if not old or not array.members:
        return
    current = [each for each in array.members if reading.allows(each)]
    enough, complete = _could_run(array, old), _seems_complete(array, old)
    verb, many = ("carries", "is") if len(old) == 1 else ("carry", "are")
    device, them = safe(array.device), "it" if len(old) == 1 else "them"
    carry = f"{named(old, reading.names)} {verb} the superblock of {device} and {many} not in it"
    carry += _counts(old, array.members)
    start = f"start {device} from {them}, with what was on {them} then"
    if enough and not current:
        members = some([safe(each.path) for each in array.members], _FEW)
        yield (error if sure else warning)(
            "old-member-starts",
            f"{carry}; {where} lets mdadm look at {them} and at no member: a boot would {start}.",
            f"allow {members} in the DEVICE line, or remove the line, and rebuild the initramfs; pull what was removed "
            "before the next boot",
            array.name,
        )
    elif enough and _ahead(old, current):
        yield error(
            "old-member-starts",
            f"{carry}: mdadm takes the higher count for the newer, and a boot would {start}.",
            f"find out which side has the data (raidtui arrays); {_KEEP}",
            array.name,
        )
    elif complete and current:
        yield warning(
            "old-member-starts",
            f"{carry}: by {where} a boot that meets {them} before the members would {start}.",
            f"{_KEEP}; once nothing on what was removed is needed, mdadm --zero-superblock on it",
            array.name,
        )


_KEEP = "pull what was removed before the next boot, or name the members alone in a DEVICE line"
_FEW = 4
"""devices that a way out names one by one"""


def _counts(old: Sequence[BootMember], members: Sequence[BootMember]) -> str:
    """` (event counts 50 and 48, of members 56)`; what was not read is left out."""
    gone = [str(each.superblock.events) for each in old if each.superblock is not None]
    most = _newest(members)
    if not gone:
        return " (its superblock was not read)" if len(old) == 1 else " (their superblocks were not read)"
    ours = f", of its members {most}" if most is not None else ""
    return f" ({plural('event count', len(gone))} {listed(gone)}{ours})"


def _newest(devices: Sequence[BootMember]) -> int | None:
    counts = [each.superblock.events for each in devices if each.superblock is not None]
    return max((count for count in counts if count is not None), default=None)


def _group(old: Sequence[BootMember]) -> list[BootMember]:
    """Those of the removed disks that mdadm puts together: the newest and those one behind; unread ones may be."""
    newest = _newest(old)
    return [
        each
        for each in old
        if each.superblock is None
        or (each.superblock.role is not None and (each.superblock.events or 0) >= (newest or 0) - 1)
    ]


def _slots(group: Sequence[BootMember]) -> int:
    """Slots of the array that they fill."""
    read = {each.superblock.role for each in group if each.superblock is not None}
    return len(read) + sum(each.superblock is None for each in group)


def _could_run(array: BootArray, old: Sequence[BootMember]) -> bool:
    """True where these could run the array by themselves, as far as is known."""
    group = _group(old)
    filled = _slots(group)
    if filled >= array.devices:
        return True
    blocks = [each.superblock for each in group if each.superblock is not None]
    shape = MdShape(level=array.level, devices=array.devices, layout=array.layout)
    dirty = any(block.clean is False for block in blocks) and bool(shape.parity)
    if not filled or dirty:  # md does not start a parity array that lacks a member and was in use
        return False
    gone = sorted(set(range(array.devices)).difference(block.role for block in blocks if block.role is not None))
    unread = filled - len({block.role for block in blocks})
    if unread and shape.level == "raid10":  # which slots they have decides
        return True
    return starts(shape, gone[unread:]) is not False


def _seems_complete(array: BootArray, old: Sequence[BootMember]) -> bool:
    """True where mdadm finds all members among these that the newest of them lists."""
    group = _group(old)
    blocks = [each.superblock for each in group if each.superblock is not None]
    newest = max(blocks, key=lambda block: block.events or 0, default=None)
    roster = "" if newest is None else newest.roster
    wanted = sum(letter in _HERE for letter in roster) if roster else array.devices
    return bool(group) and _slots(group) >= wanted


def _ahead(old: Sequence[BootMember], current: Sequence[BootMember]) -> bool:
    """True where the newest of the removed disks is known to count more events than the members."""
    theirs, ours = _newest(old), _newest(current)
    return theirs is not None and ours is not None and theirs > ours
