"""Commands of a step at the same time, as processes of this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raidtui.machine.system.runner import SystemRunner

pytestmark = pytest.mark.process


def test_one_that_waits_for_another_does_not_wait_for_ever(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (tmp_path / "out").open("wb") as file:
        read, write = ("env", "cat", str(pipe)), ("env", "sh", "-c", f"echo said > {pipe}; exit 3")
        calls = [(7, read, file.fileno()), (9, write, file.fileno())]
        ended = {number: code for number, code, _ in SystemRunner(file.fileno()).run_together(calls)}
    assert ended == {7: 0, 9: 3}
    assert (tmp_path / "out").read_text() == "said\n"
