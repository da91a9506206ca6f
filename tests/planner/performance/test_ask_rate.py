"""A workload that is asked for: consistent with the default works, monotone, never above its ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from raidtui.answers.speed import asked_lines
from raidtui.machine.inventory.shipped import load, names
from raidtui.predict.design import answers, predict, speed
from raidtui.predict.purchase import purchase
from raidtui.predict.speed.answers import touches
from raidtui.predict.speed.operating_point import request_of
from raidtui.predict.speed.raid_level_rates import beyond_cache, partial_write
from raidtui.values.assumptions import Assumptions, defaults_for
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.notation import parse
from raidtui.values.speed import AskedRate, Iops, Rate, WorkloadKind, WorkloadQuestion, parse_ask
from raidtui.values.target import TargetVersions
from raidtui.values.units import parse_binary_size
from tests.suite import examples

KIB = 1024
MIB = 1024 * KIB
LAYOUTS = (
    "4x(12+2)+4", "(6+2)", "raid5(3+1)", "raid4(3+1)", "raid0(8)", "raid1(3)", "raid10(8)", "raid10(8,f2)",
    "3xraid1(2)", "2xraid10(4)",
)  # fmt: skip
DEFAULTS = {
    "seq_read": "read", "seq_read_one_stream": "read,streams=1", "seq_write": "write",
    "seq_write_one_stream": "write,streams=1", "rand_read": "read,random", "rand_write": "write,random",
    "degraded_seq_read": "read,degraded", "degraded_rand_read": "read,random,degraded",
    "rebuilding_seq_read": "read,rebuilding",
}  # fmt: skip


def asked(
    text: str | WorkloadQuestion, layout: str = "4x(12+2)+4", disks: Sequence[Disk] | None = None,
    inventory: Inventory | None = None, said: Assumptions | None = None, **options: Any,
) -> AskedRate:  # fmt: skip
    bought = inventory or purchase("60x2000398934016")
    design = Design(layout=parse(layout), **options)
    taken = disks or bought.disks
    ask = parse_ask(text) if isinstance(text, str) else text
    (answer,) = answers([ask], design, taken, predict(design, taken), bought, said or defaults_for(taken))
    return answer


@pytest.mark.parametrize("chassis", ["60x2TB", "60x2TB flash", *names()])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_default_works_asked_in_this_form_give_the_same_figures_to_the_digit(chassis: str, layout: str) -> None:
    known = load(chassis) if chassis in names() else purchase("60x2TB", rotational="flash" not in chassis)
    disks = known.disks
    if parse(layout).disks > len(disks):
        pytest.skip("the chassis has too few disks")
    for stack in ("lvm", "md", "separate"):
        design = Design(layout=parse(layout), stack=stack)
        prediction, said = predict(design, disks), defaults_for(disks)
        found = speed(design, disks, prediction, known, said)
        assert found is not None
        for field, text in DEFAULTS.items():
            (answer,) = answers([parse_ask(text)], design, disks, prediction, known, said)
            figure: Rate | Iops | None = getattr(found, field)
            if figure is None:
                assert answer.high == 0
                continue
            unit = 4 * KIB if isinstance(figure, Iops) else 1
            point = figure.iops if isinstance(figure, Iops) else figure.bytes_per_s
            ends = answer.bytes_per_s, answer.low, answer.high
            assert tuple(round(each / unit) for each in ends) == (point, figure.low, figure.high)
            assert (answer.bottleneck, answer.next) == (figure.bottleneck, figure.next)
            assert {each.name: each.rate / unit for each in answer.ceilings} == pytest.approx(figure.ceilings, abs=0.51)
            assert answer.spread == figure.spread


ASKS = some.builds(
    WorkloadQuestion,
    kind=some.sampled_from(["read", "write"]),
    random=some.booleans(),
    streams=some.integers(1, 300),
    size_bytes=some.sampled_from([KIB, 4 * KIB, 64 * KIB, 100 * KIB, 128 * KIB, 512 * KIB, 3 * MIB, 16 * MIB]),
    depth=some.integers(1, 300),
)


@examples(150)
@given(
    ask=ASKS,
    layout=some.sampled_from(LAYOUTS),
    flash=some.booleans(),
    stack=some.sampled_from(["lvm", "md", "separate"]),
    more=some.integers(1, 64),
)
def test_more_in_flight_is_never_slower_up_to_the_ceiling_and_never_above_it(
    ask: WorkloadQuestion, layout: str, flash: bool, stack: str, more: int
) -> None:
    bought = purchase("60x2TB", rotational=not flash)

    def rate(each: WorkloadQuestion) -> AskedRate:
        return asked(each, layout, inventory=bought, stack=stack)

    assert ask.depth is not None and ask.streams is not None
    found = rate(ask)
    assert found.low <= found.bytes_per_s <= found.high
    assert rate(replace(ask, depth=ask.depth + more)).bytes_per_s >= found.bytes_per_s
    wider = rate(replace(ask, streams=ask.streams + more))
    if flash or ask.random or str(wider.bottleneck) == "program":
        seeks = 1.0 if flash or ask.random else 0.5  # the members' ceiling shows in the knee before it binds
        assert wider.bytes_per_s >= seeks * found.bytes_per_s
    most = replace(ask, streams=None, depth=None, size_bytes=ask.size_bytes if ask.random else None)
    assert found.bytes_per_s <= rate(most).bytes_per_s + (ask.size_bytes or 0) / 2  # requests are whole
    assert all(found.bytes_per_s <= 1.01 * each.rate + (ask.size_bytes or 0) for each in found.ceilings)


@pytest.mark.parametrize("size", ["4K", "128K", "1M", "16M"])
@pytest.mark.parametrize("streams", [1, 8, 64, 256, 1024])
@pytest.mark.parametrize("layout", ["4x(12+2)+4", "raid10(8)", "disk"])
def test_streams_are_never_slower_than_the_same_requests_at_random(layout: str, streams: int, size: str) -> None:
    following = asked(f"read,streams={streams},size={size},depth=1", layout)
    scattered = asked(f"read,random,streams={streams},size={size},depth=1", layout)
    assert following.bytes_per_s >= scattered.bytes_per_s
    assert (following.low, following.high) >= (scattered.low, following.bytes_per_s)


def test_a_thousand_streams_say_that_so_many_were_never_measured() -> None:
    answer = asked("read,streams=1024,size=1M,depth=1")
    assert answer.bytes_per_s > 1_600_000_000
    assert any("with up to 32 on a group: beyond what was measured" in note for note in answer.notes)
    assert not any("beyond" in note for note in asked("read,streams=32,size=1M,depth=1").notes)


def test_many_buffered_readers_get_what_the_page_cache_reads_ahead_not_their_small_requests() -> None:
    """A chunk for each seek: ten disks of some 100 chunks a second; the size of the readers' requests does not count"""
    bought = purchase("10x18TB")
    rates = [asked(f"read,streams=300,size={size}", "(8+2)", inventory=bought).bytes_per_s for size in ("16K", "1M")]
    assert rates[0] == rates[1]
    assert 350_000_000 < rates[0] < 550_000_000


