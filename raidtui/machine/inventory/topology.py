"""Places and links of disks: controllers, expanders, port multipliers, enclosures, from sysfs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.capture import Noting
from raidtui.machine.inventory.identity import different_disks
from raidtui.machine.system.ports import Host, Ran
from raidtui.programs import multipath, sysfs, udevdb
from raidtui.programs.lsblk import BlockDevice
from raidtui.programs.sysfs import SysfsPath, device_state_path
from raidtui.values.inventory import Controller, DiskPath, Link, Multipath, PathState, Place

_ENCLOSURES = "/sys/class/enclosure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """The place of one disk and the speed of the link next to it."""

    place: Place
    link_bits_per_s: int | None


NOWHERE = Seat(place=Place(), link_bits_per_s=None)
"""of a disk whose place is not known"""


def seats(host: Host, tree: Tree) -> dict[str, Seat]:
    """Place and link of every disk, by kernel name. What cannot be read of them hides no user of a disk."""
    beside = Noting.of(host).beside()
    slots = _slots(beside)
    ports: dict[str, tuple[str, ...]] = {}
    return {
        block.name: beside.tried(
            f"the place of {block.name}", partial(_seat, beside, tree, block, slots, ports), NOWHERE
        )
        for block in tree.disks
    }


def _seat(
    host: Host, tree: Tree, block: BlockDevice, slots: dict[str, tuple[str, str]], ports: dict[str, tuple[str, ...]]
) -> Seat:
    way = sysfs.sysfs_path(tree.ways.get(block.name, ""))
    if way.nvme_subsystem:
        way = _through_subsystem(host, way)
    if way.sas_port:
        return _sas(host, way, slots)
    if way.ata_port:
        return _ata(host, way, slots, ports)
    if block.name.startswith("nvme") and way.pci:
        return Seat(place=Place(controller=way.pci), link_bits_per_s=_pcie_link(host, way.pci))
    enclosure, slot = slots.get(way.scsi or "", (None, None))
    return Seat(place=Place(controller=way.pci, enclosure=enclosure, slot=slot), link_bits_per_s=None)


def controllers(host: Host, found: dict[str, Seat]) -> tuple[Controller, ...]:
    """Every controller with a disk, by address."""
    beside = Noting.of(host).beside()
    return tuple(
        beside.tried(f"the controller {pci}", partial(_controller, beside, pci), Controller(pci=pci))
        for pci in sorted({seat.place.controller or "" for seat in found.values()} - {""})
    )


def links(host: Host, tree: Tree, found: dict[str, Seat]) -> tuple[Link, ...]:
    """Every link that disks share below their controllers: wide ports of expanders, ports of port multipliers."""
    beside = Noting.of(host).beside()
    shared: dict[str, Link] = {}
    for name, seat in found.items():
        above = None
        for expander, port in sysfs.expanders(tree.ways.get(name, "")):
            if expander not in shared:
                shared[expander] = _wide_port(beside, expander, port, above)
            above = expander
        multiplier = seat.place.expander or ""
        if multiplier.endswith(".pmp") and multiplier not in shared:
            number = multiplier.removeprefix("ata").removesuffix(".pmp")
            rate = sysfs.bits_per_s(_line(beside, f"/sys/class/ata_link/link{number}/sata_spd"))
            shared[multiplier] = Link(name=multiplier, kind="port-multiplier", lanes=1, bits_per_s=rate)
    return tuple(shared[name] for name in sorted(shared))


def _wide_port(host: Host, expander: str, port: str, above: str | None) -> Link:
    """The lanes of `port` and the slowest rate any of them negotiated."""
    lanes = [name for name in host.names(port) if name.startswith("phy-")]
    rates = [sysfs.bits_per_s(_line(host, f"/sys/class/sas_phy/{lane}/negotiated_linkrate")) for lane in lanes]
    return Link(
        name=expander,
        kind="expander",
        lanes=len(lanes) or None,
        bits_per_s=min((rate for rate in rates if rate), default=None),
        above=above,
    )


def _sas(host: Host, way: SysfsPath, slots: dict[str, tuple[str, str]]) -> Seat:
    phys = [name for name in host.names(way.sas_port or "") if name.startswith("phy-")]
    rates = [sysfs.bits_per_s(_line(host, f"/sys/class/sas_phy/{phy}/negotiated_linkrate")) for phy in phys[:1]]
    device = f"/sys/class/sas_device/{way.sas_device}"
    enclosure, slot = slots.get(way.scsi or "", (None, None))
    if slot is None:
        enclosure, slot = _line(host, f"{device}/enclosure_identifier"), _line(host, f"{device}/bay_identifier")
    place = Place(
        controller=way.pci,
        expander=way.expander,
        port=phys[0] if phys else None,
        enclosure=enclosure,
        slot=slot,
    )
    return Seat(place=place, link_bits_per_s=rates[0] if rates else None)


def _ata(host: Host, way: SysfsPath, slots: dict[str, tuple[str, str]], ports: dict[str, tuple[str, ...]]) -> Seat:
    """Behind a port multiplier the links of port ata3 are link3.0, link3.1, ...; otherwise link3 alone."""
    port = way.ata_port or ""
    name = port.rpartition("/")[2]
    number = name.removeprefix("ata")
    if port not in ports:
        ports[port] = host.names(port)
    multiplied = f"link{number}.{way.channel}"
    behind = multiplied in ports[port]
    link = multiplied if behind else f"link{number}"
    enclosure, slot = slots.get(way.scsi or "", (None, None))
    return Seat(
        place=Place(
            controller=way.pci,
            expander=f"{name}.pmp" if behind else None,
            port=f"{name}.{way.channel}" if behind else name,
            enclosure=enclosure,
            slot=slot,
        ),
        link_bits_per_s=sysfs.bits_per_s(_line(host, f"/sys/class/ata_link/{link}/sata_spd")),
    )


def _through_subsystem(host: Host, way: SysfsPath) -> SysfsPath:
    """The way over the first controller of an NVMe subsystem."""
    names = host.names(way.nvme_subsystem or "")
    first = next((name for name in names if name.startswith("nvme") and name.removeprefix("nvme").isdigit()), None)
    return way if first is None else sysfs.sysfs_path(host.link(f"/sys/class/nvme/{first}") or "")


def _pcie_link(host: Host, pci: str) -> int | None:
    """Line rate of all lanes together, bits per second."""
    device = f"/sys/bus/pci/devices/{pci}"
    speed = sysfs.gigatransfers(_line(host, f"{device}/current_link_speed"))
    width = _line(host, f"{device}/current_link_width")
    lanes = sysfs.count(width)
    return round(speed * 1_000_000_000) * lanes if speed and lanes else None


def _controller(host: Host, pci: str) -> Controller:
    device = f"/sys/bus/pci/devices/{pci}"
    driver = host.link(f"{device}/driver")
    record = host.text(udevdb.pci_path(pci))
    words = udevdb.parse(record).properties if record else {}
    name = " ".join(words[key] for key in ("ID_VENDOR_FROM_DATABASE", "ID_MODEL_FROM_DATABASE") if key in words)
    return Controller(
        pci=pci,
        driver=driver.rpartition("/")[2] if driver else None,
        name=name or None,
        pcie_speed_gts=sysfs.gigatransfers(_line(host, f"{device}/current_link_speed")),
        pcie_width=_count(_line(host, f"{device}/current_link_width")),
        pcie_max_speed_gts=sysfs.gigatransfers(_line(host, f"{device}/max_link_speed")),
        pcie_max_width=_count(_line(host, f"{device}/max_link_width")),
    )


def _count(text: str | None) -> int | None:
    """A number of lanes; None where the bus has none (0, or 255 on virtual ones)."""
    lanes = sysfs.count(text)
    return lanes if lanes is not None and 0 < lanes < 255 else None


def _slots(host: Host) -> dict[str, tuple[str, str]]:
    """Enclosure and bay of each SCSI device that an enclosure's SES page names, by its sysfs directory."""
    found = {}
    for enclosure in host.names(_ENCLOSURES):
        top = f"{_ENCLOSURES}/{enclosure}"
        identity = _line(host, f"{top}/id") or enclosure
        for bay in host.names(top):
            target = host.link(f"{top}/{bay}/device")
            if target and bay not in ("device", "power", "subsystem"):
                found[_device_directory(host, top, bay, target)] = (identity, bay)
    return found


