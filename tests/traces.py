"""A test that leaves something in raidtui's own directories of this machine fails, or one that ran beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.machine.system import places

PLACES = [places.REAL_ROOT, places.user_state()]
_known: set[Path] = set()


def pytest_sessionstart() -> None:
    """Notes what is there before the first test."""
    _known.update(_there())


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Names what is new, once."""
    if new := sorted(_there() - _known):
        _known.update(new)
        pytest.fail(f"a test left {', '.join(map(str, new))}; tests write below their own tmp_path", pytrace=False)


def _there() -> set[Path]:
    return {path for place in PLACES if place.is_dir() for path in (place, *place.iterdir())}
