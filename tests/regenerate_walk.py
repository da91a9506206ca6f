"""Writes `screenshots/walk.svg`: a walk through the real app as one animated SVG, without script, fonts or network.

`python -m tests.regenerate_screenshots` writes it too. A line that stands in several frames is stored once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from textual.strip import Strip

from raidtui.tui.terminal.themes import DARK
from tests.regenerate_screenshots import SCREENSHOTS, Picture, opened
from tests.tui.robot import Robot

WALK = SCREENSHOTS / "walk.svg"
COLUMNS, LINES = 120, 36
_CELL, _LINE, _MARGIN = 8.4, 18.0, 14.0
"""size of a character cell, and the frame around the screen, in pixels"""
_FONT = "'Fira Code','DejaVu Sans Mono',Menlo,Consolas,monospace"
_BLANK = "\N{NO-BREAK SPACE}"
"""SVG joins other blanks"""
_READ = 2.0
"""seconds that a frame stays"""


@dataclass(frozen=True)
class Step:
    """One frame: the keys that lead to it and what it shows."""

    words: str
    keys: tuple[str, ...] = ()
    seconds: float = _READ


WALKS: tuple[tuple[Picture, tuple[Step, ...]], ...] = (
    (
        Picture("disks", COLUMNS, LINES),
        (
            Step("Which disks are there, where do they sit, what is on them?"),
            Step("g: four questions without RAID terms", ("g",), 1.4),
            Step("Enter takes an answer", ("enter", "enter", "enter"), 0.8),
            Step("Enter: one suggestion, in words", ("enter",), 2.4),
            Step("Enter takes it: capacity to the byte, speed with its limit, risk, placement", ("enter",), 2.6),
            Step("3: every layout of these disks, and the front", ("3",), 1.6),
            Step("4: the exact commands of every step", ("4", "down", "down", "down")),
            Step("b: every disk is listed; only a typed phrase begins a build", ("b",)),
        ),
    ),
    (Picture("build", COLUMNS, LINES), (Step("5: a build goes on without the app", (), 1.6),)),
    (Picture("bench", COLUMNS, LINES), (Step("6: as fast as predicted? If not, which disk or link?"),)),
    (Picture("report", COLUMNS, LINES), (Step("7: what to sign and file", (), 1.6),)),
)  # fmt: skip


@dataclass(frozen=True)
class Frame:
    """A screen, what is said below it, and how long it stays."""

    lines: tuple[str, ...]
    """each as SVG, without its place"""
    words: str
    seconds: float


class Styles:
    """CSS classes of the styles, in the order of their first use."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def name(self, css: str) -> str:
        """The class of `css`."""
        return self.names.setdefault(css, f"c{len(self.names)}")


def _hex(color: Color | None, *, foreground: bool) -> str:
    found = color or Color.default()
    return found.get_truecolor(DEFAULT_TERMINAL_THEME, foreground=foreground).hex if found.type else ""


def _colours(style: Style) -> tuple[str, str]:
    front, back = _hex(style.color, foreground=True), _hex(style.bgcolor, foreground=False)
    return (back, front) if style.reverse else (front, back)


def line_of(strip: Strip, styles: Styles) -> str:
    """A line of the screen as SVG: backgrounds first, then the text that is not blank."""
    backs, texts, x = [], [], 0
    for segment in strip:
        cells = cell_len(segment.text)
        front, back = _colours(segment.style or Style.null())
        if back not in ("", DARK.background):
            name = styles.name(f"fill:{back}")
            backs.append(f'<rect x="{x * _CELL:g}" width="{cells * _CELL:g}" height="{_LINE:g}" class="{name}"/>')
        shown = segment.text.strip()
        if shown:
            start = x + cell_len(segment.text[: len(segment.text) - len(segment.text.lstrip())])
            bold = ";font-weight:bold" if segment.style is not None and segment.style.bold else ""
            name = styles.name(f"fill:{front or DARK.foreground}{bold}")
            place = f'x="{start * _CELL:g}" y="13.5" textLength="{cell_len(shown) * _CELL:g}"'
            texts.append(f'<text {place} class="{name}">{escape(shown.replace(" ", _BLANK))}</text>')
        x += cells
    return "".join((*backs, *texts))


async def frames(styles: Styles) -> list[Frame]:
    """Every frame of the walk, from the real app."""
    found: list[Frame] = []
    for picture, steps in WALKS:
        async with opened(picture) as user:
            for step in steps:
                for key in step.keys:
                    await user.press(key)
                    await user.settle()
                await user.pilot.pause()
                found.append(_frame(user, step, styles))
    return found


def _frame(user: Robot, step: Step, styles: Styles) -> Frame:
    strips = user.app.screen._compositor.render_strips()
    return Frame(tuple(line_of(strip, styles) for strip in strips), step.words, step.seconds)


def svg_of(shown: Sequence[Frame], styles: Styles) -> str:
    """The animation: each frame is visible in its part of the whole time, and again from the start."""
    ids: dict[str, int] = {}
    for frame in shown:
        for text in frame.lines:
            ids.setdefault(text, len(ids))
    width, height = COLUMNS * _CELL + 2 * _MARGIN, (LINES + 2) * _LINE + 2 * _MARGIN
    parts = [
        f'<svg xml:space="preserve" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">',
        f"<title>raidtui: {escape(shown[0].words)}</title>",
        f"<style>{_css(shown, styles)}</style>",
        "<defs>", *(f'<g id="l{number}">{text}</g>' for text, number in ids.items() if text), "</defs>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{DARK.background}"/>',
    ]  # fmt: skip
    for number, frame in enumerate(shown):
        parts.append(f'<g class="f f{number}">')
        parts += (
            f'<use href="#l{ids[text]}" x="{_MARGIN:g}" y="{_MARGIN + row * _LINE:g}"/>'
            for row, text in enumerate(frame.lines) if text
        )  # fmt: skip
        parts.append(
            f'<text class="w" x="{width / 2:g}" y="{_MARGIN + (LINES + 1) * _LINE:g}">{escape(frame.words)}</text></g>'
        )
    return "\n".join((*parts, "</svg>\n"))


def _css(shown: Sequence[Frame], styles: Styles) -> str:
    whole = sum(frame.seconds for frame in shown)
    ends = [0.0, *accumulate(frame.seconds for frame in shown)]
    rules = [
        f"text{{font:14px {_FONT};white-space:pre}}",
        f".w{{fill:{DARK.accent};text-anchor:middle;font-weight:bold}}",
        f".f{{visibility:hidden;animation:{whole:g}s step-end infinite}}",
        *(f".{name}{{{css}}}" for css, name in styles.names.items()),
    ]
    for number, (begin, end) in enumerate(pairwise(ends)):
        first, last = 100 * begin / whole, 100 * end / whole
        before = "0%{visibility:hidden}" if number else ""
        rules.append(f".f{number}{{animation-name:k{number}}}")
        rules.append(
            f"@keyframes k{number}{{{before}{first:.3f}%{{visibility:visible}}{last:.3f}%{{visibility:hidden}}}}"
        )
    return "".join(rules)


async def walk() -> str:
    """The whole SVG."""
    styles = Styles()
    return svg_of(await frames(styles), styles)


if __name__ == "__main__":
    WALK.write_text(asyncio.run(walk()), encoding="utf-8")