def test_many_readers_of_disks_never_reach_the_rate_of_one() -> None:
    """Two chunks of 512 KiB at 270 MB/s, 3.9 ms, for each move of 6 ms; 64 MiB in flight of a stream hide all moves."""
    bought = purchase("10x18TB")
    one, many = (asked(f"read,streams={n}", "(8+2)", inventory=bought).high for n in (1, 300))
    assert 0.3 < many / one < 0.45
    deep = asked("read,streams=300,size=16M,depth=32", "(8+2)", inventory=bought).high
    assert deep > 0.75 * one  # what hides moves and how fast the disks are do not both come out best


def test_a_program_waits_for_the_bitmap_of_a_mirror_of_disks_whatever_its_depth() -> None:
    """At worst each write to a region that is clean waits for one more operation, here 1/53 s, before it is sent."""
    bought = purchase("8x4TB")
    deep = [asked(f"write,random,streams={n},size=4K,depth=64", "raid10(8)", inventory=bought) for n in (1, 16)]
    bare = asked("write,random,streams=1,size=4K,depth=64", "raid10(8)", inventory=bought, bitmap="none")
    assert deep[0].bytes_per_s == bare.bytes_per_s
    assert 30 < deep[0].low / 4096 < 60
    assert bare.low / 4096 > 150
    assert deep[1].low / 4096 > 150
    assert "from the bitmap" in "\n".join(asked_lines([deep[0]]))


