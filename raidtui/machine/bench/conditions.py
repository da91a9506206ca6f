"""Conditions of a benchmark: versions, and settings of arrays and disks that change its figures."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from raidtui.machine.system import programs
from raidtui.model.gauges import Scene
from raidtui.model.safe import safe

_ARRAY = (
    ("level", "md/level"), ("chunk", "md/chunk_size"), ("layout", "md/layout"),
    ("stripe_cache_size", "md/stripe_cache_size"), ("group_thread_cnt", "md/group_thread_cnt"),
    ("consistency_policy", "md/consistency_policy"), ("bitmap", "md/bitmap/location"), ("sync", "md/sync_action"),
    ("degraded", "md/degraded"), ("sync_speed_max", "md/sync_speed_max"), ("read_ahead_kb", "queue/read_ahead_kb"),
)  # fmt: skip
_DISK = (
    ("scheduler", "queue/scheduler"), ("read_ahead_kb", "queue/read_ahead_kb"), ("write_cache", "queue/write_cache"),
    ("nr_requests", "queue/nr_requests"), ("max_sectors_kb", "queue/max_sectors_kb"),
)  # fmt: skip
_VERSION_SECONDS = 20


def conditions(scene: Scene, disks: Iterable[str], root: str = "/") -> dict[str, str]:
    """Name to value, for all arrays of `scene` and for `disks` (kernel names); one entry for a value of all disks."""
    found = {"kernel": os.uname().release, "fio": _version("fio"), "mdadm": _version("mdadm")}
    wanted = tuple(disks)
    for array in scene.arrays:
        for name, file in _ARRAY:
            found[f"{array.name} {name}"] = _line(Path(f"{root}/sys/block/{array.name}/{file}"))
    for name, file in _DISK:
        values = {disk: _line(Path(f"{root}/sys/block/{disk.replace('/', '!')}/{file}")) for disk in wanted}
        if len(set(values.values())) == 1:
            found[f"disks {name}"] = next(iter(values.values()))
        else:
            found |= {f"{disk} {name}": value for disk, value in values.items()}
    return {name: value for name, value in found.items() if value}


def _line(path: Path) -> str:
    try:
        text = safe(path.read_text(errors="replace").strip(), longest=120)
    except OSError:
        return ""
    chosen = next((word[1:-1] for word in text.split() if word.startswith("[") and word.endswith("]")), "")
    return chosen or text


def _version(name: str) -> str:
    """Version line of a program."""
    found = programs.find(name)
    if found is None:
        return ""
    try:
        done = programs.ask([found, "--version"], _VERSION_SECONDS)
    except (OSError, programs.Overdue):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    return safe(lines[0].strip(), longest=80) if lines else ""
