"""Paths that seem to belong to others, and this user as root, whoever runs the tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.system import files, places
from raidtui.values.paths import PathPart

SOMEBODY = 4321


def owned_by(monkeypatch: pytest.MonkeyPatch, owners: Mapping[Path, int]) -> None:
    """Makes some paths seem to belong to other users."""
    real = places.as_part

    def as_part(status: os.stat_result, path: str, target: str) -> PathPart:
        part = real(status, path, target)
        return replace(part, owner=owners.get(Path(path), part.owner))

    for module in (places, files):
        monkeypatch.setattr(module, "as_part", as_part)


def as_root(monkeypatch: pytest.MonkeyPatch, *, root: bool = True) -> None:
    """This user is root, or takes itself for root; or is none."""
    monkeypatch.setattr(places, "is_root", lambda: root)
