"""A planned purchase as an inventory: `60x2TB`, `2x1TB,1x250GB`."""

from __future__ import annotations

import re

from raidtui.model.errors import BadInput
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.ranges import LEAST_DISK, LONGEST_NUMBER, MOST_DISK, MOST_DISKS
from raidtui.model.units import decimal_size, exact_binary, parse_nominal_size

_ENTRY = re.compile(r"(?:(\d+)\s*[x×*]\s*)?(.+)", re.IGNORECASE | re.DOTALL)
_SECTORS = (512, 4096)
_PCIE_BITS = {3: 8_000_000_000, 4: 16_000_000_000, 5: 32_000_000_000, 6: 64_000_000_000}
"""bits per second of a lane, by generation"""
_LANES = (1, 2, 4, 8, 16)
_HINT = "write COUNTxSIZE, for example 60x2TB or 2x1TB,1x250GB"


def purchase(
    text: str, *, rotational: bool | None = True, sector: int = 512, nvme_bits_per_s: int | None = None
) -> Inventory:
    """The disks listed in `text`, in its order and blank.

    `2TB` is decimal as on labels, `2TiB` binary, a bare number bytes. `sector` is the logical sector size in bytes;
    a size of no whole sectors is rounded down to them, and the disk keeps it as written in `nominal_size`.
    `nvme_bits_per_s` makes them NVMe drives, each on a link of that line rate. Raises BadInput that names the invalid
    entry.
    """
    if sector not in _SECTORS:
        raise BadInput(
            f"invalid sector size {sector}: expected 512 or 4096 bytes", hint="use --sector 512 or --sector 4096"
        )
    sizes: list[tuple[int, str]] = []
    for entry in text.split(","):
        sizes += _entry(entry.strip(), sector)
        if len(sizes) > MOST_DISKS:
            break
    if len(sizes) > MOST_DISKS:
        raise BadInput(f"more than {MOST_DISKS} disks; the limit is {MOST_DISKS} per plan", hint=_HINT)
    width = max(2, len(str(len(sizes))))
    disks = tuple(
        Disk(
            id=f"purchase-{number:0{width}d}",
            by_id=(f"purchase-{number:0{width}d}",),
            size_bytes=size,
            nominal_size=nominal,
            logical_sector_bytes=sector,
            physical_sector_bytes=sector,
            rotational=rotational if nvme_bits_per_s is None else False,
            transport=None if nvme_bits_per_s is None else "nvme",
            link_bits_per_s=nvme_bits_per_s,
            state="blank",
        )
        for number, (size, nominal) in enumerate(sizes, 1)
    )
    return Inventory(origin="purchase", name="purchase", title=_title([size for size, _ in sizes]), disks=disks)


def nvme_link(text: str) -> int:
    """Line rate in bits per second of a PCIe link written `4x4`: generation and lanes. Raises BadInput."""
    match = re.fullmatch(r"([0-9])\s*[x×]\s*([0-9]{1,2})", text)
    generation, lanes = (int(part) for part in match.groups()) if match else (0, 0)
    if generation not in _PCIE_BITS or lanes not in _LANES:
        raise BadInput(
            f"--nvme: invalid link '{text[:LONGEST_NUMBER]}': expected generation 3 to 6, lanes 1 to 16",
            hint="write GENxLANES, for example 4x4",
        )
    return _PCIE_BITS[generation] * lanes


def _entry(entry: str, sector: int) -> list[tuple[int, str]]:
    """(bytes, size as written where it was rounded) of each disk in one entry."""
    if not entry:
        raise BadInput("empty entry in the list of disks", hint=_HINT)
    match = _ENTRY.fullmatch(entry)
    count_text, size_text = match.groups() if match else (None, entry)
    if count_text and len(count_text) > LONGEST_NUMBER:
        raise BadInput(f"'{entry[:LONGEST_NUMBER]}...' has a count with too many digits", hint=_HINT)
    count = int(count_text) if count_text else 1
    if count == 0:
        raise BadInput(f"'{entry}': the count must be at least 1", hint=_HINT)
    if count > MOST_DISKS:
        raise BadInput(f"'{entry}': {count} disks exceed the limit of {MOST_DISKS} per plan", hint=_HINT)
    try:
        size, rounded = parse_nominal_size(size_text, sector)
    except ValueError as problem:
        raise BadInput(f"'{entry}': {problem}", hint=_HINT) from problem
    if size < LEAST_DISK:
        raise BadInput(f"'{entry}': {size_text.strip()} is too small for a disk; check the unit", hint=_HINT)
    if size > MOST_DISK:
        raise BadInput(f"'{entry}': the disk size exceeds the limit of {exact_binary(MOST_DISK)}", hint=_HINT)
    return [(size, size_text.strip() if rounded else "")] * count


def _title(sizes: list[int]) -> str:
    """`2 x 1.00 TB, 1 x 250 GB`: runs of equal sizes."""
    runs: list[tuple[int, int]] = []
    for size in sizes:
        if runs and runs[-1][1] == size:
            runs[-1] = (runs[-1][0] + 1, size)
        else:
            runs.append((1, size))
    return "what if: " + ", ".join(f"{count} x {decimal_size(size)}" for count, size in runs)
