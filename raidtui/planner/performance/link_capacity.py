"""User data rate of links: line rate less encoding, times the share left after protocol headers and DMA.

The shares come from `link_ceilings.csv` in tests/measured: a point and the range that was measured. PCIe 1.x x1 is
from the three cards of the 45-disk pod (140 MB/s each), PCIe 2.0 x8 from the KIPAC host, a port multiplier is the
median of 3G ones with five disks. SAS, PCIe and NVMe are full duplex, SATA is half duplex.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.inventory import Controller, Disk, Link
from raidtui.model.speed import CeilingSource
from raidtui.planner.amounts import rate

GBIT = 1_000_000_000
LANES = 4
"""default lanes of an SAS cable and of an expander's upstream port"""
LINE_RATE = 6 * GBIT
"""default bits per second of such a lane"""
_SERIAL_SHARE = 0.92
_MULTIPLIER_SHARE = (0.73, 0.53, 0.93)


@dataclass(frozen=True, slots=True)
class LinkCapacity:
    """User data rate of a link in bytes per second, with the formula it was computed by."""

    point: float
    low: float
    high: float
    source: CeilingSource
    formula: str
    unknown: str = ""
    """inputs that had to be guessed; empty if none"""


def stated_capacity(bytes_per_s: int) -> LinkCapacity:
    """Capacity of a link as stated by the admin (`--link-ceiling`)."""
    return LinkCapacity(bytes_per_s, bytes_per_s, bytes_per_s, "said", "stated")


def lane_bytes(bits_per_s: int) -> float:
    """Bytes per second of one SATA or SAS lane: 8b/10b encoding, 128b/150b above 12G."""
    return bits_per_s * 128 / 150 / 8 if bits_per_s > 12 * GBIT else bits_per_s / 10


def pcie_bytes(gigatransfers: float, lanes: int) -> float:
    """Bytes per second of a PCIe link: 8b/10b encoding up to 5 GT/s, 128b/130b above."""
    coding = 0.8 if gigatransfers <= 5 else 128 / 130
    return gigatransfers * 1e9 * coding / 8 * lanes


def pcie_share(gigatransfers: float, lanes: int) -> tuple[float, float, float]:
    """Share of a PCIe link's rate that is left for data: point, low, high."""
    if gigatransfers <= 2.5:
        return (0.56 if lanes == 1 else 0.75), 0.56, 0.80
    if gigatransfers <= 5:
        return (0.75, 0.62, 0.86) if lanes >= 8 else (0.79, 0.75, 0.86)
    share = 0.81 if gigatransfers == 16 else 0.85
    return share, share, share


def slot_capacity(controller: Controller) -> LinkCapacity | None:
    """Capacity of a controller's PCIe link; None if sysfs does not report it."""
    speed, lanes = controller.pcie_speed_gts, controller.pcie_width
    if speed is None or lanes is None:
        return None
    raw = pcie_bytes(speed, lanes)
    point, low, high = pcie_share(speed, lanes)
    return LinkCapacity(
        raw * point, raw * low, raw * high, "sysfs", f"{speed:g} GT/s x{lanes} = {rate(raw)} x {point:.2f}"
    )


def shared_capacity(link: Link, disk_bits_per_s: int | None) -> LinkCapacity:
    """Capacity of a wide port, a cable or a port multiplier's upstream port.

    Lanes or a line rate that the inventory lacks are guessed, with a band from half to double; `disk_bits_per_s`,
    negotiated by a disk below the link, is the first guess of a lane's rate.
    """
    multiplier = link.kind == "port-multiplier"
    lanes = link.lanes or (1 if multiplier else LANES)
    bits = link.bits_per_s or disk_bits_per_s or LINE_RATE
    point, low, high = _MULTIPLIER_SHARE if multiplier else (_SERIAL_SHARE,) * 3
    raw = lanes * lane_bytes(bits)
    formula = f"x{lanes} at {bits / GBIT:g}G = {rate(raw)} x {point:.2f}"
    hidden = [what for what, value in (("lanes", link.lanes), ("line rate", link.bits_per_s)) if value is None]
    if not hidden or (multiplier and hidden == ["lanes"]):
        return LinkCapacity(raw * point, raw * low, raw * high, "sysfs", formula)
    unknown = f"{' and '.join(hidden)} of {link.name}, assumed {formula}"
    return LinkCapacity(raw * point, raw * low / 2, raw * high * 2, "guess", formula, unknown)


def disk_capacity(disk: Disk, controller: Controller | None) -> float | None:
    """Bytes per second of a disk's own link (NVMe: its PCIe link); None if unknown. Paths in use add up."""
    if disk.transport == "nvme":
        slot = slot_capacity(controller) if controller else None
        if slot is not None:
            return slot.point
        return disk.link_bits_per_s / 8 * (128 / 130) * 0.81 if disk.link_bits_per_s else None
    rates = [way.link_bits_per_s for way in disk.ways]
    return sum(lane_bytes(rate or 0) for rate in rates) * _SERIAL_SHARE if all(rates) else None
