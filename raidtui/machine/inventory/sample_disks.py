"""Reads all disks of a machine in parallel: a spinning disk seeks to every place that is read."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from raidtui.machine.ports.host import Host, Look
from raidtui.tools.lsblk import BlockDevice

_AT_ONCE = 64
"""threads; each waits for its disk"""


def look_at(host: Host, disks: Sequence[BlockDevice]) -> dict[str, Look]:
    """The `Look` of each of `disks`, by kernel name, in their order. Raises the first error."""
    waiting = iter(disks)
    found: dict[str, Look] = {}
    problems: list[Exception] = []
    lock = threading.Lock()
    threads = [
        threading.Thread(target=_look, args=(host, waiting, lock, found, problems), daemon=True)
        for _ in range(min(_AT_ONCE, len(disks)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return {block.name: found[block.name] for block in disks}


def _look(
    host: Host, waiting: Iterator[BlockDevice], lock: threading.Lock, found: dict[str, Look], problems: list[Exception]
) -> None:
    while True:
        with lock:
            block = next(waiting, None)
        if block is None or problems:
            return
        try:
            found[block.name] = host.look(f"/dev/{block.name}", block.number, block.size)
        except Exception as problem:
            problems.append(problem)
            return
