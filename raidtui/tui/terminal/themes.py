"""Themes: four colour themes, and the mapping from tones to styles.

A colour never carries a meaning alone: each has a glyph or a word beside it. `raidtui-contrast` shows good and bad
in blue and orange, which users with red-green colour blindness can distinguish; `raidtui-light` is for a light
background, as COLORFGBG states it; `raidtui-ansi` uses the terminal's
eight colours and bold, never the bright eight that some serial terminals lack.

`raidtui-ansi` is used on the Linux console, on serial lines, on other terminals of 8 or 16 colours, and where NO_COLOR
is set. Textual's own `ansi-dark` and `ansi-light` are not offered: they draw cursor and selection in the bright eight,
`ansi-dark` draws frames without focus in black on a black console, and `ansi-light` its warnings in bright red.
"""

from __future__ import annotations

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from raidtui.tui.terminal.text import UNDER_CURSOR, Tone

DARK = Theme(
    name="raidtui",
    primary="#7aa2d6", secondary="#5fb3a8", accent="#e0b060", success="#7fbf7f", warning="#e5a84b", error="#f08a84",
    foreground="#d5d9e0", background="#14181f", surface="#14181f", panel="#1f2631", dark=True,
    variables={"muted": "#8791a0", "rule": "#3a4454", "group-c": "#b592d0", "group-d": "#d6a27a"},
)  # fmt: skip
LIGHT = Theme(
    name="raidtui-light",
    primary="#1f5a9e", secondary="#0f6b62", accent="#855600", success="#1f5c1f", warning="#7a4200", error="#a01c16",
    foreground="#1d222b", background="#fafaf7", surface="#fafaf7", panel="#e3e7ed", dark=False,
    variables={"muted": "#555e6c", "rule": "#b4bcc8", "group-c": "#76389e", "group-d": "#94430c"},
)  # fmt: skip
CONTRAST = Theme(
    name="raidtui-contrast",
    primary="#6fb7ff", secondary="#ffffff", accent="#ffd24d", success="#5cb8ff", warning="#ffb000", error="#ff7a1a",
    foreground="#ffffff", background="#000000", surface="#000000", panel="#1c1c1c", dark=True,
    variables={"muted": "#c0c0c0", "rule": "#8a8a8a", "group-c": "#ffd24d", "group-d": "#c9a6ff"},
)  # fmt: skip
ANSI = Theme(
    name="raidtui-ansi", ansi=True,
    primary="ansi_cyan", secondary="ansi_cyan", accent="ansi_yellow", success="ansi_green", warning="ansi_yellow",
    error="ansi_red", foreground="ansi_default", background="ansi_default", surface="ansi_default",
    panel="ansi_default", boost="ansi_default", dark=True,
    variables={
        "ansi-background": "ansi_black", "ansi-foreground": "ansi_white", "input-cursor-text-style": "none",
        "block-cursor-foreground": "ansi_black", "block-cursor-background": "ansi_white",
        "input-cursor-background": "ansi_white", "input-cursor-foreground": "ansi_black",
        "input-selection-background": "ansi_cyan", "input-selection-foreground": "ansi_black",
        "screen-selection-background": "ansi_cyan", "screen-selection-foreground": "ansi_black",
        "border": "ansi_cyan", "border-blurred": "ansi_white",
    },
)  # fmt: skip
THEMES = (DARK, LIGHT, CONTRAST, ANSI)


def tones(theme: Theme) -> dict[Tone, Style]:
    """The style of every tone in `theme`; Textual's own themes work too."""
    made = _ansi_tones() if theme.ansi else _colour_tones(theme)
    return made | {on: made[cursor] + Style(color=made[own].color) for (own, cursor), on in UNDER_CURSOR.items()}


def _colour_tones(theme: Theme) -> dict[Tone, Style]:
    back = Color.parse(theme.background or "#121212")
    text = Color.parse(theme.foreground or theme.to_color_system().generate()["foreground"])
    primary = Color.parse(theme.primary)
    panel = Color.parse(theme.panel) if theme.panel else back.blend(primary, 0.12)

    def own(name: str, default: Color) -> Color:
        return Color.parse(theme.variables[name]) if name in theme.variables else default

    def pick(value: str | None, default: Color = primary) -> Color:
        return Color.parse(value) if value else default

    def style(color: Color, *, bold: bool = False, on: Color | None = None) -> Style:
        return Style(color=color.rich_color, bgcolor=(on or back).rich_color, bold=bold)

    muted = own("muted", text.blend(back, 0.4))
    rule = own("rule", text.blend(back, 0.7))
    accent = pick(theme.accent)
    return {
        "text": style(text),
        "muted": style(muted),
        "strong": style(text, bold=True),
        "title": style(primary, bold=True),
        "good": style(pick(theme.success)),
        "warn": style(pick(theme.warning), bold=True),
        "bad": style(pick(theme.error), bold=True),
        "key": style(text, bold=True, on=panel),
        "rule": style(rule),
        "rule-on": style(primary),
        "head-on": style(back, bold=True, on=primary),
        "cursor": style(text, bold=True, on=back.blend(primary, 0.25)),
        "cursor-off": style(text, on=panel),
        "bar": style(muted, on=panel),
        "bar-on": style(text, bold=True, on=panel),
        "bar-bad": style(pick(theme.error), bold=True, on=panel),
        "badge": style(back, bold=True, on=accent),
        "simulated": style(text, bold=True, on=back.blend(pick(theme.secondary), 0.4)),
        "calm": style(pick(theme.success), bold=True, on=panel),
        "head": style(text, bold=True),
        "a": style(primary),
        "b": style(pick(theme.secondary)),
        "c": style(own("group-c", accent)),
        "d": style(own("group-d", text)),
    }


def _ansi_tones() -> dict[Tone, Style]:
    def style(color: str = "default", *, bold: bool = False, reverse: bool = False) -> Style:
        return Style(color=color, bgcolor="default", bold=bold, reverse=reverse)

    return {
        "text": style(),
        "muted": style(),
        "strong": style(bold=True),
        "title": style("cyan", bold=True),
        "good": style("green"),
        "warn": style("yellow", bold=True),
        "bad": style("red", bold=True),
        "key": style(bold=True, reverse=True),
        "rule": style(),
        "rule-on": style("cyan"),
        "head-on": style("cyan", bold=True, reverse=True),
        "cursor": style(reverse=True),
        "cursor-off": style(bold=True),
        "bar": style(reverse=True),
        "bar-on": style(bold=True, reverse=True),
        "bar-bad": style("red", bold=True, reverse=True),
        "badge": style(bold=True),
        "simulated": style("magenta", bold=True),
        "calm": style(bold=True, reverse=True),
        "head": style(bold=True),
        "a": style("cyan"),
        "b": style("green"),
        "c": style("magenta"),
        "d": style("yellow"),
    }
