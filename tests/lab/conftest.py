"""Fixtures of the lab: the image, built once for the session; never skipped."""

from __future__ import annotations

import pytest

from tests.lab.image import Image, image


@pytest.fixture(scope="session")
def lab_image() -> Image:
    """The guest image; building it the first time takes some minutes and root."""
    return image()
