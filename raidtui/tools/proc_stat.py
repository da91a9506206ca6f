"""Processor time: /proc/stat of the machine, /proc/PID/stat of a thread (proc_stat(5), proc_pid_stat(5)).

    cpu  2840977 8875 392079 1810694 11101 0 5145 6797 0 0
    734 (md127_raid6) S 2 0 0 0 -1 2129984 0 0 0 0 0 3012 0 0 20 0 1 0 ...

Times are in clock ticks, a hundredth of a second on every Linux that is met.

The threads of an array are named after it: md127_raid6 (also raid1, raid10, raid5, raid4), which handles its stripes,
md127_resync (md127_reshape), which drives a sync, and md127_reclaim of a journal. What group_thread_cnt hands to the
workers of raid5wq runs in kworkers, which serve every array in turn: no array can be charged with it.
"""

from __future__ import annotations

import re

_CPU = re.compile(rb"cpu +((?:\d+ +){3}\d+(?: +\d+)*)")
_WORK = re.compile(r"(?:raid\d+|resync|reshape|recovery|reclaim|cluster|linear|multipath)", re.ASCII)
_LONGEST = 15
"""characters of a thread's name, on kernels before 5.17"""
_COUNTED = 8
"""guest time, which follows, is in user time already"""


def machine(data: bytes) -> tuple[int, int]:
    """(busy ticks, all ticks) of all processors together; (0, 0) if `data` lacks them."""
    match = _CPU.match(data)
    if match is None:
        return 0, 0
    times = [int(field) for field in match[1].split()[:_COUNTED]]
    idle = sum(times[3:5])  # iowait is idle time with a request outstanding
    return sum(times) - idle, sum(times)


def thread(data: bytes) -> tuple[str, int] | None:
    """Name of a thread and the ticks it ran, in user mode and in the kernel; None when `data` is no such line."""
    head, closed, tail = data.rpartition(b") ")
    fields = tail.split(None, 13)
    if not closed or b"(" not in head or len(fields) < 13:
        return None
    try:
        ran = int(fields[11]) + int(fields[12])
    except ValueError:
        return None
    return head.partition(b"(")[2].decode("utf-8", "replace"), ran


def array_of(thread_name: str, arrays: frozenset[str]) -> str | None:
    """The one of `arrays` that a kernel thread works for; None when it is none, or when its name is cut too short."""
    array, _, work = thread_name.rpartition("_")
    if array in arrays and _WORK.fullmatch(work):
        return array
    if len(thread_name) < _LONGEST:
        return None
    begun = [name for name in arrays if len(name) + 2 < _LONGEST and _begins(thread_name, name)]
    return begun[0] if len(begun) == 1 else None


def _begins(thread_name: str, array: str) -> bool:
    """True for `md_backup_resy`: the array, then the beginning of a word for its work."""
    start = thread_name.removeprefix(f"{array}_")
    return start != thread_name and any(word.startswith(start) for word in ("raid10", "resync", "reshape", "reclaim"))
