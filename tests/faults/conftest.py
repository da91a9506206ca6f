"""Says at the end what the matrix came to."""

from __future__ import annotations

import pytest

from tests.faults.summary import line, results


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line, when any case ran."""
    if results():
        terminalreporter.write_line(line(results()))
