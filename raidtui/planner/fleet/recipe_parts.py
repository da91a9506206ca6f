"""A recipe taken apart: the values that search, prediction and compilation take, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple

from raidtui.model.alert import Alert
from raidtui.model.alert import problem_of as alert_problem
from raidtui.model.assumptions import Assumptions, defaults_for
from raidtui.model.codec import Place
from raidtui.model.design import DEFAULT_CHUNK, Design, Partitions, stated_first_sync
from raidtui.model.errors import BadInput
from raidtui.model.file_system import FileSystemOptions
from raidtui.model.fleet.recipe import DiskRule, Recipe, Stated, Wanted
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import AnyLayout, Layout
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.proposal import Constraints
from raidtui.model.ranges import MOST_DISKS, MOST_QUEUE_DEPTH
from raidtui.planner.compile.names import names
from raidtui.planner.design.file_system_words import file_system_options, parse_mkfs
from raidtui.planner.design.options import UNDECIDED, recipe_value, with_value
from raidtui.planner.design.state_luns import read_lun
from raidtui.tools.mount_options import parse as parse_mount_options

LONGEST_PATTERN = 100
_SOUND = "0" * 32
_ANY_HOST = "host"
_ANY_LAYOUT = Layout(level="raid6", members=4)


class Problem(NamedTuple):
    """A value that cannot be, or contradicts others."""

    place: Place
    reason: str
    way_out: str


def design_of(recipe: Recipe, layout: AnyLayout) -> Design:
    """The design of `layout` with everything that `recipe` says. Raises ValueError for words of mkfs or mount."""
    parted = recipe.partition_size is not None or recipe.members == "partitions"
    return Design(
        layout=layout,
        chunk_bytes=recipe.chunk.count if recipe.chunk else DEFAULT_CHUNK,
        metadata=recipe.metadata,
        bitmap=recipe.bitmap,
        bitmap_chunk_bytes=recipe.bitmap_chunk.count if recipe.bitmap_chunk else None,
        data_offset_bytes=recipe.data_offset.count if recipe.data_offset else None,
        ppl=recipe.consistency_policy == "ppl",
        stack=recipe.stack,
        fs=recipe.fs,
        fs_options=_fs_options(recipe),
        partitions=Partitions(size_bytes=recipe.partition_size.count if recipe.partition_size else None)
        if parted
        else None,
        read_ahead_bytes=recipe.read_ahead.count if recipe.read_ahead else None,
        io_scheduler=recipe.io_scheduler,
        queue_depth=recipe.queue_depth,
        first_sync=stated_first_sync(recipe.first_sync),
    )


def constraints_of(recipe: Recipe) -> Constraints | None:
    """What the search is asked; None without constraints."""
    wanted = recipe.constraints
    if wanted is None:
        return None
    return Constraints(
        usable_bytes=wanted.usable.count if wanted.usable else 0,
        survive=wanted.survive,
        spares=wanted.spares,
        max_width=wanted.max_width,
        survive_domain=wanted.survive_loss_of,
        levels=wanted.levels,
        max_annual_loss=wanted.max_loss.value if wanted.max_loss else None,
        wishes=wanted.prefer,
        chunk_bytes=recipe.chunk.count if recipe.chunk else DEFAULT_CHUNK,
        stack=recipe.stack,
        fs=recipe.fs,
        fs_options=_fs_options(recipe),
    )


def assumptions_of(recipe: Recipe, disks: Sequence[Disk]) -> Assumptions:
    """Assumptions about `disks`: the defaults, replaced by what the recipe states."""
    decision = replace(UNDECIDED, assumptions=defaults_for(disks))
    for option in ASSUMPTIONS:
        value = recipe_value(option, recipe.assumptions or Stated())
        if value is not None:
            decision = with_value(option, decision, value)
    return decision.assumptions


def alert_of(recipe: Recipe) -> Alert | None:
    """Who hears of a failed disk; None: root alone."""
    if recipe.mail is None and recipe.alert_program is None:
        return None
    return Alert(mail=recipe.mail or "", program=recipe.alert_program or "")


def mount_point_of(recipe: Recipe) -> str:
    """Mount point of the file system."""
    return recipe.mount or f"/srv/{recipe.name}"


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
    yield from _numbers(recipe)
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


def _numbers(recipe: Recipe) -> Iterator[Problem]:
    wanted, stated = recipe.constraints or Wanted(), recipe.assumptions or Stated()
    ranges = (
        (("queue_depth",), recipe.queue_depth, 1, MOST_QUEUE_DEPTH),
        (("constraints", "survive"), wanted.survive, 0, MOST_DISKS),
        (("constraints", "spares"), wanted.spares, 0, MOST_DISKS),
        (("constraints", "max_width"), wanted.max_width, 1, MOST_DISKS),
    )
    for place, value, least, most in ranges:
        if value is not None and not least <= value <= most:
            yield Problem(place, f"{value} is out of range", f"write {least} to {most}")
    for option in ASSUMPTIONS:
        try:
            recipe_value(option, stated)
        except ValueError as problem:
            yield Problem(("assumptions", option.key), str(problem), f"raidtui model --help describes {option.flag}")


def _words(recipe: Recipe) -> Iterator[Problem]:
    """Texts that other modules read: each is tried with the function that the plan uses."""
    alert = alert_of(recipe)
    if alert is not None and (reason := alert_problem(alert)):
        yield Problem(("mail",) if recipe.mail else ("alert_program",), reason, "it becomes a line of mdadm.conf")
    if "" in (recipe.mail, recipe.alert_program):
        yield Problem(("mail",) if recipe.mail == "" else ("alert_program",), "empty", "leave the key out for root")
    layout = recipe.layout.layout if recipe.layout else _ANY_LAYOUT
    tries: tuple[tuple[str, Callable[[], object]], ...] = (
        ("mkfs", lambda: _fs_options(replace(recipe, mount_options=None))),
        ("mount_options", lambda: _fs_options(replace(recipe, mkfs=None))),
        ("lun", lambda: recipe.lun is None or read_lun(recipe.lun)),
        ("name", lambda: _try_names(recipe, layout, mount="/srv/data")),
        ("mount", lambda: _try_names(recipe, layout, mount=mount_point_of(recipe))),
    )
    for key, attempt in tries:
        try:
            attempt()
        except BadInput as problem:
            yield Problem((key,), str(problem), problem.hint)
        except ValueError as problem:
            yield Problem((key,), str(problem), f"raidtui plan --help describes --{key.replace('_', '-')}")


def _try_names(recipe: Recipe, layout: AnyLayout, *, mount: str) -> None:
    design = Design(layout=layout, fs=recipe.fs)
    names(design, run_id=_SOUND, name=recipe.name, mount_point=mount, host=_ANY_HOST)


def _fs_options(recipe: Recipe) -> FileSystemOptions | None:
    """Raises ValueError for words that mkfs or mount do not take."""
    kind = recipe.fs
    if kind == "none":
        if recipe.mkfs is not None or recipe.mount_options is not None:
            raise ValueError('fs = "none" has no file system for mkfs and mount_options')
        return None
    return file_system_options(
        kind,
        made=None if recipe.mkfs is None else parse_mkfs(recipe.mkfs, kind),
        mount=parse_mount_options(recipe.mount_options or "", kind),
        benchmark_follows=recipe.benchmark_follows,
    )
