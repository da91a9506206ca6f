"""Partial repaints with few bytes and little work: only changed cells, each style sent once.

Textual sends a partial repaint from the left edge of the widget and resets the style after every piece; on a serial
line that is most of the traffic. `PartialUpdate` replaces it: the same cells, cropped on both sides. A widget that
knows which cells changed passes them to `PartialRepaintApp.paint` and bypasses the compositor, which would render and
crop each of its lines. Both use `App._display`, which is undocumented; no other file uses it. If a later Textual
removes it, `paint` returns False, everything is still drawn with more bytes, and the test that counts them fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol, runtime_checkable

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate
from textual.app import App
from textual.geometry import Offset
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from raidtui.tui.terminal.text import cells

_PLAIN = "\x1b[m"
_TEXT = "\0"
_DEFAULTS = ("39", "49")
"""codes of the default colours, which a reset implies"""
_MANY_CHANGES = 4
"""changes of style, for each style, from which drawing one style after the other may take fewer bytes"""
_LONG = {"5": 2, "2": 4}
"""number of codes after 38 and 48, by colour mode"""


class ScreenPiece(NamedTuple):
    """Cells of one line of the screen."""

    x: int
    y: int
    segments: Sequence[Segment]


class PartialUpdate(CompositorUpdate):
    """An update that renders pieces as escape sequences."""

    def __init__(self, pieces: Iterable[ScreenPiece]) -> None:
        self.pieces = pieces

    def render_segments(self, console: Console) -> str:
        """The output for the terminal."""
        system = console._color_system or ColorSystem.TRUECOLOR
        runs = list(_runs(self.pieces, system))
        styles = {run.style for run in runs}
        changes = sum(one.style != other.style for one, other in pairwise(runs))
        sent = _sent(runs)
        if changes < _MANY_CHANGES * len(styles) or any(run.tail for run in runs):
            return sent
        order = {style: number for number, style in enumerate(dict.fromkeys(run.style for run in runs))}
        return min(sent, _sent(sorted(runs, key=lambda run: order[run.style])), key=len)


class _Run(NamedTuple):
    """Cells of one line in one style."""

    x: int
    end: int
    """the cell after them"""
    y: int
    style: str
    """the escape sequence before the text"""
    tail: str
    """the one after it; empty if the style is only a colour"""
    text: str


def _runs(pieces: Iterable[ScreenPiece], system: ColorSystem) -> Iterator[_Run]:
    for x, y, segments in pieces:
        for text, style, _ in segments:
            end = x + cells(text)
            yield _Run(x, end, y, *_style(style, system), text)
            x = end


def _sent(runs: Sequence[_Run]) -> str:
    """The output that draws `runs` in this order."""
    sent: list[str] = []
    style = _PLAIN
    row, column = -1, 0
    for x, end, y, wanted, tail, text in runs:
        gap = x - column if y == row else -1
        if gap > 0:
            sent.append(f"\x1b[{gap}C")
        elif gap < 0:
            sent.append(f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H")
        row, column = y, end
        if wanted != style:
            sent.append(wanted if tail else _change(style, wanted))
            style = wanted
        sent.append(text)
        if tail:
            sent.append(tail)
            style = _PLAIN
    if style != _PLAIN:
        sent.append(_PLAIN)
    return "".join(sent)


def pieces_of(coarse: ChopsUpdate) -> Iterator[ScreenPiece]:
    """The cells that a ChopsUpdate draws."""
    for y, first, last in coarse.spans:
        for end, (x, strip) in zip(coarse.chop_ends[y], coarse.chops[y].items(), strict=False):
            if strip is not None and x < last and end > first:
                left, right = max(first - x, 0), min(last, end) - x
                whole = left == 0 and right == end - x
                yield ScreenPiece(x + left, y, list(strip if whole else strip.crop(left, right)))


_known: dict[tuple[Style, ColorSystem], tuple[str, str]] = {}


def _style(style: Style | None, system: ColorSystem) -> tuple[str, str]:
    """The escape sequence before a text of this style, and the one after it if the style is more than a colour."""
    if style is None:
        return _PLAIN, ""
    found = _known.get((style, system))
    if found is None:
        before, _, after = Strip.render_style(style, _TEXT, system).partition(_TEXT)
        if style.link or not before.startswith("\x1b[") or not before.endswith("m"):
            return _PLAIN + before, after if before else ""
        codes = _told(before[2:-1].split(";"))
        found = f"\x1b[0;{codes}m" if codes else _PLAIN, ""
        _known[style, system] = found
    return found


@lru_cache(maxsize=1024)
def _change(before: str, after: str) -> str:
    """The shortest sequence that turns one style into another; both are sequences that begin with a reset.

    Mostly a colour alone differs, which is half of the bytes.
    """
    if after == _PLAIN:
        return after
    old, new = _attributes(before), _attributes(after)
    gone = [layer for layer in old if layer not in new]
    if any(layer not in ("38", "48") for layer in gone):
        return after
    told = [_BACK[layer] for layer in gone] + [code for layer, code in new.items() if old.get(layer) != code]
    return min(f"\x1b[{';'.join(told)}m", after, key=len)


_BACK = {"38": "39", "48": "49"}
"""code of the default text colour and background"""


def _attributes(style: str) -> dict[str, str]:
    """The codes of a style after its reset, by what they set: `38` the text, `48` the background, others themselves."""
    found: dict[str, str] = {}
    for code in _split(style.removeprefix("\x1b[").removesuffix("m").split(";")):
        first = code[0]
        plain = len(code) == 1 and first.isdecimal()
        layer = (
            "38" if plain and int(first) in _TEXT_COLOURS else "48" if plain and int(first) in _BACKGROUNDS else first
        )
        if first not in ("", "0"):
            found[layer] = ";".join(code)
    return found


_TEXT_COLOURS = frozenset((*range(30, 38), *range(90, 98)))
_BACKGROUNDS = frozenset((*range(40, 48), *range(100, 108)))


def _told(codes: Sequence[str]) -> str:
    """Those of `codes` that a reset does not imply, as text."""
    return ";".join(";".join(code) for code in _split(codes) if code[0] not in _DEFAULTS)


def _split(codes: Sequence[str]) -> Iterator[Sequence[str]]:
    """Each code with its parameters."""
    at = 0
    while at < len(codes):
        more = 1 + _LONG.get(codes[at + 1], 0) if codes[at] in ("38", "48") and at + 1 < len(codes) else 1
        yield codes[at : at + more]
        at += more


class HasCaret(Widget):
    """A widget with a place that is worked on."""

    def caret(self) -> Offset:
        """The place of its cursor, from its own corner."""
        return Offset(0, 0)


@runtime_checkable
class TextField(Protocol):
    """Textual's widgets in which text is typed."""

    @property
    def cursor_screen_offset(self) -> Offset:
        """The place of its cursor on the screen."""


