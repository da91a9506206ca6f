"""Options that plans rely on and older versions lack, by what each program's own help names.

Support is read from the help, not from the version: distributions backport.
Samples: util-linux 2.38, xfsprogs 6.1, lvm2 2.03.16, mdadm 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.programs.mkfs_options import named_features
from raidtui.values.design import Design

HELP: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "wipefs": (("wipefs", "--help"), ("--lock", "--backup", "--noheadings")),
    "sfdisk": (("sfdisk", "--help"), ("--lock", "--wipe-partitions")),
    "blkdiscard": (("blkdiscard", "--help"), ("--zeroout",)),
    "findmnt": (("findmnt", "--help"), ("--mountpoint",)),
    "mdadm": (("mdadm", "--create", "--help"), ("--data-offset", "--consistency-policy")),
    "mkfs.xfs": (("mkfs.xfs",), ("rmapbt=", "reflink=", "maxpct=")),
    "pvcreate": (("pvcreate", "--help"), ("--dataalignment", "--norestorefile")),
    "lvcreate": (("lvcreate", "--help"), ("--wipesignatures",)),
}
"""program to the call that prints its help (and does nothing else), and the words that must be in it"""

PACKAGES: dict[str, str] = {
    "mdadm": "mdadm",
    "mkfs.xfs": "xfsprogs",
    "xfs_db": "xfsprogs",
    "mkfs.ext4": "e2fsprogs",
    "dumpe2fs": "e2fsprogs",
    **dict.fromkeys(
        ("lvcreate", "lvremove", "lvs", "pvcreate", "pvremove", "pvs", "vgcreate", "vgremove", "vgs"), "lvm2"
    ),
    **dict.fromkeys(("blkdiscard", "blkid", "blockdev", "findmnt", "lsblk", "wipefs"), "util-linux"),
    "sfdisk": "fdisk",
    "update-initramfs": "initramfs-tools",
    "cryptsetup": "cryptsetup",
    "dmsetup": "dmsetup",
    "dracut": "dracut",
    "udevadm": "udev",
    "systemctl": "systemd",
}
"""program to the package that brings it"""

_SPELLED = {"inobtcount=": "inobtcnt="}
"""how the help of xfsprogs 5.10 spells an option that it takes by its name"""


def programs(argv: Sequence[str]) -> tuple[str, ...]:
    """The programs that a call starts: `env` starts another one."""
    if argv[0] != "env":
        return (argv[0],)
    return (argv[0], next(word for word in argv[1:] if "=" not in word))


def wanted_options(program: str, design: Design) -> dict[str, str]:
    """Options that every plan needs and those of `design`: each as the program takes it, and as its help may spell it.

    Raises KeyError for a program without such options.
    """
    asked: tuple[str, ...] = ()
    if program == "mkfs.xfs":
        options = design.options.xfs
        named = [
            *named_features(options),
            *(name for name in ("sparse", "nrext64") if getattr(options, name) is not None),
        ]
        asked = tuple(f"{name}=" for name in named)
    return {word: _SPELLED.get(word, word) for word in (*HELP[program][1], *asked)}


def missing_options(program: str, help_text: str, design: Design) -> tuple[str, ...]:
    """The wanted options that the program's help text does not contain."""
    wanted = wanted_options(program, design).items()
    return tuple(word for word, spelled in wanted if word not in help_text and spelled not in help_text)
