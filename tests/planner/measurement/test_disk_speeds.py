"""Which figures of a benchmark the planner takes for a disk's speed, and which it does not."""

from dataclasses import replace
from typing import Any

import pytest

from raidtui.bench.expected import measured_disk_speeds
from raidtui.predict.speed.disk_speed import disk_speed
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.bench import BenchResult, Figure, Label, Repeat, Target
from raidtui.values.inventory import Inventory, MeasuredSpeed
from tests.planner.benches import MB, bench, figure, inventory, result, target, task
from tests.planner.pools import TB

MACHINE = replace(inventory(), origin="machine")


def alone(size: int = 20 * TB) -> Target:
    return replace(target("disk", "bay 1", ["disk-001"]), size_bytes=size)


def run(on: Target | None = None, *labels: Label, value: float = 250 * MB, **job: Any) -> BenchResult:
    said: dict[str, Any] = {"predicted": "disk", "depth": 4} | job
    asked = task(1, on or alone(), **said)
    return result(bench([asked]), figure(1, value, *labels))


def test_a_disk_read_alone_is_kept_and_shown_as_measured() -> None:
    found = measured_disk_speeds(run(), MACHINE)
    assert found == {"disk-001": MeasuredSpeed(outer_bytes_per_s=250 * MB, day="2026-01-31")}
    speed = disk_speed(replace(MACHINE.disks[1], measured=found["disk-001"]), DEFAULTS)
    assert (speed.source, speed.basis) == ("measured", "read alone on 2026-01-31")
    assert (speed.read_bytes_per_s, speed.inner_share) == (250 * MB, 0.48)


def test_the_inner_zone_that_was_measured_before_stays() -> None:
    before = {"disk-001": MeasuredSpeed(outer_bytes_per_s=240 * MB, inner_bytes_per_s=120 * MB, day="2025-12-31")}
    assert measured_disk_speeds(run(), MACHINE, before)["disk-001"] == MeasuredSpeed(
        outer_bytes_per_s=250 * MB, inner_bytes_per_s=120 * MB, day="2026-01-31"
    )


@pytest.mark.parametrize("label", ["syncing", "cached", "disturbed", "partial", "simulated"])
def test_a_spoilt_figure_is_not_kept(label: Label) -> None:
    assert measured_disk_speeds(run(None, label), MACHINE) == {}


def test_a_short_figure_is_kept_from_two_seconds_on() -> None:
    whole = run(None, "short")
    assert len(measured_disk_speeds(whole, MACHINE)) == 1

    def lasting(seconds: float, errors: int = 0) -> BenchResult:
        repeat = Repeat(value=250 * MB, began=0, ended=seconds, errors=errors)
        return replace(whole, figures=(replace(whole.figures[0], repeats=(repeat,)),))

    assert len(measured_disk_speeds(lasting(2), MACHINE)) == 1
    assert measured_disk_speeds(lasting(1.9), MACHINE) == {}
    assert measured_disk_speeds(lasting(30, errors=1), MACHINE) == {}


def test_only_sequential_direct_reads_of_one_disk_of_the_same_size_count() -> None:
    for wrong in (
        run(pattern="randread"), run(direct=False), run(block_bytes=4096), run(streams=2),
        run(alone(19 * TB)), run(replace(alone(), kind="disks")), run(replace(alone(), disks=("disk-999",))),
        run(replace(alone(), disks=("disk-001", "disk-002"))), run(value=0),
    ):  # fmt: skip
        assert measured_disk_speeds(wrong, MACHINE) == {}


def test_a_small_rotating_disk_was_read_beyond_its_outer_zone() -> None:
    disks = (replace(MACHINE.disks[1], size_bytes=10**10),)
    small: Inventory = replace(MACHINE, disks=disks)
    assert measured_disk_speeds(run(alone(10**10)), small) == {}
    flash: Inventory = replace(small, disks=(replace(disks[0], rotational=False),))
    assert len(measured_disk_speeds(run(alone(10**10)), flash)) == 1


def test_nothing_simulated_is_ever_kept() -> None:
    assert measured_disk_speeds(run(), inventory()) == {}
    real = run()
    assert measured_disk_speeds(replace(real, bench=replace(real.bench, simulated=True)), MACHINE) == {}


def test_a_figure_of_a_task_that_is_not_there_is_passed_over() -> None:
    stray: Figure = figure(7, 250 * MB)
    assert measured_disk_speeds(result(bench([]), stray), MACHINE) == {}
