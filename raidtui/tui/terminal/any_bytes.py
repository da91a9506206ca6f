"""Terminal input is bytes: what is no UTF-8 is shown as U+FFFD, and an impossible sequence is ignored.

A terminal of another encoding, a paste or line noise may send anything; Textual's input thread, and the app with it,
ends at a byte that is no UTF-8 and at a key whose number is no character.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from functools import partial

from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

from raidtui.tui.terminal.textual_faults import SoundParser


def forgiving_decoder(encoding: str) -> partial[codecs.IncrementalDecoder]:
    """Makes decoders that put U+FFFD in the place of what they cannot decode."""
    return partial(codecs.getincrementaldecoder(encoding), "replace")


class AnyBytesParser(SoundParser, XTermParser):
    """Textual's parser, which begins anew after a sequence whose numbers are none of a key or place."""

    def feed(self, data: str) -> Iterable[Message]:
        """The events of `data`, without keys that are half of a character."""
        try:
            for event in super().feed(data):
                if not (isinstance(event, events.Key) and "\ud800" <= (event.character or "") <= "\udfff"):
                    yield event
        except (ValueError, OverflowError):
            XTermParser.__init__(self, debug=False)
