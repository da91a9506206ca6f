"""The simulated machine of a run without disks; labelled SIMULATED wherever it is shown.

Implements exactly the queries and commands of plans; any other argument is a bug and raises MachineFailed.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from raidtui.machine.system.files import MACHINE_FILE, read_own, write_durably
from raidtui.machine.system.ports import AS_NAMED, Found, Item, Mounted, Pin, Ran, Syncing, User, handed, may_set
from raidtui.predict.disks.holds import refusal, without_lost_members
from raidtui.programs import md as mdstat
from raidtui.programs.signatures import LENGTH, sample_offsets
from raidtui.simulated import boot as boot_configuration
from raidtui.simulated import boot as udev_systemd
from raidtui.simulated import devices, files, leftovers, mounts, programs
from raidtui.simulated import devices as device_users
from raidtui.simulated import devices as disk_queue
from raidtui.simulated import md_output as output
from raidtui.simulated import md_sync as sync
from raidtui.simulated.argv_parser import ProgramFailed
from raidtui.simulated.devices import holders, must_resolve, opened_by
from raidtui.simulated.state import Array, Drive, State
from raidtui.simulated.storage import areas_digest, below, check_read, disk_below, drive_of, ends, throw_out, within
from raidtui.values.choices import Initramfs
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.paths import PathPart
from raidtui.values.target import TargetVersions
from raidtui.values.units import MIB

# External view of the machine: a fresh inventory, and digests of what is read of a disk.


def observed_inventory(state: State, like: Inventory) -> Inventory:
    """Inventory that a probe would return now; constant fields are copied from `like`."""
    bays: dict[tuple[str | None, str], int] = {}  # a new disk is where the one was that had its bay
    for number, drive in enumerate(state.drives):
        bays.setdefault((drive.disk.place.enclosure, drive.disk.place.slot or drive.key), number)
    present = sorted(
        (drive for drive in state.drives if drive.present),
        key=lambda each: bays[each.disk.place.enclosure, each.disk.place.slot or each.key],
    )
    claims = Counter(drive.disk.id for drive in present)
    links = Counter(link for drive in present for link in drive.disk.by_id)
    disks = tuple(without_lost_members([_disk(state, drive, claims, links) for drive in present]))
    return replace(like, name=state.host, disks=disks, lacking=mdstat.lacking(output.mdstat(state)))


def observed_fingerprint(state: State, path: str, areas: Sequence[tuple[int, int]]) -> str:
    """See Runner."""
    if not areas:
        return _fingerprint(_whole(state, path))
    return areas_digest(_read_areas(state, path, areas)[0], areas)


def observed_nonzero(state: State, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
    """See Runner."""
    drive, origin = _read_areas(state, path, areas)
    for start, length in areas if drive.marks else ():
        if found := within(drive, origin + start, length):
            return max(start, found[0].offset - origin)
    return None


def _read_areas(state: State, path: str, areas: Sequence[tuple[int, int]]) -> tuple[Drive, int]:
    """The drive that a path leads to, and where on it the device begins. Failed where an area cannot be read."""
    key = must_resolve(state, path)
    drive, origin, _ = below(state, key)
    if drive is None:
        raise ProgramFailed("not a disk")
    for start, length in areas if drive.unreadable or not drive.present else ():
        check_read(state, key, start, length)
    return drive, origin


def _whole(state: State, path: str) -> Drive:
    """The drive that a path leads to, its ends readable. Failed otherwise."""
    drive = drive_of(state, must_resolve(state, path))
    if drive is None:
        raise ProgramFailed("not a whole disk")
    for start in (0, drive.disk.size_bytes - MIB):
        check_read(state, drive.key, start, MIB)
    return drive


def _fingerprint(drive: Drive) -> str:
    """What the inventory that the machine was made from says, as long as both ends are as they were then."""
    now = ends(drive)
    return drive.disk.fingerprint if now == drive.first_ends else now


def _disk(state: State, drive: Drive, claims: Counter[str], links: Counter[str]) -> Disk:
    locked = any(hold.how == "locked" for hold in drive.holds)
    opened = opened_by(state, drive.key)
    found = leftovers.uses_of(drive, holders(state, drive.key), opened)
    blank = not drive.partitions and not any(use.kind not in leftovers.SAYS_NOTHING for use in found)
    size = drive.disk.size_bytes
    unread = any(area.touches(start, MIB) for area in drive.unreadable for start in (0, size - MIB))
    unread = unread or any(area.touches(at, LENGTH) for area in drive.unreadable for at in sample_offsets(size))
    twin = claims[drive.disk.id] > 1
    disk = replace(
        drive.disk, id="" if twin else drive.disk.id, kernel_name=drive.name, uses=found,
        state="unknown" if unread else "blank" if blank else "content",
        partitions=tuple(part.number for part in drive.partitions), bsd_locked=locked, fingerprint=_fingerprint(drive),
        opened_by=opened, sampled=leftovers.sampled(drive) if drive.marks else drive.disk.sampled,
        by_id=tuple(link for link in drive.disk.by_id if links[link] == 1), not_selectable=None,
    )  # fmt: skip
    reason = refusal(disk, twin=twin, unknown_because="its ends cannot be read")
    return replace(disk, not_selectable=reason)


_LOCK_SECONDS = 60
_VERSIONS = TargetVersions(kernel=boot_configuration.KERNEL, mdadm="4.2", xfsprogs="6.1", e2fsprogs="1.47")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A machine and the inventory it was made from."""

    inventory: Inventory
    state: State


