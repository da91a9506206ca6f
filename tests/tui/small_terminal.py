"""A terminal that knows the few sequences our repaints use, and fails on any other."""

from __future__ import annotations

import re

_PART = re.compile(
    r"\x1b\[(?P<args>[0-9;?<>= ]*)(?P<final>[a-zA-Z@`~])|\x1b[=>78c]|\x1b[\]P].*?(?:\x1b\\|\x07)|(?P<text>[^\x1b]+)",
    re.DOTALL,
)
_IGNORED = "mhlnuqctp"


class SmallTerminal:
    """Characters in rows; every one of them takes one cell."""

    def __init__(self, columns: int, rows: int) -> None:
        self._cells = [[" "] * columns for _ in range(rows)]
        self._x = self._y = 0

    def lines(self) -> list[str]:
        """What stands there."""
        return ["".join(row) for row in self._cells]

    def feed(self, written: str) -> None:
        """Obeys what was written."""
        at = 0
        while at < len(written):
            part = _PART.match(written, at)
            assert part is not None, f"cannot read {written[at : at + 20]!r}"
            at = part.end()
            if part["text"] is not None:
                for char in part["text"]:
                    self._put(char)
            elif part["final"] is not None:
                self._obey(part["args"], part["final"])

    def _put(self, char: str) -> None:
        if char == "\n":
            self._y += 1
            self._x = 0
        elif char == "\r":
            self._x = 0
        else:
            assert char.isprintable(), repr(char)
            self._cells[self._y][self._x] = char
            self._x += 1

    def _obey(self, args: str, final: str) -> None:
        if final == "H":
            row, _, column = args.partition(";")
            self._y, self._x = int(row or 1) - 1, int(column or 1) - 1
        elif final == "C":
            self._x += int(args or 1)
        elif final == "J":
            self._cells = [[" "] * len(row) for row in self._cells]
        else:
            assert final in _IGNORED, f"{args}{final}"
