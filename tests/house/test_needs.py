"""What happens to tests whose programs are missing: root installs them, CI fails, anybody else is told."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import programs, suite, traces
from tests.lab.host import LabError

pytest_plugins = "pytester"
TESTS = """
import pytest
@pytest.mark.needs("raidtui-none")
def test_one(): pass
@pytest.mark.needs("raidtui-none", "raidtui-other")
def test_two(): pass
def test_three(): pass
"""
Runs = Callable[..., pytest.RunResult]


@pytest.fixture
def runs(pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Runs `TESTS` for a user id; `apt` stands in for the installation."""
    monkeypatch.setattr(programs, "PACKAGE_OF", {"raidtui-none": "none-tools", "raidtui-other": "other-tools"})
    monkeypatch.setattr(programs, "left_out", {})
    monkeypatch.setattr(programs, "_failures", [])
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setattr("shutil.which", lambda name, **_: str(tmp_path / name) if (tmp_path / name).exists() else None)
    (tmp_path / "apt-get").touch()
    pytester.makepyfile(TESTS)
    pytester.makeini("[pytest]\nmarkers = needs: programs\naddopts = -p no:xdist -p no:cacheprovider -p no:asyncio\n")

    def run(*words: str, user: int, apt: Callable[[Mapping[str, str]], None] | None = None) -> pytest.RunResult:
        monkeypatch.setattr("os.geteuid", lambda: user)
        monkeypatch.setattr(programs, "require_programs", apt)
        return pytester.runpytest_inprocess(*words, plugins=[programs])

    return run


def test_a_user_is_told_what_was_left_out_for_which_program(runs: Runs) -> None:
    done = runs(user=1000)
    done.assert_outcomes(passed=1, deselected=2)
    told = [line for line in done.outlines if line.startswith("left out")]
    assert told == [
        "left out: 2 tests need raidtui-none (Debian package none-tools)",
        "left out: 1 test needs raidtui-other (Debian package other-tools)",
    ]


def test_only_tests_that_were_asked_for_count(runs: Runs) -> None:
    assert "left out: 1 test needs raidtui-none (Debian package none-tools)" in runs("-k", "one", user=1000).outlines


def test_in_ci_a_missing_program_is_an_error(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    done = runs(user=1000)
    done.assert_outcomes(passed=1, errors=2)
    assert "this test needs raidtui-none, which is not installed (Debian package none-tools)" in done.outlines


def test_root_installs_all_of_it_once_before_the_first_test(runs: Runs, tmp_path: Path) -> None:
    asked = []

    def apt(package_of: Mapping[str, str]) -> None:
        asked.append(dict(package_of))
        for name in package_of:
            (tmp_path / name).touch()

    done = runs(user=0, apt=apt)
    done.assert_outcomes(passed=3)
    assert asked == [{"raidtui-none": "none-tools", "raidtui-other": "other-tools"}]
    assert "installing raidtui-none, raidtui-other, which tests need" in done.stdout.str()


def test_root_is_told_why_nothing_could_be_installed(runs: Runs) -> None:
    def apt(package_of: Mapping[str, str]) -> None:
        raise LabError("apt-get update exited 100")

    done = runs(user=0, apt=apt)
    done.assert_outcomes(passed=1, errors=2)
    assert "not installed: apt-get update exited 100" in done.outlines


def test_a_program_that_has_no_package_here_is_no_mark(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PACKAGE_OF", {"raidtui-none": "none-tools"})
    done = runs(user=1000)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "needs raidtui-other, which tests/programs.py does not list" in done.stderr.str()


@pytest.mark.process
def test_a_listed_program_is_started_only_by_tests_that_name_it(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "true").write_text("#!/bin/sh\n")
    (tmp_path / "true").chmod(0o755)
    monkeypatch.setattr(programs, "PACKAGE_OF", {"true": "coreutils"})
    programs.watch(request.node, monkeypatch)
    with pytest.raises(AssertionError, match=r'mark it @pytest.mark.needs\("true"\)'):
        subprocess.run(["true"], check=True)
    subprocess.run([str(tmp_path / "true")], check=True)  # one of the test's own
    subprocess.run(["false"], check=False)


def test_a_test_that_leaves_something_in_the_directories_of_raidtui_fails(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "PLACES", [tmp_path / "state"])
    monkeypatch.setattr(traces, "_known", set())
    pytester.makepyfile(f"import pathlib\ndef test_a(): pathlib.Path('{tmp_path}/state/x').mkdir(parents=True)\n"
                        "def test_b(): pass")  # fmt: skip
    done = pytester.runpytest_inprocess("-p", "no:xdist", "-p", "no:asyncio", plugins=[traces])
    done.assert_outcomes(passed=2, errors=1)
    assert f"a test left {tmp_path}/state, {tmp_path}/state/x; tests write below their own tmp_path" in done.outlines


class Named:
    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid


def test_shuffled_files_stay_whole() -> None:
    names = [f"tests/test_{file}.py::test_{number}" for file in "abc" for number in range(3)]
    orders = set()
    for seed in range(40):
        items = [Named(name) for name in names]
        suite.shuffle(items, str(seed))  # type: ignore[arg-type]  # as much of a test as it looks at
        found = [item.nodeid for item in items]
        assert sorted(found) == names
        assert [len({name[:13] for name in found[at : at + 3]}) for at in (0, 3, 6)] == [1, 1, 1]
        orders.add(tuple(found))
    assert len(orders) > 30
    assert {order[0] for order in orders} == set(names)
