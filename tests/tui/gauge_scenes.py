"""Scenes and ticks made by hand: shelves of disks in arrays, every figure a plain function of disk and time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedArray, WatchedDisk
from raidtui.values.speed import Ceiling, Limit

START = 1_800_000_000.0
SHELF = 60


def scene(count: int = 60, *, arrays: int = 4, simulated: bool = False) -> Scene:
    """`count` disks in shelves of 60; those of each shelf in `arrays` arrays of equal width, the rest spares."""
    disks: list[WatchedDisk] = []
    made: list[WatchedArray] = []
    for shelf in range(-(-count // SHELF)):
        inside = min(SHELF, count - shelf * SHELF)
        wide = (inside - 1) // arrays if arrays else 0
        names = [f"sd{shelf}x{number}" for number in range(inside)]
        for number in range(arrays):
            made.append(
                WatchedArray(
                    name=f"md{shelf * arrays + number}",
                    title=f"data{shelf * arrays + number}",
                    level="raid6",
                    members=tuple(names[number * wide : number * wide + wide]),
                    spares=tuple(names[arrays * wide :]) if number == 0 else (),
                )
            )
        for number, name in enumerate(names):
            of = number // wide if wide else 0
            spare = number >= arrays * wide
            disks.append(
                WatchedDisk(
                    name=name, id=f"wwn-0x{shelf * SHELF + number:08x}", serial=f"SN{shelf * SHELF + number:05d}",
                    model="NL2000SAS72", slot=f"slot {number + 1:02d}", enclosure=f"shelf {shelf}",
                    controller=f"0000:0{shelf % 8}:00.0", size_bytes=2_000_398_934_016, rotational=True,
                    array=f"md{shelf * arrays + (0 if spare else of)}" if arrays else "",
                    role=("spare" if spare else "member") if arrays else "idle",
                )
            )  # fmt: skip
    disks.sort(key=lambda disk: (int(disk.array[2:] or 0), disk.slot) if disk.array else (0, disk.slot))
    ceilings: dict[str, tuple[Ceiling, ...]] = {
        f"0000:0{shelf}:00.0": (
            Ceiling(
                name=Limit("PCIe slot", f"0{shelf}:00.0"),
                rate=8_000_000_000,
                source="sysfs",
                formula="8 lanes x 1 GB/s",
            ),
        )
        for shelf in range(8)
    }
    return Scene(host="stor01", simulated=simulated, disks=tuple(disks), arrays=tuple(made), ceilings=ceilings)


def gauge(read: float = 0.0, write: float = 0.0, *, util: float = 0.0) -> Gauge:
    """A disk at `read` and `write` MB/s in requests of 1 MB."""
    busy = util or min((read + write) / 200, 1.0)
    return Gauge(
        read_bytes_per_s=read * 1e6, write_bytes_per_s=write * 1e6, read_iops=read, write_iops=write, util=busy,
        await_ms=busy * 12, queue=busy * 4,
    )  # fmt: skip


def tick(of: Scene, number: int, reads: Callable[[int, int], float], **more: object) -> Tick:
    """Tick `number`: disk k reads `reads(k, number)` MB/s; arrays read what their members do together."""
    disks = {disk.name: gauge(reads(at, number)) for at, disk in enumerate(of.disks)}
    arrays = {
        array.name: ArrayGauge(
            gauge=gauge(sum(disks[name].read_bytes_per_s for name in array.members) / 1e6),
            state="clean",
            thread_share=0.31,
        )
        for array in of.arrays
    }
    temperatures = {disk.name: 30 + at % 9 for at, disk in enumerate(of.disks)}
    values: dict[str, object] = {"arrays": arrays, "temperatures": temperatures, "busy_share": 0.12} | more
    return Tick(time=START + number, seconds=1.0, disks=disks, **values)  # type: ignore[arg-type]


class Played:
    """A source of ticks for tests: as many as it is asked for, then nothing after `most`."""

    def __init__(self, of: Scene, reads: Callable[[int, int], float], *, most: int | None = None) -> None:
        self.scene = of
        self.reads = reads
        self.most = most
        self.taken = 0

    def take(self) -> Tick:
        if self.taken == self.most:
            threading.Event().wait()  # in a daemon thread
        self.taken += 1
        return tick(self.scene, self.taken, self.reads)
