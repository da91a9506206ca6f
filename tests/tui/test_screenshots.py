"""The texts and pictures of screens in the repository are what the program draws today."""

from __future__ import annotations

import re

import pytest

from tests.regenerate_screenshots import GOLDEN, PICTURES, SCREENSHOTS, SHOWN, Picture, drawn
from tests.regenerate_walk import WALK, WALKS, walk
from tests.tui.test_tiers import shown

HOW = "run `python -m tests.regenerate_screenshots`, read the difference, and commit it"


def at_last(picture: Picture) -> bool:
    """True if another picture of the screen shows most of what this one does: only `all` draws it."""
    other = picture.chassis != "e2660" and (picture.height != 24 or picture.screen == "compare")
    return picture.tier == "console" or picture.width == 132 or other


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(picture, id=picture.stem, marks=[pytest.mark.thorough] if at_last(picture) else [])
        for picture in PICTURES
    ],
)
async def test_a_picture_is_fresh_whole_and_of_its_tier(picture: Picture) -> None:
    made = await drawn(picture)
    assert made.text == (GOLDEN / f"{picture.stem}.txt").read_text(encoding="utf-8"), HOW
    if picture.stem in SHOWN:
        assert made.svg == (SCREENSHOTS / f"{picture.stem}.svg").read_text(encoding="utf-8"), HOW
    assert made.widths == (picture.width,) * picture.height
    assert {char for char in made.text if char != "\n" and not shown(picture.tier, char)} == set()


def test_a_share_of_the_pictures_is_drawn_always() -> None:
    always = {picture.stem for picture in PICTURES if not at_last(picture)}
    for screen in (
        "disks",
        "design",
        "compare",
        "commands",
        "build",
        "bench",
        "report",
        "watch",
        "fleet",
    ):
        assert always >= {
            f"{screen}-{name}" for name in ("80x24-unicode", "80x24-ascii", "60x18-unicode", "200x60-unicode")
        }


def test_there_are_no_texts_of_what_is_gone_and_no_pictures_but_those_that_readme_shows() -> None:
    stems = {picture.stem for picture in PICTURES}
    assert {path.stem for path in GOLDEN.glob("*.txt")} == stems
    assert {path.name for path in SCREENSHOTS.iterdir()} == {*(f"{stem}.svg" for stem in SHOWN), "report.png"}
    assert stems | {WALK.stem} >= SHOWN
    assert len(SHOWN) == 12


def test_pictures_fetch_nothing() -> None:
    for path in SCREENSHOTS.glob("*.svg"):
        addresses = [part for part in path.read_text(encoding="utf-8").split('"') if "//" in part]
        assert addresses == ["http://www.w3.org/2000/svg"]


@pytest.mark.thorough
async def test_the_walk_is_fresh() -> None:
    assert await walk() == WALK.read_text(encoding="utf-8"), HOW


def test_the_walk_is_small_and_each_of_its_frames_has_its_time() -> None:
    svg = WALK.read_text(encoding="utf-8")
    frames = sum(len(steps) for _, steps in WALKS)
    assert len(svg.encode()) < 500_000
    assert svg.count('<g class="f f') == frames
    assert re.findall(r"@keyframes k(\d+)", svg) == [str(number) for number in range(frames)]
    times = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+)%{visibility:visible}([\d.]+)%", svg)]
    assert [begin for begin, _ in times[1:]] == [end for _, end in times[:-1]]
    assert (times[0][0], times[-1][1]) == (0.0, 100.0)
