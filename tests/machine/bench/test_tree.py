"""A tree of the user's own: what is made of it, that hostile names are skipped, and that nothing is left."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from raidtui.bench import small_files
from raidtui.bench.fio_load import small_files_argv, small_files_measured
from raidtui.bench.plan import BenchOptions, profile_problem
from raidtui.bench.prepare import _require_outside, of_tree, prepare
from raidtui.bench.targets import place_of
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Inventory


def _tar(path: Path, *, mode: str = "w:gz") -> Path:
    """A tar file with three good files, and each kind of hostile member."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]

        def add(name: str, content: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = "") -> None:
            each = tarfile.TarInfo(name)
            each.type, each.linkname, each.mode, each.uid = kind, link, 0o6777, 4711
            each.size = len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(each, io.BytesIO(content) if kind == tarfile.REGTYPE else None)

        add("good", kind=tarfile.DIRTYPE)
        add("good/a", b"a" * 3_000_000)
        add("./good/b", b"")
        add("deep/er/c", b"ccc")
        add("/etc/absolute")
        add("../outside")
        add("good/../../outside")
        add("link", kind=tarfile.SYMTYPE, link="/etc")
        add("link/passwd")
        add("good/hard", kind=tarfile.LNKTYPE, link="/etc/passwd")
        add("device", kind=tarfile.CHRTYPE)
        add("pipe", kind=tarfile.FIFOTYPE)
        add("good/a", b"again")
        add("good/a/below")
        add("deep/er/c", kind=tarfile.DIRTYPE)
    return path


SKIPPED = (
    "/etc/absolute: a name that leads out of the tree", "../outside: a name that leads out of the tree",
    "good/../../outside: a name that leads out of the tree", "link: a link", "good/hard: a link",
    "device: a special file", "pipe: a special file", "good/a: a name given twice", "good/a/below: a name given twice",
    "deep/er/c: a name given twice",
)  # fmt: skip


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_tar_is_counted_and_hostile_members_are_skipped_by_name(tmp_path: Path, mode: str) -> None:
    profile, skipped = of_tree(_tar(tmp_path / "t.tar", mode=mode))
    (job,) = profile.jobs
    assert (job.title, job.files, job.block_bytes) == ("tree of 4 files in 4 directories", 4, 750_001)
    assert skipped == SKIPPED
    assert profile_problem(profile) == ""


def test_what_is_unpacked_is_ours_and_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = _tar(tmp_path / "t.tar")
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    sums, folders = small_files.unpack(str(source))
    assert sorted(sums) == ["deep/er/c", "good/a", "good/b", "link/passwd"]
    assert folders == ["good", "deep", "deep/er", "link"]
    assert (Path("good/a").read_bytes(), Path("deep/er/c").read_bytes()) == (b"a" * 3_000_000, b"ccc")
    assert {path.lstat().st_mode & 0o7777 for path in Path().rglob("*") if path.is_file()} == {0o600}
    assert not any(path.is_symlink() for path in Path().rglob("*"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "t.tar"]


@pytest.mark.process
def test_the_whole_measures_each_phase_and_leaves_nothing(tmp_path: Path) -> None:
    copied, place = tmp_path / "copied", tmp_path / "place"
    (copied / "d").mkdir(parents=True)
    (copied / "d" / "f").write_bytes(b"1234")
    (copied / "out").symlink_to("/etc")
    place.mkdir()
    for source, files, folders in ((_tar(tmp_path / "t.tar"), 4, 4), (copied, 1, 1)):
        (job,) = of_tree(source)[0].jobs
        ran = subprocess.run(
            small_files_argv(job, "tree-1", drop=False), cwd=place, capture_output=True, text=True, check=True
        )
        found = json.loads(ran.stdout)
        assert (found["files"], found["directories"]) == (files, folders)
        measured = small_files_measured(ran.stdout)
        assert list(measured.parts) == ["create", "create and sync", "list", "read", "delete"]
        assert (measured.labels, list(place.iterdir())) == (("cached",), [])


def test_a_tree_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    torn = tmp_path / "torn.tar"
    torn.write_bytes(_tar(tmp_path / "t.tar").read_bytes()[:500])
    for source in (tmp_path / "empty", torn):
        with pytest.raises(BadInput, match="--tree"):
            of_tree(source)
    with pytest.raises(BadInput, match=r"missing: No such file or directory$"):
        of_tree(tmp_path / "missing")


@pytest.mark.parametrize(
    ("source", "target"),
    [("data", "data"), ("data", "data/deep"), ("link", "data"), ("data", "link/deep"), ("data/.", "data")],
)
def test_a_tree_is_not_copied_into_itself(tmp_path: Path, source: str, target: str) -> None:
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "file").write_text("x")
    (tmp_path / "link").symlink_to("data")
    profile, _ = of_tree(tmp_path / source)
    place = place_of(tmp_path / target)
    with pytest.raises(Refused) as refused:
        prepare((place,), Inventory(origin="machine", name="host"), profile, BenchOptions())
    assert str(refused.value) == (
        f"--tree {Path(tmp_path / source)} contains {place.path}, which is measured: it would be copied into itself"
    )
    assert refused.value.hint == "name a tree elsewhere, or a directory outside of it"
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["data", "deep", "file", "link"]


def test_a_tree_below_the_directory_that_is_measured_is_copied_beside_itself(tmp_path: Path) -> None:
    (tmp_path / "data" / "tree").mkdir(parents=True)
    (tmp_path / "data" / "tree" / "file").write_text("x")
    profile, _ = of_tree(tmp_path / "data" / "tree")
    _require_outside(profile, (place_of(tmp_path / "data"),))
    archived, _ = of_tree(_tar(tmp_path / "data" / "t.tar"))
    _require_outside(archived, (place_of(tmp_path / "data"),))


def test_what_is_neither_file_nor_directory_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(BadInput, match="neither a regular file nor a directory"):
            of_tree(source)


def test_a_file_that_reads_otherwise_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = _tar(tmp_path / "t.tar")
    monkeypatch.setattr(small_files, "sync", lambda: Path("good/b").write_bytes(b"!") and 0.0)
    with pytest.raises(OSError, match="good/b differs from what was written"):
        small_files.main_tree(str(source), "tree-1", may_drop=False)
