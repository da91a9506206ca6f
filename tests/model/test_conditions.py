"""Conditions of a benchmark are one object of texts in files, as they always were."""

from __future__ import annotations

from raidtui.values.bench import Conditions
from raidtui.values.codec import from_json, to_json


def test_what_is_decided_by_is_typed_and_the_rest_kept_by_name() -> None:
    text = '{"kernel": "6.1", "md0 chunk": "262144", "usable_bytes": "4096"}'
    found = from_json(Conditions, text, source="x")
    assert found.usable_bytes == 4096
    assert found.settings == {"kernel": "6.1", "md0 chunk": "262144"}
    assert to_json(found, indent=None) == text


def test_a_size_that_is_no_number_is_no_size_and_not_lost() -> None:
    found = Conditions.read({"usable_bytes": "many"})
    assert found.usable_bytes is None
    assert found.form == {"usable_bytes": "many"}
    assert Conditions().form == {}
