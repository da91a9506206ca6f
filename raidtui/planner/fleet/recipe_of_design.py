"""A design as a recipe: everything but its disks, which become a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from raidtui.model.assumptions import defaults_for
from raidtui.model.choices import Initramfs
from raidtui.model.counted import counted
from raidtui.model.decision import Decision
from raidtui.model.errors import Refused
from raidtui.model.fleet.recipe import DiskRule, Recipe, Stated
from raidtui.model.inventory import Disk, Inventory, Lun
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.options.design import PLANNED
from raidtui.model.text_values import BinarySize, ByteRate, DecimalSize, LayoutText
from raidtui.planner.design.options import UNDECIDED, in_recipe
from raidtui.planner.fleet.recipe_parts import fits


class DesignRecipe(NamedTuple):
    """A recipe, and what of the design it does not hold."""

    recipe: Recipe
    lost: tuple[str, ...]
    """sentences"""


def recipe_of_design(
    decision: Decision, inventory: Inventory, disks: Sequence[Disk], *, initramfs: Initramfs
) -> DesignRecipe:
    """The recipe that gives hosts like that of `inventory` the same design; `disks` are those that it may use.

    Versions of the target are left out: each host's own count. `initramfs` is the tool where the decision names none.
    Raises Refused for LUNs of unlike geometry.
    """
    rule = _rule(inventory, disks)
    decision = replace(decision, initramfs=decision.initramfs or initramfs)
    defaults = replace(UNDECIDED, mount_point=f"/srv/{decision.plan_name}", assumptions=defaults_for(disks))
    said = {
        option.key: in_recipe(option, decision, defaults)
        for option in PLANNED
        if option.in_recipes and option.key != "benchmark_follows"  # which the words of mkfs state
    }
    assumed = {option.key: in_recipe(option, decision, defaults) for option in ASSUMPTIONS}
    recipe = Recipe(
        layout=LayoutText(decision.design.layout),
        lun=_lun(disks),
        disks=None if rule == DiskRule() else rule,
        assumptions=Stated(**assumed) if any(value is not None for value in assumed.values()) else None,
        **{key: value for key, value in said.items() if value is not None},
    )
    return DesignRecipe(recipe, tuple(_lost(inventory, disks, rule)))


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
