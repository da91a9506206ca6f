"""Which disks a search is made over."""

from dataclasses import replace

from raidtui.predict.placement.disk_pool import disk_pool
from raidtui.predict.stated_disks import purchase
from raidtui.values.inventory import Disk, Smart


def test_the_largest_come_first_in_classes_of_one_size() -> None:
    known = disk_pool(purchase("2x1TB,3x4TB,1x3990GB").disks)
    assert [disk.size_bytes // 10**9 for disk in known.disks] == [4000, 4000, 4000, 3990, 1000, 1000]
    assert known.classes == (4, 6)
    assert [finding.code for finding in known.findings] == ["sizes-mixed"]


def test_flash_and_spinning_disks_are_not_mixed() -> None:
    spinning = purchase("4x8TB").disks
    flash = tuple(replace(disk, id=f"flash-{disk.id}") for disk in purchase("4x1TB", rotational=False).disks)
    known = disk_pool(flash + spinning)
    assert known.disks == spinning
    assert [finding.code for finding in known.findings] == ["kinds-not-mixed"]


def test_failing_disks_are_left_out() -> None:
    first, *others = purchase("4x8TB").disks
    known = disk_pool((replace(first, smart=Smart(healthy=False)), *others))
    assert known.disks == tuple(others)
    assert [finding.code for finding in known.findings] == ["failing-left-out"]


def test_a_disk_of_unknown_kind_is_a_kind_of_its_own() -> None:
    unknown = Disk(id="x", size_bytes=10**12, rotational=None)
    assert disk_pool((unknown,)).disks == (unknown,)