@pytest.mark.parametrize("place", ["", "random,"])
def test_one_request_to_flash_is_no_faster_than_the_drive_that_has_it(place: str) -> None:
    """What differs between drives is the wait, not the transfer: 128 KiB of a SATA drive at 540 MB/s, at most 567."""
    drives = purchase("4x2TB", rotational=False)
    found = asked(f"read,{place}streams=1,size=128K,depth=1", "raid10(4)", inventory=drives)
    assert found.bytes_per_s == pytest.approx(128 * KIB / (100e-6 + 128 * KIB / 540e6), rel=0.03)
    assert found.high < 600_000_000
    assert found.high < 3 * found.low


def test_one_program_does_not_drive_24_drives() -> None:
    """What one processor submits, some hundred thousand requests or 20 GB a second, binds before the drives."""
    drives = load("nvme24")
    small = asked("read,random,streams=1,size=4K,depth=256", "raid0(24)", inventory=drives)
    assert str(small.bottleneck) == "one stream"
    assert small.requests_per_s is not None and 300_000 < small.requests_per_s < 450_000
    large = asked("read,streams=1,size=64M,depth=2", "raid0(24)", inventory=drives)
    assert 10_000_000_000 < large.bytes_per_s < 20_000_000_000
    many = asked("read,random,streams=24,size=4K,depth=256", "raid0(24)", inventory=drives)
    assert many.requests_per_s is not None and many.requests_per_s > 20 * small.requests_per_s


def test_one_small_write_in_order_is_as_fast_on_flash_as_one_at_random() -> None:
    drives = purchase("2x4TB", nvme_bits_per_s=64_000_000_000)
    order, scattered = (asked(f"write,{place}streams=1,size=4K,depth=1", "raid1(2)", inventory=drives, bitmap="none")
                        for place in ("", "random,"))  # fmt: skip
    assert order.bytes_per_s >= scattered.bytes_per_s > 200_000_000
    assert order.high < 10 * order.low
    set_already = asked("write,streams=1,size=4K,depth=1", "raid1(2)", inventory=drives)
    assert (set_already.low, set_already.high) == (order.low, order.high)


def test_large_requests_at_random_are_no_faster_on_flash_than_all_in_order() -> None:
    drives = purchase("8x2TB", rotational=False)
    scattered = asked("read,random,streams=16,size=1M,depth=8", "raid5(7+1)", inventory=drives)
    assert scattered.bytes_per_s == pytest.approx(asked("read", "raid5(7+1)", inventory=drives).bytes_per_s, rel=0.001)


@pytest.mark.parametrize(("size", "least"), [("16M", 0.9), ("64M", 0.9)])
def test_one_huge_request_after_the_other_keeps_a_disk_busy(size: str, least: float) -> None:
    one = asked(f"read,streams=1,size={size},depth=1", "disk")
    assert one.bytes_per_s > least * asked("read", "disk").bytes_per_s
    assert asked(f"read,streams=1,size={size},depth=1", "raid0(2)").bytes_per_s >= one.bytes_per_s


def test_a_request_to_a_lun_waits_for_its_controller() -> None:
    """1 MiB takes 2.2 ms by itself; a drive of the LUN alone would have given nearly all of its rate."""
    luns = load("e2660-luns")
    one, four = (asked(f"read,streams={n},size=1M,depth=1", "4x disk", inventory=luns) for n in (1, 4))
    assert one.bytes_per_s == pytest.approx(0.95 * 451 * MIB, rel=0.01)
    assert one.low < 440 * MIB < one.high
    assert 3.4 * one.bytes_per_s < four.bytes_per_s < 4 * one.bytes_per_s


LONE = "write,random,size=4K,streams=1,depth=1"


