"""Figures and both ends of their bands move one way with every input; the table says which, and where none is stated.

Requests in order bring no less than the same at random.

Not stated: streams of sequential work on rotating disks, which cost seeks, and of writers whose stripes leave the
stripe cache; more members under writes of less than a stripe, which then read first; the chunk where requests are few,
and where streams follow each other on rotating disks, so that a chunk is what a seek brings; sizes that are not a power
of two, which meet one chunk more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.design import answers, predict
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import STACKS
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory, Link, Place
from raidtui.values.layout import Layout, Level
from raidtui.values.speed import AskedRate, WorkloadKind, WorkloadQuestion
from tests.planner.pools import SLOT, adapter
from tests.suite import examples

KIB, MB = 1024, 10**6
STEP = 2 * 4 * KIB
"""rounding of a figure: to whole requests, of which a mix adds two; larger requests round by their size"""
SAID = "disk_bytes_per_s", "disk_iops", "link_bytes_per_s", "memory_bytes_per_s", "md_write_bytes_per_s"
DEFAULT_SAID = {
    "disk_bytes_per_s": 200 * MB, "disk_iops": 120, "link_bytes_per_s": 8000 * MB, "memory_bytes_per_s": 40_000 * MB,
    "md_write_bytes_per_s": 1200 * MB,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Alike disks behind one expander and one adapter, the design on them and what was said of them."""

    layout: Layout
    stack: str
    chunk_bytes: int
    bitmap: str
    kind: str
    lanes: int
    gbit: int
    slot: float
    said: Assumptions

    def answer(self, ask: WorkloadQuestion) -> AskedRate:
        """Of the model."""
        card = adapter(SLOT, speed=self.slot, width=8)
        disks = tuple(
            Disk(
                id=f"disk-{number}", size_bytes=4 * 10**12, rotational=self.kind == "disk", rpm=7200,
                transport="nvme" if self.kind == "nvme" else "sas", link_bits_per_s=32 * 10**9, state="blank",
                place=Place() if self.kind == "nvme" else Place(controller=SLOT, expander="shelf"),
            )
            for number in range(self.layout.disks)
        )  # fmt: skip
        links = (Link(name="shelf", kind="expander", lanes=self.lanes, bits_per_s=self.gbit * 10**9),)
        inventory = Inventory(origin="purchase", name="pool", controllers=(card,), links=links, disks=disks)
        parts = {"chunk_bytes": self.chunk_bytes, "bitmap": self.bitmap, "stack": self.stack}
        design = Design(layout=self.layout, **parts)  # type: ignore[arg-type]
        (answer,) = answers([ask], design, disks, predict(design, disks), inventory, self.said)
        return answer


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    level: Level = draw(st.sampled_from(("disk", "raid0", "raid1", "raid5", "raid6", "raid10")))
    least = {"disk": 1, "raid0": 2, "raid1": 2, "raid5": 3, "raid6": 4, "raid10": 4}[level]
    members = 1 if level == "disk" else draw(st.integers(least, 4 if level == "raid1" else 24))
    said = {name: draw(st.none() | st.just(value)) for name, value in DEFAULT_SAID.items()}
    threads = draw(st.sampled_from((0, 4)))
    return Machine(
        layout=Layout.of(level=level, members=members, arrays=draw(st.integers(1, 6))),
        stack=draw(st.sampled_from(("lvm", "separate") if level in ("disk", "raid0") else STACKS)),
        chunk_bytes=2 ** draw(st.integers(14, 20)),
        bitmap=draw(st.sampled_from(("internal", "none"))) if level not in ("disk", "raid0") else "none",
        kind=draw(st.sampled_from(("disk", "ssd", "nvme"))),
        lanes=draw(st.sampled_from((4, 8))),
        gbit=draw(st.sampled_from((6, 12))),
        slot=draw(st.sampled_from((2.5, 5.0, 8.0, 16.0))),
        said=Assumptions(parity_threads=threads, **said),  # type: ignore[arg-type]
    )


@st.composite
def asks(draw: st.DrawFn) -> WorkloadQuestion:
    random = draw(st.booleans())
    kinds: tuple[WorkloadKind, ...] = ("read", "write", "mixed")
    kind = draw(st.sampled_from(kinds[: 3 if random else 2]))
    size = draw(st.none() | st.integers(12, 24).map(lambda power: 2**power))
    return WorkloadQuestion(
        kind=kind,
        read_percent=draw(st.integers(1, 99)) if kind == "mixed" else None,
        random=random,
        streams=draw(st.none() | st.integers(0, 11).map(lambda power: 2**power)),
        size_bytes=size,
        depth=draw(st.none() | st.integers(0, 8).map(lambda power: 2**power)) if random or size else None,
    )


