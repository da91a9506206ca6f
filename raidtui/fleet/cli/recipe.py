"""`raidtui fleet recipe`: what every host gets, as a file without disks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from raidtui.cli.inputs import option_value
from raidtui.cli.output import narrate
from raidtui.fleet.recipe import recipe_of, recipe_toml
from raidtui.machine.system.files import write_new
from raidtui.values.codec import plain, to_json
from raidtui.values.errors import Exit
from raidtui.values.options import ASSUMPTIONS, CONSTRAINTS, PLANNED, Option

_KEYS = ("layout", "differs", "measured", "lun")
"""options beside the table whose names and values are those of the recipe"""


_STATED = tuple(option for option in PLANNED if option.in_recipes)


def recipe(options: argparse.Namespace) -> int:
    """Prints the recipe, or writes it to the file of --out."""
    made = recipe_of(_document(options), source="the recipe of these options")
    text = to_json(made) + "\n" if options.json else recipe_toml(made)
    if options.out is None:
        print(text, end="")
    else:
        narrate(f"wrote {write_new(Path(options.out), text).absolute()}")
    return Exit.DONE


def _document(options: argparse.Namespace) -> dict[str, Any]:
    """The options by the keys of a recipe."""
    said = vars(options)
    constraints = {key: value for key, value in _stated(options, CONSTRAINTS).items() if value}
    rules = {
        "rotational": None if options.disk_kind is None else options.disk_kind == "rotational",
        "at_least": options.disk_at_least,
        "at_most": options.disk_at_most,
        "model": options.disk_model,
        "transport": options.disk_transport,
    }
    tables = {
        "constraints": constraints | _given(said, ("pick",)),
        "disks": _given(rules, tuple(rules)),
        "assumptions": _stated(options, ASSUMPTIONS),
    }
    return _given(said, _KEYS) | _stated(options, _STATED) | {name: table for name, table in tables.items() if table}


def _stated(options: argparse.Namespace, rows: Iterable[Option]) -> dict[str, Any]:
    """What is given of these rows of the table, as recipes hold it. Raises BadInput that names the option."""
    found = {row.key: (row, option_value(options, row)) for row in rows}
    return {key: plain(row.kind.in_recipe(value)) for key, (row, value) in found.items() if value is not None}


def _given(said: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: said[name] for name in names if said[name] is not None}
