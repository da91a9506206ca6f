"""The journal is readable up to the last whole line, whatever a power cut left behind it."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.engine import journal as journal_lines
from raidtui.values.errors import BadInput
from raidtui.values.run import Record


def record(sequence: int, text: str = "") -> Record:
    return Record(sequence=sequence, kind="begun", time="2026-01-02T03:04:05.006+00:00", boot="b", text=text)


def journal(*texts: str) -> bytes:
    seal, lines = "", []
    for sequence, text in enumerate(texts, start=1):
        line, seal = journal_lines.record_line(record(sequence, text), seal)
        lines.append(line)
    return "".join(lines).encode()


def test_a_line_is_a_seal_and_json_in_ascii() -> None:
    line, seal = journal_lines.record_line(record(1, "a\nb\x1b[31mç"), "")
    assert len(seal) == 16
    assert line == (
        f'{seal} {{"action":0,"argv":[],"boot":"b","kind":"begun","output":"","purpose":"build","sequence":1,"step":0,'
        '"text":"a\\nb\\u001b[31m\\u00e7","time":"2026-01-02T03:04:05.006+00:00"}\n'
    )


def test_what_was_written_is_read_back() -> None:
    data = journal("one", "two", "three")
    records, seal, used = journal_lines.read(data, source="j")
    assert [each.text for each in records] == ["one", "two", "three"]
    assert used == len(data)
    assert data.splitlines()[-1].startswith(seal.encode())


def test_every_byte_that_a_power_cut_may_leave_reads_as_the_whole_lines_before_it() -> None:
    data = journal("one", "two", "three")
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        records, _, used = journal_lines.read(data[:cut] + bytes(40), source="j")
        whole = sum(end <= cut for end in ends)
        assert (len(records), used) == (whole, ends[whole - 1] if whole else 0)


def test_a_last_line_whose_first_half_never_reached_the_disk_is_torn() -> None:
    data = journal("one", "two")
    first = data.index(b"\n") + 1
    half = data[:first] + bytes(30) + data[first + 30 :] + bytes(100)
    records, _, used = journal_lines.read(half, source="j")
    assert (len(records), used) == (1, first)


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_damage_before_the_last_line_is_never_read_over(at: int, change: int) -> None:
    data = bytearray(journal("one", "two", "three"))
    last = bytes(data[:-1]).rindex(b"\n") + 1
    data[at % last] ^= change
    try:
        records, _, _ = journal_lines.read(bytes(data), source="j")
    except BadInput as problem:
        assert "j: line" in str(problem)
    else:
        # a line end that was damaged joins two lines: what follows is then the torn last line
        assert len(records) < 3


def test_a_damaged_line_is_named_with_the_way_out() -> None:
    data = bytearray(journal("one", "two", "three"))
    data[25] ^= 1
    with pytest.raises(BadInput, match="j: line 1 is damaged") as caught:
        journal_lines.read(bytes(data), source="j")
    assert "raidtui resume with the plan" in caught.value.hint


def test_a_record_of_a_newer_release_is_not_called_damaged_and_names_the_way_out() -> None:
    body = b'{"sequence":1,"kind":"begun","of_tomorrow":1}'
    seal = hashlib.sha256(body).hexdigest()[:16].encode()
    with pytest.raises(BadInput, match=r"j: line 1: ") as caught:
        journal_lines.read(seal + b" " + body + b"\n", source="j")
    assert caught.value.hint == "the line is whole, so another release of raidtui wrote it: use that one for this run"
