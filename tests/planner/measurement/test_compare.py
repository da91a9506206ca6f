"""Measured beside predicted: figures worked out by hand on 4x(12+2)+1 of 285 MB/s disks behind one 12G cable."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.bench.compare import compare_result, compare_usable_bytes, disk_location
from raidtui.values.bench import BenchDisk, Compared, Label, Repeat, Seen, Unit
from raidtui.values.speed import MEMBERS, SLOW_MEMBER, UNKNOWN, DiskSpeed, Limit, Throughput
from tests.planner.benches import MB, MIB, bench, figure, prediction, result, target, task

VOLUME = target("volume", "/dev/vg/lv")
CABLE = Limit("expander", "expander-0:0")


def speed() -> Throughput:
    found = prediction().throughput
    assert found is not None
    return found


def one(value: float, *labels: Label, seen: Seen | None = None, **job: Any) -> Compared:
    asked = task(1, VOLUME, **job)
    return compare_result(result(bench([asked]), figure(1, value, *labels, seen=seen)))[0]


def test_a_figure_inside_its_band_is_ok_and_says_what_was_to_bind() -> None:
    row = one(4000 * MB, seen=Seen(limit=CABLE, reason="4.0 of 4.4 GB/s"))
    assert row.predicted == pytest.approx(0.95 * 4416 * MB, rel=0.001)
    assert (row.verdict, row.name) == ("ok", "sequential read, /dev/vg/lv")
    assert row.ratio == pytest.approx(4000 / (0.95 * 4416), rel=0.001)
    assert (row.limit_predicted, row.limit_seen) == (CABLE, CABLE)
    assert row.low == pytest.approx(0.688 * 4416 * MB, rel=0.001)
    assert row.high == pytest.approx(4416 * MB, rel=0.001)  # what the cable carries


def test_a_limit_that_another_test_of_the_run_went_past_was_not_seen() -> None:
    asked = bench([task(1, VOLUME), task(2, VOLUME, name="faster"), task(3, VOLUME, name="alike")])
    own = [Seen(limit=CABLE, reason="full", link_bytes_per_s={CABLE: carried}) for carried in (2.2e9, 4.4e9, 4.3e9)]
    rows = compare_result(result(asked, *(figure(number, 4e9, seen=seen) for number, seen in enumerate(own, start=1))))
    assert [row.limit_seen for row in rows] == [UNKNOWN, CABLE, CABLE]
    said = "not limited by expander-0:0: it carried 4.40 GB/s in another test"
    assert [said in row.note.each for row in rows] == [True, False, False]


@pytest.mark.parametrize(("share", "verdict"), [(0.68, "low"), (0.69, "ok"), (0.99, "ok"), (1.01, "high")])
def test_verdicts_at_the_ends_of_the_band(share: float, verdict: str) -> None:
    assert one(share * 4416 * MB).verdict == verdict


@pytest.mark.parametrize("label", ["cached", "disturbed"])
def test_a_spoilt_run_is_not_comparable(label: Label) -> None:
    row = one(4000 * MB, label)
    assert row.verdict == "not comparable"
    assert row.predicted is not None


def test_fewer_repeats_are_comparable_and_a_cut_off_one_is_not() -> None:
    whole = figure(1, 4000 * MB)
    fewer = Repeat(value=4000 * MB, began=0, ended=30)
    asked = bench([task(1, VOLUME)])

    def row(repeat: Repeat) -> Compared:
        return compare_result(result(asked, replace(whole, repeats=(repeat,), labels=("partial",))))[0]

    assert (row(fewer).verdict, row(fewer).note.each[0]) == ("ok", "fewer repeats than requested")
    cut = Repeat(value=4000 * MB, began=0, ended=3, labels=("partial",))
    assert (row(cut).verdict, row(cut).note.each[0]) == ("not comparable", "stopped early")


def test_each_disk_is_held_against_its_own_speed() -> None:
    own = DiskSpeed(
        read_bytes_per_s=200 * MB, write_bytes_per_s=200 * MB, inner_share=0.5, read_iops=120, write_iops=120,
        rotational=True, source="measured", basis="read alone on 2026-01-31",
    )  # fmt: skip
    disks = [BenchDisk(id="disk-001", name="sdb", expected=own)]
    alone = task(1, target("disk", "bay 1", ["disk-001"]), predicted="disk")
    row = compare_result(result(bench([alone], disks=disks), figure(1, 198 * MB)))[0]
    assert (row.predicted, row.verdict) == (200 * MB, "ok")
    assert (row.low, row.high) == (190 * MB, 210 * MB)
    assert "disks as read alone on 2026-01-31" in row.note
    slow = compare_result(result(bench([alone], disks=disks), figure(1, 120 * MB)))[0]
    assert (slow.verdict, slow.ratio) == ("low", 0.6)


def test_one_array_is_held_against_its_own_slowest_member() -> None:
    ids = [f"disk-{n:03d}" for n in range(14)]
    array = task(1, target("array", "md0", ids, array="md0"))
    plain = speed().disk
    half = replace(plain, read_bytes_per_s=plain.read_bytes_per_s // 2)
    spare = replace(plain, read_bytes_per_s=1 * MB)
    disks = [BenchDisk(id=each, name=each, role="member", expected=half) for each in ids]
    disks.append(BenchDisk(id="disk-056", name="sdz", role="spare", expected=spare))
    row = compare_result(result(bench([array], disks=disks), figure(1, 700 * MB)))[0]
    assert row.predicted == pytest.approx(0.95 * 14 * 142.5 * MB * 12 / 14, rel=0.01)
    assert "its slowest member has 0.50 of the rate of the slowest of all" in row.note


def test_all_disks_at_once_are_their_sum_or_the_link() -> None:
    all_of_them = task(1, target("disks", "all"), predicted="disk")
    row = compare_result(result(bench([all_of_them]), figure(1, 4300 * MB)))[0]
    assert (row.limit_predicted, row.predicted) == (CABLE, 4416 * MB)
    few = task(1, target("disks", "all", ["disk-001", "disk-002"]), predicted="disk")
    pair = compare_result(result(bench([few]), figure(1, 560 * MB)))[0]
    assert (pair.limit_predicted, pair.predicted) == (MEMBERS, 570 * MB)


def test_a_slow_disk_is_named_by_slot_and_serial() -> None:
    row = one(4000 * MB, seen=Seen(limit=SLOW_MEMBER, reason="", slow_disks=("disk-007", "disk-999")))
    assert row.note.each[0].startswith("slow: slot 7, enclosure enc1, serial SER007 and disk-999")
    assert disk_location(BenchDisk(id="x\x1b[2J", name="sda")) == "x\\e[2J"


def test_the_file_system_is_predicted_to_the_byte() -> None:
    size = prediction().filesystem
    assert size is not None
    right = bench([], conditions={"usable_bytes": str(size.total_bytes)})
    row = compare_result(result(right))[0]
    assert (row.task, row.unit, row.ratio, row.verdict) == (0, "B", 1.0, "ok")
    short = compare_usable_bytes(bench([], conditions={"usable_bytes": str(size.total_bytes - 4096)}))
    assert short is not None
    assert short.verdict == "low"
    for nonsense in ("", "-5", "1e9", "\u0661\u0662", "many"):
        assert compare_usable_bytes(bench([], conditions={"usable_bytes": nonsense})) is None


def test_a_rebuild_has_its_mean_rate() -> None:
    drill = task(1, target("array", "md0"), predicted="rebuild")
    risk = prediction().durability
    assert risk is not None
    assert risk.rebuild is not None
    row = compare_result(result(bench([drill]), figure(1, risk.rebuild.bytes_per_s)))[0]
    assert (row.predicted, row.verdict) == (risk.rebuild.bytes_per_s, "ok")


FIELDS = ("seq_read", "seq_read_one_stream", "seq_write", "seq_write_one_stream", "rand_read", "rand_write")


@given(
    st.sampled_from(FIELDS), st.integers(1, 512), st.integers(1, 512), st.sampled_from([4096, 131072, MIB, 8 * MIB]),
    st.booleans(), st.floats(0, 1), st.floats(0, 1e12),
)  # fmt: skip
def test_the_figure_lies_in_its_band_and_more_in_flight_never_lowers_it(
    field: str, streams: int, depth: int, block: int, direct: bool, position: float, value: float
) -> None:
    pattern = {"seq_read": "read", "rand_read": "randread", "rand_write": "randwrite"}.get(
        field, "write" if "write" in field else "read"
    )
    unit: Unit = "IOPS" if field.startswith("rand") else "B/s"

    def row(depth: int) -> Compared:
        asked = task(
            1, VOLUME, position=position, pattern=pattern, predicted=field, streams=streams, depth=depth,
            block_bytes=block, direct=direct,
        )  # fmt: skip
        return compare_result(result(bench([asked]), figure(1, value, unit=unit)))[0]

    found = row(depth)
    assert found.predicted is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.predicted <= found.high
    more = row(depth * 2).predicted
    assert more is not None
    assert more >= found.predicted * (1 - 1e-9)
    assert (found.verdict in ("ok", "not judged")) == (found.low <= value <= found.high)
