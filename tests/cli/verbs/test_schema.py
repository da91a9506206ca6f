"""`raidtui schema`."""

import json

import pytest

from tests.cli.commands import answer


def test_without_a_name_all_documents_are_one_bundle(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(answer(capsys, "schema"))["$defs"]["plan"] == {"$ref": "#/$defs/Plan"}
