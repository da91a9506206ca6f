"""Reads all disks of a machine in parallel: a spinning disk seeks to every place that is read."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import partial

from raidtui.machine.inventory.reading_log import Noting
from raidtui.machine.ports.host import Denied, Host, Look
from raidtui.model.errors import MachineFailed
from raidtui.tools.lsblk import BlockDevice

_AT_ONCE = 64
"""threads; each waits for its disk"""


def look_at(host: Host, disks: Sequence[BlockDevice]) -> dict[str, Look]:
    """The `Look` of each of `disks`, by kernel name, in their order; of one that cannot be read, why."""
    noting, waiting = Noting.of(host), iter(disks)
    found: dict[str, Look] = {}
    lock = threading.Lock()
    threads = [
        threading.Thread(target=_look, args=(noting, waiting, lock, found), daemon=True)
        for _ in range(min(_AT_ONCE, len(disks)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {block.name: found[block.name] for block in disks}


def _look(host: Noting, waiting: Iterator[BlockDevice], lock: threading.Lock, found: dict[str, Look]) -> None:
    while True:
        with lock:
            block = next(waiting, None)
        if block is None:
            return
        about = host.about(block.name)
        found[block.name] = about.tried(f"the ends of {block.name}", partial(_one, about, block), Look())


def _one(host: Noting, block: BlockDevice) -> Look:
    try:
        return host.look(f"/dev/{block.name}", block.number, block.size)
    except Denied:
        return Look(error="permission denied")
    except MachineFailed as problem:
        return Look(error=str(problem))
