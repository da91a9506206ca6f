"""What README's command leaves out runs with `rest`; nothing is left out of both but what a release runs."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any, cast

import pytest

from tests import costs, suite
from tests.conftest import scope_of

MARKS = ("lab", "thorough", "long", "steady", "process")


class Marked:
    """As much of a test as the choice looks at."""

    def __init__(self, marks: tuple[str, ...], *, drawn: bool) -> None:
        self.marks = marks
        self.obj = type("function", (), {"is_hypothesis_test": drawn})

    def get_closest_marker(self, name: str) -> Any:
        return name if name in self.marks else None


def ran_by(name: str, item: Marked, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(suite, "SUITE", name)
    return suite.runs(cast(pytest.Function, item))


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("marks", [marks for size in range(4) for marks in combinations(MARKS, size)])
def test_tests_and_rest_together_are_all_and_a_release_runs_everything(
    marks: tuple[str, ...], drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = Marked(marks, drawn=drawn)
    ran = {name: ran_by(name, item, monkeypatch) for name in suite.SUITES}
    assert ran["long"]
    assert ran["all"] == ("long" not in marks) == (ran["tests"] or ran["rest"])
    assert ran["tests"] == (not {"long", "lab", "thorough"} & {*marks})
    assert (ran["tests"] and ran["rest"]) == (ran["tests"] and drawn)  # the same property, with more examples


@pytest.mark.parametrize(("name", "drawn"), [("tests", 25), ("rest", 400), ("all", 400), ("long", 1600)])
def test_examples_of_a_property(name: str, drawn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "SUITE", name)
    assert suite.examples(400).max_examples == drawn
    assert suite.examples(10).max_examples == {"tests": 3, "rest": 10, "all": 10, "long": 40}[name]


def test_a_push_runs_both() -> None:
    lines = Path(__file__).parents[2].joinpath(".ci", "run").read_text().splitlines()
    assert [line for line in lines if line.startswith("python3")] == [
        "python3 tests/run.py || code=$?",
        "python3 tests/run.py rest || code=$?",
    ]


def test_a_slow_test_is_handed_out_alone_but_in_the_lab() -> None:
    known = {"tests/a/test_b.py::test_c": costs.SLOW, "tests/lab/test_d.py::test_e": 90.0, "tests/a/test_b.py": 3.0}
    assert scope_of("tests/a/test_b.py::test_c", known) == "tests/a/test_b.py::test_c"
    assert scope_of("tests/a/test_b.py::test_quick", known) == "tests/a/test_b.py"
    assert scope_of("tests/lab/test_d.py::test_e", known) == "tests/lab/test_d.py"


def test_folders_are_compared_with_the_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(costs, "RECORD", tmp_path / "costs.json")
    monkeypatch.setattr(costs, "SUITE", "tests")
    monkeypatch.setattr(costs, "spent", {"tests/tui/screens/bench/test_a.py::test_b": 2.0, "tests/test_c.py::d": 1.0})
    costs.record()
    assert costs.recorded() == {
        "tests/": 1.0,
        "tests/test_c.py": 1.0,
        "tests/tui/": 2.0,
        "tests/tui/screens/": 2.0,
        "tests/tui/screens/bench/test_a.py": 2.0,
        "tests/tui/screens/bench/test_a.py::test_b": 2.0,
    }
    monkeypatch.setattr(costs, "spent", {"tests/tui/screens/bench/test_a.py::test_b": 4.0})
    assert [" ".join(line.split()) for line in costs.lines()] == [
        "processor seconds, suite tests now recorded",
        "tests/tui 4.0 2.0",
        "tests/tui/screens 4.0 2.0",
        "all 1 tests 4.0 3.0",
        "4.0 tests/tui/screens/bench/test_a.py::test_b",
    ]
    monkeypatch.setattr(costs, "SUITE", "all")
    assert costs.recorded() == {}
    costs.record()
    assert costs.recorded()["tests/tui/"] == 4.0
    monkeypatch.setattr(costs, "SUITE", "tests")
    assert costs.recorded()["tests/tui/"] == 2.0
