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
