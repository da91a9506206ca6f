"""How further arrays join a volume: by what commands, and what is said of stripe, speed and risk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.arrays.read import observe
from raidtui.programs.lvm import PhysicalSpace, Segment
from raidtui.steps.grow import MountedFileSystem, StackOnArray
from raidtui.steps.shelf import with_shelf
from raidtui.values.acts import Extension
from raidtui.values.arrays import KnownBy, ObservedArrays, OnArray
from raidtui.values.inventory import Inventory
from tests.machine.simulation import Run, built_run

XFS = MountedFileSystem(
    kind="xfs", device="/dev/mapper/vg-lv", place="/srv/d", block_bytes=4096, blocks=1_953_378_304,
    hidden_blocks=521_728, group_blocks=61_043_072,
)  # fmt: skip
EXTENT = 4 * 2**20
UUIDS = ("1e4ff5d9:0c2c3ce5:a5b6c7d8:e9f00122", "2e4ff5d9:0c2c3ce5:a5b6c7d8:e9f00122")
PVS = ("1e4ff5-d90c-2c3c-e5a5-b6c7-d8e9-f00122", "2e4ff5-d90c-2c3c-e5a5-b6c7-d8e9-f00122")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "3x(4+2)+3", name="data", stack="separate", fs="none", after=200_000)


def looked(run: Run, **changes: object) -> tuple[ObservedArrays, Inventory]:
    """Three arrays; md127 has a volume, the others have these `changes`."""
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    last, middle, first = seen.arrays
    pv = OnArray(device="md127", name="md127", type="raid6", depth=0, content="LVM2_member", group="vg")
    lv = OnArray(device="dm-0", name="mapper/vg-lv", type="lvm", depth=1, content="xfs", mount_points=("/srv/d",))
    first = replace(first, stands_on_it=(pv, lv))
    new = [replace(each, uuid=uuid, **changes) for each, uuid in zip((middle, last), UUIDS, strict=True)]  # type: ignore[arg-type]
    return replace(seen, arrays=(new[1], new[0], first)), inventory


def space(name: str, extents: int, used: int, start: int = 2**20) -> PhysicalSpace:
    return PhysicalSpace(
        uuid="own", path=f"/dev/{name}", group="vg", start_bytes=start, extent_bytes=EXTENT, extents=extents, used=used
    )


def top(*, stripes: int = 1, filesystem: MountedFileSystem | None = XFS) -> StackOnArray:
    own = space("md127", 1_907_598, 1_907_598)
    segment = Segment(
        name="lv", group="vg", size_bytes=1_907_598 * EXTENT, type="linear", stripes=stripes,
        stripe_bytes=131072 if stripes > 1 else 0, devices=("/dev/md127",),
    )  # fmt: skip
    return StackOnArray(
        own=own, spaces=(own,), segments=(segment,), filesystem=filesystem,
        why="" if filesystem else "no mounted XFS or ext4 is on it",
    )  # fmt: skip


def typed(found: Extension) -> list[str]:
    return [" ".join(step.commands[0].argv) if step.commands else "" for step in found.steps]


def codes(found: Extension) -> list[str]:
    return [each.code for each in found.findings]


def test_the_rebuild_of_a_shelf_is_as_fast_as_the_limit_of_its_arrays(run: Run) -> None:
    found = with_shelf(*looked(run, sync_max_bytes_per_s=10_240_000), "md127", ["md126", "md125"], top())
    assert found.before.rebuild_hours == pytest.approx(11.62, abs=0.01)
    assert found.after.rebuild_hours == pytest.approx(108.52, abs=0.01)  # 2,000,263,577,600 bytes, half of the time


def test_two_arrays_become_a_stripe_behind_what_is_there(run: Run) -> None:
    found = with_shelf(*looked(run), "md127", ["md126", "md125"], top())
    # a full stripe is 4 times 512 KiB; an array of 8 001 054 310 400 bytes has 1 907 599 extents behind its first 2 MiB
    assert typed(found) == [
        f"pvcreate --dataalignment=2048k --uuid={PVS[0]} --norestorefile /dev/md126",
        f"pvcreate --dataalignment=2048k --uuid={PVS[1]} --norestorefile /dev/md125",
        "vgextend vg /dev/md126 /dev/md125",
        "lvextend --extents=5722796 --stripes=2 --stripesize=512k vg/lv /dev/md126 /dev/md125",
        "xfs_growfs -d /srv/d",
    ]
    assert [step.commands[0].members for step in found.steps] == [("/dev/md126",), ("/dev/md125",), (), (), ()]
    assert found.after.volume_bytes == 5_722_796 * EXTENT
    assert (found.before.array_bytes, found.after.array_bytes) == (8_001_054_310_400, 3 * 8_001_054_310_400)
    assert (found.before.spares, found.after.spares) == (1, 3)
    assert found.before.annual_loss is not None
    assert found.after.annual_loss is not None
    # three arrays for one; with more spares fewer disks wait, and what a rebuild restored counts no more
    assert 2.3 < found.after.annual_loss / found.before.annual_loss < 3.1
    assert codes(found) == ["stripe-not-widened", "spares-alone", "back-up-first"]
    assert found.findings[0].message == (
        "LVM cannot widen a stripe: the new part is a stripe over 2 arrays behind the old one. What is there stays "
        "where it is, at 494 MB/s. The new part reads at 988 MB/s, and a file lies in either."
    )


def test_one_array_is_added_without_a_stripe(run: Run) -> None:
    found = with_shelf(*looked(run), "md127", ["md126"], top(stripes=2))
    assert typed(found)[2] == "lvextend --extents=3815197 --stripes=1 vg/lv /dev/md126"
    assert "the new part is one array without a stripe behind" in found.findings[0].message


def test_what_was_begun_goes_on(run: Run) -> None:
    begun = top()
    joined = tuple(space(name, 1_907_599, 0, 2 * 2**20) for name in ("md126", "md125"))
    label = OnArray(device="md126", name="md126", type="raid6", depth=0, content="LVM2_member", group="vg")
    found = with_shelf(
        *looked(run, stands_on_it=(label,)), "md127", ["md126", "md125"],
        replace(begun, spaces=(*begun.spaces, *joined)),
    )  # fmt: skip
    assert typed(found) == typed(with_shelf(*looked(run), "md127", ["md126", "md125"], top()))


def test_nothing_is_left_when_it_has_them(run: Run) -> None:
    begun, size = top(), 5_722_796 * EXTENT
    joined = tuple(space(name, 1_907_599, 1_907_599, 2 * 2**20) for name in ("md126", "md125"))
    parts = (
        replace(begun.segments[0], size_bytes=size),
        replace(
            begun.segments[0], size_bytes=size, stripes=2, stripe_bytes=524288, devices=("/dev/md126", "/dev/md125")
        ),
    )
    held = replace(XFS, blocks=size // 4096)
    found = with_shelf(
        *looked(run), "md127", ["md126", "md125"],
        replace(begun, spaces=(*begun.spaces, *joined), segments=parts, filesystem=held),
    )  # fmt: skip
    assert (found.steps, codes(found)[-1]) == ((), "nothing-to-extend")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        (
            {"stands_on_it": (OnArray(device="md126", name="x", type="raid6", depth=0, content="ext4"),)},
            "shelf-not-blank",
        ),
        (
            {"stands_on_it": (OnArray(device="x", name="x", type="x", depth=0, content="LVM2_member", group="b"),)},
            "shelf-not-blank",
        ),
        ({"lacks": 1, "states": ("degraded", "clean")}, "array-degraded"),
        ({"size_bytes": 0}, "shelf-array"),
        ({"logical_sector_bytes": 4096}, "new-sector-size"),
        ({"size_bytes": 3 * 2**20}, "shelf-too-small"),
        ({"level": "raid5"}, "shelf-weaker"),
        ({"in_conf": KnownBy(answer="no", why="")}, "shelf-unknown"),
    ],
)
def test_arrays_that_are_refused_or_warned_of(run: Run, changes: dict[str, object], code: str) -> None:
    found = with_shelf(*looked(run, **changes), "md127", ["md126"], top())
    assert code in codes(found)
    assert bool(found.steps) == (code in ("shelf-weaker", "shelf-unknown"))


def test_an_array_cannot_join_itself_nor_what_is_no_volume(run: Run) -> None:
    assert "shelf-array" in codes(with_shelf(*looked(run), "md127", ["md127"], top()))
    found = with_shelf(*looked(run), "md127", ["md126"], StackOnArray(filesystem=XFS))
    assert (codes(found)[0], found.steps) == ("no-volume", ())


def test_a_file_system_that_raidtui_does_not_grow(run: Run) -> None:
    found = with_shelf(*looked(run), "md127", ["md126"], top(filesystem=None))
    assert typed(found)[-1].startswith("lvextend ")
    assert "not-grown" in codes(found)
