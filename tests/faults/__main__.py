"""`python -m tests.faults --tier 1|2|3 [--only K-07]`: runs cases of the matrix, one result a line as JSON.

Tier 1 is all of them against the simulated machine; tier 2 the forty that the virtual machine runs on every push;
tier 3 all of them in the virtual machine. The line at the end goes to standard error.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable

from raidtui.model.codec import to_json
from tests.faults.case import Case, Result
from tests.faults.matrix import CASES
from tests.faults.summary import line


def main() -> int:
    """0 when everything survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--tier", type=int, choices=(1, 2, 3), required=True)
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="K-07, or all of K")
    options = parser.parse_args()
    chosen = [case for case in CASES if _wanted(case, options.tier, tuple(options.only))]
    run = _runner("run_simulated" if options.tier == 1 else "run_lab")
    found = []
    for case in chosen:
        found.append(run(case))
        print(to_json(found[-1], indent=None), flush=True)
    print(line(found), file=sys.stderr)
    return 0 if found and all(result.survived for result in found) else 1


def _wanted(case: Case, tier: int, only: tuple[str, ...]) -> bool:
    return (tier != 2 or case.tier2) and (not only or case.id.startswith(only))


def _runner(name: str) -> Callable[[Case], Result]:
    """`run(case)` of a runner; each tier has the same declarations."""
    run: Callable[[Case], Result] = importlib.import_module(f"tests.faults.{name}").run
    return run


if __name__ == "__main__":
    sys.exit(main())
