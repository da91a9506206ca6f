"""Dispatch of commands to programs, their durations, and the initial drives of a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raidtui.machine.system.ports import Syncing
from raidtui.machine.system.runner import COMMANDS, QUESTIONS
from raidtui.simulated import block_tools, boot, crypt, files, filesystems, leftovers, lvm, mdadm, mounts
from raidtui.simulated.argv_parser import ProgramFailed, unknown
from raidtui.simulated.devices import named
from raidtui.simulated.md_sync import rate
from raidtui.simulated.state import Drive, Member, State
from raidtui.simulated.storage import ends
from raidtui.values.inventory import Disk

ProgramQuestion = Callable[[State, tuple[str, ...]], str]
Partial = Callable[[State, tuple[str, ...], float], str]

_QUESTIONS: dict[str, ProgramQuestion] = {
    "blkid": block_tools.blkid,
    "blockdev": block_tools.blockdev,
    "cmp": block_tools.cmp,
    "cryptsetup": crypt.question,
    "dmsetup": block_tools.dmsetup,
    "dumpe2fs": filesystems.dumpe2fs,
    "findmnt": mounts.findmnt,
    "lsblk": block_tools.lsblk,
    "mdadm": mdadm.mdadm,
    "sfdisk": leftovers.dump,
    "smartctl": block_tools.smartctl,
    "stat": files.stat,
    "systemctl": boot.systemctl,
    "udevadm": boot.udevadm,
    "uname": boot.uname,
    "wipefs": block_tools.wipefs,
    "xfs_db": filesystems.xfs_db,
    "xfs_logprint": filesystems.xfs_logprint,
    **dict.fromkeys(("lvs", "pvs", "vgs"), lvm.question),
    **dict.fromkeys(("cat", "find", "grep", "sed", "sha256sum", "test"), files.question),
}
_LOOKS = {
    "mdadm": ("--detail", "--examine", "--examine-bitmap"),
    "wipefs": ("--noheadings",),
    "systemctl": ("is-active", "is-enabled", "show"),
    "sfdisk": ("--dump",),
    "blockdev": ("--getsize64", "--getra"),
    "udevadm": ("info",),
    "cryptsetup": ("luksUUID", "luksDump"),
}
"""first words of programs that can do more than look"""
_PARTLY: dict[str, Partial] = {
    "blkdiscard": block_tools.blkdiscard, "env": block_tools.wipefs,
    "fio": block_tools.fio, "lvcreate": lvm.command, "lvremove": lvm.command,
    "mdadm": mdadm.mdadm, "mkfs.ext4": filesystems.mkfs, "mkfs.xfs": filesystems.mkfs, "pvcreate": lvm.command,
    "pvremove": lvm.command, "vgcreate": lvm.command, "vgremove": lvm.command, "wipefs": block_tools.wipefs,
}  # fmt: skip
"""commands that can end in the middle"""
_WHOLE: dict[str, ProgramQuestion] = {
    "blockdev": leftovers.reread,
    "dracut": boot.initramfs, "install": files.install, "ln": boot.link, "mount": mounts.mount,
    **dict.fromkeys(("lvchange", "lvextend", "pvresize", "vgextend"), lvm.command),
    "resize2fs": filesystems.resize2fs, "rm": files.remove, "sync": files.sync,
    "systemctl": boot.systemctl, "udevadm": boot.udevadm, "umount": mounts.umount,
    "update-initramfs": boot.initramfs, "xfs_growfs": filesystems.xfs_growfs,
}  # fmt: skip
_SECONDS = {"mdadm": 1.0, "mkfs.xfs": 3.0, "mkfs.ext4": 20.0, "update-initramfs": 25.0, "dracut": 40.0, "wipefs": 0.2,
            "blkdiscard": 0.1, "udevadm": 0.3, "mount": 0.5, "cryptsetup": 2.0}  # fmt: skip
"""rough durations of commands"""
_ZEROES_PER_S = 10_000_000_000


def ask(state: State, argv: tuple[str, ...]) -> str:
    """The answer to a question. Failed when the program ends badly."""
    looks = _LOOKS.get(argv[0])
    if argv[0] not in QUESTIONS or (looks is not None and argv[1] not in looks):
        raise unknown(argv)
    return _QUESTIONS[argv[0]](state, argv)


def run(state: State, argv: tuple[str, ...], share: float, stdin: str = "") -> tuple[int, str]:
    """Exit code and output of a command that reads `stdin`; with a `share` below 1 it is only partly done."""
    if argv[0] not in COMMANDS:
        raise unknown(argv)
    try:
        if argv[0] == "sfdisk":
            return 0, leftovers.sfdisk(state, argv, share, stdin)
        if argv[0] == "cryptsetup":
            return 0, crypt.command(state, argv, share, stdin)
        if argv[0] in _PARTLY:
            return 0, _PARTLY[argv[0]](state, argv, share)
        if argv[0] not in _WHOLE:
            raise unknown(argv)
        return 0, _WHOLE[argv[0]](state, argv) if share >= 1 else ""
    except ProgramFailed as problem:
        return problem.code, f"{problem}\n"


def seconds(argv: Sequence[str]) -> float:
    """How long a command takes; zeroes take as long as a fast flash drive needs for them."""
    length = next((int(word.partition("=")[2]) for word in argv if word.startswith("--length=")), 0)
    return _SECONDS.get(argv[0], 0.1) + (length / _ZEROES_PER_S if argv[0] == "blkdiscard" else 0.0)


def syncing(state: State) -> tuple[Syncing, ...]:
    """Arrays whose sync_action is not idle; one that is auto-read-only is idle until it is written to."""
    found = []
    for array in sorted(state.arrays, key=lambda each: each.name):
        if array.waiting and array.running and (not array.in_sync or any(_rebuilds(each) for each in array.members)):
            whole = array.config.component_sectors
            found.append(Syncing(device=array.name, action="held", done_sectors=0, all_sectors=whole, bytes_per_s=0))
        elif array.sync is not None and not array.waiting:
            found.append(
                Syncing(
                    device=array.name, action=array.sync.action, done_sectors=int(array.sync.done),
                    all_sectors=array.sync.whole, bytes_per_s=int(rate(state, array)),
                )
            )  # fmt: skip
    return tuple(found)


def _rebuilds(member: Member) -> bool:
    return member.state in ("rebuilding", "replacing")


def add_drives(state: State, disks: Sequence[Disk]) -> None:
    """Drives in the order of the inventory, under the kernel names it has where it has any."""
    places = {False: 0, True: 0}
    for number, disk in enumerate(disks):
        nvme = disk.transport == "nvme"
        name, numbers = named(places[nvme], nvme)
        places[nvme] += 1
        drive = Drive(
            key=f"d{number}", disk=disk, name=disk.kernel_name or name, number=numbers, sequence=state.number()
        )
        state.drives.append(drive)
        leftovers.settle(state, drive, disk)
        drive.first_ends = ends(drive)
