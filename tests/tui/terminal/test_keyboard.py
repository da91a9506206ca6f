"""Whatever a terminal sends: the app stays, and the next key arrives. On a slow line Esc and a key are two keys."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import constants, events
from textual.app import App
from textual.message import Message

from raidtui.tui.terminal.keyboard import LONGEST_GAP, SLOW_ESCAPE, Keyboard, SoundDriver, hand_on
from tests.suite import examples
from tests.tui.terminal.on_pty import on_pty

LAST = b"\x1b[20~"
"""F9"""
PATIENCE = 20.0
"""seconds after which a test gives up"""


class Typist(SoundDriver):
    """The driver, its terminal a pipe that a test writes into; it keeps the events."""

    def __init__(self) -> None:
        super().__init__(App())
        self.seen: list[Message] = []
        self.fileno, self.keys = os.pipe()
        self.reader = threading.Thread(target=self.run_input_thread)
        self.reader.start()

    def send_message(self, message: Message) -> None:
        self.seen.append(message)

    async def types(self, *pieces: bytes) -> list[Message]:
        """The events of `pieces`, each read for itself; after them F9 is typed until it arrives."""
        self.seen.clear()
        for piece in pieces:
            os.write(self.keys, piece)
            await asyncio.sleep(0.02)
        end = time.monotonic() + PATIENCE
        while not (found := [each for each in self.seen if isinstance(each, events.Key) and each.key == "f9"]):
            assert time.monotonic() < end, "no key arrives any more"
            os.write(self.keys, LAST)
            await asyncio.sleep(0.05)
        return self.seen[: self.seen.index(found[0])]


@asynccontextmanager
async def typist() -> AsyncIterator[Typist]:
    kept = [(number, signal.getsignal(number)) for number in (signal.SIGTSTP, signal.SIGCONT)]
    driver = Typist()
    try:
        yield driver
    finally:
        driver.exit_event.set()
        driver.reader.join()
        os.close(driver.fileno)
        os.close(driver.keys)
        for number, handler in kept:
            signal.signal(number, handler)


def names(seen: list[Message]) -> list[str]:
    return [each.key for each in seen if isinstance(each, events.Key)]


async def test_a_byte_that_is_no_utf8_is_shown_as_a_replacement() -> None:
    async with typist() as driver:
        seen = await driver.types(b"a\xfcb")
        assert [(each.key, each.character) for each in seen if isinstance(each, events.Key)] == [
            ("a", "a"), ("replacement_character", "\ufffd"), ("b", "b")
        ]  # fmt: skip


_PARTS = (
    b"\x1b", b"[", b"<", b";", b":", b"?", b"O", b"M", b"u", b"~", b"t", b"A", b"1", b"0", b"$y", b"200~", b"48",
    b"1114112", b"55296", b"9" * 400, b"\xfc", b"\xc3", b"\xed\xa0\x80",
)  # fmt: skip
NOISE = st.lists(st.sampled_from(_PARTS) | st.binary(max_size=4), max_size=20).map(b"".join)


@pytest.mark.parametrize("delay", [0.1, SLOW_ESCAPE])
async def test_a_sequence_of_impossible_numbers_is_ignored(delay: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ESCAPE_DELAY", delay)
    async with typist() as driver:
        for sequence in (b"\x1b[1114112A", b"\x1b[55296u", b"\x1b[97:65u", b"\x1b[48;24;80;0;0t"):
            assert await driver.types(sequence) == []
        assert names(await driver.types(b"q")) == ["q"]


@given(pieces=st.lists(NOISE, max_size=4))
@examples(60)
async def test_no_bytes_end_the_input(pieces: list[bytes]) -> None:
    async with typist() as driver:
        for event in await driver.types(*pieces, b"\x1b[201~"):
            assert not isinstance(event, events.Key) or (event.character or "").encode() is not None


@pytest.mark.process
def test_the_app_outlives_an_8_bit_terminal(tmp_path: Path) -> None:
    environ = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
    with on_pty(["--inventory", "nas4"], tmp_path, environ) as app:
        app.finds(b"Design")
        app.press(b"\xfc\xe4\xff\x1b[1114112A")
        app.press(b"q")
        assert (app.ends(), b"Traceback" in app.written) == (0, False)


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize(
    "arrivals", [[b"\x1b[200~ab", b"cd"], [b"\x1b[2", b"00~abcd"], [b"\x1b[200~x\x1b[201~\x1b[200~abcd"]]
)
def test_a_paste_whose_end_is_lost_ends_when_nothing_comes(
    slow: bool, arrivals: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("raidtui.tui.terminal.keyboard.monotonic", lambda: now[0])
    keyboard = Keyboard(slow=slow)
    assert "".join(keyboard.feed(data) for data in arrivals) == b"".join(arrivals).decode()
    assert keyboard.tick() == ""
    now[0] += LONGEST_GAP + 0.1
    assert keyboard.tick() == "\x1b[201~"
    assert keyboard.tick() == ""
    assert keyboard.feed(b"q") == "q"


async def test_a_paste_whose_end_is_lost_is_pasted_and_the_next_key_is_a_key() -> None:
    async with typist() as driver:
        (pasted,) = await driver.types(b"\x1b[200~abcd", *[b""] * 125)  # 2.5 seconds
        assert isinstance(pasted, events.Paste)
        assert pasted.text == "abcd"


async def test_the_places_of_the_mouse_are_cells_whatever_the_terminal_says_of_pixels() -> None:
    async with typist() as driver:
        for pixels in (b"0;0", b"384;640"):
            (event,) = await driver.types(b"\x1b[48;24;80;" + pixels + b"t\x1b[<35;10;5M")
            assert isinstance(event, events.MouseMove)
            assert (event.x, event.y) == (9, 4)


SLOW = [
    ([b"\x1b2"], ["escape", "2"]),
    ([b"\x1b", b"2"], ["escape", "2"]),
    ([b"\x1bx"], ["escape", "x"]),
    ([b"\x1bq"], ["escape", "q"]),
    ([b"\x1b", b"\r"], ["escape", "enter"]),
    ([b"\x1b\t"], ["escape", "tab"]),
    ([b"\x1b/abc"], ["escape", "slash", "a", "b", "c"]),
    ([b"\x1b\x1b2"], ["escape", "escape", "2"]),
    ([b"\x1b\x1b[A"], ["escape", "up"]),
    ([b"\x1b[A"], ["up"]),
    ([b"\x1b", b"[", b"A"], ["up"]),
    ([b"\x1b[", b"A", b"2"], ["up", "2"]),
    ([b"\x1bOA", b"\x1bOB"], ["up", "down"]),
    ([b"a\x1b[5~b"], ["a", "pageup", "b"]),
    ([b"\x1b[A\x1b[B\x1b", b"j"], ["up", "down", "escape", "j"]),
]


@pytest.mark.parametrize("kitty", [False, True])
async def test_on_a_slow_line_esc_and_a_key_are_two_and_an_arrow_is_one(
    kitty: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "ESCAPE_DELAY", SLOW_ESCAPE)
    monkeypatch.setattr(constants, "DISABLE_KITTY_KEY", not kitty)
    async with typist() as driver:
        for arrivals, expected in SLOW:
            assert names(await driver.types(*arrivals)) == expected, arrivals


@pytest.mark.parametrize("slow", [False, True])
def test_a_lone_esc_is_itself_after_the_delay_and_not_before(slow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("raidtui.tui.terminal.keyboard.monotonic", lambda: now[0])
    keyboard = Keyboard(slow=slow)
    assert keyboard.feed(b"\x1b") == ""
    now[0] += constants.ESCAPE_DELAY * 0.9
    assert keyboard.tick() == ""
    now[0] += constants.ESCAPE_DELAY * 0.2
    assert keyboard.tick() == "\x1b\x1b[?0;0$y"
    assert keyboard.tick() == ""
    assert keyboard.feed(b"2") == "2"


async def test_a_lone_esc_is_a_key_and_alt_is_one_where_the_line_is_fast() -> None:
    async with typist() as driver:
        assert names(await driver.types(b"\x1b", *[b""] * 25)) == ["escape"]
        assert names(await driver.types(b"\x1bx", *[b""] * 25)) == ["alt+x"]


def test_a_terminal_that_is_gone_ends_the_app_where_no_shell_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the background, or below a program that ignores SIGHUP: reading would return nothing, for ever."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda process, number: sent.append((process, number)))
    near, far = os.openpty()
    out, into = os.pipe()
    os.write(near, b"x\n")
    reader = threading.Thread(target=hand_on, args=(far, into, lambda: False), kwargs={"slow": False})
    reader.start()
    assert os.read(out, 10) == b"x\n"
    assert sent == []
    os.close(near)
    reader.join()
    for each in (far, out, into):
        os.close(each)
    assert sent == [(os.getpid(), signal.SIGHUP)]
