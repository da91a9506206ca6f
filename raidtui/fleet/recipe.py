"""A recipe: what every host of a fleet gets, without a disk in it. Its keys are those of the file that an admin writes.

Sizes, rates, shares and the layout are texts, as the options of `raidtui plan` and `raidtui propose` take them.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from raidtui.predict.options import UNDECIDED, in_recipe, recipe_value, with_format, with_value
from raidtui.predict.stated_disks import read_lun
from raidtui.programs.names import names
from raidtui.values.assumptions import Assumptions, defaults_for
from raidtui.values.choices import (
    Bitmap,
    Encrypted,
    FileSystem,
    FirstSync,
    Initramfs,
    MdLevel,
    Metadata,
    Outage,
    Scheduler,
    Stack,
    Wish,
)
from raidtui.values.codec import DocumentPlace, from_json, nowhere, parsed, plain
from raidtui.values.codec_rules import Value
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Disk, Inventory, Lun
from raidtui.values.layout import Layout
from raidtui.values.notation import BinarySize, ByteRate, DecimalSize, LayoutText, Share
from raidtui.values.options import ASSUMPTIONS, CONSTRAINTS, INITRAMFS_OF_HOSTS, PLANNED, Option, made_of
from raidtui.values.proposal import Constraints, PickName
from raidtui.values.units import counted

Differing = Literal["refuse", "fit", "skip"]
_MEANING = {option.key: {"description": option.schema_text} for option in (*PLANNED, *CONSTRAINTS, INITRAMFS_OF_HOSTS)}
"""what pydantic's schema says of a field"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeConstraints(Value):
    """What a layout must do; the search of `raidtui propose` then finds it for each kind of machine."""

    pick: PickName = "suggested"
    """which of the named proposals is built"""
    usable: DecimalSize | None = field(default=None, metadata=_MEANING["usable"])
    survive: int = field(default=0, metadata=_MEANING["survive"])
    spares: int = field(default=0, metadata=_MEANING["spares"])
    max_width: int | None = field(default=None, metadata=_MEANING["max_width"])
    levels: tuple[MdLevel, ...] = field(default=(), metadata=_MEANING["levels"])
    survive_loss_of: Outage | None = field(default=None, metadata=_MEANING["survive_loss_of"])
    max_loss: Share | None = field(default=None, metadata=_MEANING["max_loss"])
    prefer: tuple[Wish, ...] = field(default=(), metadata=_MEANING["prefer"])


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRule(Value):
    """Which of the free disks of a host are used: those that fit every rule. Free disks hold nothing."""

    rotational: bool | None = None
    """true: only hard disks; false: only flash"""
    at_least: DecimalSize | None = None
    """smallest disk that is used"""
    at_most: DecimalSize | None = None
    """largest disk that is used"""
    model: str | None = None
    """pattern of the model with * and ?, such as `HUS724020*`"""
    transport: str | None = None
    """sas, sata, nvme, ..."""


if TYPE_CHECKING:

    class Stated(Value):
        """A text or number for each key of the table; None where it is left out."""

        def __init__(self, **said: Any) -> None: ...

        def __getattr__(self, key: str) -> Any: ...

