"""Converts an OSError of a file to an error with a hint."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from raidtui.model.errors import MachineFailed


@contextlib.contextmanager
def failures(path: Path, way_out: str) -> Iterator[None]:
    """Raises MachineFailed, which names the path, for an OSError in its body."""
    try:
        yield
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror or problem}", hint=way_out) from problem
