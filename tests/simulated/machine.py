"""A simulated machine that goes wrong: faults strike at counted events, it boots, and others use its disks."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from raidtui.machine.system.ports import AS_NAMED, Mounted, Pin, Ran, Syncing, User
from raidtui.simulated import devices
from raidtui.simulated.machine import SimulatedMachine
from raidtui.simulated.state import Drive, Opened
from raidtui.simulated.storage import disk_below
from raidtui.values.codec import plain
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Inventory
from raidtui.values.paths import PathKind, PathPart
from tests.simulated import boot, fault_injection, layers_on_top, leftovers
from tests.simulated.fault_model import Fault, FaultSide, InUse, Killed, Leftover, On, OnTop
from tests.simulated.state import Armed, FaultyState, kept_from, state_of


class FaultyMachine(SimulatedMachine):
    """See SimulatedMachine. Commands, questions, locks and waits are events at which armed faults strike."""

    _state: FaultyState
    _read = staticmethod(kept_from)  # type: ignore[assignment]

    def __init__(self, inventory: Inventory, **more: Any) -> None:
        super().__init__(inventory, **more)
        self._state = state_of(self._state)
        self._dead = False
        self._due: list[Fault] = []
        """faults of the command that runs"""
        self._held: list[str] = []
        """kernel names of what somebody holds open; no other drive gets them"""

    # What was met.

    @property
    def commands(self) -> int:
        """Number of commands run and files written so far, including failed ones."""
        return self._state.commands

    @property
    def fired(self) -> list[str]:
        """Every fault that took effect, in order."""
        self._state.gather()
        return self._state.fired

    def hashes(self) -> dict[str, str]:
        """Digest of the whole content of every disk ever attached, by identity."""
        return {drive.disk.id: _digest(drive) for drive in self._state.drives}

    def writes(self) -> dict[str, int]:
        """Number of writes to every disk, by identity, also of unchanged content."""
        return {drive.disk.id: drive.writes for drive in self._state.drives}

    def initramfs_conf(self) -> str:
        """mdadm.conf in the initramfs."""
        return self._state.initramfs

    # Events.

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        with self._event("ask", argv, argv):
            return super().ask(argv, devices)

    def _run(
        self, argv: tuple[str, ...], output: int, devices: Mapping[str, str], stdin: str = "", *, passed: float = 0.0
    ) -> tuple[int, float]:
        self._state.commands += 1
        with self._event("command", argv, argv) as self._due:
            return super()._run(argv, output, devices, stdin, passed=passed)

    def _seconds(self, argv: tuple[str, ...]) -> float:
        keys = (devices.resolve(self._state, word.partition("=")[2] or word) for word in argv)
        slow = fault_injection.note_slow(self._state, argv, [key for key in keys if key is not None])
        return super()._seconds(argv) + slow

    def _carry_out(
        self, argv: tuple[str, ...], devices: Mapping[str, str], stdin: str, share: float = 1.0
    ) -> tuple[int, str]:
        """A fault may stand in for the command, or end the executor in the middle of it."""
        during = fault_injection.at_side(self._due, "during")
        ending = next((fault for fault in during if fault.kind in fault_injection.ENDS), None)
        instead = self._instead(argv)
        if instead is not None and instead.kind == "lie":
            return 0, ""
        if instead is not None and instead.kind == "busy":
            return 1, f"{argv[0]}: {argv[-1]}: Device or resource busy\n"
        if instead is not None and instead.kind == "fail":
            return 1, f"{argv[0]}: it failed\n"
        share = ending.share if ending else instead.share if instead else share
        found = super()._carry_out(argv, devices, stdin, share)
        if ending is not None:
            self._end(ending, f"during {_short(argv)}")
        return (1, f"{argv[0]}: it failed half-way\n") if instead is not None else found

    def write_text(self, path: str, text: str, mode: int) -> None:
        """A file is put in place whole: in the middle of it is before it."""
        self._state.commands += 1
        with self._event("command", ("write", path), ("write", path), before=("before", "during")) as self._due:
            instead = self._instead(("write", path))
            if instead is None:
                super().write_text(path, text, mode)
            elif instead.kind != "lie":
                raise MachineFailed(f"{path}: Input/output error", hint="make it writable, then resume")

    def set_value(self, path: str, value: int | str) -> None:
        self._state.commands += 1
        words = ("set", path, str(value))
        with self._event("command", words, words) as self._due:
            instead = self._instead(words)
            if instead is None:
                super().set_value(path, value)
            elif instead.kind != "lie":
                raise MachineFailed(f"{path}: {value}: Input/output error")

    @contextlib.contextmanager
    def lock(self, paths: Sequence[str]) -> Iterator[None]:
        due = self._count("lock", tuple(paths))
        self._strike(due, "before", ("lock",))
        with super().lock(paths):
            self._strike(due, "after", ("lock",))
            yield

    @contextlib.contextmanager
    def hold(self, paths: Sequence[str], *, exclusive: bool = True) -> Iterator[None]:
        with super().hold(paths, exclusive=exclusive):
            pins = [devices.pin(self._state, path) for path in paths]
            names = [pin.name for pin in pins if pin is not None]
            self._held += names
            try:
                yield
            finally:
                for name in names:
                    self._held.remove(name)

    def wait(self, seconds: float) -> None:
        with self._event("wait", (), ("wait",)), self._held_up():
            super().wait(seconds)

    def advance(self, seconds: float) -> None:
        with self._held_up():
            super().advance(seconds)

    def _pass(self, seconds: float) -> None:
        with self._held_up():
            super()._pass(seconds)

    @contextlib.contextmanager
    def _event(
        self, on: On, counted: Sequence[str], shown: Sequence[str], *, before: Sequence[FaultSide] = ("before",)
    ) -> Iterator[list[Fault]]:
        """Counts an event; what is due strikes around it."""
        due = self._count(on, counted)
        for side in before:
            self._strike(due, side, shown)
        yield due
        self._strike(due, "after", shown)

    def _count(self, on: On, words: Sequence[str]) -> list[Fault]:
        """The faults that are due at this event."""
        self._alive()
        return fault_injection.count(self._state, on, words)

    def _strike(self, due: Sequence[Fault], side: FaultSide, words: Sequence[str]) -> None:
        """Carries out those that happen on this side of the event. Raises Killed when one ends the executor."""
        for fault in fault_injection.at_side(due, side):
            where = f"{side} {_short(words)}"
            if fault.kind in fault_injection.ENDS:
                self._end(fault, where)
            self._state.gather()
            fault_injection.strike(self._state, fault, where)
            self._follow()
            self._changed()

    def _instead(self, words: Sequence[str]) -> Fault | None:
        """The fault that replaces this command, if any."""
        found = next((fault for fault in self._due if fault.kind in fault_injection.STAND_IN), None)
        if found is not None:
            self.fired.append(f"{found.kind} {_short(words)}")
            self._changed()
        return found

    def _end(self, fault: Fault, where: str) -> None:
        self.fired.append(f"{fault.kind} {where}")
        self._dead = True
        if fault.kind == "power":
            boot.power_off(self._state, cut=True)
            boot.power_on(self._state, (), "", ())
        self._changed()
        raise Killed(where)

    @contextlib.contextmanager
    def _held_up(self) -> Iterator[None]:
        """Notes which slow or suspended drives hold up a sync meanwhile."""
        weak = {drive.key: drive.suspended for drive in self._state.drives if drive.suspended or drive.slowness > 1}
        busy = self._syncing_on(weak)
        yield
        for key, action in {**self._syncing_on(weak), **busy}.items():
            drive = next(each for each in self._state.drives if each.key == key)
            if drive.suspended < weak[key]:
                self.fired.append(f"suspend held the {action} on {drive.disk.id}")
            if drive.slowness > 1:
                fault_injection.note_once(self._state, f"slow {drive.disk.id}", f": the {action}")

    def _syncing_on(self, keys: Collection[str]) -> dict[str, str]:
        """Of these drives those that an array is syncing on, and what it does."""
        return {
            drive.key: f"{array.sync.action} of {array.name}"
            for array in (self._state.arrays if keys else ())
            if array.sync is not None and array.running and not array.waiting
            for member in array.members
            if (drive := disk_below(self._state, member.key)) is not None and drive.key in keys
        }

    # Nothing of a killed executor runs any more.

    def _alive(self) -> None:
        if self._dead:
            raise Killed("this executor was killed")

    def fingerprint(self, path: str, areas: Sequence[tuple[int, int]] = ()) -> str:
        self._alive()
        return super().fingerprint(path, areas)

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        self._alive()
        return super().first_nonzero(path, areas)

    def read_text(self, path: str) -> str | None:
        self._alive()
        return super().read_text(path)

    def names(self, path: str) -> tuple[str, ...]:
        self._alive()
        return super().names(path)

    def initramfs_texts(self, path: str) -> dict[str, str]:
        self._alive()
        return super().initramfs_texts(path)

    def pin(self, path: str) -> Pin | None:
        self._alive()
        return super().pin(path)

    def holders(self, path: str) -> tuple[str, ...]:
        self._alive()
        return super().holders(path)

    def path_parts(self, path: str) -> tuple[PathPart, ...]:
        self._alive()
        return super().path_parts(path)

    def mount_at(self, path: str) -> Mounted | None:
        self._alive()
        return super().mount_at(path)

    def users(self, paths: Sequence[str]) -> tuple[User, ...]:
        self._alive()
        return super().users(paths)

    def syncing(self) -> tuple[Syncing, ...]:
        self._alive()
        return super().syncing()

    def start_sync(self, device: str) -> None:
        if not self._dead:  # `finally` of a killed executor is not met by an error
            super().start_sync(device)

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        if not self._dead:
            super().set_sync_limit(device, kib_per_s)

    # Life.

    def reboot(self, *, order: Sequence[str] = (), host: str = "", without: Collection[str] = ()) -> None:
        """Reboots the machine, also after Killed.

        `order`: identities in the order in which the kernel finds them, the rest follow; `host`: a new host name;
        `without`: removed disks.
        """
        boot.power_off(self._state, cut=self._dead)
        self._dead = False
        boot.power_on(self._state, order, host, without)
        self._changed()

    def revive(self) -> None:
        """After Killed: a new executor may start on the same machine. Until then everything raises Killed."""
        self._dead = False

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
        devices.unplug(self._state, fault_injection.find(self._state, disk))
        self._follow()
        self._changed()

    def plug(self, disk: str) -> None:
        """The disk is back, under the next free name, with a new diskseq."""
        devices.plug(self._state, fault_injection.find(self._state, disk), self._held)
        self._follow()
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

    def put_link(self, path: str, target: str) -> None:
        """A symbolic link lies at `path`, in place of what was there."""
        self._state.symlinks[path] = target
        self._changed()

    def obstruct(self, path: str, kind: PathKind) -> None:
        """Something else than a file lies at `path`, in place of what was there."""
        self._state.files.pop(path, None)
        self._state.no_files[path] = kind
        self._changed()

    def open_up(self, path: str, mode: int | None = None) -> None:
        """Another user owns the file or directory at `path`, or it has this mode."""
        if mode is None:
            self._state.of_others.append(path)
        else:
            self._state.modes[path] = mode
        self._changed()

    def leave(self, disk: str, what: Leftover) -> None:
        """Old content is on the disk."""
        leftovers.leave(self._state, fault_injection.find(self._state, disk), what)
        self._changed()

    def stand(self, device: str, what: OnTop, name: str = "") -> None:
        """Puts foreign content on an array or a volume, or changes it; see `layers_on_top.stand`."""
        layers_on_top.stand(self._state, device, what, name)
        self._changed()


def _short(words: Sequence[str]) -> str:
    return " ".join(words)[:120]


def _digest(drive: Drive) -> str:
    """SHA-256 of everything on a drive that is not zero."""
    found = sorted((plain(mark) for mark in drive.marks), key=lambda mark: int(mark["offset"]))
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
