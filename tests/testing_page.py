"""Writes TESTING.md: what is tested, how often, by which command, when it last ran, and what it cannot show.

    python -m tests.testing_page                         write the page
    python -m tests.testing_page ran NAME "what it said"    note a run of today, then write the page

Counts come from the tree each time, and a test of the house holds the page to them. What a run said, when and on what
is in testing_runs.json; whoever runs a command that no push runs notes it there.
"""

from __future__ import annotations

import ast
import gzip
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from tests.faults.fleet_cases import CASES as FLEET_CASES
from tests.faults.fleet_matrix import DEEDS
from tests.faults.matrix import CASES

HERE = Path(__file__).parent
PAGE = HERE / "TESTING.md"
RUNS = HERE / "testing_runs.json"
_HEAD = """# What is tested, and what that shows

Written by `python -m tests.testing_page` from the tree and from `testing_runs.json`; a test fails when the counts are
others. Each command repeats its line; [README.md](README.md) says how tests are written.

| what | how many | command | last run | what it cannot show |
| --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One kind of test."""

    name: str
    """its key in testing_runs.json"""
    what: str
    count: Callable[[], str]
    command: str
    cannot: str


@cache
def _tests() -> tuple[tuple[str, frozenset[str]], ...]:
    """(folder, marks and decorators) of each test function."""
    return tuple(_functions())