@pytest.mark.parametrize(
    ("size", "kernel", "low", "point", "high"),
    [
        ("3.84TB", None, 7_850, 15_700, 31_400),  # published: 15,700/s of four drives with capacitors
        ("3.84TB", "6.2.0", 838, 15_700, 31_400),  # 1,676/s before the kernel wrote whole pages, and half of that
        ("1TB", None, 69.8, 174, 435),  # a drive for PCs flushes its cache: 174/s of five drives, a factor of 2.5
    ],
)
def test_a_mirror_of_flash_waits_for_its_bitmap_as_long_as_its_drives_flush(
    size: str, kernel: str | None, low: float, point: float, high: float
) -> None:
    drives = purchase(f"2x{size}", nvme_bits_per_s=64_000_000_000)
    found = asked(LONE, "raid1(2)", inventory=drives, target=TargetVersions(kernel=kernel))
    ends = [each / 4096 for each in (found.low, found.bytes_per_s, found.high)]
    assert ends == pytest.approx([low, point, high], rel=0.01)


def test_the_answer_says_which_drives_it_takes_them_for() -> None:
    def notes(size: str) -> str:
        return " ".join(asked(LONE, "raid1(2)", inventory=purchase(f"2x{size}", rotational=False)).notes)

    assert "whose cache outlives a power cut, as this size has it; kernel 6.4 or later" in notes("960GB")
    assert "these flush a cache" in notes("1TB")


def test_writers_that_wait_together_share_the_update_of_a_bitmap() -> None:
    drives = purchase("8x960GB", rotational=False)
    deep, bare = (
        asked("write,random,size=4K,streams=1,depth=64", "raid10(8)", inventory=drives, bitmap=bitmap)
        for bitmap in ("internal", "none")
    )
    assert deep.bytes_per_s == pytest.approx(bare.bytes_per_s, rel=0.05)


def test_memory_bounds_requests_of_a_page_as_larger_ones() -> None:
    drives = purchase("120x2TB", nvme_bits_per_s=64_000_000_000)
    page, two = (asked(f"read,random,size={size}", "6x(19+1)", inventory=drives) for size in ("4K", "8K"))
    assert str(page.bottleneck) == str(two.bottleneck) == "memory"
    assert two.bytes_per_s >= 0.999 * page.bytes_per_s


def test_a_band_wider_than_ten_is_no_prediction() -> None:
    wide = replace(asked("write,streams=1,size=4K,depth=1", "(8+2)", inventory=purchase("10x18TB")), low=60_000)
    text = "\n".join(asked_lines([replace(wide, high=40_800_000)]))
    assert "not predicted, somewhere from 0.06 to 40.8 MB/s: raidtui bench measures it" in text
    assert "x" not in text.splitlines()[2]


@pytest.mark.parametrize(("size", "least"), [("64M", 80e6), ("256M", 80e6), ("1G", 80e6)])
def test_a_request_that_takes_seconds_has_a_rate(size: str, least: float) -> None:
    """Rates are not rounded to whole requests per second: 0.6 of them are a rate too."""
    for kind in ("read", "write"):
        answer = asked(f"{kind},random,size={size}", "raid5(3+1)", purchase("4x4TB").disks, purchase("4x4TB"))
        assert answer.low > 0
        assert least < answer.bytes_per_s < 4 * 300e6


@pytest.mark.parametrize(
    ("size", "reads", "published"), [("1M", 0.67, 50), ("3M", 0, None), ("4M", 0.25, 147), ("8M", 0.125, None)]
)
def test_direct_writes_that_end_inside_a_stripe_read_first(size: str, reads: float, published: float | None) -> None:
    """(6+2) disks of 120 MB/s, whole stripes of 3 MiB; both rates are published, the reads were counted on real md."""
    bought, said = purchase("8x4TB@7200"), Assumptions(disk_bytes_per_s=120_000_000)
    found = asked(f"write,streams=1,size={size},depth=1", "(6+2)", inventory=bought, said=said)
    shape = parse("(6+2)").shapes[0]
    assert partial_write(shape, 512 * KIB, parse_binary_size(size)).reads == pytest.approx(reads, abs=0.01)
    assert found.high < 10 * found.low
    if published is not None:
        assert found.bytes_per_s == pytest.approx(published * 1e6, rel=0.1)
    assert ("nothing is read" in found.touches) == (reads == 0)


