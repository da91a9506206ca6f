"""What an array starts without, and what it still holds then: by formula, and by real md."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from raidtui.values.arrays import MdShape
from raidtui.values.survival import holds_all, starts
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

LAYOUTS: tuple[tuple[str, str, int, int], ...] = (
    ("raid0", "", 0, 3), ("raid1", "", 0, 3), ("raid4", "", 0, 4), ("raid5", "", 2, 4), ("raid6", "", 2, 5),
    ("raid10", "n2", 0x102, 4), ("raid10", "n2", 0x102, 5), ("raid10", "n3", 0x103, 6), ("raid10", "f2", 0x201, 4),
    ("raid10", "f2", 0x201, 5), ("raid10", "f3", 0x301, 5), ("raid10", "o2", 0x10201, 5), ("raid10", "o3", 0x10301, 6),
)  # fmt: skip
"""level, mdadm's word for the layout, the kernel's number of it, members"""
EACH = 2
"""sets of missing members of each layout, half of them such as it starts without"""
SEED = 44


def cases(layout: tuple[str, str, int, int]) -> list[tuple[MdShape, tuple[int, ...]]]:
    """The layout with sets of missing members, as many that it starts without as not, where there are."""
    level, _, number, devices = layout
    shape = MdShape(level=level, devices=devices, layout=number, chunk_bytes=64 * 1024)
    sets = [gone for count in range(1, devices) for gone in combinations(range(devices), count)]
    random.Random(SEED).shuffle(sets)
    kinds = ([gone for gone in sets if starts(shape, gone) is answer] for answer in (True, False))
    return [(shape, gone) for kind in kinds for gone in kind[: EACH // 2]]


def test_md_starts_what_the_formula_says_and_holds_it(lab_image: Image) -> None:
    disks = lab_disks(max(layout[3] for layout in LAYOUTS), bytes=16 * MIB)
    told = []
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        paths = list(vm.disk_paths().values())
        vm.check("echo 'AUTO -all' > /etc/mdadm/mdadm.conf; modprobe -a raid0 raid1 raid10 raid456")
        for layout in LAYOUTS:
            level, word, _, devices = layout
            members = paths[:devices]
            options = f"{f'--layout={word}' if word else ''} {'' if level == 'raid1' else '--chunk=64'}"
            size = "" if level == "raid0" else "--size=2048 --assume-clean --bitmap=none"
            vm.check(
                f"mdadm --create /dev/md0 --run --metadata=1.2 --level={level} {options} {size} "
                f"--raid-devices={devices} {' '.join(members)} </dev/null"
            )
            vm.check("dd if=/dev/urandom of=/dev/md0 bs=64K oflag=direct status=none || true; sync")
            digest = vm.check("sha256sum < /dev/md0").stdout
            vm.check("mdadm --stop /dev/md0")
            for shape, gone in cases(layout):
                left = [path for slot, path in enumerate(members) if slot not in gone]
                vm.run(f"mdadm --assemble --run --readonly /dev/md0 {' '.join(left)} </dev/null")
                runs = vm.run("grep -qE '^md0 : active' /proc/mdstat").exit == 0
                whole = runs and vm.run("sha256sum < /dev/md0").stdout == digest
                vm.run("mdadm --stop /dev/md0")
                said = starts(shape, gone)
                told.append((layout, gone, (runs, whole), (said, bool(said and holds_all(shape, gone)))))
            vm.check(f"mdadm --zero-superblock {' '.join(members)}")
    differs = [each for each in told if each[2] != each[3]]
    print(f"{len(told)} sets of missing members of {len(LAYOUTS)} layouts, {len(differs)} differences")
    assert differs == []
