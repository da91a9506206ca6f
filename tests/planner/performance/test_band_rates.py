"""Rates and rebuild of bands: those of each as an array of its own, then what they are together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.predict.design import assess, predict
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.prediction import Prediction
from raidtui.values.speed import Limit

MB = 10**6
FLASH = replace(DEFAULTS, disk_bytes_per_s=100 * MB, disk_write_bytes_per_s=100 * MB, disk_iops=1000)


def model(layout: str, disks: str, *, rotational: bool = False) -> Prediction:
    inventory = purchase(disks, rotational=rotational)
    design = Design(layout=parse(layout))
    return assess(design, inventory.disks, predict(design, inventory.disks), inventory, FLASH, spread=False)


def test_a_stream_gets_the_rate_of_the_slowest_band() -> None:
    """Five disks of 100 MB/s: four carry data in the first band, two of three in the second."""
    both, second = model("hybrid(5)", "2x1TB,3x2TB"), model("(2+1)", "3x1TB")
    first = model("(4+1)", "5x1TB")
    assert both.throughput is not None
    assert second.throughput is not None
    assert first.throughput is not None
    read, alone, wide = both.throughput.seq_read, second.throughput.seq_read, first.throughput.seq_read
    assert (read.bytes_per_s, read.low, read.high) == (alone.bytes_per_s, alone.low, wide.high)
    assert (read.bottleneck, read.next) == (Limit("band", "2 (raid5 of 3)"), alone.bottleneck)
    assert str(read.bottleneck) == "band 2 (raid5 of 3)"
    assert Limit.read("band 2 (raid5 of 3)") == read.bottleneck


def test_a_limit_whose_name_has_its_kind_is_told_once() -> None:
    for limit, text in (
        (Limit("expander", "expander-0:0"), "expander-0:0"),
        (Limit("port multiplier", "ata1.pmp"), "port multiplier ata1.pmp"),
    ):
        assert str(limit) == text
        assert Limit.read(text) == limit


def test_random_requests_meet_every_band_by_what_it_holds() -> None:
    """4 and 2 of 6 parts; the three disks in both bands bound them: 6 / (4 / 5000 + 2 / 3000) before the derating."""
    both, one = model("hybrid(5)", "2x1TB,3x2TB"), model("(4+1)", "5x1TB")
    assert both.throughput is not None
    assert one.throughput is not None
    assert both.throughput.rand_read.iops / one.throughput.rand_read.iops == pytest.approx(
        6 / (4 / 5000 + 2 / 3000) / 5000, rel=0.001
    )


def test_a_rotating_disk_is_slower_further_in() -> None:
    """The second band of a mirror starts in the middle of its disks: 1 - 0.52 * 0.5 ** 1.25 of the outer rate."""
    outer, mixed = model("raid1(2)", "2x1TB", rotational=True), model("hybrid(3)", "1x1TB,2x2TB", rotational=True)
    assert outer.throughput is not None
    assert mixed.throughput is not None
    share = mixed.throughput.seq_write.bytes_per_s / outer.throughput.seq_write.bytes_per_s
    assert share == pytest.approx(1 - 0.52 * 0.5**1.25, rel=0.001)


def test_a_disk_rebuilds_its_bands_one_after_the_other() -> None:
    both, first, second = model("hybrid(5)", "2x1TB,3x2TB"), model("(4+1)", "5x1TB"), model("(2+1)", "3x1TB")
    assert both.durability is not None
    assert first.durability is not None
    assert second.durability is not None
    hours = both.durability.rebuild_hours
    assert hours == pytest.approx(first.durability.rebuild_hours + second.durability.rebuild_hours, rel=0.001)
    assert both.durability.rebuild is not None
    assert both.durability.rebuild.formula.startswith("one band after the other")


def test_while_one_band_is_rebuilt_the_others_are_exposed() -> None:
    """With a spare at hand a rebuild takes twice as long as that of the first band; waiting for a disk does not."""
    both, first = model("hybrid(5)+1", "2x1TB,4x2TB"), model("(4+1)+1", "6x1TB")
    assert both.durability is not None
    assert first.durability is not None
    ratio = both.durability.annual_array_loss_probability / first.durability.annual_array_loss_probability
    assert 1.5 < ratio < 2