@pytest.mark.parametrize(
    ("chunk", "pages", "reads"),
    [("512K", 256, 0.03), ("2M", 256, 1.1), ("4M", 256, 2.0), ("8M", 256, 2.0), ("2M", 512, 0.0), ("8M", 2048, 0.33)],
)
def test_a_chunk_beyond_the_stripe_cache_is_read_first(chunk: str, pages: int, reads: float) -> None:
    """Bytes read per byte written on RAID5 of 6+1, counted on real md; 8M at 2048 pages is the row that it misses."""
    share = beyond_cache(parse_binary_size(chunk), pages)
    assert 2 * share == pytest.approx(reads, abs=0.35)
    disks = purchase("7x4TB@7200")
    held, planned = (
        asked("write", "raid5(6+1)", inventory=disks, chunk_bytes=parse_binary_size(chunk), stripe_cache_pages=own)
        for own in (pages, None)
    )
    assert (held.bytes_per_s < planned.bytes_per_s) == (share > 0)


def test_one_disk_reads_at_its_own_rate_and_an_array_is_no_faster_at_depth_one() -> None:
    disks = purchase("4x4TB@7200")
    one = asked("read,streams=1,size=1M,depth=1", "disk", inventory=disks)
    assert one.bytes_per_s > 0.9 * 160e6
    waits = [
        asked("read,random,streams=1,size=4K,depth=1", layout, inventory=disks).requests_per_s
        for layout in ("disk", "raid10(4)", "raid0(4)", "raid1(4)", "raid5(3+1)")
    ]
    assert waits == [80] * 5


def test_further_buffered_readers_never_bring_the_rate_up_again() -> None:
    rates = [asked(f"read,streams={n}").bytes_per_s for n in (2, 4, 8, 16, 32, 64, 256, 1024)]
    assert rates == sorted(rates, reverse=True)


def test_littles_law_holds() -> None:
    answer = asked("read,random,streams=8,size=128K", chunk_bytes=256 * KIB)
    assert answer.latency_s is not None and answer.requests_per_s is not None
    assert answer.latency_s * answer.requests_per_s == pytest.approx(8, rel=0.01)
    assert answer.requests_per_s == round(answer.bytes_per_s / (128 * KIB))


@pytest.mark.parametrize(
    ("layout", "chunk", "kind", "size", "said"),
    [
        ("(12+2)", 256, "read", 128, "1 chunk (128 KiB of 256 KiB) of one array: 1 of 14 members"),
        ("(12+2)", 128, "read", 256, "2 chunks of one array: 2 of 14 members"),
        (
            "(12+2)", 256, "write", 128,
            "1 chunk (128 KiB of 256 KiB) of one array, 12 hold a full stripe: read-modify-write,"
            " 3 reads and 3 writes of members",
        ),
        (
            "(12+2)", 256, "write", 2048,
            "8 chunks of one array, 12 hold a full stripe: reconstruct-write, 4 reads and 10 writes of members",
        ),
        ("(12+2)", 256, "write", 3072, "12 chunks of one array: full stripes, nothing is read"),
        ("raid1(3)", 512, "write", 4, "all 3 members of one array"),
        ("raid10(8)", 64, "write", 64, "1 chunk of one array, 2 copies"),
        ("disk", 512, "read", 1024, "a disk without md"),
    ],
)  # fmt: skip
def test_what_a_request_uses(layout: str, chunk: int, kind: WorkloadKind, size: int, said: str) -> None:
    assert touches(Design(layout=parse(layout), chunk_bytes=chunk * KIB), kind, size * KIB) == said


def test_lvm_stripes_a_request_over_the_arrays_md_keeps_a_full_stripe_in_one() -> None:
    lvm, md = (Design(layout=parse("4x(12+2)"), chunk_bytes=256 * KIB, stack=stack) for stack in ("lvm", "md"))
    assert (request_of(lvm, MIB).arrays, request_of(lvm, MIB).chunks) == (4, 1)
    assert (request_of(md, MIB).arrays, request_of(md, MIB).chunks) == (1, 4)
    assert (request_of(lvm, 12 * MIB).arrays, request_of(lvm, 12 * MIB).chunks) == (4, 12)
    assert (request_of(md, 12 * MIB).arrays, request_of(md, 12 * MIB).chunks) == (4, 12)


