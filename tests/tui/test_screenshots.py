"""The pictures in the repository are what the program draws today."""

from __future__ import annotations

import pytest

from tests.regenerate_screenshots import GOLDEN, PICTURES, SCREENSHOTS, Picture, drawn

HOW = "run `python -m tests.regenerate_screenshots`, look at the pictures, and commit them"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
async def test_a_picture_is_fresh(picture: Picture) -> None:
    text, svg = await drawn(picture)
    assert text == (GOLDEN / f"{picture.stem}.txt").read_text(encoding="utf-8"), HOW
    assert svg == (SCREENSHOTS / f"{picture.stem}.svg").read_text(encoding="utf-8"), HOW


def test_there_are_no_pictures_of_what_is_gone() -> None:
    stems = {picture.stem for picture in PICTURES}
    assert {path.stem for path in SCREENSHOTS.glob("*.svg")} == stems
    assert {path.stem for path in GOLDEN.glob("*.txt")} == stems


def test_pictures_fetch_nothing() -> None:
    for path in SCREENSHOTS.glob("*.svg"):
        addresses = [part for part in path.read_text(encoding="utf-8").split('"') if "//" in part]
        assert addresses == ["http://www.w3.org/2000/svg"]
