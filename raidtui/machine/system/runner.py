"""This machine; implements the ports `MachineReader` and `Runner`: programs, files, pins and locks."""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from raidtui.machine.system import initramfs_files, places, programs
from raidtui.machine.system.device_users import users_of
from raidtui.machine.system.files import write_durably
from raidtui.machine.system.host import Ends, SystemHost, fingerprint
from raidtui.machine.system.places import AS_ROOT, failures
from raidtui.machine.system.ports import AS_NAMED, Found, Item, Mounted, Pin, Ran, Syncing, User, handed, may_set
from raidtui.machine.system.programs import closing
from raidtui.programs import md
from raidtui.values.errors import MachineFailed
from raidtui.values.paths import PathPart
from raidtui.values.units import KIB

QUESTIONS = frozenset(
    {
        "blkid", "blockdev", "cat", "cmp", "cryptsetup", "dmsetup", "dumpe2fs", "find", "findmnt", "grep",
        "lsblk", "lvs", "mdadm", "pvs", "sed", "sfdisk", "sha256sum", "smartctl", "stat", "systemctl", "test",
        "udevadm", "uname", "vgs", "wipefs", "xfs_db", "xfs_logprint",
    }
)  # fmt: skip
"""programs for queries, with read-only arguments from their files under tools/"""
COMMANDS = frozenset(
    {
        "blkdiscard", "blockdev", "cryptsetup", "dracut", "env", "fio", "install", "ln", "lvchange", "lvcreate",
        "lvextend", "lvremove", "mdadm", "mkfs.ext4", "mkfs.xfs", "mount", "pvcreate", "pvremove", "pvresize",
        "resize2fs", "rm", "sfdisk", "sync", "systemctl", "udevadm", "umount", "update-initramfs", "vgcreate",
        "vgextend", "vgremove", "wipefs", "xfs_growfs",
    }
)  # fmt: skip
"""programs that a plan may run"""
_LOCK_SECONDS = 60
_ASK_SECONDS = 120
_AT_ONCE = 16
"""disks that are looked at at the same time: a hundred places of a rotating disk take about a second"""
_PIECE = 64 * 1024
_LONGEST = 16 * 1024 * 1024
_OPEN_FILES = 16 * 1024
"""files that a run may open: each of a thousand disks is held open, and locked; the soft limit is often 1,024"""