def test_one_direct_write_below_a_full_stripe_is_far_slower_than_one_of_it() -> None:
    part, whole = (
        asked(f"write,streams=1,depth=1,size={size}", "(12+2)", chunk_bytes=256 * KIB) for size in ("128K", "3M")
    )
    assert whole.bytes_per_s > 20 * part.bytes_per_s
    assert str(part.bottleneck) == "program"


def test_a_bitmap_costs_a_lone_random_writer_on_flash_what_its_chunk_says() -> None:
    bought = purchase("5x2TB", nvme_bits_per_s=64_000_000_000)
    rates = [
        asked("write,random,streams=1,size=4K", "raid5(4+1)", inventory=bought, **options).requests_per_s
        for options in ({"bitmap": "none"}, {"bitmap_chunk_bytes": 1024 * MIB}, {"bitmap_chunk_bytes": 64 * MIB})
    ]
    assert rates == [20_600, 10_300, 174]  # as measured: one writer alone waits for no other


@pytest.mark.parametrize("layout", ["raid5(4+1)", "raid10(6)", "2x(4+2)"])
@pytest.mark.parametrize("text", ["write,streams=1,size=1M", "write,random,streams=1,size=4K", "mixed,read=50,random"])
@pytest.mark.parametrize("flash", [False, True])
def test_work_that_writes_names_the_rate_with_each_bitmap_and_without(layout: str, text: str, flash: bool) -> None:
    bought = purchase("12x2TB", rotational=not flash)
    answer = asked(text, layout, inventory=bought)
    assert [each.chunk_bytes for each in answer.bitmaps] == [None, 64 * MIB, 256 * MIB, 1024 * MIB]
    for each in answer.bitmaps:
        stated: dict[str, Any] = {"bitmap_chunk_bytes": each.chunk_bytes} if each.chunk_bytes else {"bitmap": "none"}
        other = asked(text, layout, inventory=bought, **stated)
        assert (each.bytes_per_s, each.low, each.high) == (other.bytes_per_s, other.low, other.high)


def test_the_bitmaps_that_an_array_can_have() -> None:
    def chunks(layout: str, size: str = "2TB", **options: Any) -> list[int | None]:
        answer = asked("write,random,streams=1", layout, inventory=purchase(f"8x{size}"), **options)
        return [each.chunk_bytes and each.chunk_bytes // MIB for each in answer.bitmaps]

    assert asked("read,random,streams=1", "(4+2)").bitmaps == ()
    assert chunks("raid0(4)") == chunks("2x disk") == chunks("raid5(3+1)", ppl=True) == []
    assert chunks("(4+2)", bitmap_chunk_bytes=4 * MIB) == [None, 4, 64, 256, 1024]
    assert chunks("(4+2)", bitmap="none") == [None, 64, 256, 1024]
    assert chunks("(4+2)", "100TB") == [None, 128, 256, 1024]  # 64 MiB leaves more bits than mdadm reserves space for


def test_a_finer_bitmap_than_mdadms_own_may_cost_sequential_writes_four_fifths() -> None:
    """Published: RAID5 of four disks wrote 115 MiB/s without a bitmap and 22 MiB/s with one of before mdadm 3.1.1."""
    own, fine = (asked("write,streams=1,size=1M", "raid5(3+1)", bitmap_chunk_bytes=chunk * MIB) for chunk in (64, 32))
    assert (own.bytes_per_s, own.high) == (fine.bytes_per_s, fine.high)
    assert own.low > 0.4 * own.bytes_per_s
    assert fine.low == pytest.approx(22 / 115 * fine.bytes_per_s, rel=0.001)
    lines = asked_lines([fine])
    assert "  bitmap of 32 MiB: with a fine one a RAID5 of four disks lost 81 %" in lines
    assert (
        "  width: x5.2 from the bitmap: a coarser --bitmap-chunk or --bitmap none narrows it, as the lines below say"
        in lines
    )


def test_a_range_that_the_bitmap_makes_wide_names_it() -> None:
    drives, old = purchase("4x3.84TB", nvme_bits_per_s=64_000_000_000), TargetVersions(kernel="6.2")
    lines = asked_lines([asked(LONE, "raid10(4)", inventory=drives, target=old)])
    assert lines[2].startswith("  not predicted, somewhere from ")
    assert lines[3].startswith("  width: x") and " from the bitmap: a coarser --bitmap-chunk" in lines[3]


def test_bitmaps_that_give_the_same_stand_in_one_line() -> None:
    bought = purchase("5x2TB", nvme_bits_per_s=64_000_000_000)
    found = asked("write,random,streams=1,size=4K", "raid5(4+1)", inventory=bought, bitmap_chunk_bytes=128 * MIB)
    assert asked_lines([found])[-4:] == [
        "  with bitmap none: 20.6k IOPS (10.3-41.2k IOPS)",
        "  with bitmap 64 MiB, 128 MiB: 174 IOPS (70-434 IOPS)",
        "  with bitmap 256 MiB: 285 IOPS (114-710 IOPS)",
        "  with bitmap 1 GiB: 10.3k IOPS (4.6-22.9k IOPS)",
    ]
    disks = asked("write,streams=1", "raid5(4+1)", inventory=purchase("5x2TB"))
    assert asked_lines([disks])[-1].startswith("  with bitmap none, 64 MiB, 256 MiB, 1 GiB: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "invalid word ''"),
        ("write,read", "invalid word 'read'"),
        ("read,streams=0", "invalid streams '0': expected 1 to 65536"),
        ("read,streams=٣", "invalid streams '٣'"),
        ("read,depth=4", "sequential work with a depth needs a size"),
        ("random,streams=4", "neither read nor write"),
        ("read,size=100", "invalid size '100': expected 512 bytes to 1 GiB"),
        ("read,size=2G", "expected 512 bytes to 1 GiB"),
        ("read,streams=8,streams=9", "invalid word 'streams=9'"),
        ("read,queue=8", "invalid word 'queue=8'"),
    ],
)
def test_an_invalid_question_names_the_word(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"expected|add") as caught:
        parse_ask(text)
    assert said in str(caught.value)


