"""Disks as an admin states them: a purchase as an inventory, disks by name (--only), geometries of LUNs (--lun).

A purchase is written `60x2TB`, `2x1TB,1x250GB`, `12xST4000DM000`, `4x4TB@5400`, `8x8TB@SMR`, `2x400GB@SSD`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidtui.predict.disks.families import Family, family_of, like_model
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Disk, Inventory, Lun
from raidtui.values.location import short_slot
from raidtui.values.safe import safe
from raidtui.values.units import (
    LEAST_DISK,
    LONGEST_NUMBER,
    MOST_DISK,
    MOST_DISKS,
    decimal_size,
    exact_binary,
    parse_binary_size,
    parse_nominal_size,
    parse_rate,
    round_down,
)

_ENTRY = re.compile(r"(?:(\d+)\s*[x×*]\s*)?(.+)", re.IGNORECASE | re.DOTALL)
_SECTORS = (512, 4096)
_PCIE_BITS = {3: 8_000_000_000, 4: 16_000_000_000, 5: 32_000_000_000, 6: 64_000_000_000}
"""bits per second of a lane, by generation"""
_LANES = (1, 2, 4, 8, 16)
_HINT = "write COUNTxSIZE, for example 60x2TB or 2x1TB,1x250GB"
_LIKE_HINT = "write what is known behind the size: 4x4TB@5400 (rpm), 4x8TB@SMR, 2x1TB@SSD, or a model, 12xST4000DM000"
_RPM = range(3600, 15001)
_MODEL = re.compile(r"[A-Z][A-Z0-9-]{3,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bought:
    """One disk as it was written."""

    size: int = 0
    rounded: str = ""
    """the size as it was written, where it was rounded"""
    model: str | None = None
    rpm: int | None = None
    smr: bool = False
    rotational: bool | None = None
    """None: as the options say"""
    link_bits_per_s: int | None = None
    """of an NVMe drive, on its own PCIe link; None: as the options say"""

    @property
    def text(self) -> str:
        """`4.00 TB, 5400 rpm`."""
        known = [self.model, f"{self.rpm} rpm" if self.rpm and not self.model else "", "SMR" if self.smr else ""]
        known += ["NVMe"] if self.link_bits_per_s else ["SSD"] if self.rotational is False and not self.model else []
        return ", ".join((decimal_size(self.size), *(word for word in known if word)))


def purchase(
    text: str, *, rotational: bool | None = True, sector: int = 512, nvme_bits_per_s: int | None = None
) -> Inventory:
    """The disks listed in `text`, in its order and blank.

    `2TB` is decimal as on labels, `2TiB` binary, a bare number bytes. A model of the table of families stands for its
    size, or behind `@` for what is known of a disk, as `@5400` (rpm), `@SMR`, `@SSD` and `@4x4` (an
    NVMe drive, see `nvme_link`) do. `sector` is the logical sector size
    in bytes; a size of no whole sectors is rounded down to them, and the disk keeps it as written in `nominal_size`.
    `nvme_bits_per_s` makes them NVMe drives, each on a link of that line rate. Raises BadInput that names the invalid
    entry.
    """
    if sector not in _SECTORS:
        raise BadInput(
            f"invalid sector size {sector}: expected 512 or 4096 bytes", hint="use --sector 512 or --sector 4096"
        )
    bought: list[_Bought] = []
    for entry in text.split(","):
        bought += _entry(entry.strip(), sector)
        if len(bought) > MOST_DISKS:
            break
    if len(bought) > MOST_DISKS:
        raise BadInput(f"more than {MOST_DISKS} disks; the limit is {MOST_DISKS} per plan", hint=_HINT)
    flash = rotational is False or nvme_bits_per_s is not None
    for each in bought:
        if each.rotational is False and (each.rpm or each.smr):
            raise BadInput(f"{each.text}: a rotating disk is no SSD", hint=_LIKE_HINT)
        if flash and (each.rpm or each.smr):
            raise BadInput(f"{each.text}: a rotating disk, but --ssd or --nvme is given", hint="remove that option")
    links = [each.link_bits_per_s or nvme_bits_per_s for each in bought]
    width = max(2, len(str(len(bought))))
    disks = tuple(
        Disk(
            id=f"purchase-{number:0{width}d}",
            by_id=(f"purchase-{number:0{width}d}",),
            size_bytes=each.size,
            nominal_size=each.rounded,
            model=each.model,
            logical_sector_bytes=sector,
            physical_sector_bytes=sector,
            rotational=False if flash else rotational if each.rotational is None else each.rotational,
            rpm=each.rpm,
            smr=each.smr,
            transport=None if link is None else "nvme",
            link_bits_per_s=link,
            state="blank",
        )
        for number, (each, link) in enumerate(zip(bought, links, strict=True), 1)
    )
    return Inventory(origin="purchase", name="purchase", title=_title([each.text for each in bought]), disks=disks)


def nvme_link(text: str) -> int:
    """Line rate in bits per second of a PCIe link written `4x4`: generation and lanes. Raises BadInput."""
    match = re.fullmatch(r"([0-9])\s*[x×]\s*([0-9]{1,2})", text)
    generation, lanes = (int(part) for part in match.groups()) if match else (0, 0)
    if generation not in _PCIE_BITS or lanes not in _LANES:
        raise BadInput(
            f"invalid link '{text[:LONGEST_NUMBER]}' of an NVMe drive: expected generation 3 to 6, lanes 1 to 16",
            hint="write GENxLANES, for example 4x4",
        )
    return _PCIE_BITS[generation] * lanes


def _entry(entry: str, sector: int) -> list[_Bought]:
    """Each disk of one entry."""
    if not entry:
        raise BadInput("empty entry in the list of disks", hint=_HINT)
    match = _ENTRY.fullmatch(entry)
    count_text, what = match.groups() if match else (None, entry)
    if count_text and len(count_text) > LONGEST_NUMBER:
        raise BadInput(f"'{entry[:LONGEST_NUMBER]}...' has a count with too many digits", hint=_HINT)
    count = int(count_text) if count_text else 1
    if count == 0:
        raise BadInput(f"'{entry}': the count must be at least 1", hint=_HINT)
    if count > MOST_DISKS:
        raise BadInput(f"'{entry}': {count} disks exceed the limit of {MOST_DISKS} per plan", hint=_HINT)
    main, *marks = (part.strip() for part in what.split("@"))
    bought = _of_model(entry, main, sector) if _MODEL.fullmatch(main.upper()) else _of_size(entry, main, sector)
    for mark in marks:
        bought = _marked(entry, bought, mark)
    return [bought] * count


def _of_size(entry: str, text: str, sector: int) -> _Bought:
    try:
        size, rounded = parse_nominal_size(text, sector)
    except ValueError as problem:
        turned = re.fullmatch(r"(\d[^x×*]*)[x×*]\s*(\d{1,5})", text, re.IGNORECASE)
        hint = f"the count stands first: {turned[2]}x{turned[1].strip()}" if turned else _HINT
        raise BadInput(f"'{entry}': {problem}", hint=hint) from problem
    if size < LEAST_DISK:
        raise BadInput(f"'{entry}': {text} is too small for a disk; check the unit", hint=_HINT)
    if size > MOST_DISK:
        raise BadInput(f"'{entry}': the disk size exceeds the limit of {exact_binary(MOST_DISK)}", hint=_HINT)
    return _Bought(size=size, rounded=text if rounded else "")


def _of_model(entry: str, text: str, sector: int) -> _Bought:
    """A disk whose model says its size."""
    family = _known(entry, text)
    if family.size_bytes is None:
        raise BadInput(
            f"'{entry}': {family.name} ({family.prefix}) has several sizes", hint=f"write the size: 4TB@{family.prefix}"
        )
    return _with_family(_Bought(size=round_down(family.size_bytes, sector)), text, family)


def _marked(entry: str, bought: _Bought, mark: str) -> _Bought:
    """`bought` with what stands behind an `@`: rpm, SMR, SSD, the link of an NVMe drive, or a model."""
    if mark.upper() == "SMR":
        return replace(bought, smr=True)
    if mark.upper() == "SSD":
        return replace(bought, rotational=False)
    if re.fullmatch(r"[0-9]+[x×][0-9]+", mark):
        return replace(bought, rotational=False, link_bits_per_s=nvme_link(mark))
    if mark.isdecimal() and len(mark) <= LONGEST_NUMBER:
        if int(mark) not in _RPM:
            raise BadInput(f"'{entry}': {mark} rpm: expected {_RPM[0]} to {_RPM[-1]}", hint=_LIKE_HINT)
        return replace(bought, rpm=int(mark), rotational=bought.rotational is not False)
    if not _MODEL.fullmatch(mark.upper()):
        raise BadInput(f"'{entry}': expected rpm, SMR, SSD or a model behind @, found '{mark[:40]}'", hint=_LIKE_HINT)
    return _with_family(bought, mark, _known(entry, mark))


def _with_family(bought: _Bought, model: str, family: Family) -> _Bought:
    rpm = bought.rpm or family.rpm
    shingled = bought.smr or family.shingled
    return replace(bought, model=model.upper(), rpm=rpm, smr=shingled, rotational=family.rotational)


def _known(entry: str, model: str) -> Family:
    """The family of a model; raises BadInput for one that the table lacks."""
    family = family_of(model)
    if family is None:
        like = like_model(model)
        meant = f"; did you mean {like}?" if like else ""
        raise BadInput(f"'{entry}': the table of disks has no model '{model}'{meant}", hint=_LIKE_HINT)
    return family


def _title(texts: list[str]) -> str:
    """`2 x 1.00 TB, 1 x 250 GB`: runs of equal disks."""
    runs: list[tuple[str, int]] = []
    for text in texts:
        if runs and runs[-1][0] == text:
            runs[-1] = (text, runs[-1][1] + 1)
        else:
            runs.append((text, 1))
    return "what if: " + ", ".join(f"{count} x {text}" for text, count in runs)


# Selection of the inventory's disks that a layout may use (`--only`, `--exclude`).


def choose_disks(
    inventory: Inventory, *, only: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> tuple[Disk, ...]:
    """The selected disks, in the inventory's order.

    Without `only`: every selectable blank disk. With `only`: exactly the named disks, including disks with content;
    reasons against their use are findings of the prediction. A name is an identity, WWN, serial, slot, also as screens
    shorten it, or kernel name.
    Raises BadInput if a name matches no disk or several.
    """
    chosen = [named_disk(inventory, name) for name in only] if only else list(inventory.free)
    left_out = {id(named_disk(inventory, name)) for name in exclude}
    wanted = {id(disk) for disk in chosen} - left_out
    return tuple(disk for disk in inventory.disks if id(disk) in wanted)


def named_disk(inventory: Inventory, name: str) -> Disk:
    """The one disk with this identity, WWN, serial, slot, kernel name or path. Raises BadInput if there is not one."""
    found = [disk for disk in inventory.disks if name in _names(disk)]
    if len(found) == 1:
        return found[0]
    for disk in inventory.disks:
        if disk.multipath and name in {path.kernel_name for path in disk.multipath.paths}:
            raise BadInput(
                f"{name} is a path of the multipath map {safe(disk.multipath.name)}",
                hint=f"name the disk itself: {safe(disk.id)}",
            )
    if not found:
        raise BadInput(
            f"no disk matches '{name}'", hint="use a slot, name, serial or identity as listed by raidtui disks"
        )
    raise BadInput(
        f"'{name}' matches {len(found)} disks", hint="use the identity, which is unique: raidtui disks --json"
    )


def _names(disk: Disk) -> tuple[str, ...]:
    joined = disk.multipath.name if disk.multipath else ""
    slot = disk.place.slot or ""
    names = (disk.id, disk.wwn, disk.serial, slot, short_slot(slot), disk.kernel_name, disk.path, joined)
    return tuple(name for name in names if name)


# Geometries of LUNs as the admin states them: `12+2,256K`, `sdb=12+2,256K,130MB/s`.


_LUN_HINT = "write [DEVICE=]DATA+PARITY,CHUNK[,RATE of one drive], for example sdb=12+2,256K or 12+2,256K,130MB/s"


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
        raise BadInput(f"--lun: '{text[:60]}' is not the geometry of a LUN", hint=_LUN_HINT)
    try:
        chunk = parse_binary_size(rest[0])
        rate = parse_rate(rest[1]) if len(rest) == 2 else None
    except ValueError as problem:
        raise BadInput(f"--lun: {problem}", hint=_LUN_HINT) from problem
    data, parity = (int(number) for number in match.groups())
    lun = Lun(data=data, parity=parity, chunk_bytes=chunk, drive_bytes_per_s=rate)
    if lun.out_of_range:
        raise BadInput(f"--lun: {lun.out_of_range}", hint=_LUN_HINT)
    return lun