def better(machine: Machine, ask: WorkloadQuestion) -> Iterator[tuple[str, Machine, WorkloadQuestion]]:
    """What makes nothing slower, each by itself."""
    said = machine.said
    for name in SAID:
        if (value := getattr(said, name)) is not None:
            for times in (1.3, 4):
                yield name, replace(machine, said=replace(said, **{name: round(times * value)})), ask
    if machine.lanes == 4:
        yield "lanes", replace(machine, lanes=8), ask
    if machine.gbit == 6:
        yield "line rate", replace(machine, gbit=12), ask
    if machine.slot < 16:
        yield "slot", replace(machine, slot=2 * machine.slot if machine.slot > 2.5 else 5.0), ask
    if not said.parity_threads and said.md_write_bytes_per_s is None:
        yield "threads", replace(machine, said=replace(said, parity_threads=4)), ask
    rotating, size = machine.kind == "disk", ask.size_bytes or 4 * KIB
    if ask.depth is not None:
        yield "depth", machine, replace(ask, depth=2 * ask.depth)
    cached = ask.kind == "write" and ask.depth is None and machine.layout.parity > 0
    if ask.streams is not None and (ask.random or not (rotating or cached)):
        yield "streams", machine, replace(ask, streams=2 * ask.streams)
    if ask.size_bytes is not None:
        yield "request size", machine, replace(ask, size_bytes=2 * size)
    layout = machine.layout
    within = ask.kind == "read" or (ask.random and size <= machine.chunk_bytes)
    if layout.level != "disk" and (ask.kind == "read" or layout.level != "raid1"):
        more = 2 if layout.level == "raid10" else 1
        if within or (not layout.parity and ask.kind == "write"):
            wider = [replace(layout.first, members=layout.first.members + more)] * layout.arrays
            yield "members", replace(machine, layout=Layout.joined(wider, layout.spares)), ask
    if within or not layout.parity:
        yield "arrays", replace(machine, layout=Layout.joined([*layout.shapes, layout.first], layout.spares)), ask
    if machine.bitmap == "internal":
        yield "no bitmap", replace(machine, bitmap="none"), ask
    if ask.random and ask.kind == "read" and ask.streams is None and ask.depth is None:
        yield "larger chunk", replace(machine, chunk_bytes=2 * machine.chunk_bytes), ask
    few = not rotating or (ask.streams or 1) == 1
    if few and not ask.random and (ask.kind == "write" or ask.depth is not None):
        yield "smaller chunk", replace(machine, chunk_bytes=machine.chunk_bytes // 2), ask


def jumps(machine: Machine, ask: WorkloadQuestion) -> Iterator[tuple[str, str, AskedRate, AskedRate]]:
    """Each comparison: the input, the ends that moved the wrong way, both answers."""
    found = machine.answer(ask)
    for name, other, question in better(machine, ask):
        after = other.answer(question)
        step = max(STEP, 2 * (ask.size_bytes or machine.chunk_bytes), 2 * (question.size_bytes or 0))
        wrong = [
            end for end in ("bytes_per_s", "low", "high") if getattr(after, end) < getattr(found, end) * 0.9999 - step
        ]
        yield name, " ".join(wrong), found, after


@examples(150)
@given(machine=machines(), ask=asks())
def test_what_is_better_makes_no_figure_and_no_end_of_a_band_slower(machine: Machine, ask: WorkloadQuestion) -> None:
    for name, wrong, found, after in jumps(machine, ask):
        assert not wrong, (name, wrong, found, after)
        assert found.low <= found.bytes_per_s <= found.high


@examples(150)
@given(machine=machines(), ask=asks())
def test_requests_in_order_bring_no_less_than_the_same_at_random(machine: Machine, ask: WorkloadQuestion) -> None:
    if ask.kind == "mixed" or ask.size_bytes is None or ask.depth is None:
        return
    order, scattered = (machine.answer(replace(ask, random=random)) for random in (False, True))
    step = max(STEP, ask.size_bytes)
    for end in ("bytes_per_s", "low", "high"):
        assert getattr(order, end) >= getattr(scattered, end) * 0.9999 - step, (end, order, scattered)
