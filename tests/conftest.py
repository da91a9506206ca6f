"""House rules that every test lives under."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from raidtui.machine.system import private_places
from tests import suite
from tests.faults import summary

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and all they start
suite.load_profiles()
PASSING = re.compile(r"(\d+) passing")
counted: dict[str, int] = {}


@pytest.fixture(autouse=True)
def _no_processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit test that starts a program fails; only tests marked `lab` or `process` may."""
    if request.node.get_closest_marker("lab") or request.node.get_closest_marker("process"):
        return

    def refuse(*arguments: Any, **_: Any) -> NoReturn:
        raise AssertionError(f"a unit test started a process: {arguments[1:]}")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


@pytest.fixture(autouse=True)
def _temporary_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directories above pytest's own, such as /tmp, are everybody's; what tests make is below them."""
    monkeypatch.setattr(private_places, "SPARED", tuple(tmp_path_factory.getbasetemp().parents))


@pytest.fixture(autouse=True)
def _colours() -> Iterator[None]:
    """`--color` is an answer for the whole process, which the next test must not inherit."""
    before = {name: os.environ.get(name) for name in ("NO_COLOR", "FORCE_COLOR")}
    yield
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Deselects what the suite does not run; long ones first, so that workers end together.

    Those of tests/faults come before the virtual machine's others: meanwhile the first worker builds its image.
    """

    def place(item: pytest.Function) -> int:
        if not item.get_closest_marker("lab"):
            return 1 if item.path.parent.name == "faults" else 3
        return 0 if item.path.stem == "test_faults" else 2

    config.hook.pytest_deselected(items=[item for item in items if not suite.runs(item)])
    items[:] = [item for item in items if suite.runs(item)]
    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker takes one test after the other, of the lab one module: its tests share a machine.

    `--dist loadgroup` does not do it: pytest-xdist 3.8 writes the group into a field that pytest 9.2 no longer reads.
    """
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # only where pytest-xdist is loaded

    class ByMachine(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            return module if module.startswith("tests/lab/") else nodeid

    return ByMachine(config, log)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Adds up the examples that hypothesis ran."""
    described = getattr(item, "hypothesis_statistics", None)
    if described:
        counted[item.nodeid] = sum(int(number) for number in PASSING.findall(described))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands its counts to the process that prints them."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["counted"], output["faults"] = counted, summary.kept()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes the counts of a worker of pytest-xdist; one that crashed has none."""
    if output := getattr(node, "workeroutput", None):
        counted.update(output["counted"])
        summary.add(output["faults"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many examples stand behind the properties, and what the faults came to."""
    if counted:
        terminalreporter.write_line(f"hypothesis: {sum(counted.values())} examples in {len(counted)} properties")
    for line in (*summary.crash_lines(), *summary.lines()):
        terminalreporter.write_line(line)
