"""Says at the end what the matrix came to."""

from __future__ import annotations

import pytest

from tests.faults.summary import crash_lines, line, results


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each layout that was killed everywhere, and one for all cases that ran."""
    for crash in crash_lines():
        terminalreporter.write_line(crash)
    if results():
        terminalreporter.write_line(line(results()))
