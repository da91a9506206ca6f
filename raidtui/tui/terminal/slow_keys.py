"""Key parser for slow lines: Esc and a key after it are two keys, however close they arrive.

On a serial line the bytes of an arrow key may arrive half a second apart, so a lone Esc is waited for as long. In that
time Textual takes Esc and any other character for one key with Alt, and drops it or makes `™` of it. These terminals
send arrows and function keys as Esc `[` or Esc `O`, and nothing else that the app knows begins with Esc.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from textual import constants, events
from textual.message import Message

from raidtui.tui.terminal.any_bytes import AnyBytesParser

_ESC = "\x1b"
_BEGINS = "[O"
"""characters that continue a sequence after Esc"""


class SlowKeyParser(AnyBytesParser):
    """Textual's parser, which gets an Esc only as the beginning of a sequence."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._held_since: float | None = None
        """when the Esc at the end of the input came, `time.monotonic`; None: there was none"""

    def feed(self, data: str) -> Iterable[Message]:
        """The events of `data`; an Esc at its end is held until the next character, or until `tick` gives up."""
        if not data:
            yield from super().feed(data)
            return
        before, *parts = data.split(_ESC)
        if self._held_since is not None:
            self._held_since = None
            parts, before = [before, *parts], ""
        if before:
            yield from super().feed(before)
        for number, part in enumerate(parts):
            if not part and number == len(parts) - 1:
                self._held_since = time.monotonic()
            elif part.startswith(tuple(_BEGINS)):
                yield from super().feed(_ESC + part)
            else:
                yield events.Key("escape", _ESC)
                if part:
                    yield from super().feed(part)

    def tick(self) -> Iterable[Message]:
        """An Esc that nothing followed in time is the key itself."""
        if self._held_since is not None and time.monotonic() - self._held_since >= constants.ESCAPE_DELAY:
            self._held_since = None
            yield events.Key("escape", _ESC)
        yield from super().tick()
