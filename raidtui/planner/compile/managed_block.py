"""A plan's lines in a shared text file, between two marker lines."""

from __future__ import annotations

import io
from collections.abc import Iterator


def with_block(text: str, begin: str, end: str, block: str, *, first: bool = False) -> str:
    """`text` with `block` between the markers at its end, or at its beginning where it is `first`.

    An earlier block between the same markers is replaced.
    """
    rest = without_block(text, begin, end)
    if first:
        return f"{begin}\n{block}\n{end}\n{rest}"
    if rest and not rest.endswith("\n"):
        rest += "\n"
    return f"{rest}{begin}\n{block}\n{end}\n"


def without_block(text: str, begin: str, end: str) -> str:
    """`text` without the markers and the lines between them; every other byte is unchanged."""
    return "".join(_outside(text, begin, end))


def _outside(text: str, begin: str, end: str) -> Iterator[str]:
    inside = False
    for line in io.StringIO(text, newline="\n"):  # a line ends in a line feed and nothing else
        bare = line.rstrip("\n")
        if bare == begin:
            inside = True
        if not inside:
            yield line
        if bare == end:
            inside = False
