"""Every verb answers programs too, or a reason is written here."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import raidtui
from raidtui.cli import main
from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.verb_parser import VerbParser
from raidtui.cli.schemas import SCHEMAS

WITHOUT = {"schema": "prints nothing but JSON", "fleet show": "a screen of what fleet disks, check and status print"}


def without_json(name: str, verb: VerbParser) -> Iterator[str]:
    verb.complete()
    nested = verb.verbs.parsers if verb.verbs else {}
    for inner, parser in nested.items():
        yield from without_json(f"{name} {inner}", parser)
    if not nested and "--json" not in verb.names:
        yield name


def test_every_verb_has_json_or_a_reason() -> None:
    _, verbs = complete_parser()
    assert {each for name, verb in verbs.items() for each in without_json(name, verb)} == set(WITHOUT)


def test_what_schema_prints_is_json_for_every_document(capsys: pytest.CaptureFixture[str]) -> None:
    for name in SCHEMAS:
        assert main(["schema", name]) == 0
        assert json.loads(capsys.readouterr().out)


def test_json_of_no_type_is_read_in_one_place() -> None:
    """`json.loads` ends with a RecursionError at a nested text, which few callers think of."""
    root = Path(raidtui.__file__).parent
    files = (path for path in root.rglob("*.py") if "ansible" not in path.parts)
    assert [str(path.relative_to(root)) for path in files if "json.load" in path.read_text("utf-8")] == [
        "values/codec.py"
    ]
