"""The door that a run of a plan goes through: every question, command, file and lock. `SystemRunner` is this machine.

No shell, no input, one fixed environment, absolute programs from a list. What an exit code says is not believed
here or anywhere: the executor reads back.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol

from raidtui.machine.boot import initramfs_files
from raidtui.machine.device_users.users import User, users_of
from raidtui.machine.ends import Ends, fingerprint
from raidtui.machine.host import SEARCH, Ran, SystemHost
from raidtui.machine.run.journal import write_durably
from raidtui.model.errors import Locked, MachineFailed

QUESTIONS = frozenset(
    {
        "blkid", "blockdev", "cat", "cmp", "dumpe2fs", "find", "findmnt", "grep", "lsblk", "lvs", "mdadm", "pvs", "sed",
        "sha256sum", "stat", "systemctl", "test", "uname", "vgs", "wipefs", "xfs_db",
        "xfs_logprint",
    }
)  # fmt: skip
"""programs that are asked, each with arguments from its file under tools/ that only look"""
COMMANDS = frozenset(
    {
        "blkdiscard", "dracut", "env", "install", "ln", "lvcreate", "lvremove", "mdadm", "mkfs.ext4", "mkfs.xfs",
        "mount", "pvcreate", "pvremove", "rm", "systemctl", "udevadm", "umount", "update-initramfs", "vgcreate",
        "vgremove", "wipefs",
    }
)  # fmt: skip
"""programs that a plan may run"""
_SETTABLE = re.compile(
    r"/sys/block/(?:md[0-9]+/md/(?:stripe_cache_size|group_thread_cnt)|(?:md|dm-)[0-9]+/queue/read_ahead_kb)"
)
_ENVIRONMENT = {"LC_ALL": "C", "PATH": ":".join(SEARCH[:4]), "LVM_SUPPRESS_FD_WARNINGS": "1"}
_LOCK_SECONDS = 60
_ASK_SECONDS = 120
_PIECE = 64 * 1024
_LONGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a path leads to right now."""

    kind: Literal["disk", "partition", "array", "volume", "other"]
    """a whole disk, a partition of one, an md array, a device-mapper volume"""
    number: str
    """major:minor"""
    disk: str
    """major:minor of the whole disk; of the device itself where it is none"""
    sequence: str
    """diskseq of the whole disk, which no other disk gets until the next boot; before Linux 5.15 the inode of its
    directory in sysfs, which the kernel makes anew for every disk that is attached"""
    size_bytes: int
    """of the device"""
    name: str
    """kernel name; the device-mapper name of a volume"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Syncing:
    """An array that resyncs, recovers or is checked now."""

    device: str
    """kernel name, md127"""
    action: str
    """resync, recover, check, reshape; `frozen` and `pending` when it waits; `held` until the array is written to"""
    done_sectors: int
    """of each member"""
    all_sectors: int
    """to do for each member"""
    bytes_per_s: int
    """of each member, as the kernel measures"""


AS_NAMED: Mapping[str, str] = MappingProxyType({})
"""programs get every path as it is"""


class Runner(Protocol):
    """One machine, real or simulated, that a run acts on.

    Where `devices` is given, the program gets its value in place of each argument that is one of its keys: the device
    that was proven, whatever the path of the plan leads to by then.
    """

    simulated: bool
    """True when no disk of this machine can be touched through it"""

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """The answer of a program that only looks. MachineFailed when it is missing or does not end."""

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED) -> int:
        """Runs a command of the plan to its end, all it says going to descriptor `output`. Returns its exit code."""

    def fingerprint(self, path: str) -> str:
        """Hash of the first and the last MiB of a disk, as `PlanDisk.fingerprint`; empty when every byte is zero.

        MachineFailed when they cannot be read.
        """

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        """Offset of the first byte in `areas` (offset, length) of a device that is not zero; None when all are.

        MachineFailed when they cannot be read.
        """

    def read_text(self, path: str) -> str | None:
        """Content of a file, through links; None when there is none."""

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted; nothing when there is none. MachineFailed when it cannot be read."""

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """md's configuration in an initramfs image, by its path there; an empty text for mdadm itself.

        MachineFailed when the image cannot be looked into.
        """

    def write_text(self, path: str, text: str, mode: int) -> None:
        """Puts a file in place whole and durably, through links; an existing file keeps its mode and owner."""

    def pin(self, path: str) -> Pin | None:
        """What the block device path leads to; None when there is nothing."""

    def holders(self, path: str) -> tuple[str, ...]:
        """Kernel names of what stands on a block device or on its partitions."""

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        """Processes and kernel users of block devices, of their partitions and of what stands on them; none of them
        is this process or its children. MachineFailed when not every process could be looked at."""

    def lock(self, paths: Sequence[str]) -> AbstractContextManager[None]:
        """Holds the advisory locks of whole disks, so that udev leaves them alone. MachineFailed when others do."""

    def syncing(self) -> tuple[Syncing, ...]:
        """Every array that is not idle, or would not be if it were written to."""

    def start_sync(self, device: str) -> None:
        """Lets a sync begin that is `held`, of an array by its kernel name. MachineFailed when the kernel will not."""

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        """Bounds the sync of an array (kernel name); None: as the system has it."""

    def set_value(self, path: str, value: int) -> None:
        """Sets one of the few figures of a block device in sysfs that `may_set` knows. MachineFailed when it cannot."""

    def wait(self, seconds: float) -> None:
        """Lets time pass."""