def test_the_question_reads_back() -> None:
    assert str(parse_ask("read,streams=8,size=128K,depth=1")) == "read, 8 streams, 128 KiB, depth 1"
    assert str(parse_ask("random, write,streams=1")) == "random write, 1 stream"


@pytest.mark.parametrize(
    ("layout", "percent", "requests"),
    [
        # members x 120/s over the operations of a mean request: reads 1, RAID10 writes 2, RAID6 of 14 writes 3 + 3
        ("raid10(8)", 70, 8 * 120 / (0.7 * 1 + 0.3 * 2)),
        ("4x(12+2)+4", 70, 56 * 120 / (0.7 * 1 + 0.3 * 6)),
        ("4x(12+2)+4", 25, 56 * 120 / (0.25 * 1 + 0.75 * 6)),
        ("raid5(3+1)", 50, 4 * 120 / (0.5 * 1 + 0.5 * 4)),  # 3 data disks: 2 reads and 2 writes
    ],
)
def test_reads_beside_writes_take_the_members_time_of_each(layout: str, percent: int, requests: float) -> None:
    said = Assumptions(disk_iops=120)
    answer = asked(f"mixed,read={percent},random", layout, said=said)
    members = next(each for each in answer.ceilings if each.name.kind == "members")
    assert members.rate / 4096 == pytest.approx(requests, rel=0.001)
    assert answer.evidence.startswith("20 rows of one RAID5 of eight disks")


@pytest.mark.parametrize("flash", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("words", ["", ",size=4K,streams=8,depth=1", ",size=64K,streams=64,depth=16"])
def test_a_mixed_workload_is_between_its_parts_and_grows_with_what_is_faster(
    flash: bool, layout: str, words: str
) -> None:
    bought = purchase("60x2TB", rotational=not flash)
    read, write = (asked(f"{kind},random{words}", layout, inventory=bought) for kind in ("read", "write"))
    found = [asked(f"mixed,read={share},random{words}", layout, inventory=bought) for share in (1, 30, 70, 99)]
    rates = [write.bytes_per_s, *(each.bytes_per_s for each in found), read.bytes_per_s]
    assert rates == sorted(rates, reverse=read.bytes_per_s < write.bytes_per_s)
    for each in found:
        assert 0 < each.low <= each.bytes_per_s <= each.high
        assert each.bytes_per_s <= 1.001 * each.ceilings[0].rate or each.bottleneck.kind == "program"
        assert (each.latency_s is None) == (not words)
        assert ("no verdict" in " ".join(each.notes)) == (each.high > 4 * each.low)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mixed,random", "belong together"), ("read=70,random", "neither read nor write"),
        ("read,read=70,random", "belong together"), ("mixed,read=70", "add random"),
        ("mixed,read=0,random", "1 to 99"), ("mixed,read=100,random", "1 to 99"), ("mixed,read=x,random", "1 to 99"),
        ("mixed,read=7,read=8,random", "invalid word"), ("mixed,write,random", "invalid word"),
    ],
)  # fmt: skip
def test_a_mix_that_cannot_be_answered_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_ask(text)


