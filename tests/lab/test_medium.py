"""Disks in memory, and what of a log they hold after a power cut: without a machine."""

from __future__ import annotations

import random
import socket
import struct
from collections import Counter
from pathlib import Path

from raidtui.engine import journal
from raidtui.values.run import Record
from tests.lab.flush_cuts import Recording, drawn, journal_of
from tests.lab.logged import ROOT
from tests.lab.medium import Entry, Medium, MediumServer, durable, replayed


def test_a_medium_holds_what_was_written_over_its_file(tmp_path: Path) -> None:
    file = tmp_path / "below"
    file.write_bytes(b"a" * 6000)
    medium = Medium(20480, file)
    assert medium.read(5990, 20) == b"a" * 10 + bytes(10)
    medium.put(Entry("x", 4000, 200, b"b" * 200))
    medium.put(Entry("x", 4096, 512))
    assert medium.read(3990, 640) == b"a" * 10 + b"b" * 96 + bytes(512) + b"a" * 22
    assert file.read_bytes() == b"a" * 6000
    assert medium.writes == 2


def test_a_medium_over_zeroes_is_blank_where_nothing_else_was_written() -> None:
    medium, other = Medium(40960), Medium(40960)
    medium.put(Entry("x", 8192 + 512, 512, b"c" * 512))
    assert (medium.is_blank(0, 8192), medium.is_blank(8192, 12288), medium.is_blank(12288)) == (True, False, True)
    assert medium.content_digest() != other.content_digest()
    medium.put(Entry("x", 0, 40960))
    assert medium.is_blank() and medium.content_digest() == other.content_digest()


LOG = [
    Entry("a", 0, 4096, b"1" * 4096),
    Entry("b", 0, 4096, b"2" * 4096),
    Entry("a"),
    Entry("a", 0, 4096, b"3" * 4096),
    Entry("a", 4096, 4096, b"4" * 4096),
    Entry("b", 4096, 1024),
]


def test_all_that_was_written_is_there_where_no_cache_is_lost() -> None:
    assert list(durable(LOG, {})) == LOG
    media = {"a": Medium(8192), "b": Medium(8192)}
    media["b"].put(Entry("b", 4096, 4096, b"9" * 4096))
    replayed({"a": {}, "b": dict(media["b"].blocks)}, LOG, media)
    assert media["a"].read(0, 8192) == b"3" * 4096 + b"4" * 4096
    assert media["b"].read(0, 8192) == b"2" * 4096 + bytes(1024) + b"9" * 3072


def test_a_lost_cache_takes_any_part_of_what_was_not_flushed_and_nothing_else() -> None:
    seen = Counter()  # type: ignore[var-annotated]
    for seed in range(400):
        media = {"a": Medium(8192), "b": Medium(8192)}
        replayed({"a": {}, "b": {}}, durable(LOG, {"a": random.Random(seed)}), media)
        first, second = media["a"].read(0, 4096), media["a"].read(4096, 4096)
        assert set(first) <= set(b"13") and set(second) <= set(b"\x004")
        assert media["b"].read(0, 4096) == b"2" * 4096
        torn = len(set(first)) > 1 or len(set(second)) > 1
        seen["torn" if torn else f"{first[0] - 48} {second[0] and 4}"] += 1
        assert all(len(set(first[at : at + 512])) == 1 for at in range(0, 4096, 512))
    assert seen.keys() == {"torn", "1 0", "1 4", "3 0", "3 4"}  # 1 4: the later write alone is there


def test_the_journal_is_read_from_what_the_root_disk_got() -> None:
    records = [
        Record(sequence=1, kind="begun", time="t", boot="b"),
        Record(sequence=2, kind="intent", time="t", boot="b", step=3, argv=("wipefs", "-a")),
    ]
    first, seal = journal.record_line(records[0], "")
    second, _ = journal.record_line(records[1], seal)
    block = first.encode().ljust(4096, b"\0")
    log = [
        Entry("a", 0, 4096, block), Entry(ROOT, 8192, 4096, block), Entry(ROOT), Entry("a", 0, 512, b"x" * 512),
        Entry(ROOT, 8192, 4096, (first + second).encode().ljust(4096, b"\0")), Entry(ROOT), Entry("a"),
    ]  # fmt: skip
    assert journal_of(log) == [(2, "record 1, begun of step 0: "), (5, "record 2, intent of step 3: wipefs -a")]
    recording = Recording("{}", {"a": {}, ROOT: {}}, log, journal_of(log))
    assert recording.boundaries == [3, 6]
    assert recording.where(1) == "a write of 4096 bytes after flush 0 since the start, before any record; of a"
    assert recording.where(6) == f"flush 1 since record 2, intent of step 3: wipefs -a; of {ROOT}"


def test_cases_are_at_flushes_each_of_which_comes_once_and_then_anywhere() -> None:
    log = [Entry("a", 512 * (number // 2), 512 * (number % 2 == 0)) for number in range(40)]
    recording = Recording("{}", {"a": {}}, log)
    cuts = [drawn(recording, 7, number) for number in range(30)]
    assert sorted(cut.point for cut in cuts[:20]) == recording.boundaries == list(range(2, 41, 2))
    assert any(cut.point % 2 for cut in cuts[20:])
    assert cuts == [drawn(recording, 7, number) for number in range(30)]
    assert {(cut.losing, cut.act) for cut in cuts} == {
        ((), "resume"), ((), "undo"), (("a",), "resume"), (("a",), "undo"),
    }  # fmt: skip


def test_the_server_does_as_the_protocol_says_and_logs_it(tmp_path: Path) -> None:
    server = MediumServer(tmp_path / "nbd", {"LAB": Medium(1 << 20)})
    server.log = []
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(tmp_path / "nbd"))
    with line, line.makefile("rb") as file:
        assert file.read(18) == b"NBDMAGICIHAVEOPT\0\x03"
        line.sendall(struct.pack(">I", 3))
        line.sendall(b"IHAVEOPT" + struct.pack(">II", 8, 0))  # structured replies, which it has not
        assert struct.unpack(">QIII", file.read(20)) == (0x3E889045565A9, 8, 0x80000001, 0)
        line.sendall(b"IHAVEOPT" + struct.pack(">III3sH", 7, 9, 3, b"LAB", 0))
        assert struct.unpack(">QIIIHQH", file.read(32)) == (0x3E889045565A9, 7, 3, 12, 0, 1 << 20, 0b1100101)
        assert struct.unpack(">QIII", file.read(20)) == (0x3E889045565A9, 7, 1, 0)
        for kind, offset, length, data in ((1, 512, 3, b"abc"), (3, 0, 0, b""), (6, 513, 1, b""), (0, 511, 5, b"")):
            line.sendall(struct.pack(">IHHQQI", 0x25609513, 0, kind, 9, offset, length) + data)
            assert struct.unpack(">IIQ", file.read(16)) == (0x67446698, 0, 9)
        assert file.read(5) == b"\0a\0c\0"
    server.wait_closed()
    server.close()
    assert server.log == [Entry("LAB", 512, 3, b"abc"), Entry("LAB"), Entry("LAB", 513, 1)]
