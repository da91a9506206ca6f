"""Many small files: the tree, how it is shared out, and that nothing is left."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from raidtui.bench import small_files
from raidtui.bench.fio_load import small_files_measured
from raidtui.machine.system.programs import PYTHON


def test_sizes_have_the_mean_asked_for_and_are_always_the_same() -> None:
    found = small_files.sizes(20_000, 5734)
    assert found == small_files.sizes(20_000, 5734)
    assert (min(found) >= 1146, max(found) <= 10_322) == (True, True)
    assert abs(sum(found) / len(found) - 5734) < 30
    assert small_files.sizes(3, 1) == [1, 1, 1] or max(small_files.sizes(3, 1)) <= 2


def test_six_files_a_directory_and_hundred_directories_in_one() -> None:
    assert [small_files.folder_of(number) for number in (0, 5, 6, 599, 600, 1206)] == [
        "0/0", "0/0", "0/1", "0/99", "1/0", "2/1",
    ]  # fmt: skip


@pytest.mark.parametrize("files", [1, 5, 6, 7, 100, 1201])
@pytest.mark.parametrize("processes", [1, 2, 8])
def test_whole_directories_are_shared_out(files: int, processes: int) -> None:
    parts = small_files.shares(files, processes)
    assert len(parts) == processes
    assert [number for part in parts for number in part] == list(range(files))
    folders = [{small_files.folder_of(number) for number in part} for part in parts]
    assert sum(map(len, folders)) == len(set().union(*folders))


def test_create_read_and_delete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = small_files.sizes(13, 100)
    small_files.create(range(13), sizes)
    made = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert len(made) == 13
    assert {path.name: path.stat().st_size for path in made} == {str(at): size for at, size in enumerate(sizes)}
    small_files.read(range(13), sizes)
    (tmp_path / "0" / "1" / "7").write_bytes(b"")
    with pytest.raises(OSError, match="file 7 differs from what was written"):
        small_files.read(range(13), sizes)
    small_files.delete(range(13), sizes)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["0"]


@pytest.mark.process
def test_as_it_is_run(tmp_path: Path) -> None:
    argv = [*PYTHON, small_files.__file__, "300", "500", "3", "tree", "0"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, check=True)
    found = json.loads(done.stdout)
    assert (found["files"], found["dropped"]) == (300, False)
    assert found["bytes"] == sum(small_files.sizes(300, 500))
    assert list(tmp_path.iterdir()) == []
    measured = small_files_measured(done.stdout.decode())
    assert measured.labels == ("cached",)
    assert list(measured.parts) == ["create", "create and sync", "read", "delete"]


@pytest.mark.process
def test_a_failure_says_why(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    argv = [*PYTHON, small_files.__file__, "300", "500", "3", "tree", "0"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr == b"small files: File exists\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "tree"]


def test_files_a_second() -> None:
    """1,200 files: made in 2 s and synced in 1, read in 1.5, deleted in 0.4 and synced in 0.1: 5 s."""
    printed = json.dumps(
        {"files": 1200, "bytes": 1, "began": 10.0, "ended": 15.0, "create": 2.0, "sync": 1.0, "dropped": True,
         "read": 1.5, "delete": 0.4, "delete_sync": 0.1}
    )  # fmt: skip
    found = small_files_measured(printed)
    assert (found.value, found.began, found.ended, found.labels) == (240.0, 10.0, 15.0, ())
    assert found.parts == {"create": 600.0, "create and sync": 400.0, "read": 800.0, "delete": 2400.0}
