"""Selects the armed faults due at an event, and applies them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidtui.simulated import md
from raidtui.simulated.devices import another, plug, unplug
from raidtui.simulated.state import Area, Array, ArrayConfig, Drive
from raidtui.simulated.storage import array_of
from raidtui.values.inventory import Disk
from raidtui.values.units import KIB, MIB
from tests.simulated import layers_on_top, leftovers
from tests.simulated.fault_model import IN_USE, LEFTOVERS, ON_TOP, Fault, FaultSide, On
from tests.simulated.state import FaultyState, WatchedDrive

STAND_IN = frozenset({"fail", "fail-partly", "lie", "busy"})
"""faults that take the place of a command"""
ENDS = frozenset({"kill", "power"})
"""faults that end the executor"""


def count(state: FaultyState, on: On, words: Sequence[str]) -> list[Fault]:
    """The faults due at this event; they are disarmed."""
    due = []
    for armed in list(state.armed):
        fault = armed.fault
        if fault.on == on and tuple(words[: len(fault.words)]) == fault.words:
            armed.seen += 1
            if armed.seen == fault.at:
                state.armed.remove(armed)
                due.append(fault)
    return due


def at_side(due: Sequence[Fault], side: FaultSide) -> Iterator[Fault]:
    """Those of them that happen before, during or after the event."""
    return (fault for fault in due if fault.side == side and fault.kind not in STAND_IN)


def strike(state: FaultyState, fault: Fault, where: str) -> None:
    """Applies a fault to a disk and records it."""
    drive = find(state, fault.disk) if fault.kind not in ("foreign-array", "stand") else None
    noted = True
    match fault.kind:
        case "unplug" if drive:
            unplug(state, drive)
        case "replace" if drive:
            _replace(state, drive)
        case "renumber" if drive:
            unplug(state, drive)
            plug(state, drive)
        case "resize" if drive:
            drive.disk = replace(drive.disk, size_bytes=drive.disk.size_bytes - 8 * MIB)
        case "duplicate" if drive:
            _add(state, replace(drive.disk), marks_like=drive)
        case "re-sign" if drive:
            what = next(each for each in LEFTOVERS if each == (fault.what or "xfs"))
            leftovers.leave(state, drive, what)
        case "use" if drive:
            leftovers.occupy(state, drive, next(each for each in IN_USE if each == fault.what))
        case "lock" if drive:
            leftovers.occupy(state, drive, "locked")
        case "lead":
            lead(state, fault.what, fault.disk)
        case "foreign-array":
            _foreign_array(state, fault.what)
        case "stand":
            layers_on_top.stand(state, fault.device, next(each for each in ON_TOP if each == fault.what), fault.disk)
        case "write-error" | "read-error" | "slow" | "suspend" if drive:
            noted = False  # it counts when it is met
            _weaken(drive, fault)
        case _:
            raise ValueError(f"{fault.kind} cannot be done to '{fault.disk}'")
    if noted:
        words = (fault.kind, fault.disk, fault.device, fault.what, where)
        state.fired.append(" ".join(word for word in words if word))


def find(state: FaultyState, identity: str) -> WatchedDrive:
    """The drive with this identity, attached or not. Raises ValueError if there is none."""
    found = [drive for drive in state.drives if drive.disk.id == identity]
    if not found:
        raise ValueError(f"this machine has no disk '{identity}'")
    return next((drive for drive in found if drive.present), found[0])


def lead(state: FaultyState, path: str, disk: str) -> None:
    """The path leads to the disk with this identity from now on."""
    state.links[path] = find(state, disk).key


def heal(drive: Drive) -> None:
    """Reverts `_weaken`."""
    drive.unwritable, drive.unreadable, drive.slowness, drive.suspended = [], [], 1.0, 0.0


def note_slow(state: FaultyState, argv: Sequence[str], keys: Sequence[str]) -> float:
    """Seconds that a command takes longer because of the disks it touches."""
    longer = 0.0
    for drive in state.drives:
        if drive.key in keys and drive.suspended:
            longer += drive.suspended
            state.fired.append(f"suspend {drive.disk.id}: {' '.join(argv[:2])} took {drive.suspended:.0f} s longer")
            drive.suspended = 0.0
        if drive.key in keys and drive.slowness > 1:
            longer += drive.slowness
            note_once(state, f"slow {drive.disk.id}", f": {' '.join(argv[:2])}")
    return longer


def note_once(state: FaultyState, what: str, where: str) -> None:
    """Notes a fault that lasts when it is met for the first time."""
    if not any(line.startswith(what) for line in state.fired):
        state.fired.append(what + where)


def _weaken(drive: Drive, fault: Fault) -> None:
    size = drive.disk.size_bytes
    middle = size // 2 // MIB * MIB
    area = {"start": Area(start=0, end=MIB), "middle": Area(start=middle, end=middle + 4 * KIB),
            "end": Area(start=size - MIB, end=size)}[fault.part]  # fmt: skip
    match fault.kind:
        case "write-error":
            drive.unwritable.append(area)
        case "read-error":
            drive.unreadable.append(area)
        case "slow":
            drive.slowness = fault.factor
        case _:
            drive.suspended = fault.seconds


def _replace(state: FaultyState, drive: Drive) -> None:
    """Another disk of the same kind sits in the slot, under the same kernel name."""
    unplug(state, drive)
    made = _add(state, another(state, drive.disk))
    made.name, made.number = drive.name, drive.number


def _add(state: FaultyState, disk: Disk, *, marks_like: Drive | None = None) -> WatchedDrive:
    made = WatchedDrive(key=f"d{len(state.drives)}", disk=disk, name="", number="", sequence=0, present=False)
    if marks_like is not None:
        made.marks, made.first_ends = list(marks_like.marks), marks_like.first_ends
    state.drives.append(made)
    plug(state, made)
    return made


def _foreign_array(state: FaultyState, link: str) -> None:
    config = ArrayConfig(
        uuid=md.colons("f0e1d2c3" * 4), name=f"elsewhere:{link}", level="raid1", devices=2,
        chunk_bytes=0, layout="",
        component_sectors=2_000_000, array_sectors=2_000_000, metadata="1.2", data_offset=2048, bitmap=False, ppl=False,
        created=0.0, read_ahead_kib=128,
    )  # fmt: skip
    if array_of(state, link) is None:
        state.arrays.append(
            Array(
                name=md.free_name(state), link=link, config=config, members=[], running=True, in_sync=True,
                waiting=False, events=1, sequence=state.number(), read_ahead_sectors=256,
            )
        )  # fmt: skip
