"""Fixtures of the lab: the image, built once for the session; never skipped.

Tests marked `full` take more minutes than a push has; RAIDTUI_LAB=full takes them in, without it they are deselected.
"""

from __future__ import annotations

import os

import pytest

from tests.lab.image import Image, image


@pytest.fixture(scope="session")
def lab_image() -> Image:
    """The guest image; building it the first time takes some minutes and root."""
    return image()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the long ones out, and says how many."""
    if os.environ.get("RAIDTUI_LAB") == "full":
        return
    long = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
