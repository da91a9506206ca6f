"""`raidtui schema`."""

import json

import pytest

from tests.cli.commands import answer


def test_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(answer(capsys, "schema", "plan"))["title"] == "Plan"
