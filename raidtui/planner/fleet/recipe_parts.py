"""A recipe taken apart: the values that search, prediction and compilation take, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from raidtui.model.assumptions import Assumptions, defaults_for
from raidtui.model.codec import DocumentPlace
from raidtui.model.decision import Decision
from raidtui.model.design import Design
from raidtui.model.errors import BadInput
from raidtui.model.fleet.recipe import DiskRule, Recipe
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import AnyLayout, Layout
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.options.constraints import CONSTRAINTS
from raidtui.model.options.design import PLANNED
from raidtui.model.options.option import Option
from raidtui.model.proposal import Constraints
from raidtui.planner.compile.names import names
from raidtui.planner.design.options import UNDECIDED, recipe_value, with_format, with_value
from raidtui.planner.design.state_luns import read_lun

LONGEST_PATTERN = 100
_SOUND = "0" * 32
_ANY_HOST = "host"
_ANY_LAYOUT = Layout(level="raid6", members=4)


class Problem(NamedTuple):
    """A value that cannot be, or contradicts others."""

    place: DocumentPlace
    reason: str
    way_out: str


def decision_of(recipe: Recipe, layout: AnyLayout, disks: Sequence[Disk] = ()) -> Decision:
    """The decision for `layout` with everything that `recipe` says; assumptions about `disks` by default.

    Raises ValueError for what `problem_of` names.
    """
    decision = Decision(
        design=Design(layout=layout), assumptions=defaults_for(disks),
        constraints=None if recipe.constraints is None else Constraints(),
    )  # fmt: skip
    for _, part, option in _stated(recipe):
        decision = with_value(option, decision, recipe_value(option, part))
    return decision


def constraints_of(recipe: Recipe) -> Constraints | None:
    """What the search is asked; None without constraints."""
    decision = decision_of(recipe, _ANY_LAYOUT)
    return None if decision.constraints is None else with_format(decision.constraints, decision.design)


def assumptions_of(recipe: Recipe, disks: Sequence[Disk]) -> Assumptions:
    """Assumptions about `disks`: the defaults, replaced by what the recipe states."""
    return decision_of(recipe, _ANY_LAYOUT, disks).assumptions


def usable_disks(recipe: Recipe, inventory: Inventory) -> tuple[Disk, ...]:
    """The free disks of `inventory` that fit the rule of the recipe, in its order."""
    rule = recipe.disks
    return inventory.free if rule is None else tuple(disk for disk in inventory.free if fits(rule, disk))


def fits(rule: DiskRule, disk: Disk) -> bool:
    """True if `disk` fits every part of `rule`."""
    return (
        (rule.rotational is None or disk.rotational is rule.rotational)
        and (rule.at_least is None or disk.size_bytes >= rule.at_least.count)
        and (rule.at_most is None or disk.size_bytes <= rule.at_most.count)
        and (rule.model is None or fnmatchcase(disk.model or "", rule.model))
        and (rule.transport is None or disk.transport == rule.transport)
    )


def problem_of(recipe: Recipe) -> Problem | None:
    """The first value that cannot be or contradicts others; None if every host's plan may be tried."""
    return next(_problems(recipe), None)


def _problems(recipe: Recipe) -> Iterator[Problem]:
    if recipe.layout is None and recipe.constraints is None:
        yield Problem(
            ("layout",), "neither a layout nor constraints", 'write layout = "4x(12+2)+4", or a table [constraints]'
        )
    if recipe.layout is not None and recipe.constraints is not None and recipe.differs != "fit":
        yield Problem(
            ("constraints",), "the layout is given already", 'leave one of both out, or write differs = "fit": the '
            "constraints are then for hosts that are not like most",
        )  # fmt: skip
    yield from _values(recipe)
    yield from _words(recipe)
    if recipe.partition_size is not None and recipe.members == "disks":
        yield Problem(("partition_size",), "needs partitions", 'leave out members = "disks"')
    rule = recipe.disks or DiskRule()
    if rule.at_least and rule.at_most and rule.at_least.count > rule.at_most.count:
        yield Problem(("disks", "at_least"), f"{rule.at_least} is more than at_most, {rule.at_most}", "swap both")
    if len(rule.model or "") > LONGEST_PATTERN:
        yield Problem(
            ("disks", "model"), f"longer than {LONGEST_PATTERN} characters", "write a short pattern such as HUS*"
        )


def _values(recipe: Recipe) -> Iterator[Problem]:
    """Values that an option cannot have."""
    decision = replace(UNDECIDED, constraints=Constraints())
    for table, part, option in _stated(recipe):
        try:
            decision = with_value(option, decision, recipe_value(option, part))
        except ValueError as problem:
            verb = "propose" if table == ("constraints",) else "model" if table else "plan"
            yield Problem((*table, option.key), str(problem), f"raidtui help {verb} describes {option.flag}")


def _stated(recipe: Recipe) -> Iterator[tuple[DocumentPlace, Any, Option]]:
    """The options that the recipe states, each with the place and the table that hold it."""
    tables: tuple[tuple[DocumentPlace, Any, tuple[Option, ...]], ...] = (
        ((), recipe, PLANNED),
        (("constraints",), recipe.constraints, CONSTRAINTS),
        (("assumptions",), recipe.assumptions, ASSUMPTIONS),
    )
    for place, part, options in tables:
        for option in options:
            if part is not None and option.in_recipes and getattr(part, option.key) not in (None, ()):
                yield place, part, option


def _words(recipe: Recipe) -> Iterator[Problem]:
    """Texts that other modules read: each is tried with the function that the plan uses."""
    layout = recipe.layout.layout if recipe.layout else _ANY_LAYOUT
    tries: tuple[tuple[str, Callable[[], object]], ...] = (
        ("lun", lambda: recipe.lun is None or read_lun(recipe.lun)),
        ("name", lambda: _try_names(recipe, layout, mount="/srv/data")),
        ("mount", lambda: _try_names(recipe, layout, mount=recipe.mount or "/srv/data")),
    )
    for key, attempt in tries:
        try:
            attempt()
        except BadInput as problem:
            yield Problem((key,), str(problem), problem.hint)
        except ValueError as problem:
            yield Problem((key,), str(problem), f"raidtui help plan describes --{key.replace('_', '-')}")


def _try_names(recipe: Recipe, layout: AnyLayout, *, mount: str) -> None:
    design = Design(layout=layout, fs=recipe.fs)
    names(design, run_id=_SOUND, name=recipe.name, mount_point=mount, host=_ANY_HOST)
