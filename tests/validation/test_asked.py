"""The asked form held against every row that names streams, size and depth and gives a member's rate."""

from __future__ import annotations

from tests.validation.asked import CALIBRATES, PATHOLOGIES, asked_rows


def test_eighteen_of_twenty_judging_rows_lie_in_the_band() -> None:
    judged = [row for row in asked_rows() if row.number not in PATHOLOGIES and row.number not in CALIBRATES]
    outside = [row.number for row in judged if not row.inside]
    assert len(judged) == 20
    assert outside == [94]  # two NVMe drives that read faster than their own links are rated


def test_random_parity_writes_fall_with_the_request_size_as_measured() -> None:
    """Points of one band, fitted to 4 KiB: only the size changes."""
    rows = {row.number: row for row in asked_rows()}
    for number in (163, 165, 167, 169, 171, 173, 175):
        assert 0.8 < rows[number].point / rows[number].measured < 1.05, number


def test_the_rows_that_bitmap_waits_were_taken_from_come_out_again() -> None:
    for row in asked_rows():
        if row.number in CALIBRATES:
            assert 0.8 < row.point / row.measured < 1.0, row.number
