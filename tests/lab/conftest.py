"""Fixtures of the lab: the image, built once for the session; never skipped.

Tests of a module share a machine, so the scheduler in tests/conftest.py keeps them together on one worker.
"""

from __future__ import annotations

import pytest

from tests.lab.image import Image, image


@pytest.fixture(scope="session")
def lab_image() -> Image:
    """The guest image; building it the first time takes some minutes and root."""
    return image()
