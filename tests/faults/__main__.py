"""`python -m tests.faults --tier 1|2|3 [--only K-07] [--out FILE]`: runs cases of the matrix, a result a line as JSON.

Tier 1 is all of them against the simulated machine; tier 2 forty of them in the virtual machine, two of these on every
push; tier 3 all but the few that cannot be done there, hours in emulation, those of tier 2 first. With --out an
interrupted run goes on after the cases that FILE has; `tests/faults/tier3.jsonl.gz` is such a run. The line at the end
goes to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
from pathlib import Path
from typing import Any

from raidtui.values.codec import from_json, to_json
from tests.faults.case import Case, Result
from tests.faults.matrix import CASES
from tests.faults.summary import line


def main() -> int:
    """0 when everything survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--tier", type=int, choices=(1, 2, 3), required=True)
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="K-07, or all of K")
    parser.add_argument("--out", type=Path, metavar="FILE", help="append here instead of printing")
    options = parser.parse_args()
    chosen = [case for case in CASES if _wanted(case, options.tier, tuple(options.only))]
    found = [from_json(Result, text, source=str(options.out)) for text in _lines(options.out)]
    there = {result.id for result in found}
    left = sorted((case for case in chosen if case.id not in there), key=lambda case: not case.tier2)
    runner: Any = importlib.import_module("tests.faults." + ("run_simulated" if options.tier == 1 else "run_lab"))
    with options.out.open("a") if options.out else contextlib.nullcontext(sys.stdout) as out:
        for result in runner.run_all(left):
            found.append(result)
            print(to_json(result, indent=None), file=out, flush=True)
    print(line(found, of=len(CASES)), file=sys.stderr)
    return 0 if found and all(result.survived for result in found) else 1


def _lines(out: Path | None) -> list[str]:
    return out.read_text().splitlines() if out is not None and out.exists() else []


def _wanted(case: Case, tier: int, only: tuple[str, ...]) -> bool:
    runs = tier == 1 or (case.tier2 if tier == 2 else case.real)
    return runs and (not only or case.id.startswith(only))


if __name__ == "__main__":
    sys.exit(main())
