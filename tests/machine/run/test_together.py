"""Commands of a step at the same time, as processes of this machine."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from raidtui.machine.system.runner import SystemReader, SystemRunner
from raidtui.values.errors import MachineFailed

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


def test_disks_are_looked_at_at_the_same_time_and_told_of_in_their_order() -> None:
    """Both looks wait for one another: one after the other they would never end."""
    met = threading.Barrier(2, timeout=30)

    def look(disk: str) -> str:
        met.wait()
        return disk.upper()

    assert SystemReader().each(look, ["sdb", "sda"]) == ("SDB", "SDA")


def test_the_first_disk_that_cannot_be_read_is_named() -> None:
    def look(disk: str) -> str:
        if disk == "sda":
            return disk
        raise MachineFailed(f"{disk}: Input/output error")

    with pytest.raises(MachineFailed, match="sdc: Input"):
        SystemReader().each(look, ["sda", "sdc", "sdb"])
