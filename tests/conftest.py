"""House rules that every test lives under."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
from collections.abc import Generator, Iterator, Mapping
from typing import Any, NoReturn

import pytest

from raidtui.engine import journal
from raidtui.machine.system import places
from tests import costs, programs, suite, traces
from tests.faults import summary

gc.disable()  # until all is collected: what that makes stays, and looking for what does not takes a third of its time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and all they start
suite.load_profiles()
PASSING = re.compile(r"(\d+) passing")
journal.ROOM = 256 * 1024  # the longest here takes a third; zeros of megabytes would be read again and again
counted: dict[str, int] = {}


@pytest.fixture(autouse=True)
def _no_processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit test that starts a program fails; only tests marked `lab`, `process` or `needs` may."""
    if request.node.get_closest_marker("lab"):
        return
    if request.node.get_closest_marker("process") or request.node.get_closest_marker("needs"):
        programs.watch(request.node, monkeypatch)
        return

    def refuse(*arguments: Any, **_: Any) -> NoReturn:
        raise AssertionError(f"a unit test started a process: {arguments[1:]}")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


@pytest.fixture(autouse=True)
def _temporary_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directories above pytest's own, such as /tmp, are everybody's; what tests make is below them. What this user
    built on a simulated chassis is not there."""
    monkeypatch.setattr(places, "SPARED", tuple(tmp_path_factory.getbasetemp().parents))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "no-runs"))


@pytest.fixture(autouse=True)
def _one_process() -> Iterator[None]:
    """What a process has one of, and a verb that runs in a test sets for good, is not inherited by the next test."""
    colours = {name: os.environ.get(name) for name in ("NO_COLOR", "FORCE_COLOR")}
    handlers = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
    umask = os.umask(0)
    os.umask(umask)
    yield
    os.umask(umask)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    for name, value in colours.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--record-costs` replaces the record that later runs are compared with; with `--shuffle` no order may count."""
    parser.addoption("--record-costs", action="store_true", help="write what the tests cost to tests/costs.json")
    parser.addoption("--shuffle", metavar="SEED", help="run the files, and the tests of each, in an order made of SEED")


def pytest_configure(config: pytest.Config) -> None:
    """The parts of the suite that have hooks of their own."""
    for part in (programs, traces):
        config.pluginmanager.register(part)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Deselects what the suite does not run; the rest by falling cost, so that all workers are busy to the end.

    Real faults come before the virtual machine's others: meanwhile the first worker builds its image.
    """
    known = costs.recorded()

    def place(item: pytest.Function) -> tuple[int, float]:
        file = item.nodeid.partition("::")[0]
        lab = item.get_closest_marker("lab") is not None
        return (0 if lab and item.path.stem == "test_faults" else 1 if lab else 2), -known.get(
            scope_of(item.nodeid, known), known.get(file, 0)
        )

    config.hook.pytest_deselected(items=[item for item in items if not suite.runs(item)])
    items[:] = sorted((item for item in items if suite.runs(item)), key=place)
    gc.freeze()  # thousands of tests and all modules live to the end: looking at them again costs a tenth of the time
    gc.set_threshold(50_000, 20, 100)
    gc.enable()
    if seed := config.getoption("--shuffle"):
        suite.shuffle(items, seed)


def scope_of(nodeid: str, known: Mapping[str, float]) -> str:
    """What a worker takes at once: a file, whose tests share what they make; a slow test goes by itself.

    A file of the lab always goes as a whole: its tests share a machine.
    """
    file = nodeid.partition("::")[0]
    alone = known.get(nodeid, 0) >= costs.SLOW and not file.startswith("tests/lab/")
    return nodeid if alone else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker takes one scope after the other.

    `--dist loadgroup` does not do it: pytest-xdist 3.8 writes the group into a field that pytest 9.2 no longer reads.
    """
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # only where pytest-xdist is loaded

    known = costs.recorded()

    class ByCost(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid, known)

    return ByCost(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Notes what a test costs, with its fixtures."""
    before = costs.processor_seconds()
    try:
        return (yield)
    finally:
        costs.spent[item.nodeid] = costs.processor_seconds() - before


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Adds up the examples that hypothesis ran."""
    described = getattr(item, "hypothesis_statistics", None)
    if described:
        counted[item.nodeid] = sum(int(number) for number in PASSING.findall(described))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands its counts to the process that prints them."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["counted"], output["faults"], output["spent"] = counted, summary.kept(), costs.spent
    elif session.config.getoption("--record-costs"):
        costs.record()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes the counts of a worker of pytest-xdist; one that crashed has none."""
    if output := getattr(node, "workeroutput", None):
        counted.update(output["counted"])
        summary.add(output["faults"])
        costs.spent.update(output["spent"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many examples stand behind the properties, and what the faults came to."""
    if counted:
        terminalreporter.write_line(f"hypothesis: {sum(counted.values())} examples in {len(counted)} properties")
    for line in (*summary.crash_lines(), *summary.lines(), *costs.lines()):
        terminalreporter.write_line(line)
