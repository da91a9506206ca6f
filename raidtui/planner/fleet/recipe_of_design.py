"""A design as a recipe: everything but its disks, which become a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from raidtui.model.alert import NOBODY, Alert
from raidtui.model.assumptions import Assumptions, defaults_for
from raidtui.model.choices import Initramfs
from raidtui.model.counted import counted
from raidtui.model.design import DEFAULT_CHUNK, Design
from raidtui.model.errors import Refused
from raidtui.model.fleet.recipe import DiskRule, Recipe, Stated
from raidtui.model.inventory import Disk, Inventory, Lun
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.text_values import BinarySize, ByteRate, DecimalSize, LayoutText
from raidtui.planner.design.options import UNDECIDED, in_recipe
from raidtui.planner.fleet.recipe_parts import fits
from raidtui.tools.mkfs_options import ext4_words, xfs_words


class DesignRecipe(NamedTuple):
    """A recipe, and what of the design it does not hold."""

    recipe: Recipe
    lost: tuple[str, ...]
    """sentences"""


def recipe_of_design(
    design: Design,
    inventory: Inventory,
    disks: Sequence[Disk],
    *,
    spread: bool,
    assumptions: Assumptions,
    alert: Alert | None,
    name: str,
    mount_point: str,
    initramfs: Initramfs,
) -> DesignRecipe:
    """The recipe that gives hosts like that of `inventory` the same design; `disks` are those that it may use.

    Versions of the target are left out: each host's own count. Raises Refused for LUNs of unlike geometry.
    """
    rule = _rule(inventory, disks)
    who = alert or NOBODY
    recipe = Recipe(
        layout=LayoutText(design.layout),
        chunk=None if design.chunk_bytes == DEFAULT_CHUNK else BinarySize(design.chunk_bytes),
        metadata=design.metadata,
        bitmap=design.bitmap,
        bitmap_chunk=_size(design.bitmap_chunk_bytes),
        data_offset=_size(design.data_offset_bytes),
        consistency_policy="ppl" if design.ppl else None,
        members="partitions" if design.partitions else None,
        partition_size=_partition_size(design),
        stack=design.stack,
        fs=design.fs,
        mkfs=_mkfs(design) or None,
        mount_options=",".join(option.text for option in design.options.mount) or None,
        name=name,
        mount=None if mount_point == f"/srv/{name}" else mount_point,
        mail=who.mail or None,
        alert_program=who.program or None,
        read_ahead=_size(design.read_ahead_bytes),
        io_scheduler=design.io_scheduler,
        queue_depth=design.queue_depth,
        first_sync=design.first_sync,
        initramfs=initramfs,
        spread=spread,
        lun=_lun(disks),
        disks=None if rule == DiskRule() else rule,
        assumptions=_stated(assumptions, disks),
    )
    return DesignRecipe(recipe, tuple(_lost(inventory, disks, rule)))


def _size(count: int | None) -> BinarySize | None:
    return None if count is None else BinarySize(count)


def _partition_size(design: Design) -> DecimalSize | None:
    size = design.partitions.size_bytes if design.partitions else None
    return None if size is None else DecimalSize(size)


def _mkfs(design: Design) -> str:
    if design.fs == "none":
        return ""
    return xfs_words(design.options.xfs) if design.fs == "xfs" else ext4_words(design.options.ext4)


def _stated(assumptions: Assumptions, disks: Sequence[Disk]) -> Stated | None:
    """What differs from the defaults for these disks."""
    decided, defaults = (replace(UNDECIDED, assumptions=each) for each in (assumptions, defaults_for(disks)))
    said = {option.key: in_recipe(option, decided, defaults) for option in ASSUMPTIONS}
    return Stated(**said) if any(value is not None for value in said.values()) else None


def _rule(inventory: Inventory, disks: Sequence[Disk]) -> DiskRule:
    """The weakest rule that tells `disks` from the free disks that were left out, as far as kind and size can."""
    used = {disk.id for disk in disks}
    others = [disk for disk in inventory.free if disk.id not in used]
    kinds, sizes = {disk.rotational for disk in disks}, [disk.size_bytes for disk in disks]
    if not others or not sizes:
        return DiskRule()
    kind = kinds.pop() if len(kinds) == 1 else None
    return DiskRule(
        rotational=kind if any(disk.rotational is not kind for disk in others) else None,
        at_least=DecimalSize(min(sizes)) if any(disk.size_bytes < min(sizes) for disk in others) else None,
        at_most=DecimalSize(max(sizes)) if any(disk.size_bytes > max(sizes) for disk in others) else None,
    )


def _lost(inventory: Inventory, disks: Sequence[Disk], rule: DiskRule) -> list[str]:
    used, free = {disk.id for disk in disks}, {disk.id for disk in inventory.free}
    held = sum(disk.id not in free for disk in disks)
    kept = sum(disk.id not in used and fits(rule, disk) for disk in inventory.free)
    lost = []
    if held:
        lost.append(f"{counted(held, 'disk')} with content: a recipe uses free disks only")
    if kept:
        lost.append(f"{counted(kept, 'disk')} left out one by one: a recipe names no disk")
    return lost


def _lun(disks: Sequence[Disk]) -> str | None:
    luns = {disk.lun for disk in disks}
    if len(luns) > 1:
        raise Refused("the LUNs differ in geometry, and a recipe has one for all", hint="use LUNs of one geometry")
    lun = luns.pop() if luns else None
    return None if lun is None else _lun_text(lun)


def _lun_text(lun: Lun) -> str:
    drive = f",{ByteRate(lun.drive_bytes_per_s)}" if lun.drive_bytes_per_s is not None else ""
    return f"{lun.data}+{lun.parity},{BinarySize(lun.chunk_bytes)}{drive}"
