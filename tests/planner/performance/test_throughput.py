"""Throughput of whole designs, each figure worked out by hand; before the derating, which measurements own."""

import math
from dataclasses import replace

import pytest

from raidtui.machine.inventory import shipped
from raidtui.predict.purchase import purchase
from raidtui.predict.speed import confidence_bands
from raidtui.values.assumptions import Assumptions
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory, MeasuredSpeed, Place
from raidtui.values.notation import parse
from raidtui.values.speed import MD_THREAD, MEMBERS, MEMORY_CHANNELS, ONE_STREAM, Limit, Rate
from tests.planner.pools import MB, SLOT, adapter, disk, headline, shelf, speed_of, wide_port

FOUR = "4x(12+2)"


def in_mb(rate: Rate | None) -> dict[str, int]:
    assert rate is not None
    return {str(name): round(value / MB) for name, value in rate.ceilings.items()}


def test_one_cable_binds_four_groups_of_twenty_terabyte_disks() -> None:
    found = speed_of(shelf(56), FOUR)
    assert in_mb(found.seq_read) == {
        "expander expander-0:0": 4416,
        f"PCIe slot {SLOT}": 6695,
        "members": 13680,
        "disk link": 61824,
        "memory": 75000,
    }
    assert (found.seq_read.bottleneck, found.seq_read.next) == (
        Limit("expander", "expander-0:0"),
        Limit("PCIe slot", SLOT),
    )
    assert in_mb(found.seq_write) == {
        "expander expander-0:0": 3785,
        "md thread": 4800,
        f"PCIe slot {SLOT}": 5739,
        "members": 13680,
        "memory": 27273,
        "disk link": 52992,
    }
    assert (found.seq_write.bottleneck, found.seq_write.next) == (Limit("expander", "expander-0:0"), MD_THREAD)


def test_a_second_cable_moves_the_bottleneck_to_slot_and_md() -> None:
    found = speed_of(shelf(56, expanders=2), FOUR)
    assert (found.seq_read.bottleneck, in_mb(found.seq_read)[f"PCIe slot {SLOT}"]) == (
        Limit("PCIe slot", SLOT),
        6695,
    )
    assert (found.seq_write.bottleneck, in_mb(found.seq_write)["md thread"]) == (MD_THREAD, 4800)
    assert in_mb(found.seq_write)[f"PCIe slot {SLOT}"] == 5739


def test_the_formula_shows_the_numbers_and_where_they_come_from() -> None:
    found = speed_of(shelf(56), FOUR)
    cable, slot, members = (
        found.explained["seq_write"][0],
        found.explained["seq_write"][2],
        found.explained["seq_read"][2],
    )
    assert cable.formula == (
        "x4 at 12G = 4.80 GB/s x 0.92 = 4.42 GB/s for 56 of 56 members; 1.17 bytes on the wire per user byte"
    )
    assert (cable.source, cable.remedy) == ("sysfs", "a second cable or wider port")
    assert slot.formula.startswith("8 GT/s x8 = 7.88 GB/s x 0.85 = 6.70 GB/s")
    assert members.formula == "48 members' worth of 56 x 285 MB/s (from the inventory)"
    assert members.source == "table"


def test_several_md_threads_for_each_array() -> None:
    inventory, layout = shelf(56, expanders=2), parse(FOUR)
    found = headline(Design(layout=layout), inventory, Assumptions(parity_threads=4))
    assert (found.seq_write.bottleneck, found.seq_write.next) == (Limit("PCIe slot", SLOT), MD_THREAD)
    assert in_mb(found.seq_write)["md thread"] == 6800


def test_one_wide_array_has_one_thread() -> None:
    found = speed_of(shelf(56), "(54+2)")
    assert (found.seq_write.bottleneck, in_mb(found.seq_write)["md thread"]) == (MD_THREAD, 1200)


def test_one_stream_is_one_program() -> None:
    found = speed_of(shelf(56), FOUR)
    assert (found.seq_read_one_stream.bottleneck, in_mb(found.seq_read_one_stream)["one stream"]) == (
        ONE_STREAM,
        3500,
    )


@pytest.mark.parametrize(
    ("layout", "read", "one", "write"),
    [("raid0(3)", 282, 282, 282), ("raid1(3)", 316, 94, 94), ("(2+1)", 188, 188, 188), ("raid10(3)", 282, 141, 141),
     ("raid10(3,o2)", 282, 141, 141), ("raid10(3,f2)", 282, 282, 130)],
)  # fmt: skip
def test_three_disks_of_different_speed_run_as_the_slowest(layout: str, read: int, one: int, write: int) -> None:
    """Only readers of a mirror have a disk each: 94, 110 and 112 MB/s."""
    inventory = shipped.load("trio")
    slow = replace(inventory.disks[0], sequential_bytes_per_s=94 * MB)
    inventory = replace(inventory, disks=(*inventory.disks[1:], slow))
    found = speed_of(inventory, layout)
    for rate, expected in ((found.seq_read, read), (found.seq_read_one_stream, one), (found.seq_write, write)):
        assert in_mb(rate)["members"] == expected
        assert rate.bottleneck == MEMBERS
    assert found.disk.read_bytes_per_s == 94 * MB


