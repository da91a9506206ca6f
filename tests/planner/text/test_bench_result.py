"""What is printed at the end of a benchmark: whole texts, and that hostile names stay harmless."""

from dataclasses import replace

from raidtui.answers.bench import comparison_blocks, measured_blocks, ranges
from raidtui.answers.plain_text import plain_lines
from raidtui.values.bench import BenchResult, Compared, Seen
from raidtui.values.findings import Notes
from raidtui.values.speed import SLOW_MEMBER, Limit
from tests.planner.benches import LAYOUT, MB, MIB, bench, figure, prediction, result, target, task


def measured_lines(found: BenchResult) -> list[str]:
    return plain_lines(measured_blocks(found), width=80)


def test_the_whole_answer() -> None:
    volume, files = target("volume", "/dev/vg/lv"), target("files", "/srv")
    size = prediction().filesystem
    assert size is not None
    asked = bench(
        [
            task(1, volume, title="seq read"),
            task(2, files, title="seq write", pattern="write", predicted="seq_write"),
            task(3, files, title="rand read 4k", pattern="randread", block_bytes=4096, predicted="rand_read"),
            task(4, files, title="small files", pattern="small-files", predicted=""),
        ],
        profile="quick",
        conditions={"usable_bytes": str(size.total_bytes)},
    )
    slow = Seen(limit=SLOW_MEMBER, reason="", slow_disks=("disk-007",))
    lines = measured_lines(
        result(
            asked,
            figure(1, 4020 * MB, seen=Seen(limit=Limit("expander", "expander-0:0"), reason="")),
            figure(2, 1200 * MB, seen=slow),
            figure(3, 6500, unit="IOPS"),
            figure(4, 812, unit="files/s"),
        )
    )
    assert lines == [
        "quick of 4x(12+2)+1 on stor01, 2026-01-31T10:00:00+00:00, finished",
        "",
        "test                     predicted     measured  ratio       band  verdict",
        "df size                  873.1 TiB    873.1 TiB   1.00      exact  ok",
        "1 seq read, /dev/vg/lv   4.20 GB/s    4.02 GB/s   0.96  0.72-1.05  ok",
        "2 seq write, /srv        3.60 GB/s    1.20 GB/s   0.33  0.72-1.05  LOW",
        "3 rand read 4k, /srv    6.72k IOPS   6.50k IOPS   0.97  0.67-1.44  ok",
        "4 small files, /srv              -  812 files/s      -          -  no prediction",
        "",
        "1: limit: expander-0:0, as predicted",
        "1: at the outer edge",
        "2: limit: members, one slow; predicted expander-0:0",
        "2: slow: slot 7, enclosure enc1, serial SER007",
        "2: files assumed to be in the outer zone, 0.48 of its speed at the inner end",
        "3: limit: unknown; predicted members",
    ]
    assert max(map(len, lines)) <= 80


def test_simulated_figures_are_announced_first() -> None:
    shown = measured_lines(result(replace(bench([]), simulated=True)))
    assert shown[0] == "SIMULATED: these figures come from the model, no disk was accessed"
    assert shown[1].startswith(f"ladder of {LAYOUT} on stor01")
    assert shown[-1] == "nothing was measured"


def test_hostile_names_stay_on_their_line() -> None:
    row = Compared(
        task=1, name="an\x1b[2J\nother", unit="B/s", measured=1e9, verdict="no prediction",
        note=Notes(("a\nb\x1b]0;x\x07",)),
        limit_seen=Limit("other", "\x1b[1m"),
    )  # fmt: skip
    for line in plain_lines(comparison_blocks([row])):
        assert line.isprintable()
        assert len(line) <= 80


def test_a_why_that_held_for_many_is_said_once() -> None:
    assert ranges([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7-8"
    assert ranges([4]) == "4"


def test_a_survey_brings_its_table() -> None:
    files = target("files", "/srv")
    asked = bench([task(1, files, streams=4, regions=4, depth=4, stream_bytes=512 * MIB)], profile="survey")
    lines = measured_lines(result(asked, figure(1, 1800 * MIB)))
    assert lines[-1] == "total_size  2097152K rsz 1024 crg     4 thr    16 read 1800.00 MB/s"
    assert lines[-4].startswith("   4   16        -       -    -")


def test_disks_that_do_alike_are_one_row_and_odd_ones_have_their_own() -> None:
    alone = [
        task(n + 1, target("disk", f"bay {n}", [f"disk-{n:03d}"]), title="alone", predicted="disk") for n in range(8)
    ]
    lines = measured_lines(result(bench(alone), *(figure(n + 1, (171 if n == 5 else 284) * MB) for n in range(8))))
    assert lines[3:5] == [
        "1-5, 7-8 7 disks: alone   285 MB/s  284 MB/s   1.00  0.95-1.05  ok",
        "6 alone, bay 5            285 MB/s  171 MB/s   0.60  0.95-1.05  LOW",
    ]
    few = measured_lines(result(bench(alone[:3]), *(figure(n + 1, 284 * MB) for n in range(3))))
    assert [line[:14] for line in few[3:6]] == ["1 alone, bay 0", "2 alone, bay 1", "3 alone, bay 2"]
