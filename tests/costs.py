"""What the tests cost in processor time: by folder, beside what was last recorded, and the slowest of them.

`python3 tests/run.py tests --record-costs` writes the record, `costs.json`. What is slow there is started first.
Seconds are the processor's, of the test and of the programs that it waited for: a busy machine changes them little.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.suite import SUITE

RECORD = Path(__file__).with_name("costs.json")
SLOW = 1.5
"""seconds from which on a test is handed out by itself, not with its file"""
_NAMED = 0.5
"""seconds from which on a file stands in the record"""
_SLOWEST = 10
spent: dict[str, float] = {}
"""processor seconds of each test of this session, by its id"""


def processor_seconds() -> float:
    """Of this process and of those that it waited for, since they began."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def recorded() -> Mapping[str, float]:
    """Seconds of files and of slow tests when this suite was last recorded; empty where it never was."""
    known: dict[str, dict[str, float]] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return known.get(SUITE, {})


def record() -> None:
    """Replaces what is recorded of this suite by what this session spent."""
    known = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    slow = {test: seconds for test, seconds in spent.items() if seconds >= SLOW}
    files = {file: seconds for file, seconds in _by(_file).items() if seconds >= _NAMED}
    folders = {f"{folder}/": seconds for place in (_folder, _top) for folder, seconds in _by(place).items()}
    known[SUITE] = {name: round(seconds, 1) for name, seconds in sorted({**slow, **files, **folders}.items())}
    RECORD.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def lines() -> Iterator[str]:
    """The report: folders by cost with the folders in them, the sum, the slowest tests."""
    before = recorded()
    tops, folders = _by(_top), _by(_folder)
    yield f"{f'processor seconds, suite {SUITE}':<40}{'now':>8}{'recorded':>10}"
    for top, seconds in tops.items():
        if seconds >= _NAMED:
            yield _row(top, seconds, before.get(f"{top}/"))
            inner = {name: part for name, part in folders.items() if name.startswith(f"{top}/") and part >= _NAMED}
            yield from (_row(f"  {name}", part, before.get(f"{name}/")) for name, part in inner.items())
    sums = [seconds for name, seconds in before.items() if name.endswith("/") and name.count("/") <= 2]
    yield _row(f"all {len(spent)} tests", sum(tops.values()), sum(sums) if sums else None)
    for test, seconds in _falling(spent)[:_SLOWEST]:
        yield f"{seconds:8.1f}  {test}"


def _row(name: str, now: float, before: float | None) -> str:
    return f"{name:<40}{now:8.1f}{'-' if before is None else format(before, '.1f'):>10}"


def _by(place: Callable[[str], str]) -> dict[str, float]:
    """Seconds of this session summed by `place` of each test, by falling sums."""
    sums: dict[str, float] = {}
    for test, seconds in spent.items():
        sums[place(test)] = sums.get(place(test), 0) + seconds
    return dict(_falling(sums))


def _falling(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda found: -found[1])


def _file(test: str) -> str:
    return test.partition("::")[0]


def _top(test: str) -> str:
    """The folder below `tests`, as in `tests/cli`."""
    return "/".join(Path(_file(test)).parent.parts[:2])


def _folder(test: str) -> str:
    """The first two folders below `tests`, as in `tests/cli/verbs`."""
    return "/".join(Path(_file(test)).parent.parts[:3])