class PartialRepaintApp(App[int]):
    """An app that sends partial repaints as `PartialUpdate`, and leaves the terminal's cursor at the focus.

    A braille line or a screen reader follows that cursor, which is hidden for the eye.
    """

    def paint(self, screen: Screen[object], pieces: Sequence[ScreenPiece]) -> bool:
        """Draws `pieces` of `screen` at once; returns False if they must be refreshed the usual way."""
        if screen is not self.screen or self._batch_count or not hasattr(super(), "_display"):
            return False
        self._follow_focus()
        super()._display(screen, PartialUpdate(pieces))  # type: ignore[arg-type]
        return True

    def paint_on(self, widget: Widget, pieces: Iterable[ScreenPiece]) -> bool:
        """`paint` of pieces whose places are from the corner of `widget`; also False where it is not wholly visible."""
        region = widget.region  # none while it has no screen, as when the app closes
        if not region or widget.screen.find_widget(widget).visible_region != region:
            return False
        moved = [ScreenPiece(region.x + x, region.y + y, segments) for x, y, segments in pieces]
        return self.paint(widget.screen, moved)

    def _follow_focus(self) -> None:
        focused = self.focused
        if isinstance(focused, HasCaret):
            self.cursor_position = focused.region.offset + focused.caret()
        elif isinstance(focused, TextField):  # slower: it looks for the attribute
            self.cursor_position = focused.cursor_screen_offset

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        self._follow_focus()
        fine = PartialUpdate(pieces_of(renderable)) if isinstance(renderable, ChopsUpdate) else renderable
        super()._display(screen, fine)  # type: ignore[arg-type]
