"""The kernel's log (/dev/kmsg): the lines of its own benchmark of parity code (lib/raid6/algos.c, crypto/xor.c)."""

from __future__ import annotations

import re
from dataclasses import dataclass

KMSG = "/dev/kmsg"
_MEBI = 1024 * 1024
_RAID6 = re.compile(r"raid6: using algorithm (\S{1,32}) gen\(\) (\d{1,9}) MB/s")
_XOR = re.compile(r"xor: using function: (\S{1,32}) \((\d{1,9})(?:\.\d{1,6})? MB/sec\)")
_XOR_PLAIN = re.compile(r"xor: using function: (\S{1,32})$")
_XOR_LINE = re.compile(r"^\s*(\S{1,32})\s*:\s*(\d{1,9})(?:\.\d{1,6})? MB/sec$")


@dataclass(frozen=True, slots=True)
class ParityCode:
    """One routine of the kernel and how fast it is on one processor."""

    name: str
    bytes_per_s: int


@dataclass(frozen=True, slots=True)
class ParityBenchmark:
    """What the kernel found when its modules were loaded; None where the log does not have it."""

    raid6: ParityCode | None = None
    xor: ParityCode | None = None


def parity_benchmark(records: list[str]) -> ParityBenchmark:
    """The benchmark in `records` of /dev/kmsg or lines of dmesg, the last one of each kind.

    The kernel's MB is 2**20 bytes. Text of other sources in the log cannot pass: only records of the kernel count.
    """
    raid6: ParityCode | None = None
    xor: ParityCode | None = None
    tried: dict[str, int] = {}
    for record in records:
        text = _kernel_text(record)
        if found := _RAID6.search(text):
            raid6 = ParityCode(found[1], max(1, int(found[2]) * _MEBI))
        elif found := _XOR.search(text):
            xor = ParityCode(found[1], max(1, int(found[2]) * _MEBI))
        elif found := _XOR_PLAIN.search(text):
            if found[1] in tried:
                xor = ParityCode(found[1], tried[found[1]])
        elif found := _XOR_LINE.match(text):
            tried[found[1]] = max(1, int(found[2]) * _MEBI)
    if xor is None and len(tried) == 1:  # chosen without a contest
        xor = ParityCode(*next(iter(tried.items())))
    return ParityBenchmark(raid6, xor)


def _kernel_text(record: str) -> str:
    """Text of a record `priority,number,time,flags;text`; empty for one that a program wrote (facility above 0)."""
    head, found, text = record.partition(";")
    if not found:
        return record.strip()
    priority = head.split(",", 1)[0]
    return text.split("\n", 1)[0].rstrip() if priority.isdecimal() and int(priority) < 8 else ""
