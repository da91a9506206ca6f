"""Rates of random machines: what holds whatever the disks, links, layouts and workloads are.

`violations(seed, cases)` counts; the suite runs a share. Whole stripes are faster than what is a little larger, so the
size of a direct write is compared with its double.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from raidtui.predict.design import answers, predict, speed
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import Direction
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.speed import AskedRate, WorkloadQuestion
from tests.suite import SUITE

KIB = 1024
SLACK = 1.002
"""rates are rounded to bytes"""
SHAPES = ("raid0({n})", "raid1({n})", "raid10({n})", "raid10({n},f2)", "raid5({m}+1)", "raid6({k}+2)", "2xraid6({k}+2)")


def test_what_holds_for_every_machine() -> None:
    """The suite `long`, which a release runs, makes a hundred thousand comparisons."""
    cases = 7_000 if SUITE == "long" else 40
    found = list(violations(seed=1, cases=cases))
    assert [text for text in found if text] == []
    assert len(found) > 12.5 * cases


def violations(seed: int, cases: int) -> Iterator[str]:
    """A text for each comparison: empty where it holds."""
    dice = random.Random(seed)
    for _ in range(cases):
        yield from _of_machine(dice)


def _of_machine(dice: random.Random) -> Iterator[str]:
    members = dice.randint(4, 14)
    shape = dice.choice(SHAPES)
    flash = dice.random() < 0.3
    chunk = 2 ** dice.randint(5, 11) * KIB
    size = dice.choice((0.5, 1, 2, 4, 8, 16))
    link = dice.choice((None, dice.randint(200, 4000) * 1_000_000))
    said = Assumptions(link_bytes_per_s=link, disk_bytes_per_s=dice.choice((None, dice.randint(50, 300) * 1_000_000)))

    def layout(count: int) -> str:
        return shape.format(n=count, m=count - 1, k=count - 2)

    def rates(count: int, *asks: WorkloadQuestion) -> tuple[AskedRate, ...]:
        bought = purchase(f"40x{size}TB", rotational=not flash)
        design = Design(layout=parse(layout(count)), chunk_bytes=chunk)
        return answers(asks, design, bought.disks, predict(design, bought.disks), bought, said)

    kinds: tuple[Direction, ...] = ("read", "write")
    kind = dice.choice(kinds)
    ask = WorkloadQuestion(
        kind=kind, random=dice.random() < 0.5, streams=2 ** dice.randint(0, 6), size_bytes=2 ** dice.randint(12, 23),
        depth=2 ** dice.randint(0, 6),
    )  # fmt: skip
    where = f"{layout(members)} of {size} TB, flash {flash}, chunk {chunk}, link {link}, {ask}"
    found, deeper, larger, more, alone = rates(
        members, ask, replace(ask, depth=2 * (ask.depth or 1)), replace(ask, size_bytes=2 * (ask.size_bytes or 1)),
        replace(ask, streams=2 * (ask.streams or 1)), replace(ask, streams=1, depth=1, random=True),
    )  # fmt: skip
    (wider,) = rates(members + (2 if "10" in shape else 1), ask)
    for each in (found, deeper, larger, more, wider):
        yield "" if each.low <= each.bytes_per_s <= each.high else f"outside its band: {where}"
        over = [limit for limit in each.ceilings if limit.name.kind == "stated link" and each.high > 1.05 * limit.rate]
        yield f"above {over[0].name}: {where}" if over and not ask.random else ""
    yield _never_less(deeper, found, f"deeper: {where}")
    yield _never_less(larger, found, f"larger: {where}")
    if ask.random or flash:  # streams in order cost disks seeks
        yield _never_less(more, found, f"more streams: {where}")
    if ask.kind == "read":
        yield _never_less(wider, found, f"more disks: {where}")
        (missing,) = rates(members, replace(ask, state="degraded"))
        yield _never_less(found, missing, f"a degraded array beats a whole one: {where}")
    if kind == "read" and not flash and ask.size_bytes and ask.size_bytes <= chunk:
        bought = purchase(f"1x{size}TB", rotational=not flash)
        design = Design(layout=parse("disk"))
        one = replace(ask, streams=1, depth=1, random=True)
        (disk,) = answers([one], design, bought.disks, predict(design, bought.disks), bought, said)
        yield _never_less(disk, alone, f"an array beats its disk: {where}")
    yield from _degraded(layout(members), chunk, f"40x{size}TB", flash, said)


def _degraded(layout: str, chunk: int, bought: str, flash: bool, said: Assumptions) -> Iterator[str]:
    inventory = purchase(bought, rotational=not flash)
    design = Design(layout=parse(layout), chunk_bytes=chunk)
    found = speed(design, inventory.disks, predict(design, inventory.disks), inventory, said)
    assert found is not None
    if found.degraded_seq_read is not None and found.degraded_rand_read is not None:
        whole = found.seq_read.bytes_per_s, found.rand_read.iops
        less = found.degraded_seq_read.bytes_per_s, found.degraded_rand_read.iops
        for better, worse in zip(whole, less, strict=True):
            yield "" if worse <= SLACK * better else f"degraded above healthy: {layout} {bought} {said}"


def _never_less(more: AskedRate, less: AskedRate, where: str) -> str:
    return "" if SLACK * more.bytes_per_s + 1 >= less.bytes_per_s else f"{where}: {less.bytes_per_s} {more.bytes_per_s}"
