"""A tick as a plain-text table (`raidtui watch` without a screen)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.model.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedDisk
from raidtui.model.safe import safe
from raidtui.planner.amounts import percent, rate
from raidtui.planner.gauges.expected_load import LoadSeen
from raidtui.planner.gauges.slow_disks import Laggard

_HEAD = f"{'':<14}{'':<22}{'MB/s rd':>9}{'wr':>9}{'r/s':>9}{'w/s':>9}{'util':>7}{'await':>8}{'queue':>8}"
_NAME, _PLACE = 14, 22


def tick_table(
    scene: Scene, tick: Tick, slow: Sequence[Laggard] = (), loads: Mapping[str, LoadSeen] | None = None
) -> list[str]:
    """Arrays, then disks, in the order of the scene; unknown disks last. `slow` disks get a mark.

    `loads`: what is expected of each disk beside what it moved in the last intervals.
    """
    marks = {each.name: f"  {percent(each.share)} below its group for {each.seconds:.0f} s" for each in slow}
    titles = {array.name: f"{array.level} {array.title}".strip() for array in scene.arrays}
    places = {disk.name: _place(disk) for disk in scene.disks}
    strange = [name for name in tick.disks if name not in places]
    label = "SIMULATED  " if scene.simulated else ""
    lines = [f"{label}{tick.seconds:.1f} s, processors {percent(tick.busy_share)} busy", _HEAD]
    for name, array in tick.arrays.items():
        lines.append(_row(name, titles.get(name, ""), array.gauge) + f"  {_state(array)}")
    for name in [*(name for name in places if name in tick.disks), *strange]:
        heat = tick.temperatures.get(name)
        warm = "" if heat is None else f"  {heat} C"
        load = (loads or {}).get(name)
        due = "" if load is None else f"  expected {rate(load.expected)} {load.words}"
        lines.append(_row(name, places.get(name, ""), tick.disks[name]) + warm + due + marks.get(name, ""))
    return lines


def _row(name: str, place: str, gauge: Gauge) -> str:
    return (
        f"{safe(name, longest=_NAME - 1):<{_NAME}}{safe(place, longest=_PLACE - 1):<{_PLACE}}"
        f"{gauge.read_bytes_per_s / 1e6:>9.1f}{gauge.write_bytes_per_s / 1e6:>9.1f}"
        f"{gauge.read_iops:>9.0f}{gauge.write_iops:>9.0f}{percent(gauge.util):>7}{gauge.await_ms:>8.2f}{gauge.queue:>8.2f}"
    )


def _place(disk: WatchedDisk) -> str:
    """Slot (else serial) and array of a disk."""
    return " ".join(part for part in (disk.slot or disk.serial, disk.array) if part)


def _state(array: ArrayGauge) -> str:
    parts = [safe(array.state)]
    if array.degraded:
        parts.append(f"{array.degraded} missing")
    if array.sync_action != "idle":
        done = (
            ""
            if array.sync_done is None
            else f" {percent(array.sync_done, 1)} {rate(array.sync_bytes_per_s)} per member"
        )
        parts.append(safe(array.sync_action) + done)
    return ", ".join([*parts, f"md threads {percent(array.thread_share)}"])
