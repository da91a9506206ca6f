"""What arrays that exist should move: their layout is read, whoever made them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from raidtui.machine.arrays.settings import asked_loads
from raidtui.machine.gauges.rates import IDLE
from raidtui.values.gauges import Scene, Tick, WatchedArray
from raidtui.values.speed import parse_ask
from tests.machine.simulation import built_run


def test_the_layout_of_an_array_that_exists_divides_what_it_moves(tmp_path: Path) -> None:
    run = built_run(tmp_path, "raid10(4)", name="data")
    names = {disk.id: disk.kernel_name for disk in run.machine.inventory().disks}
    members = tuple(names[disk.id] for disk in run.plan.disks)
    scene = Scene(host="x", disks=(), arrays=(WatchedArray(name="md127", level="raid10", members=members),))
    loads = asked_loads(parse_ask("read,streams=1,size=64K,depth=1"), run.machine, run.machine.inventory(), scene)
    amounts = zip(members, (50e6, 0.0, 50e6, 0.0), strict=True)
    loads.add(Tick(time=1.0, seconds=1.0, disks={name: replace(IDLE, read_bytes_per_s=rate) for name, rate in amounts}))
    # an idle mirror reads the first copy: of two copies on four members that of the first and the third
    assert [(each.expected, each.off) for each in loads.now().values()] == [
        (50e6, False), (0.0, False), (50e6, False), (0.0, False),
    ]  # fmt: skip
