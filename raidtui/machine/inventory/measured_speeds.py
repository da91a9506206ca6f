"""What was measured of this machine, stored on it for the planner: its disks by identity, and what is beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from raidtui.machine.inventory.figure_ranges import require_ranges
from raidtui.machine.system.closing import closing
from raidtui.machine.system.documents import kept_document, save_document
from raidtui.machine.system.input_files import SPEEDS
from raidtui.machine.system.private_places import private_directory
from raidtui.machine.system.run_lock import take_lock
from raidtui.model.codec_rules import Value
from raidtui.model.errors import Locked
from raidtui.model.inventory import Disk, Inventory, MeasuredSpeed
from raidtui.model.machine_figures import NO_FIGURES, MachineFigures

_WAY_OUT = "make it readable, or remove it: raidtui disks --measure makes it anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpeeds(Value):
    """The file of measured speeds."""

    schema: Literal["raidtui/speeds/1"] = "raidtui/speeds/1"
    """format of this document"""
    disks: dict[str, MeasuredSpeed]
    """by the disk's identity"""
    machine: MachineFigures = NO_FIGURES
    """what was measured beside the disks"""


def stored(path: Path) -> StoredSpeeds:
    """Everything that was stored; empty without a file. Raises BadInput for an invalid file."""
    found = kept_document(StoredSpeeds, path, SPEEDS) or StoredSpeeds(disks={})
    require_ranges(found.disks, found.machine, source=str(path), way_out=_WAY_OUT)
    return found


def kept(path: Path) -> dict[str, MeasuredSpeed]:
    """Measurements of disks by identity. Raises BadInput for an invalid file."""
    return dict(stored(path).disks)


def keep(path: Path, found: dict[str, MeasuredSpeed], machine: MachineFigures = NO_FIGURES) -> None:
    """Adds measurements to the file; new ones replace those of the same disk, link or class.

    Raises MachineFailed if it cannot be written.
    """
    private_directory(path.parent)
    before = stored(path)
    after = StoredSpeeds(disks={**before.disks, **found}, machine=_merged(before.machine, machine))
    save_document(path, after)


@contextmanager
def only_measurement(path: Path) -> Iterator[None]:
    """Holds the lock of measurements beside the file `path`. Raises Locked if another process measures."""
    private_directory(path.parent)
    try:
        handle = take_lock(path.with_name("measure.lock"))
    except Locked as problem:
        raise Locked("another process measures this machine", hint="wait until it has ended") from problem
    with closing(handle):
        yield


def with_measured(
    inventory: Inventory, found: dict[str, MeasuredSpeed], machine: MachineFigures = NO_FIGURES, *, kernel: str = ""
) -> Inventory:
    """`inventory` with what was measured of its disks and machine; what changed since then is noted.

    Figures of another machine are left out. `kernel`: the release that runs now; empty if nothing is known of it.
    """
    disks = tuple(
        replace(disk, measured=replace(found[disk.id], changed=_changed(disk, found[disk.id], kernel)))
        if disk.id in found
        else disk
        for disk in inventory.disks
    )
    own = machine != NO_FIGURES and machine.machine_id in (None, inventory.machine_id)
    figures = replace(machine, kernel_now=kernel) if own else inventory.figures
    return replace(inventory, disks=disks, figures=figures)


def quiet(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    """Disks without a present user: their measurement is not disturbed."""
    return tuple(disk for disk in disks if disk.id and disk.path and not any(use.active for use in disk.uses))


def _changed(disk: Disk, found: MeasuredSpeed, kernel: str) -> str:
    """What is different from when `disk` was measured, in words."""
    words = []
    if found.kernel and kernel and found.kernel != kernel:
        words.append(f"the kernel became {kernel}")
    if found.firmware is not None and disk.firmware is not None and found.firmware != disk.firmware:
        words.append("the drive's firmware changed")
    if found.controller is not None and disk.place.controller is not None and found.controller != disk.place.controller:
        words.append("it moved to another controller")
    return ", ".join(words)


def _merged(before: MachineFigures, after: MachineFigures) -> MachineFigures:
    """`before` with the figures of `after` in their place; nothing of another machine stays."""
    if after == NO_FIGURES:
        return before
    if before.machine_id != after.machine_id:
        return after
    links = {link.limit: link for link in (*before.links, *after.links)}
    scatter = {each.work: each for each in (*before.scatter, *after.scatter)}
    return replace(
        after,
        memory=after.memory or before.memory,
        one_reader=after.one_reader or before.one_reader,
        raid6=after.raid6 or before.raid6,
        xor=after.xor or before.xor,
        md_write=after.md_write or before.md_write,
        links=tuple(links.values()),
        scatter=tuple(scatter.values()),
    )
