"""The simulated machine of a run without disks; labelled SIMULATED wherever it is shown.

Implements exactly the queries and commands of plans; any other argument is a bug and raises MachineFailed.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from raidtui.machine.ports.host import Ran
from raidtui.machine.ports.runner import AS_NAMED, Pin, Syncing, User, handed, may_set
from raidtui.machine.simulated import boot, device_users, fault_injection, observed
from raidtui.machine.simulated.core import devices, disk_queue
from raidtui.machine.simulated.core.argv_parser import ProgramFailed
from raidtui.machine.simulated.core.fault_model import Fault, FaultSide, InUse, Leftover, OnTop
from raidtui.machine.simulated.core.state import Armed, Array, Opened, State
from raidtui.machine.simulated.event_loop import Events
from raidtui.machine.simulated.md import sync
from raidtui.machine.simulated.snapshot import Snapshot, kept_from, text_from
from raidtui.machine.simulated.tools import boot_configuration, files, layers_on_top, leftovers, programs, udev_systemd
from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.input_files import MACHINE_FILE, read_own
from raidtui.model.choices import Initramfs
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Inventory
from raidtui.model.target import TargetVersions

_LOCK_SECONDS = 60
_VERSIONS = TargetVersions(kernel=boot_configuration.KERNEL, mdadm="4.2", xfsprogs="6.1", e2fsprogs="1.47")


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
        self._events = Events(self._state, self._changed)
        self._opened = time.time()

    # Runner.

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        """See Runner."""
        due = self._events.count("ask", argv)
        self._events.strike(due, "before", argv)
        try:
            answer = Ran(exit=0, stdout=programs.ask(self._state, handed(argv, devices)), stderr="")
        except ProgramFailed as problem:
            out, err = (f"{problem}\n", "") if problem.aloud else ("", f"{problem}\n")
            answer = Ran(exit=problem.code, stdout=out, stderr=err)
        self._events.strike(due, "after", argv)
        return answer

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        """See Runner."""
        return self._run(argv, output, devices, stdin)[0]

    def run_together(
        self, calls: Sequence[tuple[int, tuple[str, ...], int]], devices: Mapping[str, str] = AS_NAMED
    ) -> Iterator[tuple[int, int, float]]:
        """See Runner. One after the other; all of them take as long as the longest."""
        longest = 0.0
        for number, argv, output in calls:
            code, took = self._run(argv, output, devices, passed=longest)
            longest = max(longest, took)
            yield number, code, took

    def _run(
        self, argv: tuple[str, ...], output: int, devices: Mapping[str, str], stdin: str = "", *, passed: float = 0.0
    ) -> tuple[int, float]:
        """Exit code of a command and its seconds, of which `passed` are over."""
        self._state.commands += 1
        due = self._events.count("command", argv)
        self._events.strike(due, "before", argv)
        took = programs.seconds(argv) + fault_injection.note_slow(self._state, argv, self._drives(argv))
        self._pass(max(0.0, took - passed))
        code, text = self._events.carry_out(argv, handed(argv, devices), due, stdin)
        os.write(output, text.encode("utf-8", "surrogateescape"))
        self._events.strike(due, "after", argv)
        self._changed()
        return code, took

    def fingerprint(self, path: str, areas: Sequence[tuple[int, int]] = ()) -> str:
        """See Runner."""
        self._events.alive()
        with _as_runner(path):
            return observed.fingerprint(self._state, path, areas)

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        """See Runner."""
        self._events.alive()
        with _as_runner(path):
            return observed.first_nonzero(self._state, path, areas)

    def read_text(self, path: str) -> str | None:
        """See Runner."""
        self._events.alive()
        return files.text_of(self._state, path)

    def names(self, path: str) -> tuple[str, ...]:
        """See Runner."""
        self._events.alive()
        return files.names_in(self._state, path)

    def initramfs_texts(self, path: str) -> dict[str, str]:
        """See Runner."""
        self._events.alive()
        return boot_configuration.initramfs_texts(self._state, path)

    def write_text(self, path: str, text: str, mode: int) -> None:
        """See Runner."""
        try:  # a file is put in place whole: in the middle of it is before it
            self._put(("write", path), ("before", "during"), lambda: files.put_text(self._state, path, text, mode))
        except ProgramFailed as problem:
            raise MachineFailed(f"{path}: {problem}", hint="make it writable, then resume") from problem

    def _put(self, argv: tuple[str, ...], before: Sequence[FaultSide], put: Callable[[], object]) -> None:
        """Has `put` write, unless a fault of the command `argv` strikes. Raises ProgramFailed."""
        self._state.commands += 1
        due = self._events.count("command", argv)
        for when in before:
            self._events.strike(due, when, argv)
        instead = self._events.instead(due, argv)
        if instead is None:
            put()
        elif instead.kind != "lie":
            raise ProgramFailed("Input/output error")
        self._events.strike(due, "after", argv)
        self._changed()

    def pin(self, path: str) -> Pin | None:
        """See Runner."""
        self._events.alive()
        return devices.pin(self._state, path)

    def holders(self, path: str) -> tuple[str, ...]:
        """See Runner."""
        self._events.alive()
        key = devices.resolve(self._state, path)
        return devices.holders(self._state, key) if key else ()

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        """See Runner."""
        self._events.alive()
        return device_users.users_of(self._state, paths)

    @contextlib.contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        """See Runner."""
        due = self._events.count("lock", tuple(paths))
        self._events.strike(due, "before", ("lock",))
        held: list[str] = []
        try:
            for path in paths:
                held.append(self._lock(path))
            self._state.locked += held
            self._events.strike(due, "after", ("lock",))
            yield
        finally:
            for key in held:
                if key in self._state.locked:
                    self._state.locked.remove(key)
            udev_systemd.handle(self._state)

    @contextlib.contextmanager
    def hold(self, paths: Sequence[str]) -> Iterator[None]:
        """See Runner."""
        for path in paths:
            key = devices.resolve(self._state, path)
            if key is None or devices.busy(self._state, key):
                raise MachineFailed(f"{path}: Device or resource busy")
        yield

    def syncing(self) -> tuple[Syncing, ...]:
        """See Runner."""
        self._events.alive()
        return programs.syncing(self._state)

    def start_sync(self, device: str) -> None:
        """See Runner."""
        if self._events.dead:
            return  # a killed executor sets nothing
        self._array(device, "array_state").waiting = False
        sync.tick(self._state)
        self._changed()

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        """See Runner."""
        if self._events.dead:
            return  # a killed executor sets nothing
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
            self._put(("set", path, str(value)), ("before",), lambda: disk_queue.put(self._state, path, str(value)))
        except ProgramFailed as problem:
            raise MachineFailed(f"{path}: {value}: {problem}") from problem

    def wait(self, seconds: float) -> None:
        """See Runner."""
        due = self._events.count("wait", ())
        self._events.strike(due, "before", ("wait",))
        if self._sleep is not None:
            self._sleep(seconds)
        if self._state.woken:
            udev_systemd.handle(self._state)
        sync.advance(self._state, seconds * self._speed_up, until_quiet=True)
        self._changed()
        self._events.strike(due, "after", ("wait",))

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

    @property
    def commands(self) -> int:
        """Number of commands run and files written so far, including failed ones."""
        return self._state.commands

    @property
    def fired(self) -> list[str]:
        """Every fault that took effect, in order."""
        return self._state.fired

    def target(self) -> TargetVersions:
        """Versions of its kernel and programs."""
        return _VERSIONS

    def inventory(self) -> Inventory:
        """Inventory that a probe would return: names, state, uses, reasons why a disk cannot be chosen."""
        return observed.inventory(self._state, self._like)

    def hashes(self) -> dict[str, str]:
        """Digest of the whole content of every disk ever attached, by identity."""
        return {drive.disk.id: observed.digest(drive) for drive in self._state.drives}

    def writes(self) -> dict[str, int]:
        """Number of writes to every disk, by identity, also of unchanged content."""
        return {drive.disk.id: drive.writes for drive in self._state.drives}

    def initramfs_conf(self) -> str:
        """mdadm.conf in the initramfs."""
        return self._state.initramfs

    # Keeping it.

    def to_json(self) -> str:
        """The complete state; `from_json` reads it."""
        return text_from(Snapshot(inventory=self._like, state=self._state))

    @classmethod
    def from_json(
        cls,
        text: str,
        *,
        speed_up: float = 1.0,
        sleep: Callable[[float], None] | None = None,
        keep: Path | None = None,
        source: str = "the simulated machine",
    ) -> SimulatedMachine:
        """A machine from its JSON state. Raises BadInput for an invalid text."""
        found = kept_from(text, source)
        machine = cls(found.inventory, speed_up=speed_up, sleep=sleep, keep=keep)
        found.state.locked = []
        machine._state = machine._events.state = found.state
        machine._opened -= found.state.now
        return machine

    @classmethod
    def kept(
        cls, path: Path, *, speed_up: float = 1.0, sleep: Callable[[float], None] | None = None
    ) -> SimulatedMachine:
        """The machine in the file `path`, which it keeps up to date. Raises MachineFailed if it is missing."""
        text = read_own(path, MACHINE_FILE).decode("utf-8")
        return cls.from_json(text, speed_up=speed_up, sleep=sleep, keep=path, source=str(path))

    # Life.

    def advance(self, seconds: float) -> None:
        """Lets simulated seconds pass at once: syncs go on, spares are used, the monitor moves spares."""
        sync.advance(self._state, seconds)
        self._changed()

    def reboot(self, *, order: Sequence[str] = (), host: str = "", without: Collection[str] = ()) -> None:
        """Reboots the machine, also after Killed.

        `order`: identities in the order in which the kernel finds them, the rest follow; `host`: a new host name;
        `without`: removed disks.
        """
        boot.power_off(self._state, cut=self._events.dead)
        self._events.dead = False
        boot.power_on(self._state, order, host, without)
        self._changed()

    def revive(self) -> None:
        """After Killed: a new executor may start on the same machine. Until then everything raises Killed."""
        self._events.dead = False

    # Trouble.

    def arm(self, *faults: Fault) -> None:
        """Adds faults; counting starts now. Raises ValueError for an unknown disk."""
        for fault in faults:
            if fault.disk:
                fault_injection.find(self._state, fault.disk)
        self._state.armed += [Armed(fault=fault) for fault in faults]
        self._changed()

    def unplug(self, disk: str) -> None:
        """The disk is pulled."""
        fault_injection.unplug(self._state, fault_injection.find(self._state, disk))
        self._events.follow()
        self._changed()

    def plug(self, disk: str) -> None:
        """The disk is back, under the next free name, with a new diskseq."""
        fault_injection.plug(self._state, fault_injection.find(self._state, disk))
        self._events.follow()
        self._changed()

    def occupy(self, disk: str, how: InUse) -> None:
        """Adds a foreign user of the disk."""
        leftovers.occupy(self._state, fault_injection.find(self._state, disk), how)
        self._changed()

    def heal(self, disk: str) -> None:
        """Ends read and write errors and slowness of the disk."""
        fault_injection.heal(fault_injection.find(self._state, disk))
        self._changed()

    def open(self, path: str, command: str, process: int, *, writing: bool = True) -> None:
        """A process opens a device without O_EXCL. Raises ValueError if it is missing."""
        key = devices.resolve(self._state, path)
        if key is None:
            raise ValueError(f"{path} is not there")
        leftovers.opened(self._state, key, Opened(key=key, process=process, command=command, writing=writing))
        self._changed()

    def close(self, process: int) -> None:
        """The process has ended."""
        self._state.opened = [each for each in self._state.opened if each.process != process]
        self._changed()

    def release(self, disk: str) -> None:
        """Ends all uses of the disk; their content on it stays."""
        drive = fault_injection.find(self._state, disk)
        drive.holds.clear()
        self._state.opened = [each for each in self._state.opened if each.key != drive.key]
        self._changed()

    def lead(self, path: str, disk: str) -> None:
        """Makes a path point to another disk, given by its identity; the path's own disk restores udev's link."""
        fault_injection.lead(self._state, path, disk)
        self._changed()

    def leave(self, disk: str, what: Leftover) -> None:
        """Old content is on the disk."""
        leftovers.leave(self._state, fault_injection.find(self._state, disk), what)
        self._changed()

    def stand(self, device: str, what: OnTop, name: str = "") -> None:
        """Puts foreign content on an array or a volume, or changes it; see `layers_on_top.stand`."""
        layers_on_top.stand(self._state, device, what, name)
        self._changed()

    # Within.

    def _lock(self, path: str) -> str:
        key = devices.resolve(self._state, path)
        if key is None:
            raise MachineFailed(f"{path}: No such file or directory")
        if any(hold.how == "locked" for drive in self._state.drives if drive.key == key for hold in drive.holds):
            self._pass(_LOCK_SECONDS)
            raise MachineFailed(f"another program holds the lock of {path}", hint=f"find it with fuser -v {path}")
        return key

    def _drives(self, argv: Sequence[str]) -> list[str]:
        keys = (devices.resolve(self._state, word.partition("=")[2] or word) for word in argv)
        return [key for key in keys if key is not None]

    def _pass(self, seconds: float) -> None:
        if self._sleep is not None:
            self._sleep(seconds / self._speed_up)
        sync.advance(self._state, seconds)

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
