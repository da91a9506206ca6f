from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.machine.gauges.sampler import SystemTicks, Temperatures
from raidtui.machine.gauges.scene import scene_of
from raidtui.values.gauges import Scene, Tick
from tests.machine.watched import ROW, array, link, machine, put, stats, threads

BUSY = "1100 0 208000 900 10 0 80 20 0 1000 1100 0 0 0 0 0 0"
NOBODY = Scene(host="x", disks=())


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seconds pass between any two looks."""
    now = iter(range(1000, 9000, 2))
    monkeypatch.setattr("raidtui.machine.gauges.sampler.time.monotonic", lambda: float(next(now)))


def rows(*disks: str, **changed: str) -> dict[str, str]:
    return dict.fromkeys(disks, ROW) | changed


def test_whole_disks_and_nothing_else(tmp_path: Path) -> None:
    root = machine(tmp_path)
    ticks = SystemTicks(NOBODY, str(root))
    stats(root, rows("sda", "sdb", "sdc", "sdd", "sde", "sdf", "loop0", "dm-0", "sr0", "nvme0c0n1", "sda1", "sdb1"))
    assert list(ticks.take().disks) == ["sda", "sdb", "sdc", "sdd", "sde", "sdf"]


def test_a_tick(tmp_path: Path) -> None:
    root = machine(tmp_path, ("sda", "sdb"))
    stats(root, rows("sda", "sdb"))
    ticks = SystemTicks(NOBODY, str(root))
    stats(root, rows("sda", "sdb", sdb=BUSY))
    put(root, {"proc/stat": "cpu  150 0 120 830 0 0 0 0 0 0\n"})
    tick = ticks.take()
    assert (tick.seconds, tick.busy_share, tick.arrays, tick.temperatures) == (2.0, 0.7, {}, {})
    assert (tick.disks["sda"].util, tick.disks["sdb"].read_bytes_per_s) == (0.0, 200000 * 512 / 2)
    assert (tick.disks["sdb"].read_iops, tick.disks["sdb"].await_ms, tick.disks["sdb"].util) == (50.0, 4.0, 0.2)
    again = ticks.take()
    assert {gauge.util for gauge in again.disks.values()} == {0.0}


def test_disks_that_come_and_go(tmp_path: Path) -> None:
    root = machine(tmp_path, ("sda", "sdb", "sdc"))
    stats(root, rows("sda", "sdb"))
    ticks = SystemTicks(NOBODY, str(root))
    stats(root, rows("sdb", "sdc", sdb=BUSY))
    tick = ticks.take()
    assert {name: gauge.read_iops for name, gauge in tick.disks.items()} == {"sdb": 50.0, "sdc": 0.0}


def test_an_array_its_sync_and_its_threads(tmp_path: Path) -> None:
    root = machine(tmp_path)
    array(root, "md127", "raid6", {"sda": ("0", "in_sync")})
    array(root, "md3", "raid1", {}, array_state="clear\n")
    put(root, {"proc/mdstat": ""})
    table = rows("sda", "md127", "md3")
    stats(root, table)
    threads(root, {"kthreadd": 0, "md127_raid6": 100, "kworker/0:1-raid5wq": 500})
    ticks = SystemTicks(scene_of(root=str(root)), str(root))
    threads(root, {"kthreadd": 0, "md127_raid6": 150, "kworker/0:1-raid5wq": 900})
    stats(root, table | {"md127": BUSY})
    tick = ticks.take()
    (name, found), *more = tick.arrays.items()
    assert (name, more, list(tick.disks)) == ("md127", [], ["sda"])
    assert (found.state, found.degraded, found.sync_action, found.sync_done) == ("clean", 0, "idle", None)
    assert found.gauge.read_bytes_per_s == 200000 * 512 / 2
    assert found.thread_share == 0.25  # 50 of 200 ticks

    _recover(root, 25, "250000/1000000")
    threads(root, {"kthreadd": 0, "md127_raid6": 150, "md127_resync": 0})
    tick = ticks.take()
    found = tick.arrays["md127"]
    assert (found.degraded, found.sync_action, found.sync_done, found.sync_bytes_per_s) == (1, "recover", 0.25, 0.0)
    assert found.thread_share == 0.0

    _recover(root, 26, "260000/1000000")
    threads(root, {"kthreadd": 0, "md127_raid6": 170, "md127_resync": 60})
    found = ticks.take().arrays["md127"]
    assert (found.sync_done, round(found.sync_bytes_per_s)) == (0.26, 10_000 * 1024 // 2)
    assert found.thread_share == 0.4

    put(root, {"sys/devices/virtual/block/md127/md/array_state": "clear\n"})
    assert ticks.take().arrays == {}


def _recover(root: Path, percent: int, where: str) -> None:
    put(root / "sys/devices/virtual/block/md127/md", {"sync_action": "recover\n", "degraded": "1\n"})
    text = f"md127 : active raid6 sda[0]\n      [==>..]  recovery = {percent}.0% ({where}) finish=1min speed=1K/sec\n"
    put(root, {"proc/mdstat": text})


def test_an_array_that_is_assembled_later(tmp_path: Path) -> None:
    root = machine(tmp_path, ("sda",))
    stats(root, rows("sda"))
    ticks = SystemTicks(NOBODY, str(root))
    array(root, "md_x y", "raid1", {})
    stats(root, rows("sda", "md_x y"))
    assert list(ticks.take().arrays) == ["md_x y"]


def test_temperatures_of_disks_at_work_once_a_minute(tmp_path: Path) -> None:
    put(
        tmp_path,
        {f"sys/class/hwmon/hwmon{n}/name": f"{kind}\n" for n, kind in enumerate(("acpitz", "drivetemp", "nvme"))},
    )
    put(
        tmp_path,
        {f"sys/class/hwmon/hwmon{n}/temp1_input": f"{degrees}\n" for n, degrees in enumerate((1000, 41500, 38000))},
    )
    put(tmp_path, {"devices/0:0:0:0/block/sda/size": "1\n", "devices/nvme0/nvme0c0n1/size": "1\n"})
    link(tmp_path / "sys/class/hwmon/hwmon1/device", tmp_path / "devices/0:0:0:0")
    link(tmp_path / "sys/class/hwmon/hwmon2/device", tmp_path / "devices/nvme0")
    now = [1000.0]
    sensors = Temperatures(str(tmp_path), lambda: now[0])
    assert sensors.take(lambda _: True) == {}
    sensors.line_up()
    assert sensors.take(lambda _: False) == {}  # whoever rests may sleep
    assert sensors.take({"sda"}.__contains__) == {"sda": 42}
    assert sensors.take(lambda _: True) == {"sda": 42, "nvme0n1": 38}
    put(tmp_path, {"sys/class/hwmon/hwmon1/temp1_input": "50000\n"})
    now[0] += 59
    assert sensors.take(lambda _: True)["sda"] == 42
    now[0] += 1
    assert sensors.take(lambda _: True)["sda"] == 50
    now[0] += 600
    assert sensors.take(lambda _: False) == {}


def test_one_slow_drive_keeps_the_others_for_the_next_tick(tmp_path: Path) -> None:
    for number in range(3):
        top = f"sys/class/hwmon/hwmon{number}"
        put(
            tmp_path,
            {f"{top}/name": "drivetemp\n", f"{top}/temp1_input": "30000\n", f"{top}/device/block/sd{number}/x": ""},
        )
    now = iter([float(n) for n in range(100)])  # a second for every look at the clock
    sensors = Temperatures(str(tmp_path), lambda: next(now))
    sensors.line_up()
    assert [list(sensors.take(lambda _: True)) for _ in range(3)] == [["sd0"], ["sd0", "sd1"], ["sd0", "sd1", "sd2"]]


def test_ticks_of_this_very_machine() -> None:
    tick = SystemTicks(scene_of()).take()
    assert isinstance(tick, Tick)
    assert all(0 <= gauge.util <= 1 for gauge in tick.disks.values())
