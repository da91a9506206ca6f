"""Inventory of a machine: identity, place, content and usability of its disks. Reads only."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from raidtui.machine.inventory import block_tree, disk_content, mounts, topology
from raidtui.machine.inventory import disk_content as in_use
from raidtui.machine.inventory import disk_content as system_disks
from raidtui.machine.inventory import identity as disk_identity
from raidtui.machine.inventory import topology as multipath
from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.capture import Noting, unforeseen
from raidtui.machine.inventory.mounts import MountClaims
from raidtui.machine.system import places as state_paths
from raidtui.machine.system.host import SystemHost
from raidtui.machine.system.ports import Denied, Host, Look, Openers
from raidtui.predict.disks import holds
from raidtui.programs import lsblk, nvme, smartctl, sysfs
from raidtui.programs import md as mdstat
from raidtui.programs.lsblk import BlockDevice
from raidtui.values.codec import by_key
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import ContentState, Disk, Inventory, Multipath, Use

# Health of every drive (smartctl), a few queries in parallel.


AT_ONCE = 8
"""parallel queries"""


def with_health(host: Host, disks: tuple[Disk, ...]) -> tuple[tuple[Disk, ...], tuple[str, ...]]:
    """The disks with their health, and sentences about those without."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        answers = tuple(pool.map(lambda disk: _answer(host, disk), disks))
    without_health = [disk.kernel_name for disk, why in answers if why]
    reasons = sorted({why for _, why in answers if why})
    trouble = (
        (f"health of {len(without_health)} of {len(disks)} disks: {'; '.join(reasons)}",) if without_health else ()
    )
    return tuple(disk for disk, _ in answers), trouble


def _answer(host: Host, disk: Disk) -> tuple[Disk, str]:
    """The disk with its health, or why there is none, whatever its drive answers."""
    try:
        return _asked(host, disk)
    except Denied:
        return disk, "permission denied"
    except MachineFailed as problem:
        return disk, str(problem)
    except Exception as problem:
        return disk, unforeseen(problem)


def _asked(host: Host, disk: Disk) -> tuple[Disk, str]:
    """The disk with its health, or why there is none."""
    working = disk.multipath.working if disk.multipath else ()
    if disk.multipath and not working:
        return disk, "no path to it works"
    device = f"/dev/{working[0].kernel_name if working else disk.kernel_name}"
    ran = host.run(smartctl.argv(device))
    if ran is None and disk.transport == "nvme":
        logged = host.run(nvme.argv(device))
        smart = nvme.parse(logged.stdout) if logged else None
        return (replace(disk, smart=smart), "") if smart else (disk, "install smartmontools")
    if ran is None:
        return disk, "install smartmontools"
    if ran.exit == smartctl.ASLEEP:
        return disk, "asleep, not woken"
    smart, rpm = smartctl.parse(ran.stdout)
    if smart is None:
        return replace(
            disk, rpm=disk.rpm or rpm
        ), "the drive reports no health" if ran.exit == 0 else "smartctl got no answer"
    return replace(disk, smart=smart, rpm=disk.rpm or rpm), ""


# Reads all disks of a machine in parallel: a spinning disk seeks to every place that is read.


_AT_ONCE = 64
"""threads; each waits for its disk"""


