"""The initramfs and where mdadm.conf lives, by family of distribution."""

from __future__ import annotations

import re
from collections.abc import Iterable

from raidtui.model.choices import Initramfs
from raidtui.model.plan import Command


def rebuild(kind: Initramfs) -> Command:
    """Puts the new mdadm.conf into the running kernel's initramfs (Debian: update-initramfs; Fedora, RHEL: dracut)."""
    match kind:
        case "debian":
            return Command(argv=("update-initramfs", "-u"), effect="change")
        case "dracut":
            return Command(argv=("dracut", "--force", "--mdadmconf"), effect="change")


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


def images(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Name and kernel release of every image among the names in /boot whose kernel is there too, in order."""
    listed = tuple(names)
    kernels = {name.partition("-")[2] for name in listed if name.startswith(("vmlinuz-", "vmlinux-"))}
    matches = ((name, pattern.fullmatch(name)) for name in listed for pattern in _IMAGES)
    found = ((name, match[1]) for name, match in matches if match is not None)
    return tuple((name, kernel) for name, kernel in found if kernel in kernels and not _NO_BOOT.fullmatch(kernel))


def rebuild_for(kind: Initramfs, kernel: str) -> tuple[str, ...]:
    """Puts the present mdadm.conf into the initramfs of one kernel."""
    if kind == "debian":
        return ("update-initramfs", "-u", "-k", kernel)
    return ("dracut", "--force", "--mdadmconf", "--kver", kernel)


DRACUT_START = "/mdraid_start"
"""end of the path of a program that dracut's images with mdadm have"""


def dracut_assembles(command_line: str, uuid: str) -> bool:
    """True if an image of dracut assembles the array: rd.md.uuid has it, or rd.auto all (modules.d: parse-md.sh)."""
    named, flags = set(), {"rd.auto": False, "rd.md": True}
    for word in command_line.split():
        key, _, value = word.partition("=")
        if key == "rd.md.uuid":
            named.add(_hexadecimal(value))
        elif key in flags:
            flags[key] = value not in ("0", "no", "off")
    return flags["rd.md"] and (_hexadecimal(uuid) in named if named else flags["rd.auto"])


def _hexadecimal(uuid: str) -> str:
    return uuid.replace(":", "").replace("-", "")
