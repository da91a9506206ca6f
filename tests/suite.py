"""Which tests a command of `tests/run.py` runs, and how many examples a property draws in it.

RAIDTUI_SUITE names it: `tests` (neither root nor a virtual machine), `rest` (what `all` has and `tests` has not),
`all` (both; pytest started by hand), `long` (what a release runs).
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import HealthCheck, settings

SUITES = ("tests", "rest", "all", "long")
SUITE = os.environ.get("RAIDTUI_SUITE", "all")
if SUITE not in SUITES:
    raise SystemExit(f"RAIDTUI_SUITE is {SUITE}, expected one of {', '.join(SUITES)}")
_FEW = 25
_SUPPRESSED = (HealthCheck.too_slow,)
"""a busy machine is no error"""
_MANY = {"long": 4}
"""how many times the examples of `all` a suite draws"""


def examples(number: int = 100, *, fixture: bool = False) -> settings:
    """For a property that draws `number` examples in `all`; `fixture`: it takes one, which all its examples share."""
    shared = [HealthCheck.function_scoped_fixture] if fixture else []
    return settings(max_examples=_drawn(number), suppress_health_check=[*_SUPPRESSED, *shared])


def _drawn(number: int) -> int:
    """Of `number` examples in `all`: a quarter in `tests`, at most 25; four times as many in `long`."""
    return min(-(-number // 4), _FEW) if SUITE == "tests" else number * _MANY.get(SUITE, 1)


def load_profiles() -> None:
    """All but `long` draw the same cases in each run: only a change makes one fail."""
    steady = settings(
        settings.default,
        deadline=None,
        derandomize=True,
        max_examples=_drawn(100),
        suppress_health_check=_SUPPRESSED,
    )
    settings.register_profile("steady", steady)
    settings.register_profile("explore", settings(steady, derandomize=False))
    settings.load_profile("explore" if SUITE == "long" else "steady")


def few(cases: Iterable[object], number: int) -> list[ParameterSet]:
    """`cases` of a parametrized test: `tests` runs `number` of them, from all over the list, `all` runs every one."""
    known = list(cases)
    chosen = {round(place * (len(known) - 1) / max(number - 1, 1)) for place in range(number)}
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=() if at in chosen else pytest.mark.thorough
        )
        for at, case in enumerate(known)
    ]


def runs(item: pytest.Function) -> bool:
    """True when this suite runs `item`."""

    def marked(mark: str) -> bool:
        return item.get_closest_marker(mark) is not None

    if marked("long"):
        return SUITE == "long"
    if SUITE == "tests":
        return not (marked("lab") or marked("thorough"))
    if SUITE == "rest":
        return marked("lab") or marked("thorough") or getattr(item.obj, "is_hypothesis_test", False)
    return True


def shuffle(items: list[pytest.Function], seed: str) -> None:
    """Puts the files, and the tests of each, into an order made of `seed`; tests of a file stay together."""
    dice = random.Random(seed)
    files: dict[str, list[pytest.Function]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    groups = list(files.values())
    dice.shuffle(groups)
    for group in groups:
        dice.shuffle(group)
    items[:] = [item for group in groups for item in group]
