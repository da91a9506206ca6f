"""Queue and stream terms at figures worked out by hand."""

import pytest

from raidtui.predict.speed.in_flight import queue_ceiling, stream_share_read, stream_share_write

MIB = 1024 * 1024


def test_one_outstanding_request_does_not_fill_a_path_and_many_do() -> None:
    one = queue_ceiling(1 * MIB, 438, 1529 * MIB)
    assert one / MIB == pytest.approx(434.6, abs=0.1)  # 438 / (1 + (438 / 1529) ** 3) ** (1 / 3)
    assert queue_ceiling(64 * MIB, 438, 1529 * MIB) / MIB == pytest.approx(1529, rel=0.001)


def test_at_the_knee_both_count_alike() -> None:
    assert queue_ceiling(1.0, 100.0, 100.0, k=1) == pytest.approx(50.0)
    assert queue_ceiling(1.0, 100.0, 100.0) == pytest.approx(100 / 2 ** (1 / 3))


def test_nothing_outstanding_brings_nothing() -> None:
    assert queue_ceiling(0, 438, 1529) == 0
    assert queue_ceiling(1, 438, 0) == 0


def test_streams_cost_seeks_and_writes_are_sorted() -> None:
    assert stream_share_read(1) == 1
    assert stream_share_read(32) == pytest.approx(1 / 2.612)
    assert stream_share_write(32) == pytest.approx(1 / 1.372)