def _device_directory(host: Host, top: str, bay: str, target: str) -> str:
    """Absolute path of the relative link `target`, which starts at the bay's real directory."""
    real = host.link(top) or ""
    base = ["sys", *[part for part in real.split("/") if part != ".."], bay] if real else []
    for part in target.split("/"):
        base = base[:-1] if part == ".." else [*base, part]
    return "/" + "/".join(base)


def _line(host: Host, path: str) -> str | None:
    return sysfs.word(host.text(path)) or None


# Multipath maps with their paths: names and places from the kernel, states and policy from device-mapper.


NO_PATH = "none of its paths works"
"""why a map was not read: a read may wait until one works again"""


def read(host: Noting, tree: Tree, seats: dict[str, Seat]) -> dict[str, Multipath]:
    """The map of each multipath disk, by kernel name; without root the state of paths and the policy are not known."""
    maps = [block for block in tree.disks if block.type == "mpath"]
    if not maps:
        return {}
    states = multipath.states(_output(host, multipath.STATUS))
    policies = multipath.policies(_output(host, multipath.TABLE))

    def path(below: BlockDevice) -> DiskPath:
        works, used = states.get(below.number, (None, None))
        state: PathState | None = None if works is None else "active" if works else "failed"
        if (host.about(below.name).text(device_state_path(below.name)) or "running").strip() != "running":
            state = "offline"
        seat = seats.get(below.name, NOWHERE)
        return DiskPath(
            kernel_name=below.name, hctl=below.hctl, state=state, used=used, place=seat.place,
            link_bits_per_s=seat.link_bits_per_s,
        )  # fmt: skip

    found = {}
    for block in maps:
        paths = _paths(tree, block.name)
        selectors = {policies.get(below.number) for below in paths}
        record = tree.records.get(block.name)
        found[block.name] = Multipath(
            name=record.properties.get("DM_NAME", block.name) if record else block.name,
            paths=tuple(map(path, paths)),
            policy=selectors.pop() if len(selectors) == 1 else None,
        )
    return found