def look_at(host: Host, disks: Sequence[BlockDevice]) -> dict[str, Look]:
    """The `Look` of each of `disks`, by kernel name, in their order; of one that cannot be read, why."""
    noting, waiting = Noting.of(host), iter(disks)
    found: dict[str, Look] = {}
    lock = threading.Lock()
    threads = [
        threading.Thread(target=_look, args=(noting, waiting, lock, found), daemon=True)
        for _ in range(min(_AT_ONCE, len(disks)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {block.name: found[block.name] for block in disks}


def _look(host: Noting, waiting: Iterator[BlockDevice], lock: threading.Lock, found: dict[str, Look]) -> None:
    while True:
        with lock:
            block = next(waiting, None)
        if block is None:
            return
        about = host.about(block.name)
        found[block.name] = about.tried(f"the ends of {block.name}", partial(_one, about, block), Look())


def _one(host: Noting, block: BlockDevice) -> Look:
    try:
        return host.look(f"/dev/{block.name}", block.number, block.size)
    except Denied:
        return Look(error="permission denied")
    except MachineFailed as problem:
        return Look(error=str(problem))


_FASTEST = 100_000
"""revolutions per minute"""


def probe(host: Host, *, smart: bool = False) -> Inventory:
    """The disks of the machine behind `host`, by enclosure and bay, then by path: not by kernel name, which changes.

    `smart`: also query the health of every drive, which takes longer; sleeping disks stay asleep.
    Without root the content of disks is unknown, which `Inventory.unread` explains.

    A disk that cannot be read, or that raidtui cannot make a row of, is there with the reason, and costs no other.

    Raises MachineFailed if lsblk is missing or its output is invalid.
    """
    noting = Noting(host)
    found = block_tree.read(noting)
    mounted = mounts.read(noting, found)
    seats = topology.seats(noting, found)
    maps = multipath.read(noting, found, seats)
    paths = {path.kernel_name for each in maps.values() for path in each.paths}
    shown = [block for block in found.disks if block.name not in paths]
    dead = {name: Look(error=multipath.NO_PATH) for name, each in maps.items() if not each.working}
    looks = {**look_at(noting, [block for block in shown if block.name not in dead]), **dead}
    opened = noting.openers()
    disks = _disks(noting, found, mounted, looks, opened, seats, maps)
    trouble: tuple[str, ...] = ()
    if smart:
        # start-up: most looks do without

        disks, trouble = with_health(noting, disks)
    name = sysfs.word(noting.beside().text("/proc/sys/kernel/hostname"))
    machine_id = (noting.beside().text("/etc/machine-id") or "").strip()
    return Inventory(
        origin="machine",
        name=name or "this machine",
        machine_id=machine_id or None,
        controllers=topology.controllers(noting, seats),
        links=topology.links(noting, found, seats),
        disks=tuple(sorted(disks, key=_position)),
        users_unread=_users_unread(noting, mounted, opened),
        lacking=mdstat.lacking(noting.text("/proc/mdstat") or ""),
        unread=(
            *noting.sentences(),
            *_unopened(opened, noting.way_out()),
            *_unread(found, mounted, looks, noting.way_out()),
            *trouble,
        ),
    )


def _users_unread(host: Noting, mounted: MountClaims, opened: Openers) -> bool:
    """True if users of any disk may be hidden."""
    return host.users_unread or not mounted.complete or bool(opened.unread)


def _position(disk: Disk) -> tuple[list[int | str], ...]:
    """Sorts bay 2 before bay 10."""
    texts = (disk.place.enclosure, disk.place.slot, disk.by_path, disk.kernel_name)
    return tuple([int(p) if at % 2 else p for at, p in enumerate(re.split(r"(\d+)", text or ""))] for text in texts)


def _disks(
    host: Noting,
    found: Tree,
    mounted: MountClaims,
    looks: dict[str, Look],
    opened: Openers,
    seats: dict[str, topology.Seat],
    maps: dict[str, Multipath],
) -> tuple[Disk, ...]:
    """The row of each disk, made of what was read; one that cannot be made says why and costs no other."""
    uses = in_use.active(host, found, mounted.claims, opened.found)
    pools = frozenset(claim.device for claim in mounted.claims if claim.kind == "zfs")
    system = system_disks.protected(host, found, mounted, looks)
    identities = disk_identity.identities(found)
    twins = disk_identity.shared(identities.values())
    links = disk_identity.by_id(found)
    single = {identities[name] for name in looks if name not in maps}

    def row(block: BlockDevice) -> Disk:
        name, look, joined = block.name, looks[block.name], maps.get(block.name)
        below = _path_that_shows_it(found, joined)
        all_uses = [*_system(system, name), *in_use.unclear(host, found, name, joined), *_mixed(found, name, joined)]
        openers = in_use.opened_by(found, opened.found, name)
        all_uses += in_use.of_disk(found, uses, name, look, openers)
        all_uses += in_use.of_paths(found, uses, name, joined)
        all_uses += disk_content.leftovers(found, name, look, pools)
        readable = not any(use.kind == "unclear" for use in all_uses)
        state = disk_content.state(found, name, look, tuple(all_uses), kernel_readable=readable)
        seat = multipath.seat_of(joined) if joined else seats.get(name, topology.NOWHERE)
        disk = replace(
            _described(found, block, seat, tuple(all_uses), state),
            write_zeroes_max_bytes=sysfs.count(host.about(name).text(sysfs.write_zeroes_path(name))),
            id="" if identities[name] in twins else identities[name],
            by_id=links[name],
            partitions=found.partition_numbers(name),
            protected=name in system,
            bsd_locked=look.locked,
            fingerprint=look.fingerprint,
            sampled=disk_content.sampled(look),
            opened_by=openers,
            multipath=joined,
        )
        if below is not None:  # lsblk says nothing of a map itself
            disk = replace(
                disk, wwn=below.wwn, serial=below.serial, vendor=below.vendor, model=below.model,
                firmware=below.revision, transport=below.transport, ata=_asked_as_ata(found, below.name),
            )  # fmt: skip
        because = disk_content.witness_missing(found, name, look, host.way_out())
        beside = below is not None and identities.get(below.name) in single
        reason = holds.refusal(disk, twin=beside or identities[name] in twins, unknown_because=because)
        if reason is None and _users_unread(host, mounted, opened):
            reason = f"not all possible users could be read: {host.way_out()}"
        return replace(disk, not_selectable=reason)

    def bare(block: BlockDevice) -> Disk:
        """The row of a disk that raidtui cannot make one of."""
        joined = maps.get(block.name)
        uses = (*_system(system, block.name), *in_use.unclear(host, found, block.name, joined))
        disk = Disk(
            id="", size_bytes=block.size, kernel_name=block.name, serial=block.serial, model=block.model, uses=uses,
            protected=block.name in system,
        )  # fmt: skip
        return replace(disk, not_selectable=holds.refusal(disk, twin=False, unknown_because=""))

    made = []
    for block in (each for each in found.disks if each.name in looks):
        nothing: Disk | None = None
        made.append(
            host.about(block.name).tried(f"the row of {block.name}", partial(row, block), nothing) or bare(block)
        )
    return tuple(holds.without_lost_members(made))


def _path_that_shows_it(found: Tree, joined: Multipath | None) -> BlockDevice | None:
    """The first path of a map with a whole row, whose names are those of the disk; None without a map or path."""
    below = [found.blocks[path.kernel_name] for path in (joined.paths if joined else ())]
    return min(below, key=lambda block: bool(block.problem), default=None)


def _system(system: dict[str, str], name: str) -> list[Use]:
    return [Use(kind="system", where=system[name], active=True)] if name in system else []


def _mixed(found: Tree, name: str, joined: Multipath | None) -> list[Use]:
    """A use for a map that joins disks which only report one name: what is written to it goes to any of them."""
    serials = multipath.joined_disks(found, name) if joined else ""
    where = f"multipathd joined different disks that report one name (serial numbers {serials}): blacklist them"
    return [Use(kind="unclear", where=where, active=True)] if serials else []


def _described(
    found: Tree, block: BlockDevice, seat: topology.Seat, uses: tuple[Use, ...], state: ContentState
) -> Disk:
    """The disk's properties from the kernel and udev."""
    record = found.records.get(block.name)
    rpm = sysfs.count(record.properties.get("ID_ATA_ROTATION_RATE_RPM", "") if record else "") or 0
    return Disk(
        id="",
        size_bytes=block.size,
        logical_sector_bytes=block.logical_sector,
        physical_sector_bytes=block.physical_sector,
        kernel_name=block.name,
        wwn=block.wwn,
        serial=block.serial,
        vendor=block.vendor,
        model=block.model,
        firmware=block.revision,
        by_path=disk_identity.by_path(found, block.name),
        rotational=block.rotational,
        rpm=rpm if 1 < rpm <= _FASTEST else None,
        transport=block.transport,
        ata=_asked_as_ata(found, block.name),
        link_bits_per_s=seat.link_bits_per_s,
        zoned=block.zoned,
        hctl=block.hctl,
        optimal_io_bytes=block.optimal_io,
        place=seat.place,
        state=state,
        uses=uses,
    )


def _asked_as_ata(found: Tree, name: str) -> bool:
    """True if udev's ata_id asked the disk."""
    record = found.records.get(name)
    return bool(record and record.properties.get("ID_ATA") == "1")


def _unopened(opened: Openers, way_out: str) -> tuple[str, ...]:
    return (f"{opened.unread}: {way_out}",) if opened.unread else ()


def _unread(found: Tree, mounted: MountClaims, looks: dict[str, Look], way_out: str) -> list[str]:
    """One sentence for each reason why disks' ends could not be read, and for each missing source.

    Where lsblk's row of a disk has no meaning, that is told already, and nothing is found by its numbers.
    """
    told = {block.name for block in found.disks if block.problem}
    reasons = by_key((look.unread, name) for name, look in looks.items() if look.unread and name not in told)
    sentences = [
        f"the ends of {_counted(names)} ({why}): {disk_content.way_to_read(why, way_out)}"
        for why, names in sorted(reasons.items())
    ]
    without_record = [block.name for block in found.disks if block.name not in {*found.records, *told}]
    if not mounted.complete:
        sentences.append("the mounts (/proc/self/mountinfo): mount /proc")
    if without_record:
        sentences.append(f"udev's record of {_counted(without_record)}: start udev, then `udevadm trigger --settle`")
    return sentences


def _counted(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} disks ({names[0]}, ...)"


# The disks of this machine with the versions of its programs. Imports late: lsblk and the programs run meanwhile.


def this_machine(*, smart: bool = False) -> Inventory:
    """The inventory of this machine without what was measured before. Raises MachineFailed as `probe` does."""
    host = SystemHost()
    host.begin(lsblk.ARGV)  # lsblk runs while Python imports the rest
    from raidtui.machine.system.versions import asked_versions  # beside lsblk

    with asked_versions() as versions:  # their programs run beside lsblk and the probe
        # beside them

        inventory = probe(host, smart=smart)
        return replace(inventory, target=versions())


def with_stored_speeds(inventory: Inventory) -> Inventory:
    """The inventory of this machine with what raidtui measured on it, where it did."""
    path = state_paths.speeds_path()
    try:
        if not path.exists():
            return inventory
    except OSError as problem:  # another user's home directory, as sudo may leave it
        unread = f"what was measured, in {path} ({(problem.strerror or '').lower()}): set HOME to your own directory"
        return replace(inventory, unread=(*inventory.unread, unread))
    from raidtui.machine.inventory import (
        measure_disks as measured_speeds,  # loads pydantic: only where something was measured
    )

    found = measured_speeds.stored(path)
    return measured_speeds.with_measured(inventory, dict(found.disks), found.machine, kernel=os.uname().release)
