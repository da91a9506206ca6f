"""The model with this machine's own figures: what they replace, and what is left to widen a band."""

from dataclasses import replace

import pytest

from raidtui.answers.speed import width_driver
from raidtui.machine.inventory import shipped
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory, MeasuredSpeed
from raidtui.values.notation import parse
from raidtui.values.speed import (
    MD_THREAD,
    MEMORY_CHANNELS,
    ArraySpread,
    Limit,
    MachineFigures,
    MeasuredFigure,
    MeasuredLink,
    Throughput,
)
from tests.planner.pools import headline

MB = 1_000_000
DAY = "2026-01-31"


def _speed(inventory: Inventory, layout: str, assumptions: Assumptions = DEFAULTS) -> Throughput:
    return headline(Design(layout=parse(layout)), inventory, assumptions)


def _measured(inventory: Inventory, rate: int) -> Inventory:
    found = MeasuredSpeed(
        outer_bytes_per_s=rate, middle_bytes_per_s=rate * 4 // 5, inner_bytes_per_s=rate // 2, read_iops=90,
        error=1.02, day=DAY, kernel="6.1.0",
    )  # fmt: skip
    return replace(inventory, disks=tuple(replace(disk, measured=found) for disk in inventory.disks))


def _figure(rate: int) -> MeasuredFigure:
    return MeasuredFigure(bytes_per_s=rate, error=1.15, how="copied", day=DAY, kernel="6.1.0")


def test_a_measured_disk_has_its_zones_its_random_rate_and_its_error() -> None:
    pool = _measured(shipped.load("e2660"), 150 * MB)
    found = _speed(pool, "(12+2)")
    assert (found.disk.read_iops, found.disk.write_iops, found.disk.inner_share) == (90, 90, 0.5)
    assert found.mean_share == pytest.approx((150 + 4 * 120 + 75) / 6 / 150)
    assert found.disk.basis == "read alone on 2026-01-31, kernel 6.1.0"
    assert (found.disk.low, found.disk.high) == (1 / 1.02, 1.02)
    assert found.rand_read.iops == 14 * 90


def test_a_rate_that_only_the_program_bounded_does_not_lower_flash() -> None:
    pool = shipped.load("nvme24")
    asked = MeasuredSpeed(outer_bytes_per_s=3000 * MB, day=DAY, read_iops=21_000, iops_at_least=True)
    first, *others = pool.disks
    plain = _speed(pool, "raid10(24)").rand_read.iops
    assert _speed(replace(pool, disks=(replace(first, measured=asked), *others)), "raid10(24)").rand_read.iops == plain


def test_a_narrow_link_is_believed_and_named() -> None:
    pool = _measured(shipped.load("e2660"), 150 * MB)
    controller = pool.disks[0].place.controller or ""
    members = tuple(disk.id for disk in pool.disks if disk.place.controller == controller)
    slot = MeasuredLink(
        limit=Limit("PCIe slot", controller), disks=members, bytes_per_s=800 * MB, alone_bytes_per_s=9000 * MB,
        at_least=False, error=1.02, day=DAY, kernel="6.1.0",
    )  # fmt: skip
    found = _speed(replace(pool, figures=MachineFigures(links=(slot,))), "(12+2)")
    assert found.seq_read.bottleneck == Limit("PCIe slot", controller)
    assert found.seq_read.ceilings[found.seq_read.bottleneck] == 1600 * MB  # half of the members
    assert found.seq_read.high <= 1600 * MB * 1.02
    lowest = found.explained["seq_read"][0]
    assert lowest.source == "measured"
    assert lowest.formula.startswith(f"read by {len(members)} disks at once on 2026-01-31, kernel 6.1.0 = 800 MB/s")


def test_a_link_that_carried_more_than_its_lower_end_is_narrowed_from_below() -> None:
    pool = shipped.load("pod45")
    before = _speed(pool, "raid0(5)")
    limit = Limit("PCIe slot", pool.disks[0].place.controller or "")
    assert before.seq_read.bottleneck == limit
    point = round(1.2 * before.seq_read.ceilings[limit])
    seen = MeasuredLink(
        limit=limit, disks=("a", "b", "c", "d", "e"), bytes_per_s=point, alone_bytes_per_s=point, at_least=True,
        error=1.02, day=DAY, kernel="6.1.0",
    )  # fmt: skip
    after = _speed(replace(pool, figures=MachineFigures(links=(seen,))), "raid0(5)")
    assert after.seq_read.ceilings[limit] >= point
    assert after.seq_read.low > before.seq_read.low
    assert after.seq_read.high <= 0.8 * 250 * MB  # the upper end of what is known of such slots


