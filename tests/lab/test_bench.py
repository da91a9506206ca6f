"""Measured against predicted on real md: disks of known speed, one of them slow, built, benchmarked, taken back.

The disks are flash that their limits hold at a fixed rate, so that the emulated processor is never what binds. Every
figure is recomputed here from what fio printed, without the code that made it.
"""

from __future__ import annotations

import io
import json
import statistics
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.bench import store
from raidtui.bench.compare import compare_result
from raidtui.values.bench import BenchResult, Compared
from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_build import _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.steady, pytest.mark.long]

SPEED = 6_000_000
"""bytes a second of a disk, both ways together"""
SLOW = "LAB0005"
SERIALS = [f"LAB{number:04d}" for number in range(1, 14)]
STRIPE = 4 * MIB
"""as much as both arrays and the requests behind them take at once"""
SUITES = ("ladder", "survey", "streams")
BYSTANDERS = ["BY0001", "BY0002"]
SHORT = {
    "schema": "raidtui/profile/1",
    "name": "short",
    "title": "A ladder in minutes",
    "purpose": "The upper steps of the ladder once, for a test.",
    "jobs": [
        {"name": name, "title": name, "target": target, "pattern": pattern, "block_bytes": MIB, "depth": depth,
         "streams": streams, "seconds": 8.0, "warm_up_seconds": 3.0, "repeats": 1, "predicted": predicted}
        for name, target, pattern, streams, depth, predicted in (
            ("array", "array", "read", 1, 16, "seq_read"),
            ("file-write", "files", "write", 4, 4, "seq_write"),
            ("file-read", "files", "read", 4, 4, "seq_read"),
        )
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def throttled(lab_image: Image) -> Iterator[Machine]:
    """Thirteen disks of known speed, one at 60 % of it, and two that belong to somebody."""
    disks = [
        replace(disk, bps=SPEED * 6 // 10 if disk.serial == SLOW else SPEED)
        for disk in lab_disks(13, bytes=320 * MIB, rotation=1, controllers=2)
    ]
    with Machine([*disks, *lab_disks(2, prefix="BY", bytes=256 * MIB)], using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        _skip_initramfs(vm)
        for number, path in enumerate(vm.disk_paths(BYSTANDERS).values()):
            vm.check(f"mkfs.ext4 -q -L theirs{number} {path}")
        vm.put("/root/short.json", json.dumps(SHORT).encode())
        vm.check("udevadm settle; sync")
        yield vm


@pytest.mark.parametrize("profile", ["/root/short.json", *SUITES])
def test_what_is_measured_is_what_was_predicted(throttled: Machine, tmp_path: Path, profile: str) -> None:
    vm = throttled
    others = vm.hash_disks(BYSTANDERS)
    vm.check("raidtui disks --measure", timeout=400)
    plan = _planned(vm, "2x(4+2)+1", SERIALS)
    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    length = "" if profile.startswith("/") else "--seconds 10 --repeats 2"
    vm.check("rm -rf /root/bench")
    said = vm.run(f"raidtui bench {plan.run_id[:8]} --profile {profile} {length} --yes --out /root/bench", timeout=3600)
    print(said.stdout)
    assert said.exit == 0, said
    folder = _fetched(vm, "/root/bench", tmp_path)
    result = store.load(folder)
    assert (result.outcome, result.bench.simulated, result.bench.plan_digest) == ("finished", False, plan.digest)
    _figures_are_fio_s(folder, result)
    _as_predicted(result)
    left = vm.check("ls -A /srv/data; pgrep -x fio || true").stdout
    assert left == "", left
    _taken_back(vm, plan)
    assert vm.hash_disks(BYSTANDERS) == others


def _fetched(vm: Machine, place: str, folder: Path) -> Path:
    vm.check(f"tar -C {place} -czf /root/bench.tgz .")
    with tarfile.open(fileobj=io.BytesIO(vm.get("/root/bench.tgz"))) as packed:
        packed.extractall(folder, filter="data")
    return folder


def _figures_are_fio_s(folder: Path, result: BenchResult) -> None:
    """Median of what fio itself says it read and wrote a second, over all its jobs."""
    for figure in result.figures:
        values = []
        for repeat in figure.repeats:
            printed = (folder / repeat.fio).read_text()
            jobs = json.loads(printed[printed.index("{") : printed.rindex("}") + 1])["jobs"]
            sides = [job[side] for job in jobs for side in ("read", "write")]
            values.append(sum(side["bw_bytes"] if figure.unit == "B/s" else side["iops"] for side in sides))
            assert all(job["error"] == 0 for job in jobs)
        assert figure.median == pytest.approx(statistics.median(values), rel=0.002), figure


def _as_predicted(result: BenchResult) -> None:
    """Within the bands, the slow disk named by serial, the limit seen the one that was predicted.

    What keeps less than a stripe in flight is bound by more than one thing, and a queue that takes the whole warm-up to
    fill is not full while it is measured: those are printed only.
    """
    job = {task.number: task.job for task in result.bench.tasks}
    rows = [row for row in compare_result(result) if row.task and job[row.task].predicted]
    for row in rows:
        print(row)
    in_flight = {number: each.block_bytes * each.streams * each.depth for number, each in job.items()}
    settled = [row for row in rows if STRIPE <= in_flight[row.task] < each_second(row) * job[row.task].warm_up_seconds]
    assert len(settled) * 3 >= len(rows)
    assert [row for row in settled if row.verdict not in ("ok", "not comparable")] == []
    slow = next(disk.id for disk in result.bench.disks if disk.serial == SLOW)
    assert any(slow in figure.seen.slow_disks for figure in result.figures if figure.seen)
    assert any(SLOW in str(row.note) for row in rows)
    seen = [(row.limit_predicted, row.limit_seen) for row in settled if row.limit_seen.known]
    assert seen and all(found.agrees_with(predicted) for predicted, found in seen), seen


def each_second(row: Compared) -> float:
    """Bytes a second of a figure in them."""
    return row.measured if row.unit == "B/s" else float("inf")