class SystemRunner:
    """This machine. `lock_file` stays open in every command, so that none outlives the run's lock."""

    simulated = False

    def __init__(self, lock_file: int) -> None:
        self._lock_file = lock_file

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """See Runner."""
        program = _program(argv[0], QUESTIONS)
        try:
            done = subprocess.run(
                [program, *handed(argv, devices)[1:]], stdin=subprocess.DEVNULL, capture_output=True,
                timeout=_ASK_SECONDS, check=False, env=_ENVIRONMENT, cwd="/",
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            raise MachineFailed(f"{argv[0]} did not answer in {_ASK_SECONDS} s", hint="a disk may hang") from late
        except OSError as problem:
            raise MachineFailed(f"{program} cannot be started: {problem.strerror}") from problem
        return Ran(
            exit=done.returncode,
            stdout=done.stdout.decode("utf-8", "replace"),
            stderr=done.stderr.decode("utf-8", "replace"),
        )

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED) -> int:
        """See Runner. In a session of its own: a Ctrl-C or a hang-up meant for us never stops it half-way."""
        program = _program(argv[0], COMMANDS)
        try:
            process = subprocess.Popen(
                [program, *handed(argv, devices)[1:]], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=_ENVIRONMENT, cwd="/", start_new_session=True, pass_fds=(self._lock_file,), umask=0o022,
            )  # fmt: skip
        except OSError as problem:
            raise MachineFailed(f"{program} cannot be started: {problem.strerror}") from problem
        while True:  # a signal to us is noted by its handler; the command still runs to its end
            with contextlib.suppress(InterruptedError):
                return process.wait()

    def fingerprint(self, path: str) -> str:
        """See Runner."""
        with _reading(path) as size:
            found = Ends().read(path, os.O_RDONLY | os.O_CLOEXEC, size)
        return "" if found is None else fingerprint(*found)

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        """See Runner."""
        with _reading(path):
            return Ends().first_nonzero(path, os.O_RDONLY | os.O_CLOEXEC, areas)

    def read_text(self, path: str) -> str | None:
        """See Runner."""
        try:
            with Path(path).open("rb") as file:
                parts: list[bytes] = []
                # in pieces: for a file of /proc/sys the kernel sets aside as much as is asked for at once
                while len(parts) < _LONGEST // _PIECE and (part := file.read(_PIECE)):
                    parts.append(part)
                return b"".join(parts).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise MachineFailed(f"{path}: {problem.strerror}", hint="make it readable for root") from problem

    def names(self, path: str) -> tuple[str, ...]:
        """See Runner."""
        try:
            return tuple(sorted(os.listdir(path)))  # noqa: PTH208
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as problem:
            raise MachineFailed(f"{path}: {problem.strerror}", hint="make it readable for root") from problem

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """See Runner."""
        return initramfs_files.texts(path)

    def write_text(self, path: str, text: str, mode: int) -> None:
        """See Runner."""
        target = Path(os.path.realpath(path))
        try:
            if target.exists():
                found = target.stat()
                write_durably(target, text, mode=found.st_mode & 0o7777)
                os.chown(target, found.st_uid, found.st_gid)
            else:
                write_durably(target, text, mode=mode)
        except OSError as problem:
            raise MachineFailed(f"{target}: {problem.strerror}", hint="make it writable, then resume") from problem

    def pin(self, path: str) -> Pin | None:
        """See Runner."""
        try:
            found = os.stat(path)  # noqa: PTH116
        except OSError:
            return None
        number = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"
        node = Path(os.path.realpath(f"/sys/dev/block/{number}"))
        if not found.st_rdev or not node.is_dir():
            return None
        whole = node.parent if (node / "partition").exists() else node
        dm = _line(node / "dm" / "name")
        if whole != node:
            kind: Literal["disk", "partition", "array", "volume", "other"] = "partition"
        elif (node / "md").is_dir():
            kind = "array"
        elif dm:
            kind = "volume"
        else:
            kind = "disk" if (node / "device").exists() else "other"
        return Pin(
            kind=kind, number=number, disk=_line(whole / "dev"), sequence=_sequence(whole),
            size_bytes=int(_line(node / "size") or 0) * 512, name=dm or node.name,
        )  # fmt: skip

    def holders(self, path: str) -> tuple[str, ...]:
        """See Runner."""
        pin = self.pin(path)
        if pin is None:
            return ()
        node = Path(os.path.realpath(f"/sys/dev/block/{pin.number}"))
        folders = [node / "holders", *(part.parent / "holders" for part in node.glob("*/partition"))]
        return tuple(sorted({entry.name for folder in folders if folder.is_dir() for entry in folder.iterdir()}))

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        """See Runner."""
        return users_of(SystemHost(), paths)

    @contextlib.contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """See Runner."""
        held: list[int] = []
        try:
            for path in paths:
                try:
                    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
                except OSError as problem:
                    raise MachineFailed(
                        f"{path}: {problem.strerror}",
                        hint="the kernel's log (dmesg) says why; seat the disk anew, then resume",
                    ) from problem
                held.append(handle)
                _wait_for_lock(handle, path)
            yield
        finally:
            for handle in held:
                os.close(handle)

    def syncing(self) -> tuple[Syncing, ...]:
        """See Runner."""
        found = []
        for node in sorted(Path("/sys/block").glob("md*/md")):
            action = _line(node / "sync_action")
            if action == "idle" and _is_held(node):
                action = "held"
            if not action or action == "idle":
                continue
            done, _, whole = _line(node / "sync_completed").partition(" / ")
            waits = not whole
            speed = _line(node / "sync_speed")
            found.append(
                Syncing(
                    device=node.parent.name,
                    action="pending" if waits and action not in ("frozen", "held") else action,
                    done_sectors=int(done) if done.isdigit() and not waits else 0,
                    all_sectors=int(whole) if whole.isdigit() else 2 * int(_line(node / "component_size") or 0),
                    bytes_per_s=int(speed) * 1024 if speed.isdigit() else 0,
                )
            )
        return tuple(found)

    def start_sync(self, device: str) -> None:
        """See Runner. (Documentation/admin-guide/md.rst, array_state: read-auto, active.)"""
        path = Path("/sys/block") / device / "md" / "array_state"
        try:
            path.write_text("active")
        except OSError as problem:
            raise MachineFailed(
                f"{path}: {problem.strerror}", hint=f"mdadm --readwrite /dev/{device}, then resume"
            ) from problem

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        """See Runner. (Documentation/admin-guide/md.rst: `system` gives the system's limit back.)"""
        path = Path("/sys/block") / device / "md" / "sync_speed_max"
        try:
            path.write_text("system" if kib_per_s is None else str(kib_per_s))
        except OSError as problem:
            raise MachineFailed(f"{path}: {problem.strerror}", hint="see /proc/mdstat, then resume") from problem

    def set_value(self, path: str, value: int) -> None:
        """See Runner."""
        if not may_set(path):
            raise MachineFailed(f"{path} is none of the values that are set")
        try:
            Path(path).write_text(str(value))
        except OSError as problem:
            raise MachineFailed(
                f"{path}: {value}: {problem.strerror}", hint="see /proc/mdstat, then try again"
            ) from problem

    def wait(self, seconds: float) -> None:
        """See Runner."""
        time.sleep(seconds)


