"""Esc and another key on a slow line: two keys, whether they arrive together or apart."""

from __future__ import annotations

import pytest
from textual import constants, events

from raidtui.tui.terminal.slow_keys import SlowKeyParser


def keys(parser: SlowKeyParser, *arrivals: str) -> list[str]:
    """The keys of what arrives, piece by piece."""
    return [event.key for data in arrivals for event in parser.feed(data) if isinstance(event, events.Key)]


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [
        (["\x1b2"], ["escape", "2"]),
        (["\x1b", "2"], ["escape", "2"]),
        (["\x1bx"], ["escape", "x"]),
        (["\x1bq"], ["escape", "q"]),
        (["\x1b", "\r"], ["escape", "enter"]),
        (["\x1b\t"], ["escape", "tab"]),
        (["\x1b/abc"], ["escape", "slash", "a", "b", "c"]),
        (["\x1b\x1b2"], ["escape", "escape", "2"]),
        (["\x1b\x1b[A"], ["escape", "up"]),
        (["\x1b[A"], ["up"]),
        (["\x1b", "[", "A"], ["up"]),
        (["\x1b[", "A", "2"], ["up", "2"]),
        (["\x1bOA", "\x1bOB"], ["up", "down"]),
        (["a\x1b[5~b"], ["a", "pageup", "b"]),
        (["\x1b[A\x1b[B\x1b", "j"], ["up", "down", "escape", "j"]),
    ],
)
def test_esc_and_a_key_are_two_and_an_arrow_is_one(arrivals: list[str], expected: list[str]) -> None:
    assert keys(SlowKeyParser(), *arrivals) == expected


def test_a_lone_esc_is_itself_after_the_delay_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("raidtui.tui.terminal.slow_keys.time.monotonic", lambda: now[0])
    parser = SlowKeyParser()
    assert keys(parser, "\x1b") == []
    now[0] += constants.ESCAPE_DELAY * 0.9
    assert list(parser.tick()) == []
    now[0] += constants.ESCAPE_DELAY * 0.2
    (event,) = parser.tick()
    assert isinstance(event, events.Key)
    assert event.key == "escape"
    assert list(parser.tick()) == []
    assert keys(parser, "2") == ["2"]
