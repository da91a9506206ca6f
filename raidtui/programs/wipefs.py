"""wipefs, blkdiscard, cmp: what is on a device, erasing it, and the proof that it is gone (util-linux, diffutils).

wipefs and blkdiscard open devices exclusively, so without --force, which is never used, a device in use is refused.
wipefs erases the magic strings only, so both ends are zeroed as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from raidtui.values.plan import Command

MD_MEMBER = "linux_raid_member"
"""libblkid's name of an md superblock"""


def save(folder: str, devices: Sequence[str]) -> Command:
    """Copies every signature into `folder` and erases none; fails when any of the devices is held."""
    argv = ("env", f"HOME={folder}", "wipefs", "--all", "--no-act", "--backup", *devices)
    return Command(argv=argv, effect="change", devices=tuple(devices), by_name=True)


def wipe(devices: Sequence[str]) -> Command:
    """Erases every signature. Without --lock, since the caller holds the locks of these disks already."""
    return Command(argv=("wipefs", "--all", *devices), effect="destroy", devices=tuple(devices))


def without(command: Command, gone: Collection[str]) -> Command | None:
    """A `save` or `wipe` of many devices without those that are gone; None when none is left."""
    devices = tuple(device for device in command.devices if device not in gone)
    if not devices:
        return None
    return replace(command, argv=tuple(word for word in command.argv if word not in gone), devices=devices)


def wipe_locked(device: str) -> Command:
    """Erases every signature under the device's own lock, so that udev does not look meanwhile."""
    return Command(argv=("wipefs", "--all", "--lock=yes", device), effect="destroy", devices=(device,))


def question(devices: Sequence[str]) -> tuple[str, ...]:
    """The signatures on the devices, nothing when there is none; opens read-only, so udev is not woken."""
    return ("wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", *devices)


def kind_question(device: str, kind: str) -> tuple[str, ...]:
    """Those of one kind, as libblkid names it, on a device; it fails where the device is missing."""
    return ("wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", f"--types={kind}", device)


def zero(device: str, offset: int, length: int) -> Command:
    """Writes zeros over `length` bytes from `offset`."""
    argv = ("blkdiscard", "--zeroout", f"--offset={offset}", f"--length={length}", device)
    return Command(argv=argv, effect="destroy", devices=(device,), zeroed=(offset, length))


def zero_question(device: str, offset: int, length: int) -> tuple[str, ...]:
    """Nothing when `length` bytes from `offset` are zero, else where they are not."""
    return ("cmp", f"--bytes={length}", f"--ignore-initial={offset}:0", device, "/dev/zero")
