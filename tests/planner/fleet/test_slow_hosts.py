"""Slow hosts among their peers, and hosts sorted by what is to be seen to."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.model.fleet.gauges import FleetTick, HostGauges
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.gauges import ArrayGauge, Scene, Tick, WatchedDisk
from raidtui.planner.fleet.gauge_lines import fleet_table
from raidtui.planner.fleet.host_rows import host_rows
from raidtui.planner.fleet.slow_hosts import SlowHosts
from tests.tui.gauge_scenes import gauge

DISKS = tuple(f"sd{letter}" for letter in "abcd")
LATE = HostProblem(state="timed-out", sentence="no answer within 10 s")


def scene(model: str = "M") -> Scene:
    return Scene(host="n", disks=tuple(WatchedDisk(name=name, model=model, size_bytes=9) for name in DISKS))


def host(
    name: str, rates: Mapping[str, float] | None, *, util: float = 1.0, model: str = "M", degraded: int = 0,
    problem: HostProblem | None = None,
) -> HostGauges:  # fmt: skip
    """A host whose disks read at `rates` MB/s, busy for `util` of the time."""
    arrays = {"md0": ArrayGauge(gauge=gauge(), state="clean", degraded=degraded)} if degraded else {}
    tick = None
    if rates is not None:
        disks = {disk: gauge(rate, util=util) for disk, rate in rates.items()}
        tick = Tick(time=1.0, seconds=5.0, disks=disks, arrays=arrays)
    age = None if tick is None else 7.0 if problem is not None else 0.0
    return HostGauges(host=name, scene=scene(model), tick=tick, age_s=age, problem=problem)


def judged(count: int, *hosts: HostGauges) -> tuple[FleetTick, SlowHosts]:
    slow = SlowHosts()
    tick = FleetTick(time=1.0, seconds=5.0, hosts={each.host: each for each in hosts})
    for _ in range(count):
        slow.add(tick)
    return tick, slow


def test_a_host_whose_disks_move_less_per_busy_second() -> None:
    usual = dict.fromkeys(DISKS, 100.0)
    hosts = [host(f"n{n}", usual) for n in range(4)]
    _, slow = judged(6, *hosts, host("n9", dict.fromkeys(DISKS, 60.0)))
    assert {name: round(each.share, 6) for name, each in slow.hosts().items()} == {"n9": 0.4}
    assert judged(4, *hosts, host("n9", dict.fromkeys(DISKS, 60.0)))[1].hosts() == {}  # too few ticks


def test_less_load_is_not_slow_and_longer_requests_are() -> None:
    usual = dict.fromkeys(DISKS, 100.0)
    hosts = [host(f"n{n}", usual) for n in range(4)]
    half = dict.fromkeys(DISKS, 50.0)
    assert judged(9, *hosts, host("n9", half, util=0.5))[1].hosts() == {}
    one = {"sda": 100.0, "sdb": 0.0, "sdc": 0.0, "sdd": 0.0}
    busy = HostGauges(
        host="n9", scene=scene(), age_s=0.0,
        tick=Tick(time=1.0, seconds=5.0, disks={name: gauge(rate, util=rate / 100) for name, rate in one.items()}),
    )  # fmt: skip
    assert judged(9, *hosts, busy)[1].hosts() == {}
    assert list(judged(9, *hosts, host("n9", half, util=1.0))[1].hosts()) == ["n9"]


def test_other_disks_are_no_peers() -> None:
    usual = dict.fromkeys(DISKS, 100.0)
    hosts = [host(f"n{n}", usual) for n in range(4)]
    assert judged(9, *hosts, host("n9", dict.fromkeys(DISKS, 10.0), model="old"))[1].hosts() == {}


def test_a_slow_disk_among_those_of_its_host() -> None:
    _, slow = judged(6, host("n1", {**dict.fromkeys(DISKS, 100.0), "sdc": 70.0}))
    assert [(each.name, round(each.share, 6)) for each in slow.disks("n1")] == [("sdc", 0.3)]
    assert slow.disks("n2") == ()


def test_the_worst_first_and_a_host_without_an_answer_never_as_zero() -> None:
    usual = dict.fromkeys(DISKS, 100.0)
    tick, slow = judged(
        6, host("fine2", usual), host("fine1", usual), host("fine0", usual), host("young", None),
        host("late", usual, problem=LATE), host("slow", dict.fromkeys(DISKS, 60.0)),
        host("disk", {**usual, "sdc": 70.0}), host("lacks", usual, degraded=1),
    )  # fmt: skip
    rows = host_rows(tick, slow)
    assert [(row.host, row.condition) for row in rows] == [
        ("late", "no answer"), ("slow", "slow"), ("lacks", "degraded"), ("disk", "slow disks"), ("fine2", "running"),
        ("fine1", "running"), ("fine0", "running"), ("young", "first answer"),
    ]  # fmt: skip
    assert [row.sentence for row in rows] == [
        "no answer for 7 s: no answer within 10 s", "40 % below its peers for 30 s", "1 member missing",
        "1 slow disk, sdc 30 % below", "", "", "", "answered once",
    ]  # fmt: skip
    lines = fleet_table(tick, slow, simulated=False)
    assert lines[0] == "5.0 s, 7 of 8 hosts answered"
    assert lines[2] == f"late{'4':>22}{' ' * 52}no answer for 7 s: no answer within 10 s"
    assert lines[6].split() == ["fine2", "4", "400.0", "0.0", "400", "100", "%", "12.00", "16.00"]
