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
from raidtui.predict.speed.raid_level_rates import beyond_cache, partial_write
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import Assumptions, defaults_for
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.notation import parse
from raidtui.values.speed import AskedRate, Iops, Rate, WorkloadQuestion, parse_ask
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


def test_many_buffered_readers_get_what_the_page_cache_reads_ahead_not_their_small_requests() -> None:
    """A chunk for each seek: ten disks of some 100 chunks a second; the size of the readers' requests does not count"""
    bought = purchase("10x18TB")
    rates = [asked(f"read,streams=300,size={size}", "(8+2)", inventory=bought).bytes_per_s for size in ("16K", "1M")]
    assert rates[0] == rates[1]
    assert 350_000_000 < rates[0] < 550_000_000


LONE = "write,random,size=4K,streams=1,depth=1"


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


def test_a_range_that_the_bitmap_makes_wide_names_it() -> None:
    drives, old = purchase("4x3.84TB", nvme_bits_per_s=64_000_000_000), TargetVersions(kernel="6.2")
    lines = asked_lines([asked(LONE, "raid10(4)", inventory=drives, target=old)])
    assert lines[2].startswith("  not predicted, somewhere from ")
    assert lines[3].startswith("  width: x") and " from the bitmap: a coarser --bitmap-chunk" in lines[3]


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
