"""Groups of disks and what bounds them."""

from __future__ import annotations

from dataclasses import replace

from raidtui.tui.gauges.groups import GaugeGroups
from raidtui.values.gauges import ArrayGauge, Scene, WatchedArray, WatchedDisk
from raidtui.values.speed import Ceiling, Limit
from tests.tui.gauge_scenes import gauge, scene, tick


def test_groups_of_arrays_are_led_by_their_arrays() -> None:
    found = GaugeGroups(scene(60)).by("array")
    assert [group.title for group in found] == [
        "data0 raid6 14+4", "data1 raid6 14", "data2 raid6 14", "data3 raid6 14",
    ]  # fmt: skip
    assert [len(group.disks) for group in found] == [18, 14, 14, 14]


def test_an_array_that_stands_on_arrays_is_a_group_without_disks_and_loose_disks_come_last() -> None:
    below = scene(60, arrays=2)
    outer = WatchedArray(name="md9", level="raid0", members=("md0", "md1"))
    loose = tuple(replace(disk, array="", role="idle") if disk.role == "spare" else disk for disk in below.disks)
    found = GaugeGroups(replace(below, disks=loose, arrays=(*below.arrays, outer))).by("array")
    assert [(group.title, len(group.disks)) for group in found] == [
        ("data0 raid6 29+2", 29), ("data1 raid6 29", 29), ("md9 raid0 2", 0), ("in no array", 2),
    ]  # fmt: skip


def test_without_arrays_there_are_just_disks() -> None:
    groups = GaugeGroups(scene(3, arrays=0))
    assert [group.title for group in groups.by("array")] == ["disks"]
    assert groups.offered == ("array",)


def test_only_groupings_that_tell_disks_apart_are_offered() -> None:
    assert GaugeGroups(scene(60)).offered == ("array",)
    assert GaugeGroups(scene(120)).offered == ("array", "controller", "enclosure")


def test_limits_are_the_fullest_way_the_own_ceiling_and_the_threads() -> None:
    disks = tuple(
        WatchedDisk(name=name, controller="0000:03:00.0", link="expander-0:0", array="md0", role="member")
        for name in ("sda", "sdb", "sdc")
    )
    array = WatchedArray(name="md0", level="raid5", members=("sda", "sdb", "sdc"))

    def ceiling(name: str, rate: int) -> tuple[Ceiling, ...]:
        return (Ceiling(name=Limit.read(name), rate=rate, source="table", formula=""),)

    one = Scene(
        host="h", disks=disks, arrays=(array,),
        ceilings={
            "0000:03:00.0": ceiling("PCIe slot 0000:03:00.0", 1_000_000_000),
            "expander-0:0": ceiling("expander-0:0", 400_000_000),
            "md0": ceiling("members", 600_000_000),
        },
    )  # fmt: skip
    now = tick(one, 1, lambda disk, number: 100.0)
    md = ArrayGauge(gauge=gauge(270.0), state="active", thread_share=0.2)
    (group,) = GaugeGroups(one).by("array")
    found = GaugeGroups(one).limits(group, replace(now, arrays={"md0": md}))
    assert [(limit.name, round(limit.share, 2)) for limit in found] == [
        ("expander-0:0", 0.75), ("members", 0.45), ("md CPU", 0.2),
    ]  # fmt: skip
    (group,) = GaugeGroups(one).by("controller")
    assert [limit.name for limit in GaugeGroups(one).limits(group, now)] == ["expander-0:0"]
