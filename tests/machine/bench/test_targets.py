"""What lies below a directory, from a copy of /sys, and what may be measured there."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench.targets import BenchPlace, bench_disks, facts_of, place_of, places_of_plan, plan_of_place, targets_of
from raidtui.engine import journal
from raidtui.values.bench import BenchDisk
from raidtui.values.errors import BadInput, Refused
from raidtui.values.gauges import Scene, WatchedArray, WatchedDisk
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.location import Location
from tests.planner.plans import disks, machine, plan_of

SCENE = Scene(
    host="testhost",
    disks=(
        WatchedDisk(
            name="sdya", id="wwn-a", serial="SA", slot="1", enclosure="E", array="md7001", role="member", size_bytes=100
        ),
        WatchedDisk(name="sdyb", id="wwn-b", serial="SB", array="md7001", role="member", size_bytes=100),
        WatchedDisk(name="sdyc", id="", serial="SC", array="md7001", role="spare", size_bytes=100),
        WatchedDisk(name="sdyz", id="wwn-z", serial="SZ", size_bytes=100),
    ),
    arrays=(WatchedArray(name="md7001", title="data", level="raid1", members=("sdya", "sdyb"), spares=("sdyc",)),),
)  # fmt: skip
INVENTORY = Inventory(
    origin="machine",
    name="testhost",
    disks=(Disk(id="wwn-a", size_bytes=100, kernel_name="sdya", by_id=("wwn-a",)),),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A volume on an array of two disks, one of them partitioned, and a spare."""
    root = tmp_path / "root"
    parts = {"sdya": "8:1", "sdyb": "8:2", "sdyc": "8:4", "md7001": "9:7001", "dm-7777": "253:7777"}
    for name in parts:
        (root / "sys/devices" / name).mkdir(parents=True)
    part = root / "sys/devices/sdyb/sdyb1"
    part.mkdir()
    (part / "partition").write_text("1\n")
    (root / "sys/class/block").mkdir(parents=True)
    (root / "sys/dev/block").mkdir(parents=True)
    for name, number in {**parts, "sdyb/sdyb1": "8:3"}.items():
        (root / "sys/class/block" / name.rpartition("/")[2]).symlink_to(root / "sys/devices" / name)
        (root / "sys/dev/block" / number).symlink_to(root / "sys/devices" / name)
    (root / "sys/devices/md7001/md").mkdir()
    for upper, lower in (("md7001", "sdya"), ("md7001", "sdyb1"), ("md7001", "sdyc"), ("dm-7777", "md7001")):
        (root / "sys/devices" / upper / "slaves" / lower).mkdir(parents=True)
    (root / "proc/self").mkdir(parents=True)
    return root


def mounted(
    root: Path, point: Path, number: str = "253:7777", kind: str = "xfs", source: str = "/dev/mapper/v"
) -> None:
    point.mkdir(exist_ok=True)
    (root / "proc/self/mountinfo").write_text(
        f"21 1 8:99 / / rw - ext4 /dev/root rw\n22 21 {number} / {point} rw - {kind} {source} rw\n"
    )


def place(root: Path, tmp_path: Path) -> BenchPlace:
    mounted(root, tmp_path / "mnt")
    return place_of(tmp_path / "mnt", str(root))


def test_everything_below_a_mount(root: Path, tmp_path: Path) -> None:
    found = place(root, tmp_path)
    assert (found.path, found.mount.fstype, found.volume) == (tmp_path / "mnt", "xfs", "dm-7777")
    assert found.devices == ("md7001", "sdya", "sdyb", "sdyc")


def test_a_directory_in_it_by_way_of_a_link(root: Path, tmp_path: Path) -> None:
    mounted(root, tmp_path / "mnt")
    (tmp_path / "mnt" / "inner").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "mnt" / "inner")
    found = place_of(tmp_path / "link", str(root))
    assert (found.path, found.mount.point, found.volume) == (
        tmp_path / "mnt" / "inner", str(tmp_path / "mnt"), "dm-7777",
    )  # fmt: skip


def test_a_file_system_without_a_device(root: Path, tmp_path: Path) -> None:
    mounted(root, tmp_path / "mnt", number="0:44", kind="tmpfs", source="none")
    found = place_of(tmp_path / "mnt", str(root))
    assert (found.volume, found.devices) == ("", ())


@pytest.mark.parametrize("path", ["/proc", "/sys/block", "/dev/shm", "/etc", "/usr/lib", "/run"])
def test_places_of_the_system_are_refused(path: str) -> None:
    with pytest.raises(Refused):
        place_of(Path(path))


def test_what_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "nowhere"):
        with pytest.raises(BadInput, match="is not a directory"):
            place_of(path)


def test_targets_for_root(root: Path, tmp_path: Path) -> None:
    """A disk without identity goes by its name; by-id paths where the inventory has them; spares are not in `disks`."""
    found = targets_of(place(root, tmp_path), INVENTORY, SCENE, root_user=True)
    assert [(each.kind, each.name, each.paths, each.disks, each.array) for each in found] == [
        ("disk", "slot 1 of E", ("/dev/disk/by-id/wwn-a",), ("wwn-a",), "md7001"),
        ("disk", "SB", ("/dev/sdyb",), ("wwn-b",), "md7001"),
        ("disk", "SC", ("/dev/sdyc",), ("sdyc",), "md7001"),
        ("disks", "2 disks at once", ("/dev/disk/by-id/wwn-a", "/dev/sdyb"), ("wwn-a", "wwn-b"), "md7001"),
        ("array", "data", ("/dev/md7001",), ("wwn-a", "wwn-b", "sdyc"), "md7001"),
        ("volume", "dm-7777", ("/dev/dm-7777",), ("wwn-a", "wwn-b", "sdyc"), "md7001"),
        ("files", str(tmp_path / "mnt"), (str(tmp_path / "mnt"),), ("wwn-a", "wwn-b", "sdyc"), "md7001"),
    ]  # fmt: skip
    assert bench_disks(found, SCENE, ()) == (
        BenchDisk(
            id="wwn-a", name="sdya", serial="SA", place=Location.in_bench("1", "E"), array="md7001", role="member"
        ),
        BenchDisk(id="wwn-b", name="sdyb", serial="SB", array="md7001", role="member"),
        BenchDisk(id="sdyc", name="sdyc", serial="SC", array="md7001", role="spare"),
    )


