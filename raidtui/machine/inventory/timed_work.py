"""Repeats pieces of work in threads for a bounded time, and the rate that they reached with its error."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import stdev
from threading import Event, Thread

TimedCall = Callable[[], int]
"""does one piece and returns its size; 0 when there is no more"""
Done = tuple[float, int]
"""when a piece ended (monotonic seconds), and its size"""
WARM_UP = 0.3
"""seconds that do not count: a disk that slept, a cache in the drive"""
_LEAST_IN_SLICE = 8
_SLICES = 6
_NINE_OF_TEN = 1.645
_END_WAIT = 10.0
"""seconds to wait for requests in flight at the end"""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A rate per second with the factor that nine of ten repetitions lie within."""

    rate: float
    error: float


class WorkFailed(Exception):
    """A piece of work failed."""

    def __init__(self, number: int, reason: OSError) -> None:
        super().__init__(str(reason))
        self.number = number
        """which worker"""
        self.reason = reason


def timed(workers: Sequence[TimedCall], seconds: float) -> list[list[Done]]:
    """Runs each worker in a thread for `seconds` after the warm-up; returns what each did after it.

    Raises WorkFailed. On KeyboardInterrupt all workers end after their present piece.
    """
    stop = Event()
    ended = [Event() for _ in workers]  # a thread whose join() was interrupted counts as ended while it still works
    failed: list[WorkFailed] = []
    done: list[list[Done]] = [[] for _ in workers]
    start = time.monotonic()
    end = start + WARM_UP + seconds

    def loop(number: int) -> None:
        try:
            while not stop.is_set() and time.monotonic() < end:
                size = workers[number]()
                if not size:
                    return
                done[number].append((time.monotonic(), size))
        except OSError as problem:
            failed.append(WorkFailed(number, problem))
            stop.set()
        finally:
            ended[number].set()

    threads = [Thread(target=loop, args=(number,), daemon=True) for number in range(len(workers))]
    try:
        for thread in threads:
            thread.start()
        for each in ended:
            each.wait()
    finally:
        stop.set()
        until = time.monotonic() + _END_WAIT
        for thread in threads:
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))
    if failed:
        raise failed[0]
    return [[each for each in own if start + WARM_UP <= each[0] <= end] or own for own in done]


def measured(done: Sequence[Sequence[Done]], least_error: float) -> Measurement:
    """The rate of all workers together. `least_error`: the factor that a repetition on another day differs by anyway.

    A worker's rate is from the end of its first piece to that of its last. The error is that of the mean over slices
    of equally many pieces. ValueError if no worker finished two pieces.
    """
    rates = [rate for own in done if (rate := _rate(own)) is not None]
    if not rates:
        raise ValueError("less than two pieces of work were finished")
    merged = sorted(each for own in done for each in own)
    together = _rate(merged) or sum(rates)
    rate = sum(rates) if len(rates) == len(done) else together
    count = min(_SLICES, len(merged) // _LEAST_IN_SLICE)
    if count < 3:
        return Measurement(rate, max(least_error, 1 + 1 / len(merged)))
    step = len(merged) // count
    slices = [_rate(merged[number * step : (number + 1) * step + 1]) or together for number in range(count)]
    scatter = stdev(log(each) for each in slices) / sqrt(count)
    return Measurement(rate, max(least_error, exp(_NINE_OF_TEN * scatter)))


def _rate(done: Sequence[Done]) -> float | None:
    if len(done) < 2 or done[-1][0] <= done[0][0]:
        return None
    return sum(size for _, size in done[1:]) / (done[-1][0] - done[0][0])
