"""The pictures in the repository are what the program draws today."""

from __future__ import annotations

import re

import pytest

from tests.regenerate_screenshots import GOLDEN, PICTURES, SCREENSHOTS, Picture, drawn
from tests.regenerate_walk import WALK, WALKS, walk

HOW = "run `python -m tests.regenerate_screenshots`, look at the pictures, and commit them"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
async def test_a_picture_is_fresh(picture: Picture) -> None:
    text, svg = await drawn(picture)
    assert text == (GOLDEN / f"{picture.stem}.txt").read_text(encoding="utf-8"), HOW
    assert svg == (SCREENSHOTS / f"{picture.stem}.svg").read_text(encoding="utf-8"), HOW


def test_there_are_no_pictures_of_what_is_gone() -> None:
    stems = {picture.stem for picture in PICTURES}
    assert {path.stem for path in SCREENSHOTS.glob("*.svg")} == stems | {WALK.stem}
    assert {path.stem for path in GOLDEN.glob("*.txt")} == stems


def test_pictures_fetch_nothing() -> None:
    for path in SCREENSHOTS.glob("*.svg"):
        addresses = [part for part in path.read_text(encoding="utf-8").split('"') if "//" in part]
        assert addresses == ["http://www.w3.org/2000/svg"]


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