def _paths(tree: Tree, name: str) -> list[BlockDevice]:
    """The devices below the map `name` that lsblk or the kernel lists, by kernel name."""
    below = (lower for lower, uppers in sorted(tree.above.items()) if name in uppers)
    return [tree.blocks[lower] for lower in below if lower in tree.blocks]


def joined_disks(tree: Tree, name: str) -> str:
    """Serial numbers of paths of the map `name` that certainly are different disks; empty if they may be one."""
    for one in (paths := _paths(tree, name)):
        if other := next((each for each in paths if each is not one and different_disks(tree, one, each)), None):
            return " and ".join(each.serial or f"none and {each.size} bytes" for each in (one, other))
    return ""


def seat_of(found: Multipath) -> Seat:
    """Place and link of the disk: those of the first path that requests go to; bay and link where all paths agree.

    A map that its last path left has none.
    """
    first = next(iter((*found.carrying, *found.paths)), None)
    if first is None:
        return NOWHERE
    bays = {(path.place.enclosure, path.place.slot) for path in found.paths}
    enclosure, slot = bays.pop() if len(bays) == 1 else (None, None)
    rates = {path.link_bits_per_s for path in found.carrying}
    return Seat(
        place=replace(first.place, enclosure=enclosure, slot=slot),
        link_bits_per_s=rates.pop() if len(rates) == 1 else None,
    )


def _output(host: Noting, argv: tuple[str, ...]) -> str:
    nothing: Ran | None = None
    ran = host.beside().tried("states of multipath paths", lambda: host.run(argv), nothing)
    return "" if ran is None else ran.stdout
