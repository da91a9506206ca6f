"""The survey's own lines, and the field tables beside the model's answer, as files."""

from pathlib import Path

import pytest

from raidtui.bench.compare import (
    SurveyColumn,
    SurveyRow,
    compare_result,
    survey_comparison_lines,
    survey_lines,
    survey_rows,
)
from raidtui.values.speed import Limit
from tests.planner.benches import bench, figure, result, target, task
from tests.planner.surveys import field_rows, shown

MIB = 1024 * 1024
GOLDEN = Path(__file__).parent / "survey_tables"


@pytest.mark.parametrize(("luns", "segment"), [(1, 128), (1, 256), (2, 256), (4, 256)])
def test_the_field_tables_are_those_on_file(luns: int, segment: int) -> None:
    assert shown(luns, segment) == (GOLDEN / f"survey-{luns}-luns-{segment}k.txt").read_text()


def test_a_line_is_as_the_survey_printed_it() -> None:
    assert survey_lines(field_rows(1, 128))[0] == (
        "total_size  8388608K rsz 1024 crg     1 thr     1 write  275.18 MB/s     1 x 275.22 =  275.22 MB/s"
        " read  437.38 MB/s     1 x 437.50 =  437.50 MB/s"
    )


def test_every_line_of_the_field_tables_fits_the_screen() -> None:
    for luns, segment in ((1, 128), (1, 256), (2, 256), (4, 256)):
        lines = survey_comparison_lines(field_rows(luns, segment))
        assert len(lines) == 22
        assert max(map(len, lines)) <= 80


def test_where_regions_were_not_told_apart_nothing_is_made_up() -> None:
    row = SurveyRow(
        total_bytes=8 * 1024 * MIB,
        record_bytes=MIB,
        regions=4,
        threads=16,
        read=SurveyColumn(rate=1000 * MIB),
        write=None,
    )
    assert survey_lines([row]) == ("total_size  8388608K rsz 1024 crg     4 thr    16 read 1000.00 MB/s",)
    assert survey_comparison_lines([row])[2] == "   4   16        -       -    -                1000.00       -    -"


def test_links_are_shown_by_what_tells_them_apart() -> None:
    for name, words in (
        ("expander-0:0", "expander-0:0"),
        ("PCIe slot 0000:03:00.0", "PCIe 03:00.0"),
        ("port multiplier ata1.pmp", "ata1.pmp"),
        ("an\x1b[2J other", "an\\e[2J oth~"),
    ):
        way = SurveyColumn(rate=100 * MIB, predicted=200 * MIB, limit=Limit.read(name))
        row = SurveyRow(total_bytes=MIB, record_bytes=MIB, regions=1, threads=1, read=way)
        assert survey_comparison_lines([row])[2].endswith(f"100.00     200 0.50 {words}")


def test_a_benchmark_of_the_survey_profile_becomes_its_table() -> None:
    files = target("files", "/srv")
    tasks = tuple(
        task(number, files, pattern=pattern, streams=4, regions=4, depth=4, stream_bytes=512 * MIB, name=pattern)
        for number, pattern in ((1, "write"), (2, "read"))
    )
    done = result(bench(tasks, profile="survey"), figure(1, 900 * MIB), figure(2, 1800 * MIB))
    assert survey_lines(survey_rows(done)) == (
        "total_size  2097152K rsz 1024 crg     4 thr    16 write  900.00 MB/s read 1800.00 MB/s",
    )
    assert survey_rows(result(bench(tasks, profile="streams"), figure(1, 900 * MIB))) == ()


def test_a_rate_in_a_band_wider_than_four_is_not_judged_in_the_survey_either() -> None:
    # one request at a time: between half of one disk and all of the array
    files = target("files", "/srv")
    tasks = tuple(
        task(number, files, depth=depth, stream_bytes=64 * MIB, name=f"read-{depth}")
        for number, depth in ((1, 1), (2, 512))
    )
    done = result(bench(tasks, profile="survey"), figure(1, 250e6), figure(2, 4e9))
    verdicts = {row.task: row.verdict for row in compare_result(done)}
    assert verdicts == {1: "not judged", 2: "ok"}
    rows = survey_rows(done)
    assert [row.read.verdict for row in rows if row.read] == ["not judged", "ok"]
    lines = survey_comparison_lines(rows)
    assert " n/j " in next(line for line in lines if line.startswith("   1    1"))
    assert " n/j " not in next(line for line in lines if line.startswith("   1  512"))
    assert lines[-1] == "n/j: not judged, its band is wider than x4"
