from __future__ import annotations

from dataclasses import replace

from raidtui.machine.gauges.rates import IDLE
from raidtui.machine.gauges.scene import scene_of
from raidtui.machine.gauges.slow_disks import laggards
from raidtui.machine.inventory import shipped
from raidtui.simulated.loads import UNREST, SimulatedTicks, demonstration, unsteady
from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedDisk

SCENE = Scene(host="x", disks=(WatchedDisk(name="sda"), WatchedDisk(name="sdb")))
BUSY = Gauge(
    read_bytes_per_s=1e8, write_bytes_per_s=0.0, read_iops=200.0, write_iops=0.0, util=1.0, await_ms=5.0, queue=1.0
)


def run(times: list[float]) -> list[Tick]:
    now = iter(times)
    ticks = SimulatedTicks(SCENE, lambda at: {"sda": BUSY if at >= 2 else IDLE, "sdb": BUSY}, clock=lambda: next(now))
    return [ticks.take() for _ in times[1:]]


def test_it_is_simulated_whatever_the_scene_says() -> None:
    assert SimulatedTicks(SCENE, lambda _: {}).scene == replace(SCENE, simulated=True)


def test_the_load_by_time_and_the_same_in_every_run() -> None:
    first, second = run([100.0, 101.0, 103.5]), run([100.0, 101.0, 103.5])
    assert first == second
    assert [(tick.time, tick.seconds) for tick in first] == [(101.0, 1.0), (103.5, 2.5)]
    assert (first[0].disks["sda"], first[1].disks["sda"].read_bytes_per_s > 9e7) == (IDLE, True)


def test_unrest_is_small_and_unlike_from_disk_to_disk() -> None:
    rates = [unsteady(BUSY, f"sda {n}").read_bytes_per_s for n in range(200)]
    assert 1e8 * (1 - UNREST) <= min(rates) < 0.98e8
    assert 1.02e8 < max(rates) <= 1e8 * (1 + UNREST)
    assert unsteady(IDLE, "sda 1") == IDLE
    assert all(unsteady(BUSY, f"sda {n}").util <= 1 for n in range(50))


def test_arrays_as_they_are_said() -> None:
    array = ArrayGauge(gauge=IDLE, state="clean")
    assert SimulatedTicks(SCENE, lambda _: {}, arrays=lambda _: {"md0": array}).take().arrays == {"md0": array}


def test_a_demonstration_has_one_slow_disk() -> None:
    scene = scene_of(shipped.load("nas4"))
    assert [disk.slot for disk in scene.disks] == ["bay 1", "bay 2", "bay 3", "bay 4"]
    pod = scene_of(shipped.load("pod45"))
    clock = iter(map(float, range(300)))
    ticks = SimulatedTicks(pod, demonstration(pod), clock=lambda: next(clock))
    seen = [ticks.take() for _ in range(100)]
    assert all(set(tick.disks) == {disk.name for disk in pod.disks} for tick in seen)
    (slow,) = laggards(pod, seen)
    assert (slow.name, round(slow.share, 1)) == (pod.disks[15].name, 0.3)