def test_a_mix_as_text() -> None:
    assert str(parse_ask("mixed,read=70,random,size=4K,streams=8,depth=16")) == (
        "70 % random reads, 30 % random writes, 8 streams, 4 KiB, depth 16"
    )


def test_an_array_that_misses_a_member_as_text() -> None:
    assert str(parse_ask("read,random,streams=4,degraded")) == "random read, 4 streams, degraded"
    assert str(parse_ask("read,rebuilding")) == "read, rebuilding"


@pytest.mark.parametrize("text", ["write,degraded", "mixed,read=70,random,rebuilding", "read,degraded,rebuilding"])
def test_writes_of_arrays_that_miss_a_member_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not predicted|invalid word"):
        parse_ask(text)


def test_an_array_that_survives_no_missing_member_gives_nothing() -> None:
    answer = asked("read,streams=4,size=1M,depth=4,degraded", "raid0(8)")
    assert (answer.bytes_per_s, answer.low, answer.high, answer.members) == (0, 0, 0, ())
    assert asked_lines([answer])[1:] == [
        "asked: read, 4 streams, 1 MiB, depth 4, degraded",
        "  nothing: the arrays stop: none of them survives a missing member",
    ]


def test_a_mirror_without_one_of_three_members_reads_as_two() -> None:
    """Three members of 100 MB/s: two streams each have a member, a third waits for one of them."""
    said = Assumptions(disk_bytes_per_s=100_000_000)
    whole, less = (asked(text, "raid1(3)", said=said) for text in ("read", "read,degraded"))
    assert (whole.ceilings[0].rate, less.ceilings[0].rate) == (300_000_000, 200_000_000)


def test_random_reads_of_a_degraded_parity_array_name_the_reads_of_members() -> None:
    """Of eight members one in eight chunks is missing and takes six reads: (7 + 6) / 8."""
    answer = asked("read,random,size=4K,degraded", "(6+2)")
    assert answer.touches.endswith("; 1.62 reads of members on average")


def test_rates_of_a_hybrid_layout_are_those_of_its_headline() -> None:
    bought = purchase("2x1TB,3x2TB")
    design = Design(layout=parse("hybrid(5)"))
    prediction = predict(design, bought.disks)
    said = defaults_for(bought.disks)
    found = speed(design, bought.disks, prediction, bought, said)
    (answer,) = answers([parse_ask("read,random")], design, bought.disks, prediction, bought, said)
    assert found is not None
    assert round(answer.bytes_per_s / 4096) == found.rand_read.iops
    assert sum(each.read_bytes_per_s for each in answer.members) == pytest.approx(answer.bytes_per_s, rel=0.001)


def test_a_fine_bitmap_lowers_the_headline_too() -> None:
    """115 MiB/s became 22 with a bitmap finer than mdadm makes by itself."""
    bought = purchase("8x4TB")
    design = Design(layout=parse("(6+2)"), bitmap_chunk_bytes=4 * MIB)
    found = speed(design, bought.disks, predict(design, bought.disks), bought, defaults_for(bought.disks))
    assert found is not None
    assert found.seq_write.low == pytest.approx(22 / 115 * found.seq_write.bytes_per_s, rel=0.001)


def test_a_request_reads_no_more_than_its_halves_one_after_the_other() -> None:
    """512 KiB are eight of nine chunks: one is read for each stripe; 1 MiB ends inside of one more often."""
    shape = parse("raid6(9+2)").shapes[0]
    half, whole = (partial_write(shape, 64 * KIB, size * KIB).reads for size in (512, 1024))
    assert half == pytest.approx(1 / 9)
    assert whole <= half
