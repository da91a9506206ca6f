"""The one line that says what a run of the matrix came to."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from tests.faults.case import Result
from tests.faults.crash_points import Went
from tests.faults.matrix import CASES

_results: dict[int, list[Result]] = {}
_crashes: dict[tuple[str, int], Went] = {}
"""by layout and how many crash points it has"""


def counted(result: Result, *, tier: int) -> None:
    """Keeps a result for the line at the end of the tests."""
    _results.setdefault(tier, []).append(result)


def crashed(name: str, went: Went, *, of: int) -> None:
    """Keeps what came of some, or all, of so many crash points of a layout."""
    known = _crashes.get((name, of))
    if known is None or known.points < went.points:
        _crashes[name, of] = went


def kept() -> bytes:
    """All that was kept in this process, for `add`."""
    return pickle.dumps((_results, _crashes))


def add(other: bytes) -> None:
    """Adds what another process kept, one of this session's own."""
    results, crashes = pickle.loads(other)
    for tier, found in results.items():
        _results.setdefault(tier, []).extend(found)
    for (name, of), went in crashes.items():
        crashed(name, went, of=of)


def crash_lines() -> tuple[str, ...]:
    """One line a layout."""
    return tuple(
        f"{name}: killed at {went.points} of {of} points ({went.states} states), each resumed and taken back: "
        f"{len(went.problems)} problems"
        for (name, of), went in _crashes.items()
    )


def lines() -> tuple[str, ...]:
    """One line a tier."""
    return tuple(f"tier {tier}: {line(found, of=len(CASES))}" for tier, found in sorted(_results.items()))


def line(found: Sequence[Result], *, of: int) -> str:
    """`76 of 444 faults injected, 76 survived (a completed, b rolled back, c refused), 0 bytes changed on ...`."""
    injected = [result for result in found if result.end != "void"]
    survived = [result for result in injected if result.survived]
    ends = {end: sum(result.end == end for result in survived) for end in ("completed", "rolled-back", "refused")}
    changed = sum(result.bystander_bytes for result in found)
    void = len(found) - len(injected)
    return (
        f"{len(injected)} of {of} faults injected, {len(survived)} survived ({ends['completed']} completed, "
        f"{ends['rolled-back']} rolled back, {ends['refused']} refused), {changed} bytes changed on bystander disks"
        + (f"; {void} void" if void else "")
    )
