"""Themes on terminals of few colours, and the looks that must differ."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from rich.color import ColorType
from rich.style import Style
from textual.theme import Theme

from raidtui.tui.terminal.profile import choose
from raidtui.tui.terminal.themes import ANSI, THEMES, tones
from tests.tui.robot import Robot, robot


def styles(user: Robot) -> list[tuple[str, Style]]:
    """Texts on the screen that are not blank, with their styles."""
    return [
        (segment.text, segment.style)
        for strip in user.app.screen._compositor.render_strips()
        for segment in strip
        if segment.style is not None and segment.text.strip()
    ]


def unusual(user: Robot) -> set[str]:
    """Colours of texts on the screen beside the terminal's default and the eight basic ones."""
    return {
        each.name
        for _, style in styles(user)
        for each in (style.color, style.bgcolor)
        if each is not None and not each.is_default
        and not (each.type is ColorType.STANDARD and each.number is not None and each.number < 8)
    }  # fmt: skip


@pytest.mark.parametrize(("term", "line"), [("linux", "/dev/tty1"), ("vt220", "/dev/ttyS0")])
async def test_consoles_get_the_eight_basic_colours_on_screens_prompts_and_palette(term: str, line: str) -> None:
    profile = choose({"TERM": term}, ttyname=line)
    assert profile.theme == ANSI.name
    async with robot(tier=profile.tier, theme=profile.theme) as user:
        for keys in (("2",), ("slash",), ("escape", "4"), ("colon",)):
            await user.press(*keys)
            assert unusual(user) == set(), keys


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_what_is_simulated_looks_unlike_the_answer_and_unlike_what_goes_on(theme: Theme) -> None:
    made = tones(theme)
    others = [made[name] for name in ("badge", "calm", "bar", "head-on")]
    assert made["simulated"] not in others
    assert made["simulated"].bgcolor not in [made[name].bgcolor for name in ("bar", "calm")] or theme.ansi


async def test_what_is_simulated_is_seen_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with robot(tier="ascii", theme="raidtui-ansi", width=100) as user:
        looks = {text.strip(): (style.bold, style.reverse) for text, style in styles(user)}
        assert looks["SIMULATED"] != looks["DRY RUN"]


def _luminance(colour: Iterable[int]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    red, green, blue = (
        each / 255 / 12.92 if each / 255 <= 0.03928 else ((each / 255 + 0.055) / 1.055) ** 2.4 for each in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [theme for theme in THEMES if not theme.ansi], ids=lambda theme: theme.name)
def test_every_text_has_the_contrast_that_wcag_asks_for(theme: Theme) -> None:
    for tone, style in tones(theme).items():
        assert style.color is not None and style.bgcolor is not None
        lighter, darker = sorted(
            (_luminance(each.get_truecolor()) for each in (style.color, style.bgcolor)), reverse=True
        )
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5 or tone == "rule", tone  # a frame is no text


def test_a_terminal_that_says_its_background_is_light_gets_the_light_theme() -> None:
    assert choose({"TERM": "xterm-256color", "COLORFGBG": "0;15"}).theme == "raidtui-light"
    assert choose({"TERM": "xterm-256color", "COLORFGBG": "0;default;7"}).theme == "raidtui-light"
    assert choose({"TERM": "xterm-256color", "COLORFGBG": "15;0"}).theme == "raidtui"
    assert choose({"TERM": "linux", "COLORFGBG": "0;15"}).theme == "raidtui-ansi"
