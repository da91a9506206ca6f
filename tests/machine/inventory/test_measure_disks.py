"""Reading a disk to measure it: where it is read, and that nothing behind its end is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.machine.inventory.measure_disks import BLOCK, OpenDisk, opened, random_rates, together_rate, zone_rate
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Disk

GIB = 1024**3


@pytest.fixture
def sparse(tmp_path: Path) -> Iterator[OpenDisk]:
    """A sparse file in a disk's place, of no whole number of blocks."""
    path = tmp_path / "disk"
    size = 64 * BLOCK + 512
    with path.open("wb") as file:
        file.truncate(size)
    handle = os.open(path, os.O_RDONLY)
    yield OpenDisk(Disk(id="x", size_bytes=size, rotational=True), handle)
    os.close(handle)


def test_zones_of_a_disk() -> None:
    disk = OpenDisk(Disk(id="x", size_bytes=2_000_398_934_016), -1)
    end = 2_000_398_934_016 // BLOCK * BLOCK
    assert disk.zone(0.0) == (0, end)
    assert disk.zone(0.5) == (end // 2 // BLOCK * BLOCK, end)
    assert disk.zone(1.0) == ((end - end // 50) // BLOCK * BLOCK, end)
    small = OpenDisk(Disk(id="x", size_bytes=3 * GIB), -1)
    assert small.zone(1.0) == (3 * GIB // 2, 3 * GIB)


def test_a_disk_is_read_to_its_end_and_no_further(sparse: OpenDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    real = os.preadv

    def preadv(handle: int, buffers: list[object], position: int) -> int:
        read.append(position)
        return real(handle, buffers, position)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "preadv", preadv)
    assert zone_rate(sparse, 0.0, 5).rate > 0
    assert read == [number * BLOCK for number in range(64)]
    read.clear()
    assert random_rates([sparse], 0.1)[0].rate > 0
    assert max(read) <= 64 * BLOCK - 4096 + 512
    assert not any(position % 4096 for position in read)


def test_disks_together_are_one_rate(sparse: OpenDisk) -> None:
    assert together_rate([sparse, sparse], 0.2).rate > 0


def test_a_disk_too_small_to_measure_is_named(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"\0" * BLOCK)
    handle = os.open(tmp_path / "small", os.O_RDONLY)
    try:
        with pytest.raises(MachineFailed, match="two pieces of work"):
            zone_rate(OpenDisk(Disk(id="x", size_bytes=BLOCK, by_id=("a-disk",)), handle), 0.0, 0.1)
    finally:
        os.close(handle)


def test_only_the_listed_block_device_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "not-a-disk"
    file.write_bytes(b"\0" * 4096)
    monkeypatch.setattr(Disk, "path", property(lambda _: str(file)))
    with pytest.raises(MachineFailed), opened(Disk(id="x", size_bytes=4096)):
        raise AssertionError("not reached")
