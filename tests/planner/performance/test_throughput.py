"""Throughput of whole designs, each figure worked out by hand; before the derating, which measurements own."""

import math
from dataclasses import replace

import pytest

from raidtui.machine.inventory import shipped
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import Assumptions
from raidtui.values.design import Design, Encryption
from raidtui.values.notation import parse
from raidtui.values.speed import MD_THREAD, MEMBERS, Limit, Rate
from tests.planner.pools import MB, SLOT, headline, shelf, speed_of

FOUR = "4x(12+2)"


def in_mb(rate: Rate | None) -> dict[str, int]:
    assert rate is not None
    return {str(name): round(value / MB) for name, value in rate.ceilings.items()}


def test_one_cable_binds_four_groups_of_twenty_terabyte_disks() -> None:
    found = speed_of(shelf(56), FOUR)
    assert in_mb(found.seq_read) == {
        "expander-0:0": 4416,
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
        "expander-0:0": 3785,
        "md thread": 4800,
        f"PCIe slot {SLOT}": 5739,
        "members": 13680,
        "memory": 27273,
        "disk link": 52992,
    }
    assert (found.seq_write.bottleneck, found.seq_write.next) == (Limit("expander", "expander-0:0"), MD_THREAD)


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


def test_an_unknown_way_is_named_and_the_range_is_that_of_disks_it_does_not_hold_back() -> None:
    inventory = purchase("60x20TB")
    found = speed_of(inventory, "4x(12+2)+4")
    assert found.unknown == ("how the disks are attached; one SAS 6G cable of four lanes carries 2.21 GB/s",)
    assert found.seq_read.low > 2_208_000_000
    assert found.seq_read.bottleneck == MEMBERS


def test_a_rebuild_leaves_the_rest() -> None:
    inventory, layout = shelf(56), parse(FOUR)
    half = headline(Design(layout=layout), inventory)
    quarter = headline(Design(layout=layout), inventory, Assumptions(rebuild_share=0.75))
    alone = headline(Design(layout=layout), inventory, Assumptions(rebuild_share=1.0))
    assert in_mb(half.rebuilding_seq_read)["expander-0:0"] == 2208
    assert in_mb(quarter.rebuilding_seq_read)["expander-0:0"] == 1104
    assert alone.rebuilding_seq_read is None
    assert half.explained["rebuilding_seq_read"][0].formula.endswith("x 0.5 left by the rebuild")


def test_the_rate_of_the_cipher_bounds_what_is_encrypted_and_nothing_else() -> None:
    layout, disks, said = "2x(10+2)", shelf(24), Assumptions(cipher_bytes_per_s=700 * MB)
    key = Encryption(key_file="/etc/keys/data.key")
    plain = headline(Design(layout=parse(layout)), disks, said)
    uncounted = headline(Design(layout=parse(layout), encryption=key), disks)
    slow = headline(Design(layout=parse(layout), encryption=key), disks, said)
    assert plain.seq_read == speed_of(disks, layout).seq_read == uncounted.seq_read
    assert in_mb(slow.seq_read)["encryption"] == in_mb(slow.seq_write)["encryption"] == 700
    assert (str(slow.seq_read.bottleneck), str(slow.seq_write.bottleneck)) == ("encryption", "encryption")
    assert slow.seq_read.high <= 700 * MB
    assert slow.rand_read.ceilings[Limit("encryption")] == round(700 * MB / 4096)


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
