"""Fixtures of the lab: the image, built once for the session; never skipped.

Tests marked `full` take more minutes than a push has; RAIDTUI_LAB=full takes them in, without it they are deselected.
Tests of a module share a machine, so the scheduler in tests/conftest.py keeps them together on one worker.
"""

from __future__ import annotations

import os

import pytest

from tests.lab.image import Image, image


@pytest.fixture(scope="session")
def lab_image() -> Image:
    """The guest image; building it the first time takes some minutes and root."""
    return image()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the long ones out, and says how many."""
    if os.environ.get("RAIDTUI_LAB") != "full":
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("full")])
        items[:] = [item for item in items if not item.get_closest_marker("full")]