def test_the_run_that_made_a_file_system_is_found_by_its_uuid(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = plan_of("raid1(2)")
    (tmp_path / "runs").mkdir(mode=0o700)
    folder = journal.create(tmp_path / "runs", ours)
    damaged = tmp_path / "runs" / ("f" * 32)
    damaged.mkdir(mode=0o700)
    (damaged / "plan.json").write_text("{")
    there = place(root, tmp_path)
    uuid, known = ours.filesystems[0].uuid, os.stat

    def stat(path: Any, *more: Any, **named: Any) -> Any:
        if str(path) == f"/dev/disk/by-uuid/{uuid}":
            return os.stat_result((0,) * 10, {"st_rdev": os.makedev(*map(int, there.mount.number.split(":")))})
        return known(path, *more, **named)

    roots = (tmp_path / "none", tmp_path / "runs")
    assert plan_of_place(there, roots) is None
    monkeypatch.setattr("raidtui.bench.targets.os.stat", stat)
    monkeypatch.setattr("raidtui.engine.runs.require_trusted", lambda folder: None)
    found = plan_of_place(there, roots)
    assert found is not None
    assert (found.digest, folder.name) == (ours.digest, found.run_id)


def test_others_may_only_make_files(root: Path, tmp_path: Path) -> None:
    (found,) = targets_of(place(root, tmp_path), INVENTORY, SCENE, root_user=False)
    assert (found.kind, found.disks) == ("files", ("wwn-a", "wwn-b", "sdyc"))


def test_two_arrays_below_one_volume_are_no_single_array(root: Path, tmp_path: Path) -> None:
    both = replace(place(root, tmp_path), devices=("md7001", "sdya", "md7002", "sdyb"))
    arrays = tuple(
        WatchedArray(name=name, level="raid0", members=(disk,))
        for name, disk in (("md7001", "sdya"), ("md7002", "sdyb"))
    )
    found = targets_of(both, INVENTORY, replace(SCENE, arrays=arrays), root_user=True)
    assert [(each.name, each.disks) for each in found if each.kind == "array"] == [
        ("md7001", ("wwn-a",)), ("md7002", ("wwn-b",)),
    ]  # fmt: skip
    assert [each.array for each in found if each.kind in ("volume", "files")] == ["", ""]


def test_room_memory_and_direct_access(tmp_path: Path) -> None:
    found = facts_of(tmp_path, read_bytes_per_s=1.0, write_bytes_per_s=2.0, spins=True)
    assert (found.memory_bytes or 0) > 64 * 1024**2
    assert found.free_bytes > 0
    assert (found.read_bytes_per_s, found.write_bytes_per_s, found.files_per_s) == (1.0, 2.0, 2000.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("inodes", "free"), [(9000, 700), (0, None)], ids=["a fixed number", "made as needed"])
def test_room_is_what_others_than_root_may_take(
    inodes: int, free: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = os.statvfs_result((1 << 20, 4096, 5000, 3000, 2000, inodes, 800, 700, 0, 255))
    monkeypatch.setattr("raidtui.bench.targets.os.statvfs", {tmp_path: answer}.__getitem__)
    found = facts_of(tmp_path, read_bytes_per_s=1.0, write_bytes_per_s=2.0, spins=True)
    assert (found.free_bytes, found.free_files) == (2000 * 4096, free)


def test_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("raidtui.bench.targets.os.open", refuse)
    with pytest.raises(Refused, match="Permission denied"):
        facts_of(tmp_path, read_bytes_per_s=1.0, write_bytes_per_s=2.0, spins=True)


def test_a_plan_whose_file_system_is_not_mounted_is_refused(tmp_path: Path) -> None:
    pool = disks(4)
    plan = plan_of("(2+1)", pool, inventory=machine(*pool))
    made = replace(plan.filesystems[0], mount_point=str(tmp_path))
    with pytest.raises(Refused, match="is not mounted"):
        places_of_plan(replace(plan, filesystems=(made,)))
    with pytest.raises(Refused, match="makes no file system"):
        places_of_plan(replace(plan, filesystems=()))


def test_another_file_system_at_the_plans_mount_point_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = disks(4)
    plan = plan_of("(2+1)", pool, inventory=machine(*pool))
    made = replace(plan.filesystems[0], mount_point=str(tmp_path))

    def elsewhere(path: Path, root: str = "/") -> BenchPlace:
        from raidtui.programs.mount import Mount

        mount = Mount(number="8:99", point=str(tmp_path), fstype="xfs", source="/dev/sdz")
        return BenchPlace(path=tmp_path, mount=mount, volume="", devices=())

    monkeypatch.setattr("raidtui.bench.targets.place_of", elsewhere)
    with pytest.raises(Refused, match="is not the plan's file system"):
        places_of_plan(replace(plan, filesystems=(made,)))
