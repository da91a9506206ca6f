"""`python -m tests.systems [SUITE/KERNEL[/ACT,ACT] ...]`: runs cells, all by default, and puts them into the record.

`bullseye/sid` is Debian 11 on the kernel of sid; `bookworm` is Debian 12 on its own. A cell takes some minutes; the
images take ten the first time, and root. `python -m tests.regenerate_testing` makes the page of it.
"""

from __future__ import annotations

import sys

from tests.systems.cell import Cell, run
from tests.systems.record import CELLS, keep, recorded


def main(words: list[str]) -> int:
    """0 where no act differs."""
    differs = 0
    for word in words or ["/".join(cell) for cell in CELLS]:
        suite, kernel, only = (*word.split("/"), "", "")[:3]
        key = (suite, kernel or suite)
        if key not in CELLS:
            print(f"{word} is none of {' '.join('/'.join(cell) for cell in CELLS)}", file=sys.stderr)
            return 2
        cell = recorded().get(key) if only else None
        cell = run(cell or Cell(*key), _told, only=only.split(",") if only else ())
        differs += sum(outcome.word == "differs" for outcome in cell.acts.values())
    return 1 if differs else 0


def _told(cell: Cell, act: str) -> None:
    keep(cell)
    print(f"{cell.name} {act}: {cell.acts[act].word} {cell.acts[act].how}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
