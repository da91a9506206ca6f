"""The cases of the matrix that README's command runs: of each kind one or more; the others run with `all`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tests.faults.case import Case

_STRIDE = 7
"""spreads the chosen over the steps: without it nearly all would be of a kind's first step"""


def share(cases: Sequence[Case]) -> tuple[Case, ...]:
    """One of each letter, fault and end, then whatever it takes to have every step, moment and act; in their order."""
    groups: dict[Hashable, list[Case]] = {}
    for case in cases:
        groups.setdefault((case.id[0], case.fault, case.end), []).append(case)
    chosen = [group[number * _STRIDE % len(group)] for number, group in enumerate(groups.values())]
    seen = {kind for case in chosen for kind in kinds(case)}
    for case in cases:
        if not kinds(case) <= seen:
            seen |= kinds(case)
            chosen.append(case)
    return tuple(case for case in cases if case in chosen)


def kinds(case: Case) -> set[tuple[str, ...]]:
    """What the case is one of."""
    return {
        ("letter", case.id[0], case.end),
        ("fault", case.fault, case.end),
        ("step", case.step),
        ("moment", case.when),
        *(("act", act) for act in case.then),
    }
