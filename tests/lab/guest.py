"""What both kinds of machine have in common: programs and files in the guest, and its disks, proven to be its own."""

from __future__ import annotations

import base64
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.lab.agent import Agent, GuestCommandError, Pending, Result
from tests.lab.disk import Backing, Disk, backing_path
from tests.lab.guest_disks import GuestDisk
from tests.lab.host import LabError
from tests.lab.process import GuestProcess
from tests.lab.qemu import Attachment
from tests.lab.scratch import Scratch


class Guest(ABC):
    """A machine from `with` to the end of its block: `Machine` (QEMU) or `QuickMachine` (user-mode Linux)."""

    def __init__(self, disks: Sequence[Disk]) -> None:
        if len({disk.serial for disk in disks}) != len(disks):
            raise ValueError("serials must differ")
        self._disks: dict[str, Disk] = {disk.serial: disk for disk in disks}
        self._backings: dict[str, Backing] = {}
        self._attached: dict[str, Attachment] = {}
        self.closed = False

    # --- life and death ---

    def __enter__(self) -> Self:
        self._scratch = Scratch()
        self._work = self._scratch.path
        try:
            self._begin()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the machine's processes at once and remove every file of it."""
        self._kill()
        self._scratch.remove()
        self.closed = True

    @abstractmethod
    def _begin(self) -> None:
        """Make the machine's files and boot it."""

    @abstractmethod
    def _kill(self) -> None:
        """End the machine's processes, if it has any."""

    @property
    @abstractmethod
    def running(self) -> bool:
        """Whether the machine is on."""

    @abstractmethod
    def _running(self) -> GuestProcess:
        """The process of the guest; LabError when the machine is off."""

    @property
    def _agent(self) -> Agent:
        return self._running().agent

    def set_clock(self) -> None:
        """Give the guest the host's time."""
        self._running().wake()

    @abstractmethod
    def start(self, *, permute: int | None = None) -> None:
        """Boot the machine after `power_cut` or `power_off`; `permute` seeds another disk order."""

    @abstractmethod
    def power_off(self, *, deadline: float = 120) -> None:
        """Shut the guest down in order."""

    @abstractmethod
    def power_cut(self) -> None:
        """Take the power away: SIGKILL, no warning to the guest."""

    @abstractmethod
    def reboot(self, *, deadline: float = 120, permute: int | None = None) -> None:
        """A clean reboot of the guest: down in order, up again from its own disks."""

    @abstractmethod
    def share(self, directory: Path, mount_point: str) -> None:
        """Show the guest a copy of a host directory, read-only; mounted again after a reboot."""

    @abstractmethod
    def plug(self, disk: str) -> None:
        """Plug a disk in that was unplugged; waits for udev."""

    @abstractmethod
    def unplug(self, serial: str) -> None:
        """Pull a disk with all its paths; its content stays."""

    def console(self) -> str:
        """What the guest's console has shown, all boots."""
        with contextlib.suppress(OSError):
            return (self._work / "console.log").read_text(errors="replace")
        return ""

    # --- programs and files in the guest ---

    def start_command(self, command: str | Sequence[str], **options: Any) -> Pending:
        """Start a command in the guest; options as of `run`."""
        return self._agent.start(command, **options)

    def run(
        self,
        command: str | Sequence[str],
        *,
        stdin: bytes | str = b"",
        timeout: float = 120,
        env: Mapping[str, str] | None = None,
        cwd: str = "/root",
    ) -> Result:
        """Run text (bash) or a sequence (argv) in the guest as root, whatever it comes to."""
        return self.start_command(command, stdin=stdin, timeout=timeout, env=env, cwd=cwd).wait()

    def check(self, command: str | Sequence[str], **options: Any) -> Result:
        """Like `run`; GuestCommandError with the whole output when it exits other than 0."""
        result = self.run(command, **options)
        if result.exit != 0:
            raise GuestCommandError(result)
        return result

    def limit_sync(self, limit_kib: int) -> None:
        """Hold md's resync to so many KiB/s a member."""
        self.check(
            f"modprobe md_mod && echo {min(limit_kib, 1000)} > /proc/sys/dev/raid/speed_limit_min && "
            f"echo {limit_kib} > /proc/sys/dev/raid/speed_limit_max"
        )

    def put(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file in the guest."""
        text = base64.b64encode(data).decode("ascii")
        self._agent.call("put", path=path, data=text, mode=mode)

    def get(self, path: str) -> bytes:
        """Read a file of the guest; LabError when it cannot be read."""
        return base64.b64decode(self._agent.call("get", path=path)["data"])

    # --- disks ---

    @property
    def serials(self) -> list[str]:
        """Serials of the attached disks, in the order they were given."""
        return [serial for serial in self._disks if serial in self._attached]

    def guest_disks(self) -> list[GuestDisk]:
        """All whole disks as the guest sees them now, the lab's own system disks too."""
        return [GuestDisk.of(found) for found in self._agent.call("disks")["disks"]]

    def disk_path(self, serial: str) -> str:
        """The /dev/disk/by-id path of one of this machine's disks; LabError when it is not proven to be."""
        return self.disk_paths([serial])[serial]

    def disk_paths(self, serials: Sequence[str] | None = None) -> dict[str, str]:
        """The by-id path of each serial (None: all), each proven by vendor, product, serial and size."""
        wanted = self.serials if serials is None else serials
        found = self.guest_disks()
        return {serial: self._proven(serial, found).path for serial in wanted}

    def _proven(self, serial: str, found: Sequence[GuestDisk]) -> GuestDisk:
        mine = self._disks.get(serial)
        if mine is None or serial not in self._attached:
            raise LabError(f"{serial} is no disk of this machine")
        paths = [disk for disk in found if disk.serial == serial]
        if len(paths) != mine.paths or not all(disk.is_lab_disk(mine) for disk in paths):
            raise LabError(f"not proven to be the lab's own disk: {serial} is {paths}")
        return next((disk for disk in paths if disk.by_id), paths[0])

    def backing(self, serial: str) -> Backing:
        """The sparse file below a disk, attached or not; `sync` in the guest before looking."""
        return self._backings[serial]

    def hash_disks(self, serials: Sequence[str] | None = None) -> dict[str, str]:
        """A digest of the full content of each disk, seen from the host; syncs a running guest first."""
        if self.running:
            self.check("sync")
        return {s: self._backings[s].content_digest() for s in (self._disks if serials is None else serials)}

    def erase_disks(self, serials: Sequence[str]) -> None:
        """Make disks blank again in no time, from the host; nothing in the guest may hold them."""
        paths = " ".join(self.disk_paths(serials).values())
        for serial in serials:
            self._backings[serial].erase()
        self.check(f"blockdev --flushbufs {paths}")

    @property
    def host_bytes(self) -> int:
        """What the test disks take on the host."""
        return sum(backing.allocated_bytes for backing in self._backings.values())

    def _make_backing(self, disk: Disk) -> None:
        self._backings[disk.serial] = Backing(backing_path(self._work, disk.serial), disk)
