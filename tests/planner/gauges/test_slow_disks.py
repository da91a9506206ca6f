from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.gauges.rates import IDLE
from raidtui.machine.gauges.slow_disks import SlowDiskWindow, laggards
from raidtui.values.gauges import Gauge, Scene, Tick, WatchedDisk

NAMES = tuple(f"sd{letter}" for letter in "abcdef")


def scene(*, array: str = "md0", rotational: bool = True, names: tuple[str, ...] = NAMES) -> Scene:
    role = "member" if array else "idle"
    disks = (
        WatchedDisk(name=name, array=array, role="member" if role == "member" else "idle", model="M", size_bytes=9,
                    rotational=rotational)
        for name in names
    )  # fmt: skip
    return Scene(host="x", disks=tuple(disks))


def at(rate: float, util: float, *, write: bool = False, queue: float | None = None) -> Gauge:
    return replace(
        IDLE,
        read_bytes_per_s=0.0 if write else rate,
        write_bytes_per_s=rate if write else 0.0,
        util=util,
        queue=util if queue is None else queue,
    )


def ticks(count: int, **gauges: Gauge) -> list[Tick]:
    return [Tick(time=float(n), seconds=1.0, disks=dict(gauges)) for n in range(count)]


FULL = {name: at(180e6, 1.0) for name in NAMES}


def test_disks_apart_a_slow_one_moves_less() -> None:
    found = laggards(scene(array=""), ticks(20, **{**FULL, "sdc": at(108e6, 1.0)}))
    (slow,) = found
    assert (slow.name, slow.share, slow.seconds, slow.direction, slow.group) == ("sdc", 0.4, 20.0, "read", "M 9")
    assert slow.short == "40 % slower"
    assert slow.sentence("d1s03", scene(array="")) == "d1s03 is 40 % slower than the others, for 20 s"


def test_in_an_array_all_move_the_same_and_the_slow_one_is_busier() -> None:
    together = {name: at(108e6, 0.6, write=True) for name in NAMES}
    found = laggards(scene(), ticks(20, **{**together, "sde": at(108e6, 1.0, write=True)}))
    assert [(each.name, round(each.share, 6), each.direction, each.group) for each in found] == [
        ("sde", 0.4, "write", "md0")
    ]
    assert found[0].short == "busy 100 %"
    assert found[0].sentence("d1s05", scene()) == (
        "d1s05 holds md0 back: busy 100 % for the rate that others reach at 60 %"
    )


def test_a_disk_that_hangs() -> None:
    (found,) = laggards(scene(), ticks(20, **{**FULL, "sda": at(0.0, 1.0)}))
    assert (found.name, found.share) == ("sda", 1.0)


def test_flash_is_judged_by_the_time_of_requests() -> None:
    busy = {name: at(1e9, 1.0, queue=8.0) for name in NAMES}
    found = laggards(scene(rotational=False), ticks(20, **{**busy, "sdb": at(1e9, 1.0, queue=16.0)}))
    assert [(each.name, each.share) for each in found] == [("sdb", 0.5)]
    assert laggards(scene(rotational=True), ticks(20, **{**busy, "sdb": at(1e9, 1.0, queue=16.0)})) == ()


def test_alike_disks_are_no_laggards() -> None:
    assert laggards(scene(), ticks(60, **{**FULL, "sdc": at(160e6, 1.0)})) == ()


def test_one_tick_says_nothing() -> None:
    slow = {**FULL, "sdc": at(20e6, 1.0)}
    assert laggards(scene(), [*ticks(30, **FULL), *ticks(1, **slow), *ticks(29, **FULL)]) == ()
    assert laggards(scene(), ticks(4, **slow)) == ()
    assert [each.name for each in laggards(scene(), ticks(10, **slow))] == ["sdc"]


def test_one_that_caught_up_is_none_any_more() -> None:
    slow = {**FULL, "sdc": at(20e6, 1.0)}
    assert laggards(scene(), [*ticks(40, **slow), *ticks(5, **FULL)]) == ()


def test_a_group_at_rest_tells_nothing() -> None:
    rest = {name: at(18e6, 0.1) for name in NAMES}
    assert laggards(scene(), ticks(60, **{**rest, "sdc": at(9e6, 0.1)})) == ()
    assert laggards(scene(), ticks(60, **dict.fromkeys(NAMES, IDLE))) == ()


def test_of_two_nobody_can_say() -> None:
    assert laggards(scene(names=("sda", "sdb")), ticks(60, sda=at(180e6, 1.0), sdb=at(50e6, 1.0))) == ()


def test_the_disk_that_is_rebuilt_does_something_else() -> None:
    assert laggards(scene(), ticks(60, **{**FULL, "sdf": at(100e6, 1.0, write=True)})) == ()


def test_spares_and_disks_that_are_gone() -> None:
    whole = scene()
    spare = replace(whole, disks=(*whole.disks, WatchedDisk(name="sdz", array="md0", role="spare")))
    rows = {**FULL, "sdz": at(1e6, 1.0)}
    assert laggards(spare, ticks(60, **rows)) == ()
    del rows["sdb"]
    assert laggards(spare, ticks(60, **rows)) == ()


def test_the_slowest_comes_first() -> None:
    found = laggards(scene(), ticks(20, **{**FULL, "sdc": at(108e6, 1.0), "sda": at(90e6, 1.0)}))
    assert [each.name for each in found] == ["sda", "sdc"]


def test_only_the_window_counts() -> None:
    comparison = SlowDiskWindow(scene(), window=20)
    for tick in [*ticks(100, **FULL), *ticks(20, **{**FULL, "sdc": at(90e6, 1.0)})]:
        comparison.add(tick)
    assert [each.name for each in comparison.laggards()] == ["sdc"]


GAUGE = st.builds(at, st.floats(0, 1e10), st.floats(0, 1), write=st.booleans(), queue=st.floats(0, 1e4))


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), GAUGE), max_size=12), st.booleans())
def test_shares_are_shares(rows: list[dict[str, Gauge]], rotational: bool) -> None:
    found = laggards(scene(rotational=rotational), [t for row in rows for t in ticks(2, **row)])
    assert all(0.15 <= each.share <= 1 and each.seconds >= 10 and each.name in NAMES for each in found)
