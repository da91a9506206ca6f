"""Programs that tests start and that a bare Debian does not have: their packages, and what happens without them.

A test names them: `@pytest.mark.needs("fio")`. Before the first test root installs what is missing, with apt-get.
Anybody else runs the other tests, and the last lines say how many were left out for which program.
In CI, and as root, a test whose program is missing all the same fails and names it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tests.lab.host import LabError, host_path, require_programs

PACKAGE_OF: Mapping[str, str] = {
    "chromium": "chromium",
    "fio": "fio",
    "iostat": "sysstat",
    "less": "less",
    "lz4": "lz4",
    "mkfs.ext4": "e2fsprogs",
    "nroff": "groff-base",
    "ssh": "openssh-client",
    "sshd": "openssh-server",
    "zstd": "zstd",
}
left_out: dict[str, int] = {}
"""how many tests this session left out, by missing program"""
_failures: list[str] = []


def needed(item: pytest.Item) -> frozenset[str]:
    """The programs that a test names. UsageError where one has no package here."""
    names = frozenset(name for mark in item.iter_markers("needs") for name in mark.args)
    if unknown := names - PACKAGE_OF.keys():
        raise pytest.UsageError(f"{item.nodeid} needs {', '.join(unknown)}, which tests/programs.py does not list")
    return names


def install(names: Iterable[str]) -> None:
    """Installs what is missing of `names` where this is root with apt-get; a failure is for the last lines to tell."""
    lacking = sorted(set(filter(_is_missing, names)))
    if lacking and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing {', '.join(lacking)}, which tests need", flush=True)
        try:
            require_programs({name: PACKAGE_OF[name] for name in lacking})
        except LabError as failure:
            _failures.append(str(failure))


def must_be_there() -> bool:
    """True where a missing program is an error: in CI, and as root."""
    return os.environ.get("CI") == "true" or os.geteuid() == 0


def watch(item: pytest.Item, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a test start programs; one of those listed here only where the test names it.

    raidtui itself starts by absolute path what it found, and does without what it did not find.
    """
    start = subprocess.Popen.__init__

    def checked(process: Any, argv: Any, *more: Any, **named: Any) -> None:
        first = os.fspath(argv if isinstance(argv, str | os.PathLike) else argv[0])
        if first in PACKAGE_OF.keys() - needed(item):
            raise AssertionError(f'a test started {first}: mark it @pytest.mark.needs("{first}")')
        start(process, argv, *more, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", checked)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Workers of pytest-xdist collect the tests, and nobody knows yet which: root installs all programs for them."""
    if session.config.pluginmanager.hasplugin("dsession"):
        install(PACKAGE_OF)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out, of the tests that are to run, those whose programs are missing."""
    if not hasattr(config, "workerinput"):
        install(name for item in items for name in needed(item))
    if must_be_there():
        return
    lacking = {name for name in PACKAGE_OF if _is_missing(name)}
    left_out.update(Counter(name for item in items for name in needed(item) & lacking))
    config.hook.pytest_deselected(items=[item for item in items if needed(item) & lacking])
    items[:] = [item for item in items if not needed(item) & lacking]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fails a test that lacks a program."""
    for name in sorted(filter(_is_missing, needed(item))):
        pytest.fail(
            f"this test needs {name}, which is not installed (Debian package {PACKAGE_OF[name]})", pytrace=False
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands its counts to the process that prints them."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["left_out"] = left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes the counts of a worker; all of them collect the same tests."""
    left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what was left out, and why what is missing could not be installed."""
    for name, tests in sorted(left_out.items()):
        words = "1 test needs" if tests == 1 else f"{tests} tests need"
        terminalreporter.write_line(f"left out: {words} {name} (Debian package {PACKAGE_OF[name]})")
    for failure in _failures:
        terminalreporter.write_line(f"not installed: {failure}")


def _is_missing(name: str) -> bool:
    return shutil.which(name, path=host_path()) is None
