"""Escapes text from disks, files and tools, so that control characters never reach a terminal.

A label on a plugged-in disk may hold ESC sequences, C1 controls, bidi overrides or
invisible characters. All of them are shown, none is obeyed.
"""

from __future__ import annotations

import unicodedata

_SEEN = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Me"}


def safe(text: str, *, longest: int | None = None) -> str:
    """`text` on one line with every control, format and combining character made visible.

    ESC becomes `\\e`, U+202E becomes `\\u202e`, a byte that is no UTF-8 becomes `\\xfc`. With `longest`, the result is
    cut to that many characters, ending in `~` where something was cut.
    """
    if text.isascii() and text.isprintable():
        shown = text
    else:
        shown = "".join(_SEEN.get(char) or _visible(char) for char in text)
    if longest is not None and len(shown) > longest:
        return shown[: max(longest - 1, 0)] + "~"
    return shown


def _visible(char: str) -> str:
    if unicodedata.category(char) not in _INVISIBLE and (char == " " or not char.isspace()):
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte, as `surrogateescape` decodes it
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
