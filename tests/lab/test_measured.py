"""What raidtui measures of throttled disks, a slow one and a narrow link among them, against fio on arrays of them.

The disks say that they rotate but do not seek: parity arrays are only written, and in order, because a rotating disk
would pass over parity when reading.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median

import pytest

from raidtui.predict.speed.answers import throughput
from raidtui.predict.speed.volume import volume_of
from raidtui.values.codec import from_json
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory
from raidtui.values.notation import parse
from raidtui.values.speed import Iops, Limit, Rate
from raidtui.values.units import KIB, MIB
from tests.lab.disk import lab_disks
from tests.lab.geometry_measure import prepare
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.throughput_cases import DISK_BYTES, Case, Pool, workload
from tests.lab.throughput_measure import array, kernel_names, measure_undisturbed
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.steady, pytest.mark.long]

RATE, SLOW_RATE, LINK_RATE, REQUESTS = 10_000_000, 5_000_000, 15_000_000, 100
SLOW = "RND0003"
NEAR = 0.15
CHUNK_KIB = 256
PROFILE = {
    "schema": "raidtui/profile/1",
    "name": "learn",
    "title": "One array in a minute",
    "purpose": "How near an array of this machine comes to its limits.",
    "jobs": [
        {"name": name, "title": name, "target": target, "pattern": pattern, "block_bytes": block, "depth": depth,
         "streams": streams, "seconds": 12.0, "warm_up_seconds": 6.0, "repeats": 1, "predicted": predicted}
        for name, target, pattern, block, streams, depth, predicted in (
            ("read", "array", "read", 4 * MIB, 1, 16, "seq_read"),
            ("random", "array", "randread", 4 * KIB, 1, 64, "rand_read"),
            ("write", "files", "write", 4 * MIB, 1, 16, "seq_write"),
        )
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """One array, the layout as raidtui says it, its disks and its jobs."""

    layout: str
    case: Case
    pool: Pool
    jobs: tuple[str, ...]


WANTED = (
    Wanted("raid0(4)", Case("raid0", 4, chunk_kib=CHUNK_KIB), "SEQ", ("seq_read", "rand_read")),
    Wanted("raid10(6)", Case("raid10", 6, "n2", chunk_kib=CHUNK_KIB), "SEQ", ("seq_read", "seq_write", "rand_read")),
    Wanted("raid5(5+1)", Case("raid5", 6, chunk_kib=CHUNK_KIB), "SEQ", ("seq_write",)),
    Wanted("raid6(4+2)", Case("raid6", 6, chunk_kib=CHUNK_KIB), "SEQ", ("seq_write",)),
    Wanted("raid0(3)", Case("raid0", 3, chunk_kib=CHUNK_KIB), "RND", ("seq_read",)),
    Wanted("raid0(3)", Case("raid0", 3, chunk_kib=CHUNK_KIB), "ROT", ("seq_read", "seq_write")),
)
"""SEQ: equal disks; RND: with the slow one; ROT: below the narrow link"""


@pytest.fixture(scope="module")
def throttled(lab_image: Image) -> Iterator[Machine]:
    """Disks of known speed on three controllers; the third holds its disks back."""
    plain = {"bytes": DISK_BYTES, "rotation": 7200, "bps": RATE, "iops": REQUESTS}
    disks = [
        *lab_disks(6, prefix="SEQ", **plain),
        *(
            replace(disk, controller=1, bps=SLOW_RATE if disk.serial == SLOW else RATE)
            for disk in lab_disks(3, prefix="RND", **plain)
        ),
        *(replace(disk, controller=2) for disk in lab_disks(3, prefix="ROT", shared=("narrow", LINK_RATE), **plain)),
    ]
    with Machine(disks, using=lab_image, controllers=3, sync_limit_kib=None) as vm:
        prepare(vm)
        install(vm)
        vm.put("/root/learn.json", json.dumps(PROFILE).encode())
        yield vm


def test_a_minute_of_measuring_finds_the_slow_disk_and_the_narrow_link_and_predicts_arrays(throttled: Machine) -> None:
    vm = throttled
    guessed = _inventory(vm, "raidtui disks --json")
    began = time.monotonic()
    measured = _inventory(vm, "raidtui disks --measure --json")
    print(f"measured {len(measured.disks)} disks in {time.monotonic() - began:.0f} s")
    print(vm.check("raidtui disks").stdout)
    _found_what_is_narrow(vm, measured)
    figures = [
        (wanted, name, rate)
        for wanted in WANTED
        for name, rate in _fio(vm, wanted).items()
    ]  # fmt: skip
    _learn(vm)
    benched = _inventory(vm, "raidtui disks --json")
    assert benched.figures is not None
    assert {each.work for each in benched.figures.scatter} >= {"disk sequential"}
    print(vm.check("raidtui disks").stdout)
    stages = {"guessed": guessed, "measured": measured, "benched": benched}
    within: dict[str, list[bool]] = {stage: [] for stage in stages}
    inside: dict[str, list[bool]] = {stage: [] for stage in stages}
    widths: dict[str, list[tuple[str, float]]] = {stage: [] for stage in stages}
    for wanted, name, rate in figures:
        line = f"{wanted.pool} {wanted.layout:<10} {name:<9} fio {rate:12.0f}"
        for stage, inventory in stages.items():
            found = _predicted(inventory, wanted, name)
            point = found.iops if isinstance(found, Iops) else found.bytes_per_s
            within[stage].append(abs(rate / point - 1) <= NEAR)
            inside[stage].append(found.low <= rate <= found.high)
            widths[stage].append((name, found.high / found.low))
            line += f"  {stage} {point:10} {rate / point:5.2f} x{found.high / found.low:.2f}"
        print(line)
    for stage in stages:
        in_order = median(width for name, width in widths[stage] if name.startswith("seq"))
        at_random = median(width for name, width in widths[stage] if name.startswith("rand"))
        print(
            f"{stage}: {sum(within[stage])} of {len(figures)} within 15 %, {sum(inside[stage])} in the band;"
            f" median width in order x{in_order:.2f}, at random x{at_random:.2f}"
        )
    assert sum(within["measured"]) >= 0.9 * len(figures)
    assert sum(inside["measured"]) >= 0.9 * len(figures)
    assert sum(within["benched"]) >= 0.9 * len(figures)
    assert sum(inside["benched"]) >= 0.9 * len(figures)
    assert median(width for name, width in widths["benched"] if name.startswith("seq")) <= 1.35


def _inventory(vm: Machine, command: str) -> Inventory:
    return from_json(Inventory, vm.check(command, timeout=900).stdout, source="disks")


def _found_what_is_narrow(vm: Machine, measured: Inventory) -> None:
    """The slow disk, the narrow link and no other."""
    rates = {disk.serial: disk.measured.outer_bytes_per_s for disk in measured.disks if disk.measured}
    expected = {serial: SLOW_RATE if serial == SLOW else RATE for serial in vm.serials}
    assert rates == pytest.approx(expected, rel=NEAR)
    requests = {disk.serial: disk.measured.read_iops for disk in measured.disks if disk.measured}
    assert requests == pytest.approx(dict.fromkeys(vm.serials, REQUESTS), rel=NEAR)
    assert measured.figures is not None
    held = [link for link in measured.figures.links if not link.at_least]
    narrow = {disk.place.controller for disk in measured.disks if (disk.serial or "").startswith("ROT")}
    assert [link.limit for link in held] == [Limit("PCIe slot", pci) for pci in narrow if pci]
    assert held[0].bytes_per_s == pytest.approx(LINK_RATE, rel=NEAR)
    shown = vm.check("raidtui disks").stdout.splitlines()
    (line,) = [line for line in shown if "SLOW" in line]
    (slow,) = [disk.kernel_name for disk in measured.disks if disk.serial == SLOW]
    assert line.split()[0] == slow


def _fio(vm: Machine, wanted: Wanted) -> dict[str, float]:
    jobs = [workload(name, wanted.case) for name in wanted.jobs]
    with array(vm, wanted.case, wanted.pool) as target:
        return {job.name: measure_undisturbed(vm, target, job)[0].rate for job in jobs}


def _learn(vm: Machine) -> None:
    """A benchmark of an array that is none of those wanted, by raidtui, on a file system."""
    members = " ".join(f"/dev/{name}" for name in kernel_names(vm, "SEQ")[:4])
    vm.check(f"mdadm --create /dev/md100 --run -l 10 -n 4 -c {CHUNK_KIB} --assume-clean --bitmap=none {members}")
    vm.check("udevadm settle; mkfs.xfs -q -K /dev/md100 && mkdir -p /srv/learn && mount /dev/md100 /srv/learn")
    said = vm.run("raidtui bench /srv/learn --profile /root/learn.json --yes", timeout=900)
    print(said.stdout, said.stderr)
    assert said.exit == 0, said
    vm.check("umount /srv/learn; udevadm settle; mdadm --stop /dev/md100; udevadm settle", timeout=300)
    vm.erase_disks([serial for serial in vm.serials if serial.startswith("SEQ")])


def _predicted(inventory: Inventory, wanted: Wanted, name: str) -> Rate | Iops:
    layout = parse(wanted.layout)
    own = [disk for disk in inventory.disks if (disk.serial or "").startswith(wanted.pool)]
    disks = sorted(own, key=lambda disk: disk.serial or "")
    design = Design(layout=layout, chunk_bytes=CHUNK_KIB * KIB)
    found = throughput(volume_of(design, tuple(disks), (), inventory))
    answer: Rate | Iops = getattr(found, name)
    return answer