else:
    Stated = made_of(
        "Stated",
        "Assumptions of the speed and risk models; what is left out has the default of `raidtui model`.",
        ASSUMPTIONS,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe(Value):
    """What every host gets: a layout, or constraints that a layout must meet. With `fit` it may have both."""

    schema: Literal["raidtui/recipe/1"] = "raidtui/recipe/1"
    """format of this document"""
    layout: LayoutText | None = None
    """the layout of every host, such as 4x(12+2)+4"""
    differs: Differing = "refuse"
    """what becomes of hosts that are not like most: refuse: nothing is planned for any host; skip: they are left out,
    by name; fit: each gets a layout of its own within `constraints`, without them the layout if its disks suffice"""
    chunk: BinarySize | None = field(default=None, metadata=_MEANING["chunk"])
    metadata: Metadata = field(default="1.2", metadata=_MEANING["metadata"])
    bitmap: Bitmap = field(default="auto", metadata=_MEANING["bitmap"])
    bitmap_chunk: BinarySize | None = field(default=None, metadata=_MEANING["bitmap_chunk"])
    data_offset: BinarySize | None = field(default=None, metadata=_MEANING["data_offset"])
    member_size: DecimalSize | None = field(default=None, metadata=_MEANING["member_size"])
    consistency_policy: Literal["ppl"] | None = field(default=None, metadata=_MEANING["consistency_policy"])
    journal: int | None = field(default=None, metadata=_MEANING["journal"])
    members: Literal["disks", "partitions"] | None = field(default=None, metadata=_MEANING["members"])
    partition_size: DecimalSize | None = field(default=None, metadata=_MEANING["partition_size"])
    leave: BinarySize | None = field(default=None, metadata=_MEANING["leave"])
    stack: Stack = field(default="lvm", metadata=_MEANING["stack"])
    fs: FileSystem = field(default="xfs", metadata=_MEANING["fs"])
    mkfs: str | None = field(default=None, metadata=_MEANING["mkfs"])
    mount_options: str | None = field(default=None, metadata=_MEANING["mount_options"])
    benchmark_follows: bool = field(default=False, metadata=_MEANING["benchmark_follows"])
    encrypt: Encrypted = field(default="none", metadata=_MEANING["encrypt"])
    key_file: str | None = field(default=None, metadata=_MEANING["key_file"])
    name: str = field(default="data", metadata=_MEANING["name"])
    mount: str | None = field(default=None, metadata=_MEANING["mount"])
    mail: str | None = field(default=None, metadata=_MEANING["mail"])
    alert_program: str | None = field(default=None, metadata=_MEANING["alert_program"])
    read_ahead: BinarySize | None = field(default=None, metadata=_MEANING["read_ahead"])
    stripe_cache: int | None = field(default=None, metadata=_MEANING["stripe_cache"])
    parity_threads: int | None = field(default=None, metadata=_MEANING["parity_threads"])
    sync_max: ByteRate | None = field(default=None, metadata=_MEANING["sync_max"])
    sync_min: ByteRate | None = field(default=None, metadata=_MEANING["sync_min"])
    io_scheduler: Scheduler | None = field(default=None, metadata=_MEANING["io_scheduler"])
    queue_depth: int | None = field(default=None, metadata=_MEANING["queue_depth"])
    first_sync: FirstSync | None = field(default=None, metadata=_MEANING["first_sync"])
    initramfs: Initramfs = field(default="debian", metadata=_MEANING["initramfs"])
    spread: bool = field(default=True, metadata=_MEANING["spread"])
    measured: bool = True
    """false: what was measured on the hosts is not used"""
    lun: str | None = None
    """the free disks are LUNs of a hardware controller, as --lun takes it: 12+2,256K"""
    constraints: RecipeConstraints | None = None
    """what a layout must do, where none is given"""
    disks: DiskRule | None = None
    """which disks are used; left out: all that are free"""
    assumptions: Stated | None = None
    """of the speed and risk models"""


# A recipe taken apart: the values that search, prediction and compilation take, and what is wrong with it.


LONGEST_PATTERN = 100
_SOUND = "0" * 32
_ANY_HOST = "host"
_ANY_LAYOUT = Layout.of(level="raid6", members=4)


class Problem(NamedTuple):
    """A value that cannot be, or contradicts others."""

    place: DocumentPlace
    reason: str
    way_out: str


def decision_of(recipe: Recipe, layout: Layout, disks: Sequence[Disk] = ()) -> Decision:
    """The decision for `layout` with everything that `recipe` says; assumptions about `disks` by default.

    Raises ValueError for what `problem_of` names.
    """
    decision = Decision(
        design=Design(layout=layout), assumptions=defaults_for(disks),
        constraints=None if recipe.constraints is None else Constraints(),
    )  # fmt: skip
    for _, part, option in _stated_in(recipe):
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
            ("constraints",), "the layout is given already", 'leave one of both out, or write differs = "fit"; the '
            "constraints are then for hosts that are not like most",
        )  # fmt: skip
    yield from _values(recipe)
    yield from _words(recipe)
    for key, size in (("partition_size", recipe.partition_size), ("leave", recipe.leave)):
        if size is not None and recipe.members == "disks":
            yield Problem((key,), "needs partitions", 'leave out members = "disks"')
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
    for table, part, option in _stated_in(recipe):
        try:
            decision = with_value(option, decision, recipe_value(option, part))
        except ValueError as problem:
            verb = "propose" if table == ("constraints",) else "model" if table else "plan"
            yield Problem((*table, option.key), str(problem), f"raidtui help {verb} describes {option.flag}")


def _stated_in(recipe: Recipe) -> Iterator[tuple[DocumentPlace, Any, Option]]:
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


def _try_names(recipe: Recipe, layout: Layout, *, mount: str) -> None:
    design = Design(layout=layout, fs=recipe.fs)
    names(design, run_id=_SOUND, name=recipe.name, mount_point=mount, host=_ANY_HOST)


# A recipe as a file: TOML or JSON in, TOML out. An error names file, line, key, and what to write instead.


