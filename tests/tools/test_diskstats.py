"""Lines as several kernels print them. Those of 6.18 were recorded; 2.6.18, 3.10 and 4.19 are made by hand after
Documentation/admin-guide/iostats.rst; 5.5 is that document's own example.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.programs.proc import Counter, Sample

RECORDED = (Path(__file__).parent / "diskstats" / "linux-6.18-recorded.txt").read_bytes()
V26 = b"""\
   3    0 hda 446216 784926 9550688 4382310 424847 312726 5922052 19310380 0 3376340 23705160
   3    1 hda1 35486 38030 38030 38030
"""
V310 = b"""\
  11       0 sr0 34 0 272 33 0 0 0 0 0 32 32
   8       0 sda 2801 2865 117314 12958 446 905 10802 3640 0 10798 16597
   8       1 sda1 524 3 4192 807 2 0 10 101 0 907 907
   9     127 md127 100 0 800 0 50 0 400 0 0 0 0
"""
V419 = b"   8      16 sdb 189 0 4063 220 7 1 56 3 0 112 223 11 2 4096 9\n"
V55 = b"""\
 259       0 nvme0n1 255999 814 12369153 47919 996852 81 36123024 425995 0 301795 580470 0 0 0 0 60602 106555
 259       1 nvme0n1p1 492 813 17572 96 848 81 108288 210 0 76 307 0 0 0 0 0 0
"""


def row(data: bytes, name: str) -> tuple[float, ...]:
    sample = Sample(data)
    columns = sample.counters([sample.line_up.numbers[name]]).columns()
    return tuple(column[0] for column in columns)


def test_recorded_of_this_kernel() -> None:
    assert tuple(Sample(RECORDED).line_up.numbers) == (
        "loop0", "loop1", "loop2", "loop3", "loop4", "loop5", "loop6", "loop7", "vda", "zram0",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (V26, "hda", (446216, 9550688, 4382310, 424847, 5922052, 19310380, 3376340, 23705160, 0, 0)),
        (V310, "sda", (2801, 117314, 12958, 446, 10802, 3640, 10798, 16597, 0, 0)),
        (V310, "md127", (100, 800, 0, 50, 400, 0, 0, 0, 0, 0)),
        (V419, "sdb", (189, 4063, 220, 7, 56, 3, 112, 223, 11, 9)),
        (V55, "nvme0n1", (255999, 12369153, 47919, 996852, 36123024, 425995, 301795, 580470, 0, 0)),
        (V55, "nvme0n1p1", (492, 17572, 96, 848, 108288, 210, 76, 307, 0, 0)),
    ],
)
def test_counters(data: bytes, name: str, expected: tuple[int, ...]) -> None:
    assert row(data, name) == expected


def test_partitions_of_old_kernels_have_too_few_counters() -> None:
    assert tuple(Sample(V26).line_up.numbers) == ("hda",)


@pytest.mark.parametrize(
    "name", ["md_a b", "md_a 5", "md_\x1b[31mred", "md_[/b]", "cciss/c0d0", "md_\xe4", "md_\t7 7 7"]
)
def test_names_that_want_to_be_something_else(name: str) -> None:
    line = f"   9     126 {name} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n".encode()
    data = b"   8       0 sda 11 0 8 4 0 0 0 0 0 4 4 0 0 0 0 0 0\n" + line
    assert tuple(Sample(data).line_up.numbers) == ("sda", name)
    assert row(data, name) == (1, 3, 4, 5, 7, 8, 10, 11, 12, 15)


def test_a_name_with_a_newline_cannot_take_the_place_of_a_disk() -> None:
    real = b"   8       0 sda 11 0 8 4 0 0 0 0 0 4 4\n"
    forged = b"   9     126 md_\n   8       0 sda 99 0 99 99 0 0 0 0 0 99 99\n"
    assert row(real + forged, "sda") == (11, 8, 4, 0, 0, 0, 4, 4, 0, 0)


def test_bytes_that_are_no_text() -> None:
    data = b"   9     126 md_\xff\xfe 1 2 3 4 5 6 7 8 9 10 11\n"
    assert tuple(Sample(data).line_up.numbers) == ("md_\ufffd\ufffd",)


def test_the_line_up_is_kept_until_devices_come_or_go() -> None:
    first = Sample(V310)
    assert Sample(V310.replace(b"2801", b"2999"), first).line_up is first.line_up
    for other in (V55, V310 + V419, V310.replace(b" sda ", b" sdc "), b""):
        assert Sample(other, first).line_up is not first.line_up
    assert tuple(Sample(V55, first).line_up.numbers) == ("nvme0n1", "nvme0n1p1")


def test_a_line_that_is_cut_off() -> None:
    first = Sample(V419)
    cut = Sample(V419[:40] + b"\n", first)
    assert cut.line_up is first.line_up
    with pytest.raises(ValueError, match="truncated line"):
        cut.counters([0])


COUNTER = st.integers(0, 2**53 - 1)
NAME = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=31).filter(
    lambda name: name == name.strip() and len(name.encode().split()) == 1
)


@given(
    st.lists(st.tuples(NAME, st.lists(COUNTER, min_size=17, max_size=17)), max_size=8, unique_by=lambda each: each[0]),
    st.sampled_from([11, 15, 17]),
)
def test_what_was_printed_is_read_back(devices: list[tuple[str, list[int]]], wide: int) -> None:
    lines = [f"   8 {16 * at:7d} {name} {' '.join(map(str, row[:wide]))}" for at, (name, row) in enumerate(devices)]
    sample = Sample("".join(f"{line}\n" for line in lines).encode())
    assert sample.line_up.numbers == {name: at for at, (name, _) in enumerate(devices)}
    columns = sample.counters(range(len(devices))).columns()
    picked = [[*(row[at] for at in (0, 2, 3, 4, 6, 7, 9, 10)), *((row[11], row[14]) if wide > 11 else (0, 0))]
              for _, row in devices]  # fmt: skip
    assert [list(each) for each in zip(*columns, strict=True)] == picked


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_no_bytes_bring_it_down(before: bytes, after: bytes) -> None:
    first = Sample(before)
    second = Sample(after, first)
    for sample in (first, second):
        numbers = list(sample.line_up.numbers.values())
        try:
            columns = sample.counters(numbers).columns()
        except ValueError:
            continue
        assert {len(column) for column in columns} == {len(numbers)}


@given(st.data())
def test_no_change_to_a_real_file_brings_it_down(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(RECORDED)))
    changed = RECORDED[:at] + data.draw(st.binary(max_size=9)) + RECORDED[at + data.draw(st.integers(0, 90)) :]
    sample = Sample(changed, Sample(RECORDED))
    try:
        columns = sample.counters(list(sample.line_up.numbers.values())).columns()
    except ValueError:
        return
    assert len(columns[Counter.READS]) == len(sample.line_up.numbers)


def test_a_column_by_its_name() -> None:
    columns = Sample(V419).counters([0]).columns()
    assert tuple(columns[counter] for counter in (Counter.DISCARDS, Counter.MS_DISCARDING, Counter.READS)) == (
        [11.0],
        [9.0],
        [189.0],
    )
