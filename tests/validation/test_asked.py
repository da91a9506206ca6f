"""The asked form held against every row that names streams, size and depth and gives a member's rate."""

from __future__ import annotations

from collections import Counter
from statistics import median

from tests.validation.asked import CALIBRATES, PATHOLOGIES, AskedRow, asked_rows, deep_rows


def test_all_judging_rows_but_one_lie_in_the_band() -> None:
    judged = [row for row in asked_rows() if row.number not in PATHOLOGIES and row.number not in CALIBRATES]
    outside = [row.number for row in judged if not row.inside]
    assert len(judged) == 22
    assert outside == [94]  # two NVMe drives that read faster than their own links are rated


def test_random_parity_writes_fall_with_the_request_size_as_measured() -> None:
    """The source gives a fifth of what the other does; only the size counts here, each against 4 KiB."""
    rows = {row.number: row for row in asked_rows()}
    least = rows[163]
    for number in (165, 167, 169, 171, 173, 175):
        predicted, measured = (each / own for each, own in zip(*_pairs(rows[number], least), strict=True))
        assert 0.8 < predicted / measured < 1.2, number
    assert all(rows[number].inside for number in (163, 165, 167, 169, 171, 173, 175))


def _pairs(row: AskedRow, least: AskedRow) -> tuple[tuple[float, float], tuple[float, float]]:
    return (row.point, row.measured), (least.point, least.measured)


def test_the_second_adapter_judges_what_was_fitted_to_the_first() -> None:
    judged = [row for row in deep_rows() if row.adapter == "IBM M1015"]
    inside = Counter(row.kind for row in judged if row.inside)
    assert Counter(row.kind for row in judged) == {"randread": 49, "randwrite": 49}
    assert inside == {"randread": 49, "randwrite": 34}  # a queue of 128 and more brings up to 10 % more than the band
    assert median(abs(row.point / row.measured - 1) for row in judged if row.in_flight <= 64) < 0.15


def test_reads_beside_writes_lie_in_the_band_of_half_of_each() -> None:
    assert [row.inside for row in deep_rows() if row.kind == "randrw"] == [True] * 20


def test_the_rows_that_bitmap_waits_were_taken_from_come_out_again() -> None:
    for row in asked_rows():
        if row.number in CALIBRATES:
            assert 0.95 < row.point / row.measured <= 1.0, row.number
