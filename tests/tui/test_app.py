"""What every screen has in common: keys, help, palette, sizes."""

from __future__ import annotations

import pytest

from tests.tui.robot import SCREENS, robot


async def test_digits_change_screens_and_the_title_marks_the_current_one() -> None:
    async with robot() as user:
        for digit, heading in (("2", "Result"), ("3", "Layouts"), ("4", "Scripts"), ("1", "Topology")):
            await user.press(digit)
            assert user.sees(heading)


async def test_the_last_line_has_at_most_seven_keys_and_ends_with_help() -> None:
    async with robot(width=200, height=60) as user:
        for digit in SCREENS:
            await user.press(digit)
            hints = [hint for hint in user.lines()[-1].split("  ") if hint.strip()]
            assert len(hints) <= 14, digit
            assert hints[-2:] == [" ?", "keys"], digit


async def test_help_lists_the_keys_of_this_screen() -> None:
    async with robot() as user:
        for digit, words in (
            ("1", "show only disks"), ("2", "type a whole layout"), ("3", "why these layouts"), ("4", "copy the whole"),
        ):  # fmt: skip
            await user.press(digit, "question_mark")
            assert user.sees(words), digit
            await user.press("escape")
            assert not user.sees("Esc closes"), digit


@pytest.mark.parametrize(
    "sizes",
    [
        [(79, 40), (109, 24), (110, 32)],
        pytest.param([(80, 23), (110, 31), (120, 36), (300, 90)], marks=pytest.mark.thorough),
    ],
)
async def test_nothing_is_drawn_past_the_edge(sizes: list[tuple[int, int]]) -> None:
    """On the other sizes the pictures in the repository are held to it."""
    async with robot(width=sizes[0][0], height=sizes[0][1]) as user:
        for width, height in sizes:
            await user.pilot.resize_terminal(width, height)
            for digit in SCREENS:
                await user.press(digit)
                strips = user.app.screen._compositor.render_strips()
                assert len(strips) == height, (digit, width, height)
                assert {strip.cell_length for strip in strips} == {width}, (digit, width, height)


async def test_themes_change_while_it_runs() -> None:
    async with robot() as user:
        for theme in ("raidtui-contrast", "raidtui-ansi", "nord", "raidtui"):
            user.app.theme = theme
            await user.pilot.pause()
            assert user.sees("SIME26600001")


async def test_no_hint_is_cut() -> None:
    async with robot() as user:
        for digit in SCREENS:
            await user.press(digit)
            await user.settle()
            assert not user.lines()[-1].endswith("\u2026"), user.lines()[-1]
