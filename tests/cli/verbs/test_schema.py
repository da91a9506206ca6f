"""`raidtui schema`."""

import json

import pytest

from tests.cli.commands import answer
from tests.regenerate_schemas import BUNDLE


def test_without_a_name_all_documents_are_the_committed_bundle(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(answer(capsys, "schema"))
    assert BUNDLE.read_text() == json.dumps(found, indent=1) + "\n", "run: python -m tests.regenerate_schemas"
