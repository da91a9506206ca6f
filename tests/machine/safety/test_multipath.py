"""Multipath members: the map is what is pinned; its paths carry the same superblock."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from raidtui.engine.things import Things
from raidtui.machine.system.ports import Pin, Runner
from tests.planner.compile.test_multipath import PLAN


def device(name: str, number: str) -> Pin:
    return Pin(kind="disk", number=number, disk=number, sequence=number, size_bytes=2**31, name=name)


DEVICES = {
    PLAN.disks[0].path: device("dm-0", "252:0"), PLAN.disks[1].path: device("dm-1", "252:1"),
    "/dev/block/252:0": device("dm-0", "252:0"), "/dev/block/252:1": device("dm-1", "252:1"),
    "/dev/sda": device("sda", "8:0"), "/dev/sdb": device("sdb", "8:16"), "/dev/sdc": device("sdc", "8:32"),
    "/dev/sdd": device("sdd", "8:48"), "/dev/sde": device("sde", "8:64"),
}  # fmt: skip


class Machine:
    """Two maps with two paths each, an array on them, and a disk that is none of the plan's."""

    simulated = False

    def pin(self, path: str) -> Pin | None:
        return DEVICES.get(path)

    def hold(self, paths: Sequence[str], *, exclusive: bool) -> AbstractContextManager[None]:
        assert not exclusive
        return nullcontext()

    def names(self, path: str) -> tuple[str, ...]:
        return {"/sys/block/dm-0/slaves": ("sda", "sdb"), "/sys/block/dm-1/slaves": ("sdc", "sdd")}[path]


def test_a_superblock_of_the_plan_may_be_read_on_the_maps_and_on_their_paths_alone() -> None:
    things = Things(PLAN, cast(Runner, Machine()))
    things.pin_disks()
    assert things.carriers() == {"252:0", "252:1", "8:0", "8:16", "8:32", "8:48"}
