from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.machine.gauges.scene import scene_of, selected
from raidtui.machine.inventory import shipped
from raidtui.values.errors import BadInput
from raidtui.values.gauges import Scene, WatchedArray, WatchedDisk
from raidtui.values.speed import Limit
from tests.machine.watched import array, machine, put


def test_disks_of_a_machine_without_md(tmp_path: Path) -> None:
    scene = scene_of(root=str(machine(tmp_path, ("sda", "sdb"))))
    assert scene == Scene(
        host="store",
        disks=tuple(
            WatchedDisk(
                name=f"sd{letter}",
                id=f"wwn-0x50014ee2b1c0de0{number}",
                serial=f"WD-000{number}",
                model="WDC WD20EARS",
                controller="0000:03:00.0",
                size_bytes=2000398934016,
                rotational=True,
            )
            for number, letter in enumerate("ab")
        ),
        ceilings=scene.ceilings,
    )
    (ceiling,) = scene.ceilings["0000:03:00.0"]
    assert (ceiling.name, ceiling.rate, ceiling.source) == (Limit("PCIe slot", "0000:03:00.0"), 3_000_000_000, "sysfs")


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    assert scene_of(root=str(tmp_path)) == Scene(host="this machine", disks=())
    put(tmp_path, {"sys/block/vda/size": "2048\n", "sys/block/sr1/size": "2048\n", "sys/block/sdx/size": "0\n"})
    (only,) = scene_of(root=str(tmp_path)).disks
    assert (only.name, only.size_bytes, only.id, only.rotational) == ("vda", 1048576, "", None)


def arrays(root: Path) -> Path:
    machine(root)
    six = {"sdd": ("0", "in_sync"), "sdc1": ("1", "in_sync"), "sdb": ("2", "in_sync"), "sda": ("none", "spare"),
           "sdf": ("3", "faulty")}  # fmt: skip
    array(root, "md127", "raid6", six)
    put(root, {"run/udev/data/b9:127": "S:md/127\nS:md/store:data\n"})
    array(root, "md10", "raid0", {"md127": ("0", "in_sync")})
    array(root, "md3", "raid1", {}, array_state="clear\n")
    return root


def test_members_in_role_order_spares_and_failed_disks(tmp_path: Path) -> None:
    scene = scene_of(root=str(arrays(tmp_path)))
    assert scene.arrays == (
        WatchedArray(name="md127", title="store:data", level="raid6", members=("sdd", "sdc", "sdb"), spares=("sda",)),
        WatchedArray(name="md10", title="", level="raid0", members=("md127",)),
    )
    assert [(disk.name, disk.array, disk.role) for disk in scene.disks] == [
        ("sdb", "md127", "member"),
        ("sdc", "md127", "member"),
        ("sdd", "md127", "member"),
        ("sdf", "md127", "idle"),
        ("sda", "md127", "spare"),
        ("sde", "", "idle"),
    ]


def test_disks_below_a_device_mapper_device(tmp_path: Path) -> None:
    machine(tmp_path)
    for name in ("sda", "sdb"):
        put(tmp_path, {f"sys/block/dm-0/slaves/{name}/dev": "8:0\n"})
    array(tmp_path, "md1", "raid1", {"dm-0": ("0", "in_sync"), "sdc": ("1", "in_sync")})
    scene = scene_of(root=str(tmp_path))
    assert scene.arrays[0].members == ("sda", "sdb", "sdc")


def test_an_inventory_brings_places_and_the_machine_its_arrays(tmp_path: Path) -> None:
    known = shipped.load("e2660")
    real = type(known)(
        origin="machine", name="store", disks=known.disks, links=known.links, controllers=known.controllers
    )
    scene = scene_of(real, root=str(arrays(tmp_path)))
    first, last = scene.disks[0], scene.disks[-1]
    assert (first.name, first.array, first.role, first.slot) == ("sdc", "md127", "member", "drawer 1 slot 03")
    assert (last.array, len(scene.disks), scene.simulated) == ("", 60, False)
    assert {"expander-0:0", "expander-1:3", "0000:03:00.0", "0000:04:00.0"} <= set(scene.ceilings)


@pytest.mark.parametrize("name", shipped.names())
def test_a_chassis_is_simulated_and_in_order(name: str) -> None:
    scene = scene_of(shipped.load(name))
    assert scene.simulated
    assert not scene.arrays
    slots = [disk.slot for disk in scene.disks if disk.controller == scene.disks[0].controller]
    assert slots == sorted(slots)
    assert len({disk.name for disk in scene.disks}) == len(scene.disks)


def test_what_an_admin_asks_for(tmp_path: Path) -> None:
    scene = scene_of(root=str(arrays(tmp_path)))
    assert selected(scene, []) == (scene, None)
    for names in (["sde"], ["/dev/sde"], ["WD-0004"], ["wwn-0x50014ee2b1c0de04"]):
        part, only = selected(scene, names)
        assert ([disk.name for disk in part.disks], part.arrays, only) == (["sde"], (), frozenset({"sde"}))
    for names in (["md127"], ["/dev/md/store:data"], ["store:data"]):
        part, only = selected(scene, names)
        assert only == frozenset({"md127", "sda", "sdb", "sdc", "sdd", "sdf"})
    part, only = selected(scene, ["md10", "sde"])
    assert only == frozenset({"md10", "md127", "sda", "sdb", "sdc", "sdd", "sde", "sdf"})
    assert len(part.arrays) == 2
    for nothing in ("sdz", ""):
        with pytest.raises(BadInput, match="no disk or array is named"):
            selected(scene, [nothing])
