"""Which processes have block devices open, in one pass over /proc/PID/fd (proc(5), proc_pid_fd(5), proc_pid_fdinfo(5)).

A descriptor counts by the device number behind it, never by its path: nodes have many names, also in other mount
namespaces. A character device that passes commands to a disk (sg, bsg, NVMe generic) counts as that disk.

What this cannot see:
- a memory map whose descriptor is closed, and a file registered with io_uring whose descriptor is closed;
- descriptors of a thread that has a table of its own (unshare(2), CLONE_FILES) while its process has open files too;
- a descriptor in transit in a socket (SCM_RIGHTS) and open nowhere else;
- commands sent through an NVMe controller (/dev/nvme0) or a SCSI target, which belong to no single disk;
- users in the kernel, which `kernel_users` finds.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from raidtui.machine.system.ports import Host, Opener, Openers, User
from raidtui.programs.sysfs import word
from raidtui.values.codec import by_key
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Use

_INITIAL = "pid:[4026531836]"
"""pid namespace of the host (kernel include/linux/proc_ns.h, PROC_PID_INIT_INO)"""
_PTRACE = 1 << 19
"""CAP_SYS_PTRACE (capabilities(7)), by which the descriptors of any process may be read"""
_ACCESS, _PATH_ONLY = 0o3, 0o10000000
"""O_ACCMODE and O_PATH in the `flags` of fdinfo: a descriptor opened with O_PATH reads and writes nothing"""
_UDEV = ("systemd-udevd", "(udev-worker)", "udevd")
_LOOKS, _PAUSE = 5, 0.1
"""checks before udev and its programs count, and the seconds between them"""
_TRIES = 5
"""attempts to read a descriptor that is open before each of them: a number is often closed and opened again"""
_TERMINALS = (1, 4, 5, 10, 136)
"""majors of character devices that are in every process: memory, terminals, misc"""
Device = Callable[[int, str], tuple[int, int, int]]
"""file type, major and minor of an entry of an open directory; raises OSError"""


def read(
    proc: str = "/proc",
    sys: str = "/sys",
    *,
    device: Device | None = None,
    wait: Callable[[float], None] = time.sleep,
    own: int | None = None,
) -> Openers:
    """One pass over all processes but `own` (this one) and its children.

    udev and its programs open every new or changed disk for an instant: they count if they still have it open in the
    last of a few checks. A process that exits meanwhile does not count. Never raises OSError: what cannot be read is
    reported in `unread`.
    """
    scan = _Scan(proc, sys, device or _statx(), own or os.getpid())
    pids = scan.processes()
    found = scan.openers(pids)
    for _ in range(_LOOKS - 1):
        brief = {each.process for each in found if scan.brief(each.process)}
        if not brief:
            break
        wait(_PAUSE)
        found = [each for each in found if each.process not in brief] + scan.openers(sorted(brief))
    return Openers(found=tuple(sorted(set(found), key=lambda each: (each.process, each.number))), unread=scan.unread())


class _Scan:
    def __init__(self, proc: str, sys: str, device: Device, own: int) -> None:
        self._proc, self._sys, self._device, self._own = proc, sys, device, own
        self._denied: set[int] = set()
        self._characters: dict[tuple[int, int], str] | None = None
        self._here = self._namespaces("self")

    def processes(self) -> list[int]:
        """Ids of all processes but this one."""
        found = (int(name) for name in _names(self._proc) if name.isdecimal())
        return sorted(pid for pid in found if pid != self._own)

    def openers(self, pids: Iterable[int]) -> list[Opener]:
        """Block devices that these processes have open."""
        found = []
        for pid in pids:
            numbers = list(self._numbers(pid, f"{self._proc}/{pid}"))
            if numbers and not self._child(pid):
                command = _text(f"{self._proc}/{pid}/comm").rstrip("\n")
                elsewhere = self._namespaces(str(pid)) != self._here
                found += [
                    Opener(number=number, process=pid, command=command, writing=writing, elsewhere=elsewhere)
                    for number, writing in dict.fromkeys(numbers)
                ]
        return found

    def brief(self, pid: int) -> bool:
        """True for udev and the programs it started."""
        parent = _status(f"{self._proc}/{pid}", "PPid")
        names = (_text(f"{self._proc}/{each}/comm").rstrip("\n") for each in (pid, parent) if each)
        return any(name in _UDEV for name in names)

    def unread(self) -> str:
        """See Openers."""
        if not _text(f"{self._proc}/self/status"):
            return "the open files of all processes (/proc is not mounted)"
        if self._here[1] not in ("", _INITIAL):  # no name: a kernel without such namespaces
            return "the open files of processes outside of this container"
        if self._denied:
            more = f" and {len(self._denied) - 1} more" if len(self._denied) > 1 else ""
            return f"the open files of process {min(self._denied)}{more}"
        if not int(_status(f"{self._proc}/self", "CapEff") or "0", 16) & _PTRACE:
            return "the open files of other users' processes"
        return ""

    def _numbers(self, pid: int, folder: str) -> Iterator[tuple[str, bool]]:
        """Device number and whether it is for writing, of each descriptor of a block device."""
        try:
            directory = os.open(f"{folder}/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as problem:
            self._note(pid, problem)
            return
        try:
            names = _listed(directory)
            for name in names:
                if found := self._descriptor(pid, folder, directory, name):
                    yield found
        except OSError as problem:
            self._note(pid, problem)
            return
        finally:
            os.close(directory)
        if not names and "/task/" not in folder:  # a kernel thread, or a process whose first thread has ended
            with suppress(OSError):
                for thread in _listed(f"{folder}/task"):
                    if int(thread) != pid:
                        yield from self._numbers(pid, f"{folder}/task/{thread}")

    def _descriptor(self, pid: int, folder: str, directory: int, name: str) -> tuple[str, bool] | None:
        """Device number and whether it is for writing; None for other files, and for a descriptor that was closed.

        Raises OSError when the process has gone.
        """
        for _ in range(_TRIES):
            try:
                number = self._disk(*self._device(directory, name))
                flags = _flags(folder, name) if number else 0
            except OSError:  # also of a process that has just gone: the kernel answers EACCES (proc_pid_get_link)
                if name not in _listed(directory):
                    return None
            else:
                writing = flags & _ACCESS in (os.O_WRONLY, os.O_RDWR)
                return (number, writing) if number and not flags & _PATH_ONLY else None
        self._denied.add(pid)
        return None

    def _disk(self, kind: int, major: int, minor: int) -> str:
        """Number of the block device that a file is, or passes commands to; empty when it is none."""
        if stat.S_ISBLK(kind):
            return f"{major}:{minor}"
        if not stat.S_ISCHR(kind) or major in _TERMINALS:
            return ""
        if self._characters is None:
            self._characters = dict(_characters(self._sys))
        return self._characters.get((major, minor), "")

    def _note(self, pid: int, problem: OSError) -> None:
        if not isinstance(problem, (FileNotFoundError, ProcessLookupError, NotADirectoryError)):
            self._denied.add(pid)

    def _child(self, pid: int) -> bool:
        """True for this process' children and theirs."""
        while pid > 1:
            if pid == self._own:
                return True
            parent = _status(f"{self._proc}/{pid}", "PPid")
            pid = int(parent) if parent.isdecimal() else 0
        return False

    def _namespaces(self, pid: str) -> tuple[str, str]:
        return _link(f"{self._proc}/{pid}/ns/mnt"), _link(f"{self._proc}/{pid}/ns/pid")


