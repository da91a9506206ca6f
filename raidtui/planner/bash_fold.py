"""What is done alike to disk after disk, written as one loop, so that a script of sixty disks can be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from raidtui.planner.shell import quote, render

_DISK = '"$disk"'


def folded(pieces: Iterable[tuple[str | None, str]], disks: Sequence[str]) -> list[str]:
    """The pieces of bash in order, those that only differ in their disk folded into loops.

    A piece is its disk's path (None when it is about no single disk) and its text. Pieces of one disk that follow
    each other belong together. `disks` are the paths of the array DISKS.
    """
    groups = [(path, [text for _, text in own]) for path, own in groupby(pieces, key=lambda piece: piece[0])]
    lines: list[str] = []
    for body, alike in groupby(groups, key=lambda group: _template(*group)):
        same = list(alike)
        if body is None or len(same) == 1:
            lines += [text for _, texts in same for text in texts]
        else:
            lines.append(_loop([str(path) for path, _ in same], body, disks))
    return lines


def subject(words: Iterable[str], disks: Sequence[str]) -> str | None:
    """The one disk of `disks` that a command is about; None when it is about none or several."""
    found = set(words).intersection(disks)
    return found.pop() if len(found) == 1 else None


def _template(path: str | None, texts: list[str]) -> str | None:
    """The texts with `"$disk"` in place of the path; None where that cannot be said simply: for quotes inside of
    quotes, here-documents, and quoted words of several lines."""
    body = "\n".join(texts)
    if path is None or quote(path) != path or any(odd in body for odd in ('"\'"', "$'", "<<")):
        return None
    if any(line.count("'") % 2 for line in body.splitlines()):
        return None
    parts = body.split(path)
    written, inside = parts[0], False
    for before, after in pairwise(parts):
        inside ^= before.count("'") % 2 == 1
        written += (f"'{_DISK}'" if inside else _DISK) + after
    return written.replace(f"''{_DISK}", _DISK).replace(f"{_DISK}''", _DISK)


def _loop(paths: list[str], body: str, disks: Sequence[str]) -> str:
    over = (
        '"${DISKS[@]}"' if paths == list(disks) else render(("", *paths), indent="    ").removeprefix("    ''").lstrip()
    )
    indented = "\n".join(f"  {line}" for line in body.splitlines())
    return f"for disk in {over}; do\n{indented}\ndone"