_HINT = "raidtui schema recipe lists all keys; raidtui fleet recipe LAYOUT --out FILE writes a recipe"
_HEADER = re.compile(r"\s*\[\s*([\w.-]+)\s*\]\s*(?:#.*)?")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")
_TABLES = ("constraints", "disks", "assumptions")


def read_recipe(text: bytes, *, source: str) -> Recipe:
    """The recipe in `text`, JSON if it begins with a brace, else TOML; `source` names the file in errors.

    Raises BadInput for a text that is neither, an unknown key, an invalid value, or values that contradict each other.
    """
    try:
        said = text.decode()
    except UnicodeDecodeError as problem:
        raise BadInput(f"{source}: byte {problem.start + 1} is not UTF-8", hint=_HINT) from problem
    is_json = said.lstrip().startswith("{")
    try:
        document = parsed(said) if is_json else tomllib.loads(said)
    except (ValueError, RecursionError) as problem:
        raise BadInput(
            f"{source}: not valid {'JSON' if is_json else 'TOML'}: {_short(problem)}", hint=_HINT
        ) from problem
    return recipe_of(document, source=source, line_of=_json_lines(said) if is_json else _toml_lines(said))


def recipe_of(document: object, *, source: str, line_of: Callable[[DocumentPlace], int | None] = nowhere) -> Recipe:
    """The recipe with the plain values of `document`. Raises BadInput as `read_recipe`."""
    try:
        text = json.dumps(document)
    except (TypeError, RecursionError) as problem:
        raise BadInput(f"{source}: {_short(problem)}", hint=_HINT) from problem
    recipe = from_json(Recipe, text, source=source, line_of=line_of, hint=_HINT)
    wrong = problem_of(recipe)
    if wrong is not None:
        line, key = line_of(wrong.place), ".".join(map(str, wrong.place))
        raise BadInput(f"{source}: {f'line {line}: ' if line else ''}{key}: {wrong.reason}", hint=wrong.way_out)
    return recipe


def recipe_toml(recipe: Recipe) -> str:
    """`recipe` as TOML that `read_recipe` reads back: what differs from the defaults, ASCII only."""
    lines = ["# raidtui recipe: what every host gets. raidtui fleet plan FILE makes the plans; nothing is written."]
    lines += [f"{name} = {_value(value)}" for name, value in _stated(recipe) if name not in _TABLES]
    for table in _TABLES:
        part = getattr(recipe, table)
        if part is not None:
            lines += ["", f"[{table}]", *(f"{name} = {_value(value)}" for name, value in _stated(part))]
    return "\n".join(lines) + "\n"


def _stated(part: Any) -> Iterator[tuple[str, Any]]:
    """Names and plain values of the fields that are not at their defaults; the schema always."""
    for each in fields(part):
        value = getattr(part, each.name)
        if value != each.default or each.name == "schema":
            yield each.name, plain(value)


def _value(value: Any) -> str:
    """A plain value as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(_value(each) for each in value)}]"
    if isinstance(value, str):
        return f'"{"".join(_character(each) for each in value)}"'
    return json.dumps(value)


def _character(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if " " <= char <= "~":
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _short(problem: Exception) -> str:
    return "too deeply nested" if isinstance(problem, RecursionError) else str(problem)


def _toml_lines(text: str) -> Callable[[DocumentPlace], int | None]:
    """Finds the line of a key: tables in brackets and keys at the start of a line, which is how people write TOML."""
    found: dict[DocumentPlace, int] = {}
    table: DocumentPlace = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.fullmatch(line):
            table = tuple(header[1].split("."))
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, key[1]), number)
    return _longest(found)


def _json_lines(text: str) -> Callable[[DocumentPlace], int | None]:
    """Finds the first line with the last key of a place."""
    lines = text.splitlines()

    def line_of(place: DocumentPlace) -> int | None:
        keys = [json.dumps(part) for part in place if isinstance(part, str)]
        return next((at for at, line in enumerate(lines, start=1) if keys and keys[-1] in line), None)

    return line_of


def _longest(found: Mapping[DocumentPlace, int]) -> Callable[[DocumentPlace], int | None]:
    """Looks up the longest known beginning of a place."""

    def line_of(place: DocumentPlace) -> int | None:
        parts = (place[:length] for length in range(len(place), 0, -1))
        return next((found[part] for part in parts if part in found), None)

    return line_of


# A design as a recipe: everything but its disks, which become a rule.


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
    Raises Refused for LUNs of unlike geometry, and for a passphrase.
    """
    if decision.design.encryption is not None and decision.design.encryption.asks:
        raise Refused("a recipe has no passphrase: no person types one on each host", hint="name a key file alone")
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