def _characters(sys: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Numbers of the character devices that pass commands to a disk, with the number of the disk."""
    for family in ("scsi_generic", "bsg", "nvme-generic"):
        folder = f"{sys}/class/{family}"
        for name in _names(folder):
            disks = _names(f"{folder}/{name}/device/block") if family != "nvme-generic" else [f"nvme{name[2:]}"]
            for disk in disks:
                own, _, rest = _text(f"{folder}/{name}/dev").strip().partition(":")
                number = _text(f"{sys}/class/block/{disk}/dev").strip()
                if number and own.isdecimal() and rest.isdecimal():
                    yield (int(own), int(rest)), number


def _statx() -> Device:
    """statx(2) without a server query: stat(2) would hang on a descriptor of a dead network file system."""
    import ctypes  # loaded where it is needed: most verbs start without it

    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "statx"):
        return _stat
    room = ctypes.create_string_buffer(256)
    raw = memoryview(room).cast("B")
    short, word = raw[28:30].cast("H"), raw[128:136].cast("I")  # stx_mode; stx_rdev_major, stx_rdev_minor
    call = libc.statx
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p]  # twice as fast
    place = ctypes.addressof(room)
    dont_sync, kind = 0x4000, 0x1

    def device(directory: int, name: str) -> tuple[int, int, int]:
        if call(directory, name.encode(), dont_sync, kind, place):
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), name)
        return short[0], word[0], word[1]

    return device


def _stat(directory: int, name: str) -> tuple[int, int, int]:
    found = os.stat(name, dir_fd=directory)
    return found.st_mode, os.major(found.st_rdev), os.minor(found.st_rdev)


def _status(folder: str, key: str, file: str = "status") -> str:
    """The first word after `key:` in a file of a process; empty when there is none."""
    for line in _text(f"{folder}/{file}").splitlines():
        if line.startswith(f"{key}:"):
            return (line.partition(":")[2].split() or [""])[0]
    return ""


def _flags(folder: str, name: str) -> int:
    """Flags of an open descriptor. Raises OSError when there is none, or they cannot be read."""
    flags = _status(folder, "flags", f"fdinfo/{name}")
    if not flags:
        raise FileNotFoundError(name)
    return int(flags, 8)


def _text(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(65536).decode("utf-8", "replace")
    except OSError:
        return ""


def _names(path: str) -> list[str]:
    try:
        return sorted(_listed(path))
    except OSError:
        return []


def _listed(directory: str | int) -> list[str]:
    with os.scandir(directory) as entries:
        return [entry.name for entry in entries]


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - text of a link that leads nowhere
    except OSError:
        return ""


# Users of block devices in the kernel without a holder entry or a process: loop devices, exports to other machines, and
# the backing device of zram.
# DRBD, bcache, swap, mounted file systems and most device-mapper targets open their device exclusively or show under
# `holders`; the inventory finds these.


KernelUse = tuple[str, Use]
"""path of a block device, or of a file, and its use"""
_CONFIG = "/sys/kernel/config"
_LIO_FILE = re.compile(r"(?:File|iBlock device|UDEV PATH): *(/\S+)")
"""`info` of a LIO store (kernel target_core_file.c, fd_show_configfs_dev_params; target_core_iblock.c)"""


class Files(Protocol):
    """Text files and directories of a machine; see `Host`."""

    def text(self, path: str, /) -> str | None:
        """Content of a file; None if there is none."""

    def names(self, path: str, /) -> tuple[str, ...]:
        """Names in a directory, sorted."""


def kernel_users(host: Files) -> tuple[KernelUse, ...]:
    """Every such use; the path is the kernel's text and may not exist."""
    return (*_loops(host), *_lio(host), *_nvmet(host), *_zram(host), *_scst(host), *_gadgets(host))


def _loops(host: Files) -> Iterator[KernelUse]:
    """Loop devices: not a holder of their backing device, and no exclusive open of it."""
    for name in _numbered(host, "loop"):
        if path := _path(host, f"/sys/class/block/{name}/loop/backing_file"):
            yield path.removesuffix(" (deleted)"), Use(kind="loop", where=name, active=True)


def _lio(host: Files) -> Iterator[KernelUse]:
    """Devices that the LIO target exports; also for vhost-scsi and the USB gadget f_tcm (configfs)."""
    core = f"{_CONFIG}/target/core"
    for hba in host.names(core):
        for store in host.names(f"{core}/{hba}"):
            folder = f"{core}/{hba}/{store}"
            named = host.text(f"{folder}/udev_path")  # None: not a store; empty: it was made without one
            path = (named or "").strip()
            match = _LIO_FILE.search(host.text(f"{folder}/info") or "") if named is not None and not path else None
            path = match[1] if match else path
            if path.startswith("/"):
                yield path, Use(kind="exported", where=f"LIO {hba}/{store}", active=True)


def _nvmet(host: Files) -> Iterator[KernelUse]:
    """Devices that the NVMe target exports (configfs)."""
    top = f"{_CONFIG}/nvmet/subsystems"
    for each in host.names(top):
        for space in host.names(f"{top}/{each}/namespaces"):
            if path := _path(host, f"{top}/{each}/namespaces/{space}/device_path"):
                yield path, Use(kind="exported", where=f"NVMe {each}/namespaces/{space}", active=True)


def _zram(host: Files) -> Iterator[KernelUse]:
    """Where zram writes pages back to (admin-guide/blockdev/zram.rst, backing_dev)."""
    for name in _numbered(host, "zram"):
        if path := _path(host, f"/sys/class/block/{name}/backing_dev"):
            yield path, Use(kind="holder", where=name, active=True)


def _scst(host: Files) -> Iterator[KernelUse]:
    """Devices that SCST exports (scst README, sysfs: `filename` of a device; the first line is the path)."""
    top = "/sys/kernel/scst_tgt/devices"
    for name in host.names(top):
        if path := _path(host, f"{top}/{name}/filename"):
            yield path, Use(kind="exported", where=f"SCST {name}", active=True)


def _gadgets(host: Files) -> Iterator[KernelUse]:
    """Devices that this machine exports as USB mass storage (usb/gadget_configfs.rst)."""
    top = f"{_CONFIG}/usb_gadget"
    for gadget in host.names(top):
        for function in host.names(f"{top}/{gadget}/functions"):
            units = host.names(f"{top}/{gadget}/functions/{function}") if "mass_storage" in function else ()
            for unit in (unit for unit in units if unit.startswith("lun.")):
                if path := _path(host, f"{top}/{gadget}/functions/{function}/{unit}/file"):
                    yield path, Use(kind="exported", where=f"USB gadget {gadget} {unit}", active=True)


def _numbered(host: Files, kind: str) -> tuple[str, ...]:
    """Kernel names of the block devices of a driver: loop0, loop1."""
    return tuple(name for name in host.names("/sys/class/block") if re.fullmatch(rf"{kind}\d+", name))


def _path(host: Files, path: str) -> str:
    """The absolute path in the first line of a file; empty when there is none."""
    line = (host.text(path) or "").partition("\n")[0].strip()
    return line if line.startswith("/") else ""


# Present users of a block device and of the devices on it: processes and the kernel, also without exclusive access.


IN_KERNEL = {"loop": "the loop device {}", "exported": "the export {}"}
"""kind of a use in the kernel to its description"""


def users_of(host: Host, paths: Iterable[str]) -> tuple[User, ...]:
    """Users of the block devices at `paths`, of their partitions and of all devices on them.

    Without this process and its children. Raises MachineFailed if a process could not be inspected: then no device is
    known to be unused.
    """
    below = by_key((number, path) for path in paths for number in dict.fromkeys(_numbers(host, path)))
    opened = host.openers()
    if opened.unread:
        raise MachineFailed(
            f"the users of the disks are unknown: {opened.unread} cannot be read",
            hint="run as root on the host, outside of containers",
        )
    found = []
    for each in opened.found:
        found += [User(path=path, by=each.by, writing=each.writing) for path in below.get(each.number, ())]
    for device, use in kernel_users(host):
        by = IN_KERNEL.get(use.kind, "{}").format(use.where)
        found += [User(path=path, by=by, writing=True) for path in below.get(host.number(device) or "", ())]
    return tuple(dict.fromkeys(found))


def _numbers(host: Host, path: str) -> Iterator[str]:
    """major:minor of the device at `path`, of its partitions and of everything on them (sysfs `holders`); of a
    multipath map also of its paths (`slaves`)."""
    number = host.number(path)
    if number is None:
        return
    yield number
    name = (host.link(f"/sys/dev/block/{number}") or "").rpartition("/")[2]
    waiting = [name, *host.names(f"/sys/class/block/{name}/slaves")] if name else []
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        folder = f"/sys/class/block/{name}"
        if found := word(host.text(f"{folder}/dev")):
            yield found
        parts = (each for each in host.names(folder) if each.startswith(name))
        for upper in (*parts, *host.names(f"{folder}/holders")):
            if upper not in seen:
                seen.add(upper)
                waiting.append(upper)
