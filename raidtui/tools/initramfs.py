"""The initramfs and where mdadm.conf lives, by family of distribution."""

from __future__ import annotations

from typing import Literal

Initramfs = Literal["debian", "dracut"]


def rebuild(kind: Initramfs) -> tuple[str, ...]:
    """Puts the new mdadm.conf into the running kernel's initramfs (Debian: update-initramfs; Fedora, RHEL: dracut)."""
    match kind:
        case "debian":
            return ("update-initramfs", "-u")
        case "dracut":
            return ("dracut", "--force", "--mdadmconf")


def mdadm_conf(kind: Initramfs) -> str:
    """Path of mdadm.conf."""
    return "/etc/mdadm/mdadm.conf" if kind == "debian" else "/etc/mdadm.conf"
