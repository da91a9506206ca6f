"""Work that is repeated for a bounded time: its rate, its error, and how it ends."""

import signal
import threading
import time
from itertools import pairwise

import pytest

from raidtui.machine.inventory.measure_disks import WorkFailed, measured, timed


def test_the_rate_counts_from_the_first_end_to_the_last() -> None:
    every_tenth = [(100 + number / 10, 5) for number in range(41)]
    found = measured([every_tenth], 1.02)
    assert found.rate == pytest.approx(50)
    assert found.error == 1.02


def test_workers_add_up_whatever_their_pace() -> None:
    quick = [(number / 10, 1) for number in range(31)]
    slow = [(number / 2, 1) for number in range(7)]
    assert measured([quick, slow], 1.02).rate == pytest.approx(12)


def test_an_unsteady_rate_has_a_larger_error() -> None:
    moments = [0.0]
    for number in range(120):
        moments.append(moments[-1] + (0.01 if number // 20 % 2 else 0.02))
    found = measured([[(moment, 1) for moment in moments]], 1.02)
    assert found.rate == pytest.approx(120 / 1.8)
    assert 1.1 < found.error < 1.5


def test_few_pieces_are_not_called_exact() -> None:
    assert measured([[(0, 1), (1, 1), (2, 1), (3, 1)]], 1.02).error == 1.25


def test_nothing_finished_is_no_rate() -> None:
    with pytest.raises(ValueError, match="two pieces"):
        measured([[(1.0, 1)], []], 1.02)


def test_a_failing_worker_is_named_and_ends_the_others() -> None:
    def fail() -> int:
        raise OSError(5, "Input/output error")

    def idle() -> int:
        time.sleep(0.005)
        return 1

    began = time.monotonic()
    with pytest.raises(WorkFailed) as caught:
        timed([idle, fail], 30)
    assert (caught.value.number, caught.value.reason.errno) == (1, 5)
    assert time.monotonic() - began < 5


def test_an_interrupt_ends_all_workers() -> None:
    before = threading.active_count()
    counted: list[int] = []

    def work() -> int:
        time.sleep(0.005)
        counted.append(1)
        return 1

    def interrupted() -> int:
        while len(counted) < 5:
            time.sleep(0.005)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # ends its wait, as a terminal's does
        return 0

    with pytest.raises(KeyboardInterrupt):
        timed([work, interrupted], 30)
    assert threading.active_count() == before


def test_what_was_done_in_the_warm_up_does_not_count() -> None:
    began = time.monotonic()

    def work() -> int:
        time.sleep(0.01)
        return 1

    (done,) = timed([work], 0.2)
    assert done[0][0] - began >= 0.3
    assert all(one[0] < other[0] for one, other in pairwise(done))