@pytest.mark.parametrize(
    ("layout", "ceiling", "measured"),
    [("raid0(43)", 401, (416, 423)), ("raid5(43+1)", 401, (416, 433)), ("(43+2)", 401, (390, 397))],
)
def test_the_pod_is_held_by_three_narrow_cards(layout: str, ceiling: int, measured: tuple[int, int]) -> None:
    """140 MB/s for each one-lane card. 43 data members, so parity changes nothing; XFS measured with dd, 1 MiB."""
    found = speed_of(shipped.load("pod45"), layout)
    assert found.seq_write.bottleneck == Limit("PCIe slot", "0000:02:00.0")
    assert in_mb(found.seq_write)["PCIe slot 0000:02:00.0"] == ceiling
    for rate in measured:
        assert found.seq_write.low < rate * MB < found.seq_write.high


def test_two_adapters_carry_half_each() -> None:
    found = speed_of(shipped.load("e2660"), "4x(12+2)+4")
    assert in_mb(found.seq_read) == {
        "PCIe slot 0000:03:00.0": 6000,
        "members": 6240,
        "cable 0000:03:00.0": 8832,
        "expander expander-0:0": 20608,
        "disk link": 30912,
        "memory": 75000,
    }
    assert found.seq_write.bottleneck == MD_THREAD
    assert found.unknown == ()


def test_every_flash_drive_has_its_own_link_and_md_writes_for_all() -> None:
    found = speed_of(shipped.load("nvme24"), "2x(10+2)")
    assert in_mb(found.seq_write)["md thread"] == 2400
    assert found.seq_write.bottleneck == MD_THREAD
    assert in_mb(found.seq_read)["members"] == 24 * 6500
    assert in_mb(found.seq_read)["disk link"] == pytest.approx(24 * 6380, rel=0.001)
    assert (found.rand_read.bottleneck, found.rand_read.ceilings[MD_THREAD]) == (MD_THREAD, 10_600_000)
    assert (found.rand_write.bottleneck, found.rand_write.ceilings[MD_THREAD]) == (MD_THREAD, 130_000)
    assert (found.mean_share, found.inner_share) == (1, 1)


def unbalanced(*, fast: int, slow: int) -> Inventory:
    """Disks below a four-lane port of 2208 MB/s, then others below one lane of 552 MB/s."""
    disks = tuple(disk(number, expander="wide" if number < fast else "narrow") for number in range(fast + slow))
    links = (wide_port("wide", lanes=4, gbit=6), wide_port("narrow", lanes=1, gbit=6))
    return Inventory(origin="purchase", name="two ports", controllers=(adapter(),), links=links, disks=disks)


def test_the_narrowest_link_for_each_member_sets_the_pace_of_a_stripe() -> None:
    found = speed_of(unbalanced(fast=12, slow=12), "2x(10+2)")
    assert in_mb(found.seq_read)["expander narrow"] == 1104  # 24 x 552 / 12
    assert found.seq_read.bottleneck == Limit("expander", "narrow")


def test_arrays_apart_are_held_only_by_links_they_use() -> None:
    found = speed_of(unbalanced(fast=12, slow=12), "2x(10+2)", stack="separate")
    assert in_mb(found.seq_read)["expander narrow"] == 2760  # 2208 and 552
    one = in_mb(found.seq_read_one_stream)
    assert (one["members"], one["expander wide"], one["one stream"]) == (2850, 2208, 3500)
    assert found.seq_read_one_stream.bottleneck == Limit("expander", "wide")


def test_joined_arrays_run_as_the_slowest_and_apart_they_add() -> None:
    inventory = shelf(8, expanders=4)
    slow = tuple(replace(each, sequential_bytes_per_s=100 * MB) for each in inventory.disks[:4])
    inventory = replace(inventory, disks=(*slow, *inventory.disks[4:]))
    assert in_mb(speed_of(inventory, "2x raid5(3+1)").seq_read)["members"] == 600
    apart = speed_of(inventory, "2x raid5(3+1)", stack="separate")
    assert in_mb(apart.seq_read)["members"] == 300 + 855
    assert in_mb(apart.seq_read_one_stream)["members"] == 300


