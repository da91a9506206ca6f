"""The committed schemas are those of the values."""

import json
from functools import cache
from typing import Any

from raidtui.cli.arguments.parser import parser
from raidtui.cli.schemas import SCHEMAS
from tests.regenerate_schemas import FOLDER, texts


@cache
def defined() -> list[tuple[str, dict[str, Any]]]:
    """Every value that stands in a document, by its name."""
    return [
        each
        for name, kind in SCHEMAS.items()
        for whole in [json.loads((FOLDER / f"{name}.json").read_text())]
        for each in [(kind.__name__, whole), *whole.get("$defs", {}).items()]
    ]


def test_schemas_are_fresh() -> None:
    on_disk = {path.name: path.read_text() for path in FOLDER.glob("*.json")}
    assert on_disk == texts(), "run: python -m tests.regenerate_schemas"


def test_every_field_is_described() -> None:
    bare = [
        f"{name}.{field}"
        for name, definition in defined()
        for field, text in definition.get("properties", {}).items()
        if "description" not in text and field not in ("kind", "type")
    ]
    assert bare == []


def test_what_may_be_unknown_may_be_left_out() -> None:
    """None is never written, so a document without the field must read back."""
    needed = [
        f"{name}.{field}"
        for name, definition in defined()
        for field in definition.get("required", [])
        if {"type": "null"} in definition["properties"][field].get("anyOf", [])
    ]
    assert needed == []


def test_the_verb_knows_every_schema() -> None:
    for name in SCHEMAS:
        assert parser().parse_args(["schema", name]).value == name
