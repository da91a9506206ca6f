"""Block devices measured on real md: blank disks and an array of known speed, read, written to, and blank again.

The disks are held at a fixed rate, so that each figure has a known truth, recomputed from what fio printed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.bench import store
from raidtui.bench.compare import compare_result
from raidtui.values.bench import BenchResult
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_bench import _fetched, _figures_are_fio_s
from tests.lab.test_build import _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.steady, pytest.mark.long]

SPEED = 6_000_000
"""bytes a second of a disk, both ways together"""
SERIALS = [f"LAB{number:04d}" for number in range(1, 4)]
BYSTANDERS = ["BY0001", "BY0002"]
# more than 8 MiB in flight would take seconds at this rate, and count as measured
TIMES = {"seconds": 10.0, "warm_up_seconds": 2.0, "repeats": 1, "block_bytes": MIB}
PROFILE = {
    "schema": "raidtui/profile/1",
    "name": "survey-raw",
    "title": "raw",
    "purpose": "Disks and an array as block devices, for a test.",
    "jobs": [
        {"name": f"{target}-{pattern}-{streams}", "title": f"{target} {pattern}", "target": target, "pattern": pattern,
         "streams": streams, "regions": streams, "depth": 8 // streams,
         "predicted": "disk" if "disk" in target else f"seq_{pattern}", **TIMES}
        for target, streams in (("disk", 1), ("disks", 1), ("array", 1), ("array", 4))
        for pattern in ("write", "read")
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def vm(lab_image: Image) -> Iterator[Machine]:
    """Three blank disks of known speed, and two that belong to somebody."""
    disks = lab_disks(3, bytes=256 * MIB, rotation=1, bps=SPEED)
    with Machine([*disks, *lab_disks(2, prefix="BY", bytes=256 * MIB)], using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        _skip_initramfs(vm)
        for number, path in enumerate(vm.disk_paths(BYSTANDERS).values()):
            vm.check(f"mkfs.ext4 -q -L theirs{number} {path}")
        vm.put("/root/raw.json", json.dumps(PROFILE).encode())
        vm.check("udevadm settle; sync; raidtui disks --measure", timeout=400)
        yield vm


def test_blank_disks_and_an_array_are_measured_and_blank_again(vm: Machine, tmp_path: Path) -> None:
    others = vm.hash_disks(BYSTANDERS)
    plan = _planned(vm, "(2+1)", SERIALS, "--fs none --stack separate")
    _refused_while_something_is_there(vm, plan)
    on_disks = _measured(vm, plan, "/root/plan/plan.json", tmp_path / "disks")
    assert [task.target.kind for task in on_disks.bench.tasks] == ["disk"] * 6 + ["disks"] * 2
    for serial in SERIALS:
        assert vm.backing(serial).is_blank()
    assert vm.hash_disks(BYSTANDERS) == others

    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    vm.check("for s in $(seq 300); do grep -q resync /proc/mdstat || break; sleep 1; done", timeout=600)
    on_array = _measured(vm, plan, plan.run_id[:8], tmp_path / "array")
    kinds = {task.number: (task.target.kind, task.job.pattern) for task in on_array.bench.tasks}
    assert {("array", "write"), ("array", "read")} < set(kinds.values())
    assert ("disk", "write") not in kinds.values() and ("disks", "write") not in kinds.values()
    array = vm.check(f"realpath {plan.arrays[0].device}").stdout.strip()
    assert vm.run(f"cmp {array} /dev/zero").stderr.startswith("cmp: EOF"), "the array is zero from end to end"
    _refused_with_data_in_the_middle(vm, plan, array)
    assert vm.run(f"mkfs.ext4 -q {array}").exit == 0
    before = vm.check(f"sha256sum {array}").stdout
    held = _confirmed(vm, f"bench {plan.run_id[:8]} --raw write --profile /root/raw.json --seconds 2", plan)
    assert held.exit == 4 and "no signature" in held.stderr and "ext4" in held.stderr, held
    assert vm.check(f"sha256sum {array}").stdout == before
    vm.check(f"wipefs -aq {array}; blkdiscard --zeroout {array}", timeout=400)
    _taken_back(vm, plan)
    assert vm.hash_disks(BYSTANDERS) == others


def _refused_while_something_is_there(vm: Machine, plan: Plan) -> None:
    """A file system that appeared after the plan stops the benchmark before it writes."""
    path = plan.disks[1].path
    vm.check(f"mkfs.ext4 -q {path}; udevadm settle; sync")
    before = vm.hash_disks(SERIALS)
    told = _confirmed(vm, "bench /root/plan/plan.json --raw write --profile /root/raw.json", plan)
    assert told.exit == 4, told
    assert vm.hash_disks(SERIALS) == before
    vm.erase_disks([plan.disks[1].serial or ""])
    vm.check(f"udevadm trigger --settle {path}")


def _refused_with_data_in_the_middle(vm: Machine, plan: Plan, array: str) -> None:
    """20 MiB without a signature between the ends of the array, where the benchmark would write."""
    vm.check(f"dd if=/dev/urandom of={array} bs=1M seek=100 count=20 oflag=direct status=none")
    before = vm.check(f"sha256sum {array}").stdout
    told = _confirmed(vm, f"bench {plan.run_id[:8]} --raw write --profile /root/raw.json --seconds 2", plan)
    assert told.exit != 0 and "holds data at byte 104857600" in f"{told.stdout}{told.stderr}", told
    assert vm.check(f"sha256sum {array}").stdout == before
    vm.check(f"blkdiscard --zeroout --offset={100 * MIB} --length={20 * MIB} {array}")


def _measured(vm: Machine, plan: Plan, target: str, folder: Path) -> BenchResult:
    """The result of a benchmark that writes, in its band, with what fio printed and the rate of every disk."""
    vm.check("rm -rf /root/bench")
    words = f"bench {target} --raw write --profile /root/raw.json --out /root/bench"
    said = vm.run(f"raidtui {words} --yes --confirm {plan.digest}", timeout=3600)
    print(said.stdout)
    assert said.exit == 0, said
    folder.mkdir()
    result = store.load(_fetched(vm, "/root/bench", folder))
    assert (result.outcome, result.bench.plan_digest) == ("finished", plan.digest)
    _figures_are_fio_s(folder, result)
    rows = compare_result(result)
    for row in rows:
        print(row)
    assert [row for row in rows if row.task and row.verdict in ("low", "high")] == []
    for figure in result.figures:
        task = result.bench.tasks[figure.task - 1]
        if task.target.kind != "disk":
            assert figure.seen is not None
            rates = figure.seen.disk_read_bytes_per_s if task.job.only_reads else figure.seen.disk_write_bytes_per_s
            assert len(rates) == 3 and all(0.8 * SPEED < rate < 1.1 * SPEED for rate in rates.values()), rates
    journal = (folder / "journal").read_text()
    assert journal.count('"kind":"intent"') == journal.count('"kind":"result"') > 0
    return result
