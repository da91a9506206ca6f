"""Every verb answers programs too, or a reason is written here."""

import json

import pytest

from raidtui.cli import main
from raidtui.cli.arguments.parser import complete_parser
from raidtui.cli.schemas import SCHEMAS

WITHOUT = {"schema": "prints nothing but JSON"}


def test_every_verb_has_json_or_a_reason() -> None:
    _, verbs = complete_parser()
    without = {name for name, verb in verbs.items() if "--json" not in verb.format_help()}
    assert without == set(WITHOUT)


def test_what_schema_prints_is_json_for_every_document(capsys: pytest.CaptureFixture[str]) -> None:
    for name in SCHEMAS:
        assert main(["schema", name]) == 0
        assert json.loads(capsys.readouterr().out)