class SystemReader:
    """Read-only access to this machine."""

    simulated = False

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """See MachineReader."""
        program = _program(argv[0], QUESTIONS)
        try:
            return programs.ask([program, *handed(argv, devices)[1:]], _ASK_SECONDS)
        except programs.Overdue as late:
            raise MachineFailed(
                f"{argv[0]} timed out after {_ASK_SECONDS} s", hint="check for a disk that does not respond"
            ) from late
        except OSError as problem:
            raise MachineFailed(f"{program} cannot be started: {problem.strerror}") from problem

    def fingerprint(self, path: str, areas: Sequence[tuple[int, int]] = ()) -> str:
        """See MachineReader."""
        with _reading(path) as size:
            if areas:
                return fingerprint(*Ends().parts(path, os.O_RDONLY | os.O_CLOEXEC, areas))
            return fingerprint(*(Ends().read(path, os.O_RDONLY | os.O_CLOEXEC, size) or ()))

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        """See MachineReader."""
        with _reading(path):
            return Ends().first_nonzero(path, os.O_RDONLY | os.O_CLOEXEC, areas)

    def each(self, look: Callable[[Item], Found], items: Sequence[Item]) -> tuple[Found, ...]:
        """See MachineReader."""
        with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
            return tuple(pool.map(look, items))

    def read_text(self, path: str) -> str | None:
        """See MachineReader."""
        try:
            # a pipe in its place does not hold us up
            with closing(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as file:
                text = bytearray()
                # in pieces: for a file of /proc/sys the kernel sets aside as much as is asked for at once
                while len(text) < _LONGEST and (part := os.read(file, _PIECE)):
                    text += part
                return text.decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise MachineFailed(f"{path}: {problem.strerror}", hint="make it readable for root") from problem

    def names(self, path: str) -> tuple[str, ...]:
        """See MachineReader."""
        try:
            return tuple(sorted(os.listdir(path)))  # noqa: PTH208
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as problem:
            raise MachineFailed(f"{path}: {problem.strerror}", hint="make it readable for root") from problem

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """See MachineReader."""
        return initramfs_files.texts(path)

    def pin(self, path: str) -> Pin | None:
        """See MachineReader."""
        try:
            found = os.stat(path)  # noqa: PTH116
        except OSError:
            return None
        if not found.st_rdev:
            return None
        number = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"
        node = f"/sys/dev/block/{number}"
        try:
            name = os.readlink(node).rpartition("/")[2]  # noqa: PTH115 - pathlib takes ten times as long
        except OSError:
            return None
        part = _exists(f"{node}/partition")
        whole = f"{node}/.." if part else node  # `..` of what the link points to
        joined = _line(f"{node}/dm/uuid").startswith("mpath-")  # a disk with several paths
        dm = "" if joined else _line(f"{node}/dm/name")
        if part:
            kind: Literal["disk", "partition", "array", "volume", "other"] = "partition"
        elif _exists(f"{node}/md"):
            kind = "array"
        elif dm:
            kind = "volume"
        else:
            kind = "disk" if joined or _exists(f"{node}/device") else "other"
        return Pin(
            kind=kind, number=number, disk=_line(f"{whole}/dev"), sequence=_sequence(whole),
            size_bytes=int(_line(f"{node}/size") or 0) * 512, name=dm or name,
        )  # fmt: skip

    def holders(self, path: str) -> tuple[str, ...]:
        """See MachineReader."""
        pin = self.pin(path)
        if pin is None:
            return ()
        node = Path(os.path.realpath(f"/sys/dev/block/{pin.number}"))
        folders = [node / "holders", *(part.parent / "holders" for part in node.glob("*/partition"))]
        return tuple(sorted({entry.name for folder in folders if folder.is_dir() for entry in folder.iterdir()}))

    def path_parts(self, path: str) -> tuple[PathPart, ...]:
        """See MachineReader."""
        with failures(path, AS_ROOT):
            return places.parts_of(path)

    def mount_at(self, path: str) -> Mounted | None:
        """See MachineReader."""
        with failures(path, AS_ROOT):
            return places.mount_at(path)

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        """See MachineReader."""
        return users_of(SystemHost(), paths)

    def clock(self) -> datetime:
        """See MachineReader."""
        return datetime.now(UTC)

    def syncing(self) -> tuple[Syncing, ...]:
        """See MachineReader."""
        actions = {}
        for node in sorted(Path("/sys/block").glob("md*/md")):
            action = _line(node / "sync_action")
            if action == "idle" and _is_held(node):
                action = "held"
            if action and action != "idle":
                actions[node] = action
        if not actions:
            return ()
        # one source of how far each is: sync_completed of sysfs lags behind by up to a 16th (md_do_sync)
        at_work = {array.name: array.sync for array in md.parse(self.read_text(md.PATH) or "")}
        return tuple(_syncing(node, action, at_work.get(node.parent.name)) for node, action in actions.items())


class SystemRunner(SystemReader):
    """Access to this machine for a run. Every command inherits `lock_file`, so that none outlives the run lock."""

    def __init__(self, lock_file: int) -> None:
        self._lock_file = lock_file
        _allow_open_files()

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        """See Runner. In its own session: a Ctrl-C or hang-up of raidtui does not interrupt the command."""
        program = _program(argv[0], COMMANDS)
        try:
            with _given(stdin) as source:
                process = programs.start(
                    [program, *handed(argv, devices)[1:]], stdin=source, stdout=output, stderr=output,
                    own_session=True, keep_open=(self._lock_file,), umask=0o022,
                )  # fmt: skip
        except OSError as problem:
            raise MachineFailed(f"{program} cannot be started: {problem.strerror}") from problem
        while True:  # a signal to us is noted by its handler; the command still runs to its end
            with contextlib.suppress(InterruptedError):
                return process.wait()

    def run_together(
        self, calls: Sequence[tuple[int, tuple[str, ...], int]], devices: Mapping[str, str] = AS_NAMED
    ) -> Iterator[tuple[int, int, float]]:
        """See Runner. A thread for each, which only waits for its program."""

        def timed(number: int, argv: tuple[str, ...], output: int) -> tuple[int, int, float]:
            begun = time.monotonic()
            return number, self.run(argv, output, devices), time.monotonic() - begun

        with ThreadPoolExecutor(max_workers=max(1, len(calls))) as threads:
            for ended in as_completed([threads.submit(timed, *call) for call in calls]):
                yield ended.result()

    def write_text(self, path: str, text: str, mode: int) -> None:
        """See Runner."""
        with failures(path, "make it writable, then resume"):
            write_durably(Path(path), text, mode=mode, follow=False)

    @contextlib.contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """See Runner."""
        why = "the kernel's log (dmesg) says why; reseat the disk, then resume"
        with _opened(paths, os.O_RDWR | os.O_NONBLOCK, why) as held:
            for path, handle in zip(paths, held, strict=True):
                _wait_for_lock(handle, path)
            yield

    @contextlib.contextmanager
    def hold(self, paths: Sequence[str], *, exclusive: bool = True) -> Iterator[None]:
        """See Runner."""
        flags = os.O_RDONLY | os.O_NONBLOCK | (os.O_EXCL if exclusive else 0)
        with _opened(paths, flags, "see lsblk for what is on it, and fuser -v for who has it open"):
            yield

    def start_sync(self, device: str) -> None:
        """See Runner. (Documentation/admin-guide/md.rst, array_state: read-auto, active.)"""
        path = Path("/sys/block") / device / "md" / "array_state"
        with failures(path, f"mdadm --readwrite /dev/{device}, then resume"):
            path.write_text("active")

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        """See Runner. (Documentation/admin-guide/md.rst: `system` restores the system's limit.)"""
        path = Path("/sys/block") / device / "md" / "sync_speed_max"
        with failures(path, "see /proc/mdstat, then resume"):
            path.write_text("system" if kib_per_s is None else str(kib_per_s))

    def set_value(self, path: str, value: int | str) -> None:
        """See Runner."""
        if not may_set(path):
            raise MachineFailed(f"{path} is not one of the values that raidtui sets")
        try:
            Path(path).write_text(str(value))
        except OSError as problem:
            raise MachineFailed(
                f"{path}: {value}: {problem.strerror}", hint="see /proc/mdstat, then try again"
            ) from problem

    def wait(self, seconds: float) -> None:
        """See Runner."""
        time.sleep(seconds)


def _allow_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextlib.contextmanager
def _opened(paths: Sequence[str], flags: int, hint: str) -> Iterator[list[int]]:
    held: list[int] = []
    try:
        for path in paths:
            with failures(path, hint):
                held.append(os.open(path, os.O_CLOEXEC | flags))
        yield held
    finally:
        for handle in held:
            os.close(handle)


@contextlib.contextmanager
def _reading(path: str) -> Iterator[int]:
    """Yields the size of a device; converts an OSError while it is read to MachineFailed."""
    try:
        with open(path, "rb", buffering=0, opener=_read_only) as file:
            size = file.seek(0, os.SEEK_END)
        yield size
    except OSError as problem:
        raise MachineFailed(
            f"{path} cannot be read: {problem.strerror}",
            hint="the kernel's log (dmesg) says why; reseat the disk, then resume",
        ) from problem


def _read_only(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _sequence(whole: str) -> str:
    """See Pin.sequence."""
    with contextlib.suppress(OSError):
        return _line(f"{whole}/diskseq") or f"inode {os.stat(whole).st_ino}"  # noqa: PTH116
    return ""


def _syncing(node: Path, action: str, at_work: md.MdSync | None) -> Syncing:
    """The sync of the array below `node`, as far as mdstat says that it is `at_work`."""
    size = _line(node / "component_size")
    waits = at_work is None and action not in ("frozen", "held")
    return Syncing(
        device=node.parent.name,
        action="pending" if waits else action,
        done_sectors=2 * at_work.done_kib if at_work else 0,
        all_sectors=2 * at_work.whole_kib if at_work else 2 * int(size) if size.isdigit() else 0,
        bytes_per_s=at_work.kib_per_s * KIB if at_work else 0,
        of=action if waits else "",
    )


def _is_held(node: Path) -> bool:
    """True for an array with an unfinished sync that is read-only until the first write (start_ro=1)."""
    if _line(node / "array_state") != "read-auto":
        return False
    begun = [each / "recovery_start" for each in node.glob("dev-*") if _line(each / "slot").isdigit()]
    return any(_line(each).isdigit() for each in (node / "resync_start", *begun))


@contextlib.contextmanager
def _given(text: str) -> Iterator[int]:
    """Yields a descriptor from which a program reads the text; without a text nothing, as from /dev/null."""
    if not text:
        yield programs.NOTHING
        return
    handle = os.memfd_create("stdin", os.MFD_CLOEXEC)
    try:
        os.write(handle, text.encode("utf-8", "surrogateescape"))
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


def _program(name: str, allowed: frozenset[str]) -> str:
    if name not in allowed:
        raise MachineFailed(f"'{name}' is not one of the programs that a run starts")
    return programs.require(name, "install it, then resume")


def _wait_for_lock(handle: int, path: str) -> None:
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > until:
                raise MachineFailed(
                    f"another program holds the lock of {path}", hint=f"find it with fuser -v {path}"
                ) from None
            time.sleep(0.05)


def _exists(path: str) -> bool:
    return os.access(path, os.F_OK)


def _line(path: str | Path) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(handle, 4096).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
    finally:
        os.close(handle)
