"""Converts what a file raises to an error with a hint."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from raidtui.model.errors import BadInput, MachineFailed, RaidtuiError

AS_ROOT = "run it as root"
"""the way out where this user has no rights"""
_IN_THE_WAY = (IsADirectoryError, NotADirectoryError, FileExistsError)
"""what neither room nor rights on the file system mend"""


@contextlib.contextmanager
def failures(path: Path | str, way_out: str) -> Iterator[None]:
    """Raises MachineFailed, which names the path, for an OSError in its body."""
    try:
        yield
    except OSError as problem:
        hint = "move it away, then try again" if isinstance(problem, _IN_THE_WAY) else way_out
        raise MachineFailed(f"{path}: {problem.strerror or problem}", hint=hint) from problem


@contextlib.contextmanager
def whatever_is_wrong(path: Path) -> Iterator[None]:
    """Raises BadInput for every error in its body that is none of raidtui's: of many in a list, one hides no other."""
    try:
        yield
    except RaidtuiError:
        raise
    except Exception as problem:
        raise BadInput(
            f"{path} cannot be read: {type(problem).__name__}: {problem}",
            hint="compare its files with a copy; nothing else is affected",
        ) from problem
