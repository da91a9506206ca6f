"""Geometries of LUNs as the admin states them: `12+2,256K`, `sdb=12+2,256K,130MB/s`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from raidtui.model.errors import BadInput
from raidtui.model.inventory import Inventory, Lun
from raidtui.model.units import parse_binary_size, parse_rate
from raidtui.planner.design.choose_disks import named_disk

_HINT = "write [DEVICE=]DATA+PARITY,CHUNK[,RATE of one drive], for example sdb=12+2,256K or 12+2,256K,130MB/s"


def with_luns(inventory: Inventory, stated: Sequence[str]) -> Inventory:
    """`inventory` with the geometry of its LUNs: of the named device, without a name of every disk that is free.

    A later statement replaces an earlier one. Raises BadInput for a text that is no geometry, or a device that is none.
    """
    luns = {disk.id: disk.lun for disk in inventory.disks}
    for text in stated:
        name, sign, geometry = text.rpartition("=")
        lun = read_lun(geometry)
        targets = (named_disk(inventory, name.strip()),) if sign else inventory.free
        luns |= {disk.id: lun for disk in targets}
    return replace(inventory, disks=tuple(replace(disk, lun=luns[disk.id]) for disk in inventory.disks))


def read_lun(text: str) -> Lun:
    """The geometry written as `text`. Raises BadInput."""
    shape, *rest = (part.strip() for part in text.split(","))
    match = re.fullmatch(r"(\d{1,3})\s*\+\s*([012])", shape)
    if match is None or len(rest) not in (1, 2):
        raise BadInput(f"--lun: '{text[:60]}' is not the geometry of a LUN", hint=_HINT)
    try:
        chunk = parse_binary_size(rest[0])
        rate = parse_rate(rest[1]) if len(rest) == 2 else None
    except ValueError as problem:
        raise BadInput(f"--lun: {problem}", hint=_HINT) from problem
    data, parity = (int(number) for number in match.groups())
    lun = Lun(data=data, parity=parity, chunk_bytes=chunk, drive_bytes_per_s=rate)
    if lun.out_of_range:
        raise BadInput(f"--lun: {lun.out_of_range}", hint=_HINT)
    return lun
