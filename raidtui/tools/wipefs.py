"""wipefs, blkdiscard, cmp: what is on a device, erasing it, and the proof that it is gone (util-linux, diffutils).

wipefs and blkdiscard open exclusively: a device that anything holds is refused, as long as nobody says --force, and
nobody does. wipefs erases the magic strings only, so both ends are zeroed as well.
"""

from __future__ import annotations

from collections.abc import Sequence


def save(folder: str, devices: Sequence[str]) -> tuple[str, ...]:
    """Copies every signature into `folder` and erases none; fails when any of the devices is held."""
    return ("env", f"HOME={folder}", "wipefs", "--all", "--no-act", "--backup", *devices)


def wipe(devices: Sequence[str]) -> tuple[str, ...]:
    """Erases every signature. Without --lock: whoever runs it holds the locks of these disks already."""
    return ("wipefs", "--all", *devices)


def wipe_locked(device: str) -> tuple[str, ...]:
    """Erases every signature under the device's own lock, so that udev does not look meanwhile."""
    return ("wipefs", "--all", "--lock=yes", device)


def question(devices: Sequence[str]) -> tuple[str, ...]:
    """The signatures on the devices, nothing when there is none; opens read-only, so udev is not woken."""
    return ("wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", *devices)


def zero(device: str, offset: int, length: int) -> tuple[str, ...]:
    """Writes zeros over `length` bytes from `offset`."""
    return ("blkdiscard", "--zeroout", f"--offset={offset}", f"--length={length}", device)


def zero_question(device: str, offset: int, length: int) -> tuple[str, ...]:
    """Nothing when `length` bytes from `offset` are zero, else where they are not."""
    return ("cmp", f"--bytes={length}", f"--ignore-initial={offset}:0", device, "/dev/zero")
