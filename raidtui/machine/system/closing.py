"""Closes a file descriptor when a block ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def closing(handle: int) -> Iterator[int]:
    """Yields `handle`; closes it in the end, also after an error."""
    try:
        yield handle
    finally:
        os.close(handle)
