"""Runs of the matrix on real md, as recorded, beside those of the simulated machine: what differs, and why."""

from __future__ import annotations

import functools
import gzip
from collections.abc import Mapping
from pathlib import Path

from raidtui.values.codec import from_json
from tests.faults.case import Case, Result

KEPT = Path(__file__).with_name("tier3.jsonl.gz")
"""the raw lines of `python -m tests.faults --tier 3`"""
_PART = "one part of the disk fails on the simulated machine, all of it on the real one: another command meets it first"
_WHOLE_ROOM = (
    "the simulated call that makes the journal fails; on the real one the preflight reads the file system before"
)
EXPLAINED: Mapping[str, str] = {
    **{f"W-{number:02}": _PART for number in (*range(1, 10), 11, 12, *range(14, 25))},
    **{f"R-{number:02}": _PART for number in (3, 4, 8)},
    "N-01": _WHOLE_ROOM,
    "N-05": _WHOLE_ROOM,
    "I-14": "released, the real disk still holds the other's file system, so the undo's first check refuses it",
    "Z-14": "udev names the pool's signature on the real disk before anything asks for its users",
}
"""cases whose exit codes differ; their ends are equal"""


@functools.cache
def recorded() -> Mapping[str, Result]:
    """By the case."""
    lines = gzip.decompress(KEPT.read_bytes()).decode().splitlines()
    results = [from_json(Result, line, source=KEPT.name) for line in lines]
    return {result.id: result for result in results}


def difference(case: Case, simulated: Result) -> str:
    """What differs on real md and is not explained; empty also where the case was not run there."""
    real = recorded().get(case.id)
    if real is None:
        return ""
    if (simulated.end, simulated.bystander_bytes) != (real.end, real.bystander_bytes):
        return f"{simulated.end} on the simulated machine, {real.end} on the real one"
    if (simulated.codes == real.codes) == (case.id in EXPLAINED):
        return f"exit codes {simulated.codes} on the simulated machine, {real.codes} on the real one: see EXPLAINED"
    return ""
