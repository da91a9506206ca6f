"""A recipe as a file: TOML or JSON in, TOML out. An error names file, line, key, and what to write instead."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from raidtui.model.codec import DocumentPlace, from_json, nowhere, plain
from raidtui.model.errors import BadInput
from raidtui.model.fleet.recipe import Recipe
from raidtui.model.json_text import parsed
from raidtui.planner.fleet.recipe_parts import problem_of

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
