"""The committed schema is that of the values."""

import json
from typing import Any

from raidtui.cli.options.parser import parser
from raidtui.cli.schemas import SCHEMAS
from raidtui.values.codec import schema
from tests.regenerate_schemas import BUNDLE

DEFINED: dict[str, dict[str, Any]] = json.loads(BUNDLE.read_text())["$defs"]
"""every document, and every value that stands in one, by its name"""


def test_each_document_is_in_it_and_what_they_share_is_there_once() -> None:
    assert set(SCHEMAS) <= set(DEFINED)
    assert DEFINED["plan"] == {"$ref": "#/$defs/Plan"}
    assert DEFINED["replacement"] == {"$ref": "#/$defs/Replacement"}
    assert {"$ref": "#/$defs/Step"} in [
        DEFINED[name]["properties"]["steps"]["items"] for name in ("Plan", "Replacement")
    ]


def test_one_document_is_complete_in_itself() -> None:
    whole = schema("saved-design", SCHEMAS["saved-design"])
    assert (whole["$id"], whole["title"]) == ("urn:raidtui:saved-design", "SavedDesign")
    assert {"design", "left_out", "plan_name", "host"} <= set(whole["required"])
    assert "Design" in whole["$defs"] and "Plan" not in whole["$defs"]


def test_every_field_is_described() -> None:
    bare = [
        f"{name}.{field}"
        for name, definition in DEFINED.items()
        for field, text in definition.get("properties", {}).items()
        if "description" not in text
    ]
    assert bare == []


def test_what_may_be_unknown_may_be_left_out() -> None:
    """None is never written, so a document without the field must read back."""
    needed = [
        f"{name}.{field}"
        for name, definition in DEFINED.items()
        for field in definition.get("required", [])
        if {"type": "null"} in definition["properties"][field].get("anyOf", [])
    ]
    assert needed == []


def test_the_verb_knows_every_schema() -> None:
    for name in SCHEMAS:
        assert parser().parse_args(["schema", name]).value == name
