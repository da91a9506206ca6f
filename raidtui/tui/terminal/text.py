"""Styled lines of text as values, marks of states, and fitting text into cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size

from raidtui.predict.disks.holds import further_uses, holders
from raidtui.values.safe import safe
from raidtui.values.units import HARD_BLANK, joined

if TYPE_CHECKING:
    from raidtui.tui.terminal.glyphs import Glyphs
    from raidtui.values.inventory import Disk
    from raidtui.values.plan import Risk

Tone = Literal[
    "text", "muted", "strong", "title", "good", "warn", "bad", "key", "rule", "rule-on", "head-on",
    "cursor", "cursor-off", "bar", "bar-on", "bar-bad", "badge", "simulated", "calm", "head",
    "a", "b", "c", "d", "good-cursor", "warn-cursor", "bad-cursor", "good-cursor-off", "warn-cursor-off",
    "bad-cursor-off",
]  # fmt: skip
"""meaning of a span; `themes` maps it to a style"""
UNDER_CURSOR: Mapping[tuple[Tone, Tone], Tone] = {
    ("good", "cursor"): "good-cursor", ("warn", "cursor"): "warn-cursor", ("bad", "cursor"): "bad-cursor",
    ("good", "cursor-off"): "good-cursor-off", ("warn", "cursor-off"): "warn-cursor-off",
    ("bad", "cursor-off"): "bad-cursor-off",
}  # fmt: skip
"""what a state's tone becomes in the line under the cursor; every other tone becomes the cursor's"""
_NARROW = re.compile("[ -~\u2500-\u25fc]*")
"""most common characters: letters, box drawing, blocks; all one cell wide"""
GROUP_TONES: tuple[Tone, ...] = ("a", "b", "c", "d")
"""colours of arrays in turn; their letters distinguish them without colour"""


class Span(NamedTuple):
    """A piece of a line with its tone."""

    text: str
    tone: Tone = "text"

    @property
    def key(self) -> str:
        """Key that a click on it presses; empty if it does nothing."""
        return ""


class KeySpan(Span):
    """A span that looks like something to click: a click on it presses its key."""

    def __new__(cls, text: str, tone: Tone, key: str) -> KeySpan:
        """`key`: its name in Textual's terms."""
        made = super().__new__(cls, text, tone)
        made._key = key
        return made

    @property
    def key(self) -> str:
        """The key."""
        return self._key

    _key: str


Line = tuple[Span, ...]


class Mark(NamedTuple):
    """A state shown by glyph, word and tone."""

    glyph: str
    word: str
    tone: Tone


def line(text: str, tone: Tone = "text") -> Line:
    """A line of one span."""
    return (Span(text, tone),)


def fit(text: str, width: int, glyphs: Glyphs, *, right: bool = False) -> str:
    """`text`, made safe, in exactly `width` cells; a cut is marked by an ellipsis. `right` aligns right."""
    shown = safe(text)
    cells = len(shown) if shown.isascii() else cell_len(shown)
    if cells > width:
        return set_cell_size(shown, max(width - 1, 0)) + glyphs.cut if width else ""
    blank = " " * (width - cells)
    return blank + shown if right else shown + blank


def cells(text: str) -> int:
    """Width of `text` in cells."""
    return len(text) if is_narrow(text) else cell_len(text)


def is_narrow(text: str) -> bool:
    """True if all of its characters are known to be one cell wide."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


def wrapped(text: str, width: int) -> Iterable[str]:
    """`text`, made safe, in lines of at most `width` cells, broken at blanks, not in numbers; longer words split."""
    row = ""
    for word in (each.replace(HARD_BLANK, " ") for each in joined(safe(text)).split(" ") if each):
        while cell_len(word) > width > 0:
            if row:
                yield row
                row = ""
            head = set_cell_size(word, width).rstrip()
            yield head
            word = word[len(head) :]
        if row and cell_len(row) + 1 + cell_len(word) > width:
            yield row
            row = word
        else:
            row = f"{row} {word}" if row else word
    if row:
        yield row


def mark(disk: Disk, glyphs: Glyphs, *, left_out: bool = False, taken_over: bool = False) -> Mark:
    """The state of `disk`: whether it is in use first, then the user's decision, then its health."""
    if disk.protected:
        return Mark(glyphs.busy, "system", "bad")
    if holders(disk):
        return Mark(glyphs.busy, "in use", "bad")
    if not disk.selectable:
        return Mark(glyphs.failed, "unfit", "bad")
    if disk.state == "unknown":
        return Mark(glyphs.unknown, "unknown", "warn")
    if disk.state == "content":
        return Mark(glyphs.alert, "erase", "warn") if taken_over else Mark(glyphs.held, "content", "warn")
    if left_out:
        return Mark(glyphs.out, "left out", "muted")
    if disk.smart is not None and disk.smart.healthy is False:
        return Mark(glyphs.failed, "failing", "bad")
    if disk.smart is not None and disk.smart.reallocated:
        return Mark(glyphs.alert, "worn", "warn")
    return Mark(glyphs.disk, "free", "good")


def why(disk: Disk) -> str:
    """Content or defects of `disk` in a few words; empty if there are none."""
    parts = [disk.not_selectable or "", further_uses(disk)]
    if disk.smart is not None and disk.smart.healthy is False:
        parts.append("SMART reports failure")
    if disk.smart is not None and disk.smart.reallocated:
        parts.append(f"{disk.smart.reallocated} sectors reallocated")
    return "; ".join(part for part in parts if part)


def risk_mark(risk: Risk, glyphs: Glyphs) -> Mark:
    """Mark of a step's risk."""
    match risk:
        case "none":
            return Mark(glyphs.good, "reads", "good")
        case "write":
            return Mark(glyphs.alert, "writes", "warn")
        case "erase":
            return Mark(glyphs.failed, "ERASES", "bad")