def test_a_link_that_is_said_binds_and_answers_what_was_unknown() -> None:
    inventory = purchase("8x4TB")
    said = Assumptions(disk_bytes_per_s=150 * MB, link_bytes_per_s=750 * MB)
    found = headline(Design(layout=parse("(6+2)")), inventory, said)
    assert (in_mb(found.seq_read)["stated link"], found.seq_read.bottleneck) == (750, Limit("stated link"))
    assert (in_mb(found.seq_write)["stated link"], in_mb(found.seq_write)["members"]) == (562, 900)
    assert found.unknown == ()
    assert found.explained["seq_read"][0].source == "said"


def test_an_unknown_way_is_named_and_the_range_is_that_of_disks_it_does_not_hold_back() -> None:
    inventory = purchase("60x20TB")
    found = speed_of(inventory, "4x(12+2)+4")
    assert found.unknown == ("how the disks are attached; one SAS 6G cable of four lanes carries 2.21 GB/s",)
    assert found.seq_read.low > 2_208_000_000
    assert found.seq_read.bottleneck == MEMBERS


def test_an_unknown_way_that_cannot_bind_is_not_mentioned() -> None:
    assert speed_of(purchase("4x2TB"), "raid5(3+1)").unknown == ()
    assert speed_of(shipped.load("nas4"), "raid5(3+1)").unknown == ()


def test_hidden_lanes_are_a_guess_that_is_named() -> None:
    inventory = replace(shelf(56), links=(wide_port("expander-0:0", lanes=None),))
    found = speed_of(inventory, FOUR)
    assert found.unknown == ("lanes of expander-0:0, assumed x4 at 12G = 4.80 GB/s x 0.92",)
    known = speed_of(shelf(56), FOUR)
    assert found.seq_read.bytes_per_s == known.seq_read.bytes_per_s
    assert found.seq_read.low < known.seq_read.low
    assert found.seq_read.high > known.seq_read.high


def test_random_rates_of_spinning_disks() -> None:
    found = speed_of(shelf(56), FOUR)
    assert found.rand_read.ceilings[MEMBERS] == 6720
    assert found.rand_write.ceilings[MEMBERS] == 1120  # 56 x 120 / 6
    assert (found.rand_read.bottleneck, found.rand_write.bottleneck) == (MEMBERS, MEMBERS)
    assert found.rand_write.ceilings[MD_THREAD] == 260_000
    assert found.rand_write.ceilings[Limit("expander", "expander-0:0")] == 4_416_000_000 // 4096 // 3
    assert found.explained["rand_write"][0].formula.startswith("56 members x 120 IOPS / 6 disk operations per request")


def test_a_degraded_parity_array_reads_through_its_thread() -> None:
    found = speed_of(shelf(56), FOUR)
    assert in_mb(found.degraded_seq_read)["md thread"] == 4800
    assert in_mb(found.degraded_seq_read)["members"] == 13680
    assert found.degraded_rand_read is not None
    assert found.degraded_rand_read.ceilings[MEMBERS] == int(56 * 120 / (1 + 12 / 13))


def test_a_rebuild_leaves_the_rest() -> None:
    inventory, layout = shelf(56), parse(FOUR)
    half = headline(Design(layout=layout), inventory)
    quarter = headline(Design(layout=layout), inventory, Assumptions(rebuild_share=0.75))
    alone = headline(Design(layout=layout), inventory, Assumptions(rebuild_share=1.0))
    assert in_mb(half.rebuilding_seq_read)["expander expander-0:0"] == 2208
    assert in_mb(quarter.rebuilding_seq_read)["expander expander-0:0"] == 1104
    assert alone.rebuilding_seq_read is None
    assert half.explained["rebuilding_seq_read"][0].formula.endswith("x 0.5 left by the rebuild")


def test_what_survives_nothing_is_never_degraded() -> None:
    found = speed_of(shelf(4), "raid0(4)")
    assert (found.degraded_seq_read, found.degraded_rand_read, found.rebuilding_seq_read) == (None, None, None)
    assert "degraded_seq_read" not in found.explained


def test_measured_disks_count() -> None:
    inventory, layout = shelf(4), parse("raid0(4)")
    first, slow, *others = inventory.disks
    seen = MeasuredSpeed(outer_bytes_per_s=90 * MB, inner_bytes_per_s=45 * MB, day="2026-01-02", read_iops=50)
    disks = (first, replace(slow, measured=seen), *others)
    found = headline(Design(layout=layout), replace(inventory, disks=disks))
    assert (in_mb(found.seq_read)["members"], in_mb(found.seq_write)["members"]) == (360, 360)
    assert (found.rand_read.ceilings[MEMBERS], found.rand_write.ceilings[MEMBERS]) == (200, 200)
    assert (found.disk.source, found.inner_share) == ("measured", 0.5)
    assert found.explained["seq_read"][0].source == "measured"


