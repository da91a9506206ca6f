"""Whatever a terminal sends: the app stays, and the next key arrives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from raidtui.tui.terminal.any_bytes import AnyBytesParser, forgiving_decoder
from raidtui.tui.terminal.slow_keys import SlowKeyParser
from raidtui.tui.terminal.textual_faults import LONGEST_GAP
from tests.suite import examples
from tests.tui.terminal.on_pty import on_pty

_PARTS = (
    b"\x1b", b"[", b"<", b";", b":", b"?", b"O", b"M", b"u", b"~", b"t", b"A", b"1", b"0", b"$y", b"200~", b"48",
    b"1114112", b"55296", b"9" * 400, b"\xfc", b"\xc3", b"\xed\xa0\x80",
)  # fmt: skip
NOISE = st.lists(st.sampled_from(_PARTS) | st.binary(max_size=4), max_size=20).map(b"".join)


def keys(parser: AnyBytesParser, data: bytes) -> list[tuple[str, str | None]]:
    """Name and character of each key."""
    found = parser.feed(forgiving_decoder("utf-8")().decode(data))
    return [(event.key, event.character) for event in found if isinstance(event, events.Key)]


def test_a_byte_that_is_no_utf8_is_shown_as_a_replacement() -> None:
    assert keys(AnyBytesParser(), b"a\xfcb") == [("a", "a"), ("replacement_character", "\ufffd"), ("b", "b")]


@pytest.mark.parametrize("kind", [AnyBytesParser, SlowKeyParser])
@pytest.mark.parametrize("sequence", [b"\x1b[1114112A", b"\x1b[55296u"])
def test_a_sequence_of_impossible_numbers_is_ignored(kind: type[AnyBytesParser], sequence: bytes) -> None:
    parser = kind()
    assert keys(parser, sequence) == []
    assert keys(parser, b"q") == [("q", "q")]


@pytest.mark.parametrize("kind", [AnyBytesParser, SlowKeyParser])
@given(pieces=st.lists(NOISE, max_size=4))
@examples(400)
def test_no_bytes_end_the_input(kind: type[AnyBytesParser], pieces: list[bytes]) -> None:
    parser, decode = kind(), forgiving_decoder("utf-8")().decode
    for piece in pieces:
        if text := decode(piece):
            for event in [*parser.feed(text), *parser.tick()]:
                assert not isinstance(event, events.Key) or (event.character or "").encode() is not None


@pytest.mark.process
def test_the_app_outlives_an_8_bit_terminal(tmp_path: Path) -> None:
    environ = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
    with on_pty(["--inventory", "nas4"], tmp_path, environ) as app:
        app.finds(b"Design")
        app.press(b"\xfc\xe4\xff\x1b[1114112A")
        app.press(b"q")
        assert (app.ends(), b"Traceback" in app.written) == (0, False)


@pytest.mark.parametrize("kind", [AnyBytesParser, SlowKeyParser])
@pytest.mark.parametrize(
    "arrivals", [["\x1b[200~ab", "cd"], ["\x1b[2", "00~abcd"], ["\x1b[200~x\x1b[201~\x1b[200~abcd"]]
)
def test_a_paste_whose_end_is_lost_ends_when_nothing_comes(
    kind: type[AnyBytesParser], arrivals: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("raidtui.tui.terminal.textual_faults.monotonic", lambda: now[0])
    parser = kind()
    for data in arrivals:
        first = [event.text for event in parser.feed(data) if isinstance(event, events.Paste)]
        assert first in ([], ["x"])
    assert list(parser.tick()) == []
    now[0] += LONGEST_GAP + 0.1
    assert [event.text for event in parser.tick() if isinstance(event, events.Paste)] == ["abcd"]
    assert list(parser.tick()) == []
    assert keys(parser, b"q") == [("q", "q")]


@pytest.mark.parametrize("kind", [AnyBytesParser, SlowKeyParser])
def test_the_places_of_the_mouse_are_cells_whatever_the_terminal_says_of_pixels(kind: type[AnyBytesParser]) -> None:
    for pixels in ("0;0", "384;640"):
        parser = kind()
        list(parser.feed(f"\x1b[48;24;80;{pixels}t"))
        (event,) = parser.feed("\x1b[<35;10;5M")
        assert isinstance(event, events.MouseMove)
        assert (event.x, event.y) == (9, 4)
