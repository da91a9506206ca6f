"""Exports as files: all or none, never over what is there."""

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.installers.exported import ExportFile
from raidtui.installers.files import write_export
from raidtui.values.errors import MachineFailed, Refused
from tests.planner.export.installers.reference import reference_export


def test_one_file_is_private_and_its_path_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (written,) = write_export(reference_export("disko", "adopt"), Path("disks.nix"))
    assert written == tmp_path / "disks.nix" and written.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Refused, match="exists already"):
        write_export(reference_export("disko", "adopt"), Path("disks.nix"))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for made in (reference_export("disko", "adopt"), reference_export("systemd", "adopt")):
        with pytest.raises(Refused, match="exists already"):
            write_export(made, tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    made = reference_export("systemd", "adopt")
    assert [path.read_text() for path in write_export(made, tmp_path / "good")] == [file.text for file in made.files]
    broken = replace(made, files=(*made.files, ExportFile(name=f"{made.files[0].name}/below", text="")))
    with pytest.raises((Refused, MachineFailed)):
        write_export(broken, tmp_path / "bad")
    assert not [path for path in (tmp_path / "bad").rglob("*") if path.is_file()]