def may_set(path: str) -> bool:
    """True for the figures that are tuned: all are forgotten at the next boot (Documentation/admin-guide/md.rst)."""
    return _SETTABLE.fullmatch(path) is not None


def take_lock(path: Path) -> int:
    """The lock of the one run at a time; the scripts take the same. Refused when another holds it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint="run it as root") from problem
    _require_regular(handle, path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        os.close(handle)
        raise Locked(
            "another run holds the lock", hint="raidtui status shows it; raidtui build --attach follows it"
        ) from problem
    return handle


def lock_is_free(path: Path) -> bool:
    """True when no run holds the lock now. Looking takes a shared lock for a moment: viewers do not meet in it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint="run it as root") from problem
    _require_regular(handle, path)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _require_regular(handle: int, path: Path) -> None:
    """Closes the lock and raises MachineFailed when it is a FIFO, a device or a directory: scripts would hang on it."""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise MachineFailed(f"{path} is not a regular file", hint=f"see who made it (ls -l {path}), then remove it")


def handed(argv: tuple[str, ...], devices: Mapping[str, str]) -> tuple[str, ...]:
    """The arguments that the program gets: each that is a key of `devices` as its value."""
    return tuple(devices.get(word, word) for word in argv)


@contextlib.contextmanager
def _reading(path: str) -> Iterator[int]:
    """The size of a device that is about to be read. MachineFailed when that cannot be."""
    try:
        with open(path, "rb", buffering=0, opener=_read_only) as file:
            size = file.seek(0, os.SEEK_END)
        yield size
    except OSError as problem:
        raise MachineFailed(
            f"{path} cannot be read: {problem.strerror}",
            hint="the kernel's log (dmesg) says why; seat the disk anew, then resume",
        ) from problem


def _read_only(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _sequence(whole: Path) -> str:
    """See Pin.sequence."""
    with contextlib.suppress(OSError):
        return _line(whole / "diskseq") or f"inode {whole.stat().st_ino}"
    return ""


def _is_held(node: Path) -> bool:
    """True for an array that came up read-only until the first write (start_ro=1) before its sync had ended."""
    if _line(node / "array_state") != "read-auto":
        return False
    begun = [each / "recovery_start" for each in node.glob("dev-*") if _line(each / "slot").isdigit()]
    return any(_line(each).isdigit() for each in (node / "resync_start", *begun))


def _program(name: str, allowed: frozenset[str]) -> str:
    if name not in allowed:
        raise MachineFailed(f"'{name}' is none of the programs that a run starts")
    for directory in SEARCH[:4]:
        if os.access(f"{directory}/{name}", os.X_OK):
            return f"{directory}/{name}"
    raise MachineFailed(f"{name} is not installed", hint="install it, then resume")


def _wait_for_lock(handle: int, path: str) -> None:
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > until:
                raise MachineFailed(
                    f"another program holds the lock of {path}", hint=f"see who: fuser -v {path}"
                ) from None
            time.sleep(0.05)


def _line(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