def test_memory_and_the_kernels_parity_code_bound_what_they_bound() -> None:
    pool = shipped.load("nvme24")
    own = replace(pool, figures=MachineFigures(memory=_figure(20_000 * MB), raid6=_figure(500 * MB)))
    found = _speed(own, "(22+2)")
    assert found.seq_read.ceilings[MEMORY_CHANNELS] == 10_000 * MB
    assert found.seq_write.ceilings[MD_THREAD] == 500 * MB
    assert _speed(pool, "(22+2)").seq_write.ceilings[MD_THREAD] == 1200 * MB
    quick = replace(pool, figures=MachineFigures(raid6=_figure(25_000 * MB)))
    assert _speed(quick, "(22+2)").seq_write.ceilings[MD_THREAD] == 1200 * MB
    stated = _speed(own, "(22+2)", Assumptions(memory_bytes_per_s=99_000 * MB, md_write_bytes_per_s=900 * MB))
    assert stated.seq_read.ceilings[MEMORY_CHANNELS] == 49_500 * MB
    assert stated.seq_write.ceilings[MD_THREAD] == 900 * MB


def test_writes_measured_with_one_thread_say_nothing_of_several() -> None:
    pool = shipped.load("nvme24")
    own = replace(pool, figures=MachineFigures(md_write=_figure(500 * MB)))
    several = Assumptions(parity_threads=4)
    assert _speed(own, "(22+2)").seq_write.ceilings[MD_THREAD] == 500 * MB
    assert _speed(own, "(22+2)", several).seq_write.ceilings == _speed(pool, "(22+2)", several).seq_write.ceilings


def test_memory_that_the_processors_could_not_fill_is_known_from_below() -> None:
    pool = shipped.load("nvme24")
    guessed = _speed(pool, "(22+2)").seq_read.ceilings[MEMORY_CHANNELS]
    slow = replace(_figure(100 * MB), at_least=True)  # copies on an emulated processor
    below = _speed(replace(pool, figures=MachineFigures(memory=slow)), "(22+2)").seq_read
    assert below.ceilings[MEMORY_CHANNELS] == guessed
    fast = replace(_figure(290_000 * MB), at_least=True)
    above = _speed(replace(pool, figures=MachineFigures(memory=fast)), "(22+2)").seq_read
    assert guessed < above.ceilings[MEMORY_CHANNELS] <= 2 * guessed


def test_no_benchmark_makes_the_model_expect_more_than_a_ceiling() -> None:
    pool = _measured(shipped.load("e2660"), 60 * MB)
    scatter = ArraySpread(work="disk sequential", ratio=1.4, figures=6, day=DAY, kernel="6.1.0")
    found = _speed(replace(pool, figures=MachineFigures(scatter=(scatter,))), "raid10(14)").seq_write
    assert found.bytes_per_s == found.ceilings[found.bottleneck]
    assert found.low <= found.bytes_per_s <= found.high


def test_a_benchmarked_machine_has_a_narrow_band_and_says_what_is_left() -> None:
    pool = _measured(shipped.load("e2660"), 60 * MB)
    before = _speed(pool, "raid10(14)").seq_write
    scatter = ArraySpread(work="disk sequential", ratio=0.98, figures=6, day=DAY, kernel="6.1.0")
    after = _speed(replace(pool, figures=MachineFigures(scatter=(scatter,))), "raid10(14)").seq_write
    assert width_driver(before).endswith("from scatter between arrays")
    assert before.high / before.low == pytest.approx(1.52, abs=0.03)
    assert after.high / after.low < 1.2
    assert (
        "The band of disk sequential follows from 6 benchmarks of this machine, the last on 2026-01-31, kernel 6.1.0."
        in _speed(replace(pool, figures=MachineFigures(scatter=(scatter,))), "raid10(14)").notes
    )
    assert after.bytes_per_s == pytest.approx(0.98 * after.ceilings[after.bottleneck], rel=0.01)
