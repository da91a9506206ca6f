"""Measured beside predicted: figures worked out by hand on 4x(12+2)+1 of 285 MB/s disks behind one 12G cable."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.bench.compare import band_verdict, compare_result, compare_usable_bytes, disk_location
from raidtui.bench.expected import Expected
from raidtui.values.bench import BenchDisk, Compared, Label, Repeat, Seen, Unit
from raidtui.values.speed import MEMBERS, PROGRAM, SLOW_MEMBER, UNKNOWN, DiskSpeed, Limit, Throughput
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
    said = "not limited by expander expander-0:0: it carried 4.40 GB/s in another test"
    assert [said in row.note.each for row in rows] == [True, False, False]


@pytest.mark.parametrize(("share", "verdict"), [(0.68, "low"), (0.69, "ok"), (0.99, "ok"), (1.01, "high")])
def test_verdicts_at_the_ends_of_the_band(share: float, verdict: str) -> None:
    assert one(share * 4416 * MB).verdict == verdict


def test_what_no_model_has_is_said_so() -> None:
    row = one(100 * MB, predicted="")
    assert (row.verdict, row.predicted, row.ratio, row.low) == ("no prediction", None, None, None)
    other = compare_result(result(bench([task(1, VOLUME)]), figure(1, 100, unit="IOPS")))[0]
    assert other.verdict == "no prediction"


@pytest.mark.parametrize("label", ["cached", "disturbed"])
def test_a_spoilt_run_is_not_comparable(label: Label) -> None:
    row = one(4000 * MB, label)
    assert row.verdict == "not comparable"
    assert row.predicted is not None


def test_short_and_simulated_runs_are_comparable_and_say_so() -> None:
    row = one(4000 * MB, "short", "simulated")
    assert (row.verdict, row.note.each[:2]) == ("ok", ("measured for less than 30 s", "SIMULATED"))


def test_fewer_repeats_are_comparable_and_a_cut_off_one_is_not() -> None:
    whole = figure(1, 4000 * MB)
    fewer = Repeat(value=4000 * MB, began=0, ended=30)
    asked = bench([task(1, VOLUME)])

    def row(repeat: Repeat) -> Compared:
        return compare_result(result(asked, replace(whole, repeats=(repeat,), labels=("partial",))))[0]

    assert (row(fewer).verdict, row(fewer).note.each[0]) == ("ok", "fewer repeats than requested")
    cut = Repeat(value=4000 * MB, began=0, ended=3, labels=("partial",))
    assert (row(cut).verdict, row(cut).note.each[0]) == ("not comparable", "stopped early")


def test_beside_a_sync_the_figure_of_a_rebuild_counts() -> None:
    row = one(2000 * MB, "syncing")
    rebuilding = speed().rebuilding_seq_read
    assert rebuilding is not None
    assert row.predicted == pytest.approx(rebuilding.bytes_per_s, rel=1e-4)
    assert row.verdict == "ok"
    assert row.note.each[0].startswith("an array was resyncing: compared with the prediction during a rebuild")
    writing = one(2000 * MB, "syncing", pattern="write", predicted="seq_write")
    assert (writing.verdict, writing.predicted) == ("not comparable", None)


def test_degraded_reads_have_a_figure_of_their_own() -> None:
    reading = speed().degraded_seq_read
    assert reading is not None
    assert one(2000 * MB, "degraded").predicted == pytest.approx(reading.bytes_per_s, rel=1e-4)
    assert one(2000 * MB, "degraded", pattern="write", predicted="seq_write").verdict == "not comparable"


def test_one_array_of_four_has_a_quarter_of_members_and_threads() -> None:
    array = task(1, target("array", "md0", [f"disk-{n:03d}" for n in range(14)], array="md0"))
    row = compare_result(result(bench([array]), figure(1, 3000 * MB)))[0]
    assert row.predicted == pytest.approx(0.95 * 12 * 285 * MB, rel=0.001)  # members: 3420 MB/s, under the cable's 4416
    assert row.limit_predicted == MEMBERS


def test_rotating_disks_are_scaled_to_where_the_data_lies() -> None:
    inner = compare_result(result(bench([task(1, VOLUME, position=1.0)], said=prediction("(12+2)")), figure(1, 1e9)))[0]
    outer = compare_result(result(bench([task(1, VOLUME, position=0.0)], said=prediction("(12+2)")), figure(1, 1e9)))[0]
    assert outer.predicted == pytest.approx(0.95 * 12 * 285 * MB, rel=0.001)
    assert inner.predicted == pytest.approx(0.48 * 0.95 * 12 * 285 * MB, rel=0.001)
    assert "data at 100 % of the disks: 0.48 of the outer zone" in inner.note
    files = compare_result(result(bench([task(1, target())]), figure(1, 1e9)))[0]
    assert "files assumed to be in the outer zone, 0.48 of its speed at the inner end" in files.note


def test_several_streams_cost_seeks() -> None:
    # 21 readers on the members of one group: 1 / (1 + 0.052 * 20) is left
    many = task(1, VOLUME, streams=21)
    row = compare_result(result(bench([many], said=prediction("(12+2)")), figure(1, 1e9)))[0]
    assert row.predicted == pytest.approx(0.95 * 12 * 285 * MB / 2.04, rel=0.001)
    assert row.low == pytest.approx(0.688 * 12 * 285 * MB / 2.04, rel=0.001)
    assert row.high == pytest.approx(1.03 * 12 * 285 * MB, rel=0.001)  # seeks may be hidden


def test_little_in_flight_lowers_the_figure_and_widens_its_band() -> None:
    # one request of 1 MiB occupies two disks of 285 MB/s by its two chunks of 512 KiB, and keeps half of them busy
    alone = task(1, VOLUME, depth=1)
    row = compare_result(result(bench([alone]), figure(1, 250 * MB)))[0]
    assert row.predicted == pytest.approx(0.95 * 285 * MB, rel=0.001)
    assert row.low == pytest.approx(0.25 * 2 * 285 * MB, rel=0.001)
    assert row.high == pytest.approx(4416 * MB, rel=0.001)
    assert (row.limit_predicted, row.verdict) == (PROGRAM, "not judged")
    assert "only 1 x 1 MiB in flight" in row.note


def test_behind_the_page_cache_nobody_knows_what_is_in_flight() -> None:
    row = one(2000 * MB, depth=1, direct=False, predicted="seq_read_one_stream")
    assert row.predicted == speed().seq_read_one_stream.bytes_per_s


def test_random_work_has_its_operations() -> None:
    asked = task(1, VOLUME, pattern="randread", block_bytes=4096, streams=64, depth=64, predicted="rand_read")
    row = compare_result(result(bench([asked]), figure(1, 6000, unit="IOPS")))[0]
    assert (row.unit, row.verdict, row.limit_predicted) == ("IOPS", "ok", MEMBERS)
    assert row.predicted == pytest.approx(56 * 120, rel=0.001)


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


def test_a_disk_that_reads_less_alone_than_its_like_is_named_whatever_was_predicted() -> None:
    alone = [task(n + 1, target("disk", f"bay {n}", [f"disk-{n:03d}"]), predicted="disk") for n in range(6)]
    rows = compare_result(result(bench(alone), *(figure(n + 1, (171 if n == 4 else 285) * MB) for n in range(6))))
    assert [row.note.each[0] for row in rows if "slow" in str(row.note)] == [
        "slow: slot 4, enclosure enc1, serial SER004, 60 % of the others' rate"
    ]
    assert [row.verdict for row in rows] == ["ok"] * 4 + ["low", "ok"]
    pair = compare_result(result(bench(alone[:2]), figure(1, 285 * MB), figure(2, 171 * MB)))
    assert not any("slow" in row.note for row in pair)


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


@pytest.mark.parametrize(
    ("measured", "low", "verdict"),
    [(50.0, 25.0, "ok"), (50.0, 24.9, "not judged"), (24.0, 24.9, "low"), (101.0, 10.0, "high")],
)
def test_a_band_wider_than_four_times_judges_only_what_is_outside(measured: float, low: float, verdict: str) -> None:
    wide = Expected(value=60.0, low=low, high=100.0, unit="B/s", limit=MEMBERS)
    assert band_verdict(measured, wide) == verdict
