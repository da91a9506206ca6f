"""Other people's files are bytes: a build and its undo change the plan's own lines and not one byte beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.machine.system.files import write_durably, write_together
from tests.machine.simulation import Run, planned
from tests.simulated.machine import FaultyMachine

LATIN = "# Gr\udcfc\udcdfe\n"
"""a comment in Latin-1"""
FILES = ("/etc/fstab", "/etc/mdadm/mdadm.conf")


@pytest.mark.parametrize("path", FILES)
def test_a_build_and_its_undo_keep_a_file_that_is_no_utf8(path: str, tmp_path: Path) -> None:
    run = Run(tmp_path, planned("raid1(2)"))
    before = (run.machine.read_text(path) or "") + LATIN
    run.machine.write_text(path, before, 0o644)
    run.build()
    assert run.last() == "finished"
    assert (run.folder / f"before-{Path(path).name}").read_bytes().endswith(b"# Gr\xfc\xdfe\n")
    run.machine = FaultyMachine.from_json(run.machine.to_json(), speed_up=3600)
    run.undo()
    assert (run.last(), run.machine.read_text(path)) == ("finished", before)


def test_a_written_file_has_the_bytes_that_were_read(tmp_path: Path) -> None:
    write_durably(tmp_path / "one", LATIN, mode=0o600)
    write_together({tmp_path / "two": LATIN}, mode=0o600)
    assert [(tmp_path / name).read_bytes() for name in ("one", "two")] == [b"# Gr\xfc\xdfe\n"] * 2


def test_a_record_keeps_the_bytes_of_a_message(tmp_path: Path) -> None:
    journal.begin(tmp_path / "run", "ask", "", simulated=True)
    held = journal.Journal(tmp_path / "run", "build")
    held.write("failed", text="/mnt/Gr\udcfc is busy \ud83d\ude00", exit=3)
    held.close()
    (record,) = journal.records(tmp_path / "run")
    assert record.text == "/mnt/Gr\udcfc is busy \U0001f600"
