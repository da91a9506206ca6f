"""The release that the tests look at: the one in RAIDTUI_RELEASE, else one that is built for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.release import source
from tests.release.build import Built, build, found


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Everything that a release holds."""
    if folder := os.environ.get("RAIDTUI_RELEASE"):
        return found(Path(folder))
    return build(tmp_path_factory.mktemp("release") / "built", source.epoch())
