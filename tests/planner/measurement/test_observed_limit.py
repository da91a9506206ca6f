"""What bound a run, from gauges made by hand: one scene for each rule, and the order of the rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.bench.observed_limit import observed_limit
from raidtui.values.bench import Seen, Task
from raidtui.values.gauges import Gauge, Scene, Tick
from raidtui.values.speed import MD_THREAD, MEMBERS, ONE_STREAM, PARTIAL_STRIPES, PROGRAM, SLOW_MEMBER, UNKNOWN, Limit
from tests.planner.benches import MB, gauge, link, prediction, scene, target, task, ticks

READ = task(1, target("volume", "/dev/vg/lv"))
WRITE = task(1, target("volume", "/dev/vg/lv"), pattern="write", predicted="seq_write")
WIDE = {"expander-0:0": link("expander-0:0", 40_000)}
CABLE = {"expander-0:0": link("expander-0:0", 4_416)}
PREDICTED = prediction()


def test_members_at_their_rate_are_what_binds() -> None:
    # RAID6 of 12+2: the heads pass over parity, so each member gives 12/14 of 285 MB/s when it is at its rate
    found = observed_limit(scene(ceilings=WIDE), ticks(scene(), gauge(read=230)), READ, PREDICTED)
    assert (found.limit, found.reason) == (MEMBERS, "members at 230 MB/s each, 94 % of their rate")
    assert found.slow_disks == ()


def test_a_link_at_its_ceiling_is_what_binds_members_far_below_theirs() -> None:
    found = observed_limit(scene(ceilings=CABLE), ticks(scene(), gauge(read=78)), READ, PREDICTED)
    assert (found.limit, found.reason) == (
        Limit("expander", "expander-0:0"),
        "4.37 GB/s of 4.42 GB/s over expander-0:0",
    )
    assert Limit("expander", "expander-0:0").agrees_with(found.limit)


def test_busy_members_alike_and_below_their_rate_speak_of_the_link_they_share() -> None:
    slot = {"0000:03:00.0": link("PCIe slot 0000:03:00.0", 6_695)}
    found = observed_limit(scene(ceilings=slot), ticks(scene(), gauge(read=60)), READ, PREDICTED)
    assert (found.limit, found.reason) == (
        Limit("PCIe slot", "0000:03:00.0"),
        "all members alike at 25 % of their rate, and busy",
    )


def test_a_link_that_is_nearly_empty_holds_nobody_back() -> None:
    slot = {"0000:03:00.0": link("PCIe slot 0000:03:00.0", 6_695)}
    found = observed_limit(scene(ceilings=slot), ticks(scene(), gauge(read=2)), READ, PREDICTED)
    assert found.limit == MEMBERS


SLOT = Limit("PCIe slot", "0000:03:00.0")


def test_a_link_that_carried_more_in_another_test_is_no_limit() -> None:
    slot = {"0000:03:00.0": link("PCIe slot 0000:03:00.0", 6_695)}
    slower = ticks(scene(), gauge(read=60))  # 56 members: 3.36 GB/s
    assert observed_limit(scene(ceilings=slot), slower, READ, PREDICTED, {SLOT: 3.5e9}).limit == SLOT  # within 5 %
    found = observed_limit(scene(ceilings=slot), slower, READ, PREDICTED, {SLOT: 6.0e9})
    assert found.limit == MEMBERS  # busy all the time, and no link holds them
    full = observed_limit(scene(ceilings=slot), ticks(scene(), gauge(read=104)), READ, PREDICTED, {SLOT: 6.695e9})
    assert (full.limit, full.link_bytes_per_s[SLOT]) == (MEMBERS, 104 * MB * 56)


def test_what_every_shared_link_carried_is_kept() -> None:
    both = CABLE | {"0000:03:00.0": link("PCIe slot 0000:03:00.0", 6_695)}
    found = observed_limit(scene(ceilings=both), ticks(scene(), gauge(read=78)), READ, PREDICTED)
    assert found.link_bytes_per_s == {Limit("expander", "expander-0:0"): 78 * MB * 56, SLOT: 78 * MB * 56}


def test_one_busy_member_that_the_others_wait_for_is_named() -> None:
    slow = {"sd7": gauge(read=140, util=1.0, wait=38)}
    found = observed_limit(
        scene(ceilings=WIDE), ticks(scene(), gauge(read=140, util=0.6, wait=9), slow), READ, PREDICTED
    )
    assert (found.limit, found.slow_disks) == (SLOW_MEMBER, ("disk-007",))
    assert found.reason == (
        "slot 7 (serial SER007): 140 MB/s, busy 100 %, 38.0 ms per request; the others 140 MB/s, 60 %, 9.0 ms"
    )
    assert MEMBERS.agrees_with(found.limit)


def test_disks_read_side_by_side_show_the_slow_one_by_its_rate() -> None:
    disks = task(1, target("disks", "all disks"), predicted="disk")
    found = observed_limit(
        scene(ceilings=WIDE), ticks(scene(), gauge(read=280), {"sd3": gauge(read=170)}), disks, PREDICTED
    )
    assert (found.limit, found.slow_disks) == (SLOW_MEMBER, ("disk-003",))
    alike = observed_limit(scene(ceilings=WIDE), ticks(scene(), gauge(read=280)), disks, PREDICTED)
    assert (alike.limit, alike.slow_disks) == (MEMBERS, ())


def test_many_slow_ones_are_no_outliers() -> None:
    odd = {f"sd{n}": gauge(read=140, util=1.0, wait=38) for n in range(20)}
    found = observed_limit(
        scene(ceilings=WIDE), ticks(scene(), gauge(read=140, util=0.6, wait=9), odd), READ, PREDICTED
    )
    assert found.slow_disks == ()


def test_an_md_thread_that_fills_a_core_is_what_binds() -> None:
    found = observed_limit(
        scene(ceilings=WIDE), ticks(scene(), gauge(write=90, util=0.5), thread=0.97), WRITE, PREDICTED
    )
    assert (found.limit, found.reason) == (MD_THREAD, "the threads of md0 take 97 % of a core")


def test_what_is_read_past_the_arrays_is_not_held_by_their_threads() -> None:
    disks = task(1, target("disks", "all disks"), predicted="disk")
    found = observed_limit(scene(ceilings=WIDE), ticks(scene(), gauge(read=280), thread=1.0), disks, PREDICTED)
    assert found.limit == MEMBERS


def test_reads_during_a_sequential_write_are_partial_stripes() -> None:
    both = Gauge(
        read_bytes_per_s=30 * MB, write_bytes_per_s=60 * MB, read_iops=60, write_iops=100, util=0.95, await_ms=20,
        queue=6,
    )  # fmt: skip
    found = observed_limit(scene(ceilings=WIDE), ticks(scene(), both), WRITE, PREDICTED)
    assert (found.limit, found.write_reads_share) == (PARTIAL_STRIPES, 0.5)
    assert found.reason == "members read 50 % of the bytes written to them (read-modify-write)"


def test_a_thousandth_read_back_is_a_healthy_write() -> None:
    both = Gauge(
        read_bytes_per_s=0.1 * MB, write_bytes_per_s=100 * MB, read_iops=1, write_iops=100, util=0.5, await_ms=9,
        queue=1,
    )  # fmt: skip
    found = observed_limit(scene(ceilings=WIDE), ticks(scene(), both), WRITE, PREDICTED)
    assert found.limit == PROGRAM
    assert found.write_reads_share == pytest.approx(0.001)


def test_random_writes_read_back_by_their_nature() -> None:
    both = Gauge(
        read_bytes_per_s=1 * MB, write_bytes_per_s=1 * MB, read_iops=60, write_iops=60, util=1, await_ms=30, queue=9
    )
    job = task(1, target("volume", "/dev/vg/lv"), pattern="randwrite", block_bytes=4096, predicted="rand_write")
    found = observed_limit(scene(ceilings=WIDE), ticks(scene(), both), job, PREDICTED)
    assert (found.limit, found.write_reads_share) == (MEMBERS, 1.0)


def test_idle_members_wait_for_the_program() -> None:
    found = observed_limit(scene(ceilings=WIDE), ticks(scene(), gauge(read=40, util=0.2, queue=0.2)), READ, PREDICTED)
    assert (found.limit, found.reason) == (
        PROGRAM,
        "members busy 20 % of the time, 0.2 requests waiting: too few requests in flight",
    )
    assert ONE_STREAM.agrees_with(found.limit)


def test_without_prediction_busy_rotating_members_are_the_limit() -> None:
    found = observed_limit(scene(), ticks(scene(), gauge(read=100)), READ, None)
    assert found.limit == MEMBERS


def test_nothing_is_made_up_where_the_gauges_say_nothing() -> None:
    assert observed_limit(scene(), [], READ, PREDICTED) == Seen(limit=UNKNOWN, reason="no gauges recorded")
    quiet = observed_limit(scene(), ticks(scene(), gauge(util=0, queue=0, iops=0)), READ, PREDICTED)
    assert quiet == Seen(limit=UNKNOWN, reason="no I/O on the disks")


def test_only_the_disks_below_the_target_count() -> None:
    one = task(1, target("array", "md0", [f"disk-{n:03d}" for n in range(14)], array="md0"))
    odd = {f"sd{n}": gauge(read=230) for n in range(14)}
    found = observed_limit(scene(ceilings=WIDE), ticks(scene(), gauge(read=1, util=0.1), odd), one, PREDICTED)
    assert found.limit == MEMBERS


def test_a_balanced_pair_is_called_what_was_predicted() -> None:
    # members at 94 % of their rate and a cable at 97 % of its own
    tight = {"expander-0:0": link("expander-0:0", 13_300)}
    found = observed_limit(scene(ceilings=tight), ticks(scene(), gauge(read=230)), READ, PREDICTED)
    assert found.limit == Limit("expander", "expander-0:0")


def test_one_odd_second_does_not_count() -> None:
    calm = ticks(scene(), gauge(read=230))
    calm[4] = Tick(time=4, seconds=1, disks={name: gauge(read=2, util=0.01) for name in calm[4].disks}, arrays={})
    assert observed_limit(scene(ceilings=WIDE), calm, READ, PREDICTED).limit == MEMBERS


rates = st.floats(min_value=0, max_value=1e12, allow_nan=False)
gauges = st.builds(
    Gauge, read_bytes_per_s=rates, write_bytes_per_s=rates, read_iops=rates, write_iops=rates,
    util=st.floats(0, 1), await_ms=rates, queue=rates,
)  # fmt: skip
SMALL = scene(8, 2, ceilings=CABLE)


@given(st.lists(st.lists(gauges, min_size=0, max_size=8), max_size=4), st.sampled_from([READ, WRITE]), st.booleans())
def test_whatever_the_gauges_say_there_is_an_answer(rows: list[list[Gauge]], job: Task, known: bool) -> None:
    seconds = [
        Tick(time=0.0, seconds=1, disks={f"sd{n}": each for n, each in enumerate(row)}, arrays={}) for row in rows
    ]
    found = observed_limit(SMALL, seconds, job, PREDICTED if known else None)
    assert found.reason
    assert set(found.slow_disks) <= {disk.id for disk in SMALL.disks}
    assert bool(found.slow_disks) == (found.limit == SLOW_MEMBER)


@given(st.floats(0.97, 1.03), st.integers(0, 55))
def test_noise_of_three_per_cent_changes_no_verdict(share: float, odd: int) -> None:
    shaken = {f"sd{odd}": gauge(read=230 * share, util=0.98, wait=10 * share)}
    assert (
        observed_limit(scene(ceilings=WIDE), ticks(scene(), gauge(read=230), shaken), READ, PREDICTED).limit == MEMBERS
    )


def test_the_order_of_disks_does_not_matter() -> None:
    there = scene(ceilings=CABLE)
    back = Scene(host=there.host, disks=there.disks[::-1], arrays=there.arrays[::-1], ceilings=there.ceilings)
    seconds = ticks(there, gauge(read=78), {"sd9": gauge(read=77, wait=11)})
    assert observed_limit(there, seconds, READ, PREDICTED) == observed_limit(back, seconds, READ, PREDICTED)
