"""Glyph table of the app in three tiers, and the characters that each tier can show.

`console` is the common subset of the default console fonts of Debian, Ubuntu, RHEL and the kernel; none of
them has eighth blocks, rounded corners, triangles or braille.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from raidtui.tui.terminal.profile import Tier

_BOX = "─│┌┐└┘├┤┬┴┼"
_DOUBLE_BOX = "═║╔╗╚╝╠╣╦╩╬"
_CONSOLE = frozenset(_BOX + _DOUBLE_BOX + "█░▒•°±²µ·")


class Glyphs(NamedTuple):
    """Characters by meaning, each one cell wide."""

    tier: Tier
    rule: str
    side: str
    corners: str
    """top left, top right, bottom left, bottom right"""
    disk: str
    """a disk that is free"""
    hole: str
    """a bay without a disk"""
    busy: str
    """in use: never written to"""
    held: str
    """has content that is not in use"""
    out: str
    """excluded by the user"""
    alert: str
    failed: str
    unknown: str
    good: str
    note: str
    open: str
    shut: str
    less: str
    more: str
    times: str
    cut: str
    """ellipsis of cut text"""
    bar: str
    bar_rest: str
    thumb: str
    """scrollbar thumb on a pane's right edge"""
    point: str
    """point of the scatter plot without a letter"""
    tick: str
    """tick of the vertical axis"""
    tick_below: str
    """tick of the horizontal axis"""
    better: str
    """before a difference for the better"""
    worse: str
    """before a difference for the worse"""
    digits: str
    """box characters of large digits: rule, side, four corners, left and right tee; empty if there are none"""
    levels: str
    """heights in history and heat map: zero first, then from low to full"""

    def allows(self, char: str) -> bool:
        """True if terminals of this tier can show `char`."""
        if char.isascii():
            return char.isprintable()
        return char.isprintable() if self.tier == "unicode" else self.tier == "console" and char in _CONSOLE


ASCII = Glyphs(
    tier="ascii", rule="-", side="|", corners="++++", disk="o", hole=".", busy="#", held="=", out="-", alert="!",
    failed="X", unknown="?", good="+", note="i", open="v", shut=">", less="<", more=">", times="x", cut="~",
    bar="#", bar_rest="-", thumb="#", point=".", tick="+", tick_below="+", better="+", worse="!", digits="",
    levels="_.:=#",
)  # fmt: skip
CONSOLE = Glyphs(
    tier="console", rule="─", side="│", corners="┌┐└┘", disk="•", hole="·", busy="█", held="▒", out="-", alert="!",
    failed="X", unknown="?", good="+", note="i", open="v", shut=">", less="<", more=">", times="x", cut="~",
    bar="█", bar_rest="░", thumb="█", point="·", tick="┤", tick_below="┬", better="+", worse="!",
    digits="─│┌┐└┘├┤", levels="·░▒█",
)  # fmt: skip
UNICODE = Glyphs(
    tier="unicode", rule="─", side="│", corners="╭╮╰╯", disk="●", hole="·", busy="■", held="◐", out="○", alert="▲",
    failed="✗", unknown="?", good="✓", note="i", open="▾", shut="▸", less="‹", more="›", times="×", cut="…",
    bar="━", bar_rest="─", thumb="┃", point="·", tick="┤", tick_below="┬", better="✓", worse="!",
    digits="━┃┏┓┗┛┣┫", levels="▁▂▃▄▅▆▇",
)  # fmt: skip
GLYPHS: dict[Tier, Glyphs] = {"ascii": ASCII, "console": CONSOLE, "unicode": UNICODE}

_LIKE = {
    **dict.fromkeys("─━╌╍┄┅▁▂▔═", "-"), **dict.fromkeys("│┃╎╏▎▏▊▋▌▐▕║", "|"), **dict.fromkeys("▀▄█▆▇▅▃■▒░", "#"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛┣┫▗▖▝▘╔╗╚╝", "+"), **dict.fromkeys("•·●○◉◌▪", "o"),
    "▶": ">", "▸": ">", "▴": "^", "›": ">", "◀": "<", "‹": "<", "▼": "v", "▾": "v", "▲": "^", "…": "~", "×": "x",
    "✓": "+", "✗": "X", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "µ": "u", "²": "2",
    "±": "~", "°": " ",
    "🔎": "/ ", "⏎": "<",
}  # fmt: skip
_CONSOLE_LIKE = {
    **dict.fromkeys("━╌╍┄┅▁▂▔", "─"), **dict.fromkeys("┃╎╏▎▏▊▋▌▐▕", "│"), **dict.fromkeys("▀▄▆▇▅▃■", "█"),
    "╭": "┌", "╮": "┐", "╰": "└", "╯": "┘", "┏": "┌", "┓": "┐", "┗": "└", "┛": "┘", "┣": "├", "┫": "┤",
    "●": "•", "○": "·", "▴": "^", "▾": "v",
}  # fmt: skip


def translated(text: str, glyphs: Glyphs) -> str:
    """`text` with every character that the tier cannot show replaced by one of the same width."""
    if (text.isascii() or glyphs.tier == "unicode") and text.isprintable():
        return text
    return "".join(char if glyphs.allows(char) else _replacement(char, glyphs.tier) for char in text)


def _replacement(char: str, tier: Tier) -> str:
    if tier == "console" and char in _CONSOLE_LIKE:
        return _CONSOLE_LIKE[char]
    cells = cell_len(char)
    if tier == "unicode" or not char.isprintable():
        return (" " if char.isspace() else "?") * cells
    return _LIKE.get(char, "?" * cells)


# Line filter that replaces every character that the terminal's tier cannot show.
# Our widgets use the glyph table and do not need it; Textual's own widgets (input, palette) draw eighth blocks, which
# no console font has. Line filters are public in Textual but meant for internal use; no other file uses them.


class TierFilter(LineFilter):
    """Replaces characters outside the tier, and control characters in every tier."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """`segments` with every text translated; Textual's control segments are kept."""
        del background
        return [
            segment if segment.control else Segment(translated(segment.text, self.glyphs), segment.style)
            for segment in segments
        ]
