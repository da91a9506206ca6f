"""The initramfs and where mdadm.conf lives, by family of distribution."""

from __future__ import annotations

import re
from typing import Literal

Initramfs = Literal["debian", "dracut"]


def rebuild(kind: Initramfs) -> tuple[str, ...]:
    """Puts the new mdadm.conf into the running kernel's initramfs (Debian: update-initramfs; Fedora, RHEL: dracut)."""
    match kind:
        case "debian":
            return ("update-initramfs", "-u")
        case "dracut":
            return ("dracut", "--force", "--mdadmconf")


def newer_question(kind: Initramfs) -> tuple[str, ...] | None:
    """Says `newer` when an initramfs was written after mdadm.conf; None where it may lie anywhere (dracut.conf(5))."""
    if kind == "dracut":
        return None
    conf = mdadm_conf(kind)
    return (
        "find", "/boot", "-maxdepth", "1", "-name", "initrd.img-*", "-newer", conf, "-printf", "newer", "-quit",
    )  # fmt: skip


def mdadm_conf(kind: Initramfs) -> str:
    """Path of mdadm.conf."""
    return "/etc/mdadm/mdadm.conf" if kind == "debian" else "/etc/mdadm.conf"


FOLDER = "/boot"
"""where both families keep their images"""
_IMAGES = (re.compile(r"initrd\.img-(.+)"), re.compile(r"initramfs-(.+)\.img"))
_NO_BOOT = re.compile(r".*(?:kdump|\.(?:new|bak|old|old-dkms|dpkg-bak)|0-rescue-[0-9a-f]{32})")
"""of a crash kernel, of packages at work, of the rescue entry: no boot of every day uses them"""


def kernel_of(name: str) -> str | None:
    """The kernel's release that an image in /boot is for; None for any other file."""
    found = next((match[1] for pattern in _IMAGES if (match := pattern.fullmatch(name))), None)
    return None if found is None or _NO_BOOT.fullmatch(found) else found


def newest(kernels: tuple[str, ...]) -> str | None:
    """The highest release, as `sort --version-sort` has it; None of none."""
    return max(kernels, key=_parts, default=None)


def rebuild_for(kind: Initramfs, kernel: str) -> tuple[str, ...]:
    """Puts the present mdadm.conf into the initramfs of one kernel."""
    if kind == "debian":
        return ("update-initramfs", "-u", "-k", kernel)
    return ("dracut", "--force", "--mdadmconf", "--kver", kernel)


def rebuilt(kind: Initramfs, kernels: tuple[str, ...], running: str) -> str | None:
    """The kernel whose image `rebuild` makes anew: Debian's newest, dracut's running one; None without any image."""
    return newest(kernels) if kind == "debian" else next((each for each in kernels if each == running), None)


def _parts(release: str) -> list[tuple[int, int, str]]:
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.findall(r"\d+|\D+", release)]