class SimulatedMachine:
    """Implements Runner. Time passes only in `wait`, `advance` and during commands."""

    simulated = True

    def __init__(
        self,
        inventory: Inventory,
        *,
        family: Initramfs = "debian",
        speed_up: float = 1.0,
        sleep: Callable[[float], None] | None = None,
        keep: Path | None = None,
    ) -> None:
        """A machine with the disks of `inventory`, its name as host name, and a system of `family`.

        `sleep` (time.sleep) waits real time in `wait` and during commands; without it nothing waits. A real second is
        `speed_up` simulated seconds. `keep`: file that always contains the present state.
        """
        self._like = inventory
        self._state = _fresh(inventory, family)
        self._speed_up = speed_up
        self._sleep = sleep
        self._keep = keep
        self._opened = time.time()

    # Runner.

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """See Runner."""
        try:
            return Ran(exit=0, stdout=programs.ask(self._state, handed(argv, devices)), stderr="")
        except ProgramFailed as problem:
            out, err = (f"{problem}\n", "") if problem.aloud else ("", f"{problem}\n")
            return Ran(exit=problem.code, stdout=out, stderr=err)

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        """See Runner."""
        return self._run(argv, output, devices, stdin)[0]

    def run_together(
        self, calls: Sequence[tuple[int, tuple[str, ...], int]], devices: Mapping[str, str] = AS_NAMED
    ) -> Iterator[tuple[int, int, float]]:
        """See Runner. One after the other; all of them take as long as the longest."""
        longest = 0.0
        for number, argv, descriptor in calls:
            code, took = self._run(argv, descriptor, devices, passed=longest)
            longest = max(longest, took)
            yield number, code, took

    def _run(
        self, argv: tuple[str, ...], output: int, devices: Mapping[str, str], stdin: str = "", *, passed: float = 0.0
    ) -> tuple[int, float]:
        """Exit code of a command and its seconds, of which `passed` are over."""
        took = self._seconds(argv)
        self._pass(max(0.0, took - passed))
        code, text = self._carry_out(argv, devices, stdin)
        os.write(output, text.encode("utf-8", "surrogateescape"))
        self._changed()
        return code, took

    def _seconds(self, argv: tuple[str, ...]) -> float:
        """How long a command takes."""
        return programs.seconds(argv)

    def _carry_out(
        self, argv: tuple[str, ...], devices: Mapping[str, str], stdin: str, share: float = 1.0
    ) -> tuple[int, str]:
        """Exit code and output of a command; with a `share` below 1 it is only partly done."""
        if self._state.woken:  # maps that were written to before
            udev_systemd.handle(self._state)
        found = programs.run(self._state, handed(argv, devices), share, stdin)
        self._follow()
        return found

    def fingerprint(self, path: str, areas: Sequence[tuple[int, int]] = ()) -> str:
        """See Runner."""
        with _as_runner(path):
            return observed_fingerprint(self._state, path, areas)

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        """See Runner."""
        with _as_runner(path):
            return observed_nonzero(self._state, path, areas)

    def each(self, look: Callable[[Item], Found], items: Sequence[Item]) -> tuple[Found, ...]:
        """See Runner. One after the other: it is only a value."""
        return tuple(map(look, items))

    def read_text(self, path: str) -> str | None:
        """See Runner."""
        return files.text_of(self._state, path)

    def names(self, path: str) -> tuple[str, ...]:
        """See Runner."""
        return files.names_in(self._state, path)

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """See Runner."""
        return boot_configuration.initramfs_texts(self._state, path)

    def write_text(self, path: str, text: str, mode: int) -> None:
        """See Runner."""
        try:
            files.put_text(self._state, path, text, mode)
        except ProgramFailed as problem:
            raise MachineFailed(f"{path}: {problem}", hint="make it writable, then resume") from problem
        self._changed()

    def pin(self, path: str) -> Pin | None:
        """See Runner."""
        return devices.pin(self._state, path)

    def holders(self, path: str) -> tuple[str, ...]:
        """See Runner."""
        key = devices.resolve(self._state, path)
        return devices.holders(self._state, key) if key else ()

    def path_parts(self, path: str) -> tuple[PathPart, ...]:
        """See Runner."""
        return files.path_parts(self._state, path)

    def mount_at(self, path: str) -> Mounted | None:
        """See Runner."""
        return mounts.mount_at(self._state, path)

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        """See Runner."""
        return device_users.users_of(self._state, paths)

    @contextlib.contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """See Runner."""
        held: list[str] = []
        try:
            for path in paths:
                held.append(self._lock(path))
            self._state.locked += held
            yield
        finally:
            for key in held:
                if key in self._state.locked:
                    self._state.locked.remove(key)
            udev_systemd.handle(self._state)

    @contextlib.contextmanager
    def hold(self, paths: Sequence[str], *, exclusive: bool = True) -> Iterator[None]:
        """See Runner."""
        for path in paths:
            key = devices.resolve(self._state, path)
            if key is None or (exclusive and devices.busy(self._state, key)):
                raise MachineFailed(f"{path}: Device or resource busy")
        yield

    def syncing(self) -> tuple[Syncing, ...]:
        """See Runner."""
        return programs.syncing(self._state)

    def start_sync(self, device: str) -> None:
        """See Runner."""
        self._array(device, "array_state").waiting = False
        sync.tick(self._state)
        self._changed()

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        """See Runner."""
        self._array(device, "sync_speed_max").limit_kib = kib_per_s
        self._changed()

    def _array(self, device: str, file: str) -> Array:
        """The array with a kernel name. Raises MachineFailed for its sysfs `file` if there is none."""
        array = next((array for array in self._state.arrays if array.name == device), None)
        if array is None:
            raise MachineFailed(f"/sys/block/{device}/md/{file}: No such file or directory")
        return array

    def set_value(self, path: str, value: int | str) -> None:
        """See Runner."""
        if not may_set(path):
            raise MachineFailed(f"{path} is not one of the values that raidtui sets")
        try:
            disk_queue.put(self._state, path, str(value))
        except ProgramFailed as problem:
            raise MachineFailed(f"{path}: {value}: {problem}") from problem
        self._changed()

    def wait(self, seconds: float) -> None:
        """See Runner."""
        if self._sleep is not None:
            self._sleep(seconds)
        if self._state.woken:
            udev_systemd.handle(self._state)
        sync.advance(self._state, seconds * self._speed_up, until_quiet=True)
        self._changed()

    # Looking at it.

    @property
    def now(self) -> float:
        """Seconds of simulated time since it was made; never goes back."""
        return self._state.now

    def clock(self) -> datetime:
        """See MachineReader: goes on from when the machine was made, at the pace of simulated time."""
        return datetime.fromtimestamp((self._state.made or self._opened) + self._state.now, UTC)

    def begin(self) -> None:
        """Its time begins now, unless it began before."""
        self._state.made = self._state.made or time.time() - self._state.now

    def target(self) -> TargetVersions:
        """Versions of its kernel and programs."""
        return _VERSIONS

    def inventory(self) -> Inventory:
        """Inventory that a probe would return: names, state, uses, reasons why a disk cannot be chosen."""
        return observed_inventory(self._state, self._like)

    def made_of(self) -> Inventory:
        """The inventory that it was made from, all of its disks as they were then."""
        return self._like

    # Keeping it.

    def to_json(self) -> str:
        """The complete state; `from_json` reads it."""
        return to_json(Snapshot(inventory=self._like, state=self._state), indent=None) + "\n"

    @staticmethod
    def _read(text: str, source: str) -> Snapshot:
        """The value of a stored machine's text. BadInput when the text is none."""
        return from_json(Snapshot, text, source=source)

    @classmethod
    def from_json(
        cls,
        text: str,
        *,
        speed_up: float = 1.0,
        sleep: Callable[[float], None] | None = None,
        keep: Path | None = None,
        source: str = "the simulated machine",
    ) -> Self:
        """A machine from its JSON state. Raises BadInput for an invalid text."""
        found = cls._read(text, source)
        machine = cls(found.inventory, speed_up=speed_up, sleep=sleep, keep=keep)
        found.state.locked = []
        machine._state = found.state
        machine._opened -= found.state.now
        return machine

    @classmethod
    def kept(cls, path: Path, *, speed_up: float = 1.0, sleep: Callable[[float], None] | None = None) -> Self:
        """The machine in the file `path`, which it keeps up to date. Raises MachineFailed if it is missing."""
        text = read_own(path, MACHINE_FILE).decode("utf-8")
        return cls.from_json(text, speed_up=speed_up, sleep=sleep, keep=path, source=str(path))

    # Life.

    def advance(self, seconds: float) -> None:
        """Lets simulated seconds pass at once: syncs go on, spares are used, the monitor moves spares."""
        sync.advance(self._state, seconds)
        self._changed()

    def fail(self, disk: str) -> tuple[str, ...]:
        """The drive with the identity `disk` breaks: every array that has it goes on without it, and fills a spare at
        once, before the rest of a first sync (md.c: md_check_recovery). Kernel names of these arrays."""
        found = []
        for array in self._state.arrays:
            for member in array.members:
                drive = disk_below(self._state, member.key)
                if drive is not None and drive.present and drive.disk.id == disk and member.state != "faulty":
                    throw_out(array, member)
                    found.append(array.name)
                    if any(each.state == "spare" for each in array.members):
                        array.sync = None
        self._follow()
        self._changed()
        return tuple(found)

    def swap(self, disk: str) -> Disk | None:
        """The drive with the identity `disk` is pulled, and a new one of its kind is put into its bay: that one. None
        where there is no such drive."""
        old = next((each for each in self._state.drives if each.present and each.disk.id == disk), None)
        if old is None:
            return None
        devices.unplug(self._state, old)
        self._follow()
        new = Drive(
            key=f"d{len(self._state.drives)}", disk=devices.another(self._state, old.disk), name="", number="",
            sequence=0, present=False,
        )  # fmt: skip
        new.first_ends = ends(new)
        self._state.drives.append(new)
        devices.plug(self._state, new)
        self._follow()
        self._changed()
        return new.disk

    # Within.

    def _lock(self, path: str) -> str:
        key = devices.resolve(self._state, path)
        if key is None:
            raise MachineFailed(f"{path}: No such file or directory")
        if any(hold.how == "locked" for drive in self._state.drives if drive.key == key for hold in drive.holds):
            self._pass(_LOCK_SECONDS)
            raise MachineFailed(f"another program holds the lock of {path}", hint=f"find it with fuser -v {path}")
        return key

    def _pass(self, seconds: float) -> None:
        if self._sleep is not None:
            self._sleep(seconds / self._speed_up)
        sync.advance(self._state, seconds)

    def _follow(self) -> None:
        """What udev and md do by themselves after an event."""
        udev_systemd.handle(self._state, maps=False)
        sync.tick(self._state)

    def _changed(self) -> None:
        if self._keep is not None:
            write_durably(self._keep, self.to_json(), mode=0o600)


@contextlib.contextmanager
def _as_runner(path: str) -> Iterator[None]:
    """Converts Failed of a read to MachineFailed, like `SystemReader`."""
    try:
        yield
    except ProgramFailed as problem:
        raise MachineFailed(
            f"{path} cannot be read: {problem}", hint="the kernel's log (dmesg) says why; reseat the disk"
        ) from problem


def _fresh(inventory: Inventory, family: Initramfs) -> State:
    state = State(
        origin=inventory.name, host=inventory.name, machine_id=inventory.machine_id or "5" * 32, family=family
    )
    files.fresh(state)
    programs.add_drives(state, inventory.disks)
    return state
