"""Ranges of what is typed or read from files: sizes, counts and rates that a machine can have."""

from __future__ import annotations

from collections.abc import Callable

LEAST_DISK = 1024**2
"""bytes of a disk; less is a unit forgotten"""
MOST_DISK = 1024**6
"""bytes of a disk: 1 EiB, thirty thousand times the largest that is sold"""
MOST_DISKS = 4096
"""of one machine, plan or layout"""
MOST_SEARCHED = 1024
"""disks that proposals are searched for; the search takes about 5 ms for each, more than in proportion"""
MOST_SIZE = MOST_DISK * MOST_DISKS
"""bytes of anything"""
MOST_RATE = 10**14
"""bytes per second of anything, the memory of a machine included"""
MOST_QUEUE_DEPTH = 10_240
"""BLK_MQ_MAX_DEPTH of Linux (include/linux/blk-mq.h)"""
MOST_THREADS = 8192
"""group_thread_cnt (drivers/md/raid5.c, raid5_store_group_thread_cnt)"""
LONGEST_NUMBER = 40
"""characters of a number with its unit"""


def whole_number(text: str) -> int:
    """The whole number in `text`. Raises ValueError."""
    said = text.strip()
    digits = said.removeprefix("-")
    if len(said) > LONGEST_NUMBER or not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"'{said[:LONGEST_NUMBER]}' is not a whole number")
    return int(said)


def decimal_number(text: str) -> float:
    """The number in `text`, nan and infinity too. Raises ValueError."""
    try:
        if len(text) <= LONGEST_NUMBER:
            return float(text)
    except ValueError:
        pass
    raise ValueError(f"'{text[:LONGEST_NUMBER]}' is not a number")


def require_range(value: float, least: float, most: float, shown: Callable[[float], str] = "{:g}".format) -> None:
    """Raises ValueError unless `value` is from `least` to `most`; nan is neither."""
    if not least <= value <= most:
        raise ValueError(f"{shown(value)} is out of range: {shown(least)} to {shown(most)}")