def _functions() -> Iterator[tuple[str, frozenset[str]]]:
    for path in sorted(HERE.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        folder = path.relative_to(HERE).parts[0]
        module = {word for node in tree.body if isinstance(node, ast.Assign) for word in _words(node)}
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
                own = {word for each in node.decorator_list for word in _words(each)}
                yield folder, frozenset(own | module)


def _words(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.Name):
            yield each.id


def _functions_with(*, lab: bool = False, word: str = "") -> str:
    """A round number, which the next new test does not change."""
    found = [marks for folder, marks in _tests() if (folder == "lab") is lab]
    count, step = sum(not word or word in marks for marks in found), 10 if lab or word else 100
    return f"over {count // step * step:,}"


def _on_real_md() -> str:
    return f"{_functions_with(lab=True)}, {_functions_with(lab=True, word='long')} of them `long`"


def _tier_three() -> str:
    with gzip.open(HERE / "faults" / "tier3.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return f"{sum(row['survived'] for row in rows)} of {len(rows)} ended as stated"


def _gold() -> str:
    files = [path for path in (HERE / "real_geometry").glob("*.jsonl") if path.name != "mkfs_options.jsonl"]
    return f"{sum(len(path.read_text().splitlines()) for path in files)} layouts and file systems"


def _options() -> str:
    return f"{len((HERE / 'real_geometry' / 'mkfs_options.jsonl').read_text().splitlines())} kept"


def _machines() -> str:
    return str(len(list((HERE / "recorded_machines").glob("*/capture.json.gz"))))


def _screens() -> str:
    return str(len(list((HERE / "golden_screens").glob("*.txt"))))


def _measured() -> str:
    rows = (path.read_text(encoding="utf-8").splitlines()[1:] for path in (HERE / "measured").glob("*.csv"))
    return f"{sum(map(len, rows)):,} rows"


LINES = (
    Line(
        name="tests", what="units, rules of the house, screens, a share of all below that needs no root",
        count=lambda: f"{_functions_with()} functions", command="python3 tests/run.py",
        cannot="real disks: what this machine's kernel does is asked of the lab",
    ),
    Line(
        name="rest", what="the rest of a push: all properties and faults, real md, LVM and mkfs",
        count=lambda: f"{_functions_with(word='given')} properties", command="python3 tests/run.py rest",
        cannot="firmware, cables, power supplies: its disks are files of a virtual machine",
    ),
    Line(
        name="lab", what="stories on real md, in user-mode Linux or QEMU", count=_on_real_md,
        command="python3 tests/run.py long DIR", cannot="the speed of real disks; more than one processor",
    ),
    Line(
        name="tier1", what="faults of a build on the simulated machine: kill, cut, lost disk, full disk, false success",
        count=lambda: str(len(CASES)), command="python -m tests.faults --tier 1",
        cannot="where the simulated machine is unlike md: the next line looks for that",
    ),
    Line(
        name="tier3", what="the same faults on real md", count=_tier_three, command="python -m tests.faults --tier 3",
        cannot="cuts inside a write of the disk itself; the caches of controllers",
    ),
    Line(
        name="fleet", what="faults of a build of many hosts", count=lambda: str(len(FLEET_CASES) + len(DEEDS)),
        command="python -m tests.faults.fleet_matrix", cannot="networks that lose single packets",
    ),
    Line(
        name="replace", what="replacements on real md under a load with checksums, each with a fault",
        count=lambda: "7 kinds", command="python -m tests.lab.replace_faults 50 7",
        cannot="a controller that resets both disks at once",
    ),
    Line(
        name="extend", what="extensions on real md and LVM with checksummed files, cut and called again",
        count=lambda: "5 kinds", command="python -m tests.lab.extend_faults 20 1",
        cannot="file systems of terabytes: its disks have some hundred MiB",
    ),
    Line(
        name="days", what="four days of an admin in a whole Debian: build, audit, failed disk, shelf, reboot",
        count=lambda: "1", command="RAIDTUI_SUITE=long python -m pytest tests/lab/test_four_days.py",
        cannot="a year: its checks are minutes apart",
    ),
    Line(
        name="gold", what="sizes that real mdadm, LVM and mkfs made, predicted to the byte", count=_gold,
        command="python -m pytest tests/lab/test_geometry.py tests/planner/geometry",
        cannot="releases of mdadm and mkfs that are not in the files",
    ),
    Line(
        name="options", what="random options of mkfs, made or refused by the real programs and by raidtui",
        count=_options,
        command="python -m tests.regenerate_mkfs_options 1470 13 FILE", cannot="options of later releases",
    ),
    Line(
        name="machines", what="recorded machines, replayed", count=_machines,
        command="python -m pytest tests/machine/inventory", cannot="machines nobody has sent",
    ),
    Line(
        name="screens", what="screens as text, in three kinds of terminal", count=_screens,
        command="python -m pytest tests/tui/test_screenshots.py", cannot="whether a person finds it clear",
    ),
    Line(
        name="speeds", what="published measurements that the speed and risk models are held against", count=_measured,
        command="python -m tests.validation", cannot="your disks: `raidtui disks --measure` does",
    ),
)  # fmt: skip


def page() -> str:
    """The whole page."""
    runs = json.loads(RUNS.read_text(encoding="utf-8"))
    rows = (
        f"| {line.what} | {line.count()} | `{line.command}` | {_last(runs.get(line.name))} | {line.cannot} |\n"
        for line in LINES
    )
    return _HEAD + "".join(rows)


def _last(run: dict[str, str] | None) -> str:
    return "not noted" if run is None else f"{run['day']}, {run['on']}: {run['said']}"


def ran(name: str, said: str) -> None:
    """Notes a run of today on this machine, of the commit that is checked out."""
    if name not in {line.name for line in LINES}:
        raise SystemExit(f"{name} is no line: {', '.join(line.name for line in LINES)}")
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True
    ).stdout
    runs = json.loads(RUNS.read_text(encoding="utf-8"))
    on = f"commit {commit.strip()}, Linux {platform.release().partition('-')[0]}, {os.cpu_count()} processors"
    runs[name] = {"day": datetime.now(UTC).date().isoformat(), "on": on, "said": said}
    RUNS.write_text(json.dumps(dict(sorted(runs.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["ran"]:
        ran(sys.argv[2], sys.argv[3])
    PAGE.write_text(page(), encoding="utf-8")
