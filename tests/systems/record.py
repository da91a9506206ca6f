"""The record of the cells, `cells.jsonl`: one line a cell, of its last run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from tests.systems.cell import Cell, Outcome
from tests.systems.roots import SUITES

FILE = Path(__file__).with_name("cells.jsonl")
CELLS = tuple((suite, kernel) for suite in SUITES for kernel in SUITES)
"""every release with every kernel"""
DIFFERING: dict[tuple[str, str], str] = {}
"""acts of the record that differ, and what is known of it"""


def recorded() -> dict[tuple[str, str], Cell]:
    """Release and kernel to what came of the cell."""
    found = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else ():
        told = json.loads(line)
        told["acts"] = {name: Outcome(**each) for name, each in told["acts"].items()}
        found[told["suite"], told["kernel"]] = Cell(**told)
    return found


def keep(cell: Cell) -> None:
    """Puts a cell in the place of the one of that name."""
    cells = recorded() | {(cell.suite, cell.kernel): cell}
    lines = (json.dumps(asdict(cells[key])) for key in CELLS if key in cells)
    FILE.write_text("".join(f"{line}\n" for line in lines))
