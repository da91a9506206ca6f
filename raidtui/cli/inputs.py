"""Values of the options that several verbs share: disks, assumptions, a design."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from raidtui.model.assumptions import Assumptions, defaults_for
from raidtui.model.decision import Decision
from raidtui.model.design import Design
from raidtui.model.errors import BadInput
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.notation import parse
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.options.design import PLANNED, TUNED
from raidtui.model.options.option import Option
from raidtui.model.target import TargetVersions, merged
from raidtui.planner.design.choose_disks import choose_disks
from raidtui.planner.design.options import UNDECIDED, with_value
from raidtui.planner.performance.tunables import tuned

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")


def pool(inventory: Inventory, options: argparse.Namespace) -> tuple[Disk, ...]:
    """Disks that a layout may use, in the order of the inventory."""
    return choose_disks(inventory, only=tuple(options.only or ()), exclude=tuple(options.exclude or ()))


def chosen(inventory: Inventory, options: argparse.Namespace, decision: Decision) -> tuple[Disk, ...]:
    """Disks that a layout may use, in the order that it uses them."""
    disks = pool(inventory, options)
    if not decision.spread:
        return disks
    from raidtui.planner.placement.place import placed_disks  # verbs without a layout start faster without it

    return placed_disks(decision.design.layout, disks)


def assumptions(options: argparse.Namespace, disks: Sequence[Disk]) -> Assumptions:
    """Assumptions about `disks`: the defaults, replaced by what the options give, also of what the kernel is told."""
    made = decided(options, (*ASSUMPTIONS, *TUNED), replace(UNDECIDED, assumptions=defaults_for(disks)))
    return tuned(made.assumptions, made.design)


def decision_of(options: argparse.Namespace) -> Decision:
    """The decision that a layout and its options describe, with the defaults of the models."""
    if getattr(options, "partition_size", None) is not None and options.members == "disks":
        raise BadInput("--partition-size needs partitions", hint="leave out --members disks")
    return decided(options, PLANNED, Decision(design=Design(layout=parse(options.layout))))


def decided(options: argparse.Namespace, rows: Iterable[Option], decision: Decision = UNDECIDED) -> Decision:
    """`decision` with what `options` give of these rows of the table. Raises BadInput that names the option."""
    for row in rows:
        value = option_value(options, row)
        if value is not None:
            decision = read_option(options, row.flag, value, partial(with_value, row, decision), decision)
    return decision


def option_value(options: argparse.Namespace, row: Option) -> Any:
    """What `options` give of a row of the table; None if nothing. Raises BadInput that names the option."""
    said = getattr(options, row.key, None)
    said = ",".join(said) if isinstance(said, list) else said
    return read_option(options, row.flag, said, row.read, None) if isinstance(said, str) else said


def for_machine(decision: Decision, inventory: Inventory) -> Decision:
    """`decision` with the versions that it states, and of those that it does not those found in `inventory`."""
    design = decision.design
    return replace(decision, design=replace(design, target=merged(design.target or TargetVersions(), inventory.target)))


def read_option(
    options: argparse.Namespace, option: str, text: S | None, read: Callable[[S], T], otherwise: U
) -> T | U:
    """The value of `text`, `otherwise` when the option is not given. Raises BadInput that names the option."""
    if text is None:
        return otherwise
    try:
        return read(text)
    except ValueError as problem:
        verb = " ".join(filter(None, (getattr(options, "verb", ""), getattr(options, "fleet_verb", ""))))
        raise BadInput(f"{option}: {problem}", hint=f"raidtui help {verb} describes {option}") from problem
