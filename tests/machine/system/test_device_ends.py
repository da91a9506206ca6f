import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.system.host import Ends

MIB = 1024 * 1024


def disk(path: Path, size: int, byte_at: int | None = None) -> str:
    with path.open("wb") as file:
        file.truncate(size)
        if byte_at is not None:
            file.seek(byte_at)
            file.write(b"x")
    return str(path)


@pytest.mark.parametrize("size", [512, 4096, MIB, MIB + 512, 2 * MIB, 5 * MIB])
def test_zeros_are_none_and_a_byte_at_either_end_is_seen(tmp_path: Path, size: int) -> None:
    ends = Ends()
    assert ends.read(disk(tmp_path / "zero", size), os.O_RDONLY, size) is None
    for at in (0, size - 1):
        read = ends.read(disk(tmp_path / f"byte{at}", size, at), os.O_RDONLY, size)
        assert read is not None
        assert [len(end) for end in read] == [min(size, MIB)] * 2
        assert b"x" in read[0] + read[1]


def test_only_the_ends_are_read_and_buffers_do_not_leak_between_disks(tmp_path: Path) -> None:
    ends = Ends()
    head = ends.read(disk(tmp_path / "head", 4 * MIB, 7), os.O_RDONLY, 4 * MIB)
    assert head == (bytes(7) + b"x" + bytes(MIB - 8), bytes(MIB))
    assert ends.read(disk(tmp_path / "middle", 4 * MIB, 2 * MIB), os.O_RDONLY, 4 * MIB) is None
    small = ends.read(disk(tmp_path / "small", 1024, 1023), os.O_RDONLY, 1024)
    assert small == (bytes(1023) + b"x",) * 2


@given(at=st.integers(0, MIB - 1), tail=st.booleans())
def test_one_byte_anywhere_in_either_end_is_seen(tmp_path_factory: pytest.TempPathFactory, at: int, tail: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "one-byte"
    where = 3 * MIB + at if tail else at
    read = Ends().read(disk(path, 4 * MIB, where), os.O_RDONLY, 4 * MIB)
    assert read is not None
    assert read[tail][at : at + 1] == b"x"


def test_a_shorter_disk_than_said_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="stopped early"):
        Ends().read(disk(tmp_path / "short", MIB), os.O_RDONLY, 3 * MIB)


def test_the_first_byte_that_is_not_zero_is_found_within_the_areas_only(tmp_path: Path) -> None:
    path, ends = disk(tmp_path / "disk", 8 * MIB, 3 * MIB + 17), Ends()
    assert ends.first_nonzero(path, os.O_RDONLY, ((0, 2 * MIB), (4 * MIB, 4 * MIB))) is None
    assert ends.first_nonzero(path, os.O_RDONLY, ((0, 4096), (8192, 4 * MIB - 8192))) == 3 * MIB + 17
    assert ends.first_nonzero(path, os.O_RDONLY, ((3 * MIB, 512),)) == 3 * MIB + 17
    with pytest.raises(OSError, match="stopped early"):
        ends.first_nonzero(path, os.O_RDONLY, ((8 * MIB, 512),))


def test_places_that_are_not_zero_are_found_by_any_byte_and_no_other_is_read(tmp_path: Path) -> None:
    ends = Ends()
    path = disk(tmp_path / "places", 4 * MIB, 2 * MIB + 4095)
    assert ends.not_zero(path, os.O_RDONLY, (MIB, 2 * MIB, 3 * MIB)) == (2 * MIB,)
    assert ends.not_zero(path, os.O_RDONLY, (MIB, 2 * MIB + 4096)) == ()
    with pytest.raises(OSError, match="stopped early"):
        ends.not_zero(path, os.O_RDONLY, (4 * MIB,))
