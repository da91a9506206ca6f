"""Bytes of the terminal on their way to Textual's input thread, which gets none that would end it or hold its keys.

That thread, and the app with it, ends at a byte that is no UTF-8 and at a key whose number is no character. `Keyboard`
therefore stands between the terminal and the thread: it mends the bytes and hands them on through a pipe.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from time import monotonic

from textual import constants, events
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

LONGEST_GAP = 2.0
"""seconds without a byte after which a paste has ended"""
SLOW_ESCAPE = 0.5
"""seconds that a lone Esc is waited for on a serial line (`TerminalProfile.apply`)"""
_LOOK = 0.1
"""seconds after which one looks whether the app has ended, or what was held back is due"""
_ESC = "\x1b"
_ESCAPE = "\x1b\x1b[?0;0$y"
"""the key and nothing else: a report of a mode that there is not ends the sequence that Esc may begin"""
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*)?\Z")
"""a sequence whose end has not arrived"""
_OWN_KEY = re.compile(r"\x1b(?![\[O])")
"""an Esc that begins no arrow or function key"""
_SIZE_IN_PIXELS = re.compile(r"\x1b\[48;[\d:;]*t")
"""a report of size, which makes Textual take places of the mouse for pixels: this app asks for cells"""


class Keyboard:
    """What is typed, mended: text for Textual's parser.

    On a slow line the bytes of an arrow key may arrive half a second apart, so a lone Esc is waited for as long. In
    that time Textual takes Esc and any other character for one key with Alt, and drops it or makes `™` of it. `slow`:
    Esc and a key after it are two keys, however close they arrive; these terminals send arrows and function keys as
    Esc `[` or Esc `O`, and nothing else that the app knows begins with Esc.
    """

    def __init__(self, *, slow: bool) -> None:
        self._slow = slow
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        """the beginning of a sequence"""
        self._before = ""
        """the last characters that were handed on, among them the beginning of a mark of a paste"""
        self._pasting = False
        self._heard = 0.0
        """when the last byte came, `monotonic`"""

    def feed(self, data: bytes) -> str:
        """The text of `data`: bytes that are no UTF-8 are U+FFFD; the beginning of a sequence waits for its end."""
        self._heard = monotonic()
        text = self._held + self._decode(data)
        begun = _BEGUN.search(text)
        self._held = begun.group() if begun else ""
        text = _SIZE_IN_PIXELS.sub("", text.removesuffix(self._held))
        return self._passed(_OWN_KEY.sub(_ESCAPE, text) if self._slow else text)

    def tick(self) -> str:
        """What only time brings: the rest of a sequence that does not come, the end of a paste that was lost."""
        quiet = monotonic() - self._heard
        text = ""
        if self._held and quiet >= constants.ESCAPE_DELAY:
            text, self._held = self._passed(_ESCAPE if self._held == _ESC else self._held), ""
        return text + self._passed(_PASTED) if self._pasting and quiet > LONGEST_GAP else text

    def _passed(self, text: str) -> str:
        """`text`; notes whether a paste has begun and not ended."""
        seen = self._before + text
        begun, ended = seen.rfind(_PASTE), seen.rfind(_PASTED)
        if begun != ended:
            self._pasting = begun > ended
        self._before = seen[1 - len(_PASTE) :]
        return text


def hand_on(terminal: int, into: int, ended: Callable[[], bool], *, slow: bool) -> None:
    """Writes what is typed on `terminal` into the pipe `into` until `ended`; ends the app when the terminal is gone.

    Then it can be read for ever, and has nothing to read; no shell may be there that would get SIGHUP.
    """
    keyboard = Keyboard(slow=slow)
    with suppress(BrokenPipeError):
        while not ended():
            text = ""
            if select.select([terminal], [], [], _LOOK)[0]:
                data = b""
                with suppress(OSError):
                    data = os.read(terminal, 4096)
                if not data:
                    os.kill(os.getpid(), signal.SIGHUP)
                    return
                text = keyboard.feed(data)
            os.write(into, (text + keyboard.tick()).encode())


class SoundDriver(LinuxDriver):
    """Textual's Linux driver, whose input no byte ends."""

    def run_input_thread(self) -> None:
        """Runs Textual's input thread on a pipe; begins anew after a sequence whose numbers are none of a key."""
        terminal, slow = self.fileno, constants.ESCAPE_DELAY >= SLOW_ESCAPE
        self.fileno, into = os.pipe()
        reader = Thread(target=hand_on, args=(terminal, into, self.exit_event.is_set), kwargs={"slow": slow})
        reader.start()
        try:
            while not self.exit_event.is_set():
                with suppress(ValueError, ArithmeticError):
                    super().run_input_thread()
        finally:
            os.close(self.fileno)
            reader.join()
            os.close(into)
            self.fileno = terminal

    def process_message(self, message: Message) -> None:
        """Drops keys that are half of a character."""
        if not (isinstance(message, events.Key) and "\ud800" <= (message.character or "") <= "\udfff"):
            super().process_message(message)
