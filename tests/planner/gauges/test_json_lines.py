from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.gauges.rates import IDLE, tick_json, watch_line
from raidtui.machine.gauges.slow_disks import Laggard, tick_table
from raidtui.values.codec import from_json
from raidtui.values.gauges import ArrayGauge, Gauge, Scene, Tick, WatchedArray, WatchedDisk

BUSY = Gauge(
    read_bytes_per_s=181234567.25, write_bytes_per_s=512.0, read_iops=345.678, write_iops=1.0, util=0.98765,
    await_ms=2.8935, read_await_ms=2.9, write_await_ms=0.5, queue=1.0006,
)  # fmt: skip
SYNCING = ArrayGauge(
    gauge=IDLE,
    state="clean",
    degraded=1,
    sync_action="recover",
    sync_done=0.125,
    sync_bytes_per_s=1e8,
    thread_share=0.4,
)
TICK = Tick(time=1795258336.25, seconds=1.0, disks={"sda": BUSY, "sdb": IDLE}, arrays={"md0": SYNCING}, busy_share=0.5)


def test_the_keys_that_scripts_lean_on() -> None:
    line = json.loads(watch_line(TICK))
    document = line.pop("tick")
    assert line == {"schema": "raidtui/watch-tick/1", "simulated": False}
    assert set(document) == {"time", "seconds", "disks", "arrays", "busy_share"}
    assert document["time"] == 1795258336.25
    assert document["disks"] == {
        "sda": {
            "read_bytes_per_s": 181234567.2, "write_bytes_per_s": 512.0, "read_iops": 345.68, "write_iops": 1.0,
            "util": 0.9877, "await_ms": 2.893, "read_await_ms": 2.9, "write_await_ms": 0.5, "queue": 1.001,
        },
        "sdb": {
            "read_bytes_per_s": 0, "write_bytes_per_s": 0, "read_iops": 0, "write_iops": 0, "util": 0, "await_ms": 0,
            "read_await_ms": 0, "write_await_ms": 0, "queue": 0,
        },
    }  # fmt: skip
    assert document["arrays"]["md0"]["state"] == "clean"
    assert document["arrays"]["md0"]["sync_done"] == 0.125


def test_what_is_said_only_where_there_is_something_to_say() -> None:
    warm = Tick(time=1.0, seconds=1.0, disks={}, temperatures={"sda": 41})
    assert json.loads(watch_line(warm, simulated=True)) == {
        "schema": "raidtui/watch-tick/1", "simulated": True,
        "tick": {
            "time": 1.0, "seconds": 1.0, "disks": {}, "arrays": {}, "temperatures": {"sda": 41}, "busy_share": 0,
        },
    }  # fmt: skip


def test_a_recording_reads_back() -> None:
    back = from_json(Tick, tick_json(TICK), source="a line")
    assert (back.time, back.seconds, back.busy_share) == (1795258336.25, 1.0, 0.5)
    assert (back.disks["sda"].read_await_ms, back.disks["sda"].queue, back.disks["sdb"]) == (2.9, 1.001, IDLE)
    assert back.arrays == {"md0": SYNCING}


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_name_breaks_the_line(name: str, state: str) -> None:
    array = ArrayGauge(gauge=BUSY, state=state)
    tick = Tick(time=1.0, seconds=1.0, disks={name: BUSY}, arrays={name: array}, temperatures={name: 30})
    for line in (watch_line(tick), tick_json(tick)):
        assert line.isascii()
        assert line.isprintable()
        read = json.loads(line)
        assert list(read.get("tick", read)["disks"]) == [name]
        assert read.get("tick", read)["arrays"][name]["state"] == state


def test_the_table() -> None:
    scene = Scene(
        host="store",
        disks=(
            WatchedDisk(name="sdb", slot="bay 1", array="md0", role="member"),
            WatchedDisk(name="sda", serial="S\x1b[31m1"),
        ),
        arrays=(WatchedArray(name="md0", title="data", level="raid6", members=("sdb",)),),
    )
    tick = Tick(time=1.0, seconds=1.0, disks={"sda": BUSY, "sdb": BUSY, "sdz": IDLE}, arrays={"md0": SYNCING},
                temperatures={"sdb": 41}, busy_share=0.256)  # fmt: skip
    slow = Laggard(
        name="sda", share=0.26, seconds=38.0, direction="read", group="md0", busy=0.92, group_busy=0.68, same_rate=True
    )
    lines = tick_table(scene, tick, [slow])
    assert [line.split()[0] for line in lines[2:]] == ["md0", "sdb", "sda", "sdz"]
    assert lines[0] == "1.0 s, processors 26 % busy"
    assert lines[2] == (
        "md0           raid6 data                  0.0      0.0        0        0    0 %    0.00    0.00"
        "  clean, 1 missing, recover 12.5 % 100 MB/s per member, md threads 40 %"
    )
    assert lines[3] == (
        "sdb           bay 1 md0                 181.2      0.0      346        1   99 %    2.89    1.00  41 C"
    )
    assert lines[4].startswith("sda           S\\e[31m1 ")
    assert lines[4].endswith("  busy 92 %, for 38 s")
    assert max(map(len, lines)) < 200


def test_simulated_says_so_on_every_table() -> None:
    assert tick_table(Scene(host="x", simulated=True, disks=()), TICK)[0].startswith("SIMULATED  ")
