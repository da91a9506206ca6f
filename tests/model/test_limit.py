"""Limits: their text, which two are one thing, and the one rule for what nobody knows."""

from __future__ import annotations

import pytest

from raidtui.values.bench import Seen
from raidtui.values.codec import from_json, to_json
from raidtui.values.speed import MD_THREAD, MEMBERS, ONE_STREAM, PROGRAM, SLOW_MEMBER, UNKNOWN, Limit


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (UNKNOWN, ""),
        (MEMBERS, "members"),
        (SLOW_MEMBER, "members, one slow"),
        (Limit("expander", "expander-0:0"), "expander expander-0:0"),
        (Limit("port multiplier", "ata1.pmp"), "port multiplier ata1.pmp"),
        (Limit("PCIe slot", "0000:03:00.0"), "PCIe slot 0000:03:00.0"),
        (Limit("PCIe slot"), "PCIe slot"),
        (Limit("stated link"), "stated link"),
        (Limit("sync_speed_max"), "sync_speed_max"),
        (Limit("other", "host slot"), "host slot"),
    ],
)
def test_a_limit_is_its_text_in_files(limit: Limit, text: str) -> None:
    assert str(limit) == text
    assert Limit.read(text) == limit
    seen = Seen(limit=limit, reason="")
    assert f'"limit": "{text}"' in to_json(seen)
    assert from_json(Seen, to_json(seen), source="x") == seen


@pytest.mark.parametrize(
    ("device", "limit"),
    [
        ("expander-0:0", Limit("expander", "expander-0:0")),
        ("ata3.pmp", Limit("port multiplier", "ata3.pmp")),
        ("0000:03:00.0", Limit("cable", "0000:03:00.0")),
    ],
)
def test_a_link_below_a_controller_is_known_by_its_device(device: str, limit: Limit) -> None:
    assert Limit.read(str(limit)) == limit
    assert limit.device == device


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (MEMBERS, MEMBERS, True),
        (MEMBERS, SLOW_MEMBER, True),
        (ONE_STREAM, PROGRAM, True),
        (PROGRAM, PROGRAM, True),
        (MD_THREAD, MEMBERS, False),
        (Limit("expander", "expander-0:0"), Limit("expander", "expander-0:1"), False),
        (UNKNOWN, UNKNOWN, False),
        (MEMBERS, UNKNOWN, False),
    ],
)
def test_limits_that_are_one_thing(one: Limit, other: Limit, same: bool) -> None:
    assert one.agrees_with(other) is same
    assert other.agrees_with(one) is same


def test_short_leaves_the_address_out() -> None:
    assert Limit("PCIe slot", "0000:03:00.0").short == "PCIe slot"
    assert Limit("sync_speed_max").short == "sync_speed_max"
    assert Limit("other", "host slot").short == "host slot"