def test_memory_that_is_said_replaces_the_guess() -> None:
    inventory = shipped.load("nvme24")
    said = Assumptions(memory_bytes_per_s=30_000 * MB)
    found = headline(Design(layout=parse("raid0(24)")), inventory, said)
    assert (found.seq_read.bottleneck, in_mb(found.seq_read)["memory"]) == (MEMORY_CHANNELS, 15_000)
    assert in_mb(found.seq_read_one_stream)["memory"] == 7_500


def test_what_the_admin_states_of_memory_mds_thread_and_writing_is_used_and_narrows_the_band() -> None:
    said = Assumptions(md_write_bytes_per_s=900 * MB, memory_bytes_per_s=40_000 * MB, disk_write_bytes_per_s=100 * MB)
    layout, disks = "2x(10+2)", shelf(24)
    plain = speed_of(disks, layout)
    stated = headline(Design(layout=parse(layout)), disks, said)
    assert in_mb(plain.seq_write)["md thread"] == 2400
    assert in_mb(stated.seq_write)["md thread"] == 1800
    assert in_mb(stated.seq_write)["memory"] == round(40_000 / 5.5)
    assert in_mb(stated.seq_write)["members"] == 2000
    assert stated.seq_read.ceilings[MEMBERS] == plain.seq_read.ceilings[MEMBERS]
    assert stated.seq_write.high / stated.seq_write.low < plain.seq_write.high / plain.seq_write.low
    assert stated.explained["seq_write"][0].source == "said"


def test_large_chunks_lower_what_one_writer_reaches_and_may_fall_to() -> None:
    small = speed_of(shelf(4), "raid5(3+1)", chunk_bytes=64 * 1024, stripe_cache_pages=256)
    large = speed_of(shelf(4), "raid5(3+1)", chunk_bytes=512 * 1024, stripe_cache_pages=256)
    planned = speed_of(shelf(4), "raid5(3+1)", chunk_bytes=512 * 1024)
    assert planned.seq_write_one_stream == small.seq_write_one_stream  # a plan sets a cache of sixteen rows
    assert large.seq_write_one_stream.bytes_per_s == pytest.approx(0.84 * small.seq_write_one_stream.bytes_per_s)
    # 0.95 expected, 0.688 at worst, and of that 0.55: independent, so their logarithms add as the sides of a triangle
    apart = math.hypot(math.log(0.95 / 0.688), math.log(1 / 0.55))
    assert large.seq_write_one_stream.low == pytest.approx(
        small.seq_write_one_stream.bytes_per_s * math.exp(-apart), rel=0.001
    )
    assert large.seq_write_one_stream.spread is not None
    assert large.seq_write_one_stream.spread.driver == "partial stripes"
    assert large.seq_write.low == small.seq_write.low
    assert any("--stripe-cache 512" in note for note in large.notes)
    assert not any("--stripe-cache" in note for note in small.notes)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("raid10(4,f2)", "Far copies"),
        ("raid10(4)", "One reader uses one copy's worth"),
        ("raid4(3+1)", "one parity member"),
        ("raid1(2)", "One sequential reader uses one member"),
        ("(6+2)", "low confidence"),
        ("(6+2)", "read_ahead_kb to at least 6144"),
        ("2x(6+2)", "Striped over 2 arrays"),
    ],
)
def test_notes_on_spinning_disks(layout: str, words: str) -> None:
    assert any(words in note for note in speed_of(shelf(16), layout).notes)


def test_notes_on_flash() -> None:
    notes = speed_of(shipped.load("nvme24"), "(10+2)").notes
    assert any("NUMA node" in note for note in notes)
    assert any("internal bitmap" in note for note in notes)
    assert any("5.14" in note for note in notes)
    assert not any(
        "internal bitmap" in note for note in speed_of(shipped.load("nvme24"), "(10+2)", bitmap="none").notes
    )


def test_an_array_that_spins_in_part_waits_for_what_spins() -> None:
    flash = Disk(id="flash", size_bytes=10**12, rotational=False, transport="sas", place=Place(controller=SLOT))
    inventory = replace(shelf(3), disks=(*shelf(3).disks, flash))
    found = speed_of(inventory, "raid5(3+1)")
    assert in_mb(found.seq_read)["members"] == 855
    assert found.disk.rotational
    assert found.seq_read.bytes_per_s == int(confidence_bands.DISK_SEQUENTIAL.point * 855 * MB)
