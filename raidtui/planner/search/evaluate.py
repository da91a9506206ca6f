"""Every figure of one layout on one pool: estimates in microseconds, then the exact figures of those worth them.

The exact figures are those of `raidtui model`: the same disks (`Placer`), sizes, rates, rebuild and losses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import expm1, inf
from operator import itemgetter
from typing import NamedTuple

from raidtui.model.assumptions import Assumptions
from raidtui.model.design import Design
from raidtui.model.durability import Durability
from raidtui.model.finding import refused
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import AnyLayout, HybridLayout, Layout, Level, Spread
from raidtui.model.limit import UNKNOWN, Limit
from raidtui.model.proposal import Constraints
from raidtui.model.speed import DiskSpeed, Throughput
from raidtui.model.text_values import LayoutText
from raidtui.planner.design.assess import band_risk, band_speed, risk, speed
from raidtui.planner.design.predict import predict
from raidtui.planner.members import ArrayDisks, array_bounds
from raidtui.planner.performance.disk_speed import speed_table
from raidtui.planner.performance.fast_throughput import AlikeThroughput, FastThroughput, ShapeRates
from raidtui.planner.performance.rebuild_time import busy_members, rebuild_pace, slower_first
from raidtui.planner.performance.shared_links import Attachment, LinkTable, link_table, sync_link
from raidtui.planner.performance.throughput import sequential_rates
from raidtui.planner.placement.certificate import fatal_domains
from raidtui.planner.placement.disk_pool import DiskPool
from raidtui.planner.placement.place import Placer
from raidtui.planner.reliability.durability import losses_of
from raidtui.planner.reliability.loss_bounds import ShapeRisk
from raidtui.planner.reliability.loss_rates import LossRates, loss_rates
from raidtui.planner.search.enumerate_layouts import MOST_MEMBERS, Shape
from raidtui.planner.search.pareto import Vector
from raidtui.planner.search.scored_layout import Scored, vector
from raidtui.planner.search.usable_capacity import Capacity, CapacityTable, EqualArrays

_CLEARLY = 1 + 1e-9
"""relative difference of two times that is no rounding error"""
Beaten = Callable[[int, float, int, int, float, float], bool]
"""`Rivals.dominate`"""


class LayoutBounds(NamedTuple):
    """Estimates for one layout, with members spread evenly over the links, and bounds of its loss."""

    array: Layout
    """one of its arrays"""
    arrays: int
    spares: int
    usable: int
    component: int
    read: int
    write: int
    hours: float
    least_loss: float
    most_loss: float
    cost: float | None
    exact: bool
    """True if `least_loss` is the loss itself"""
    risk: tuple[object, ...]
    """equal for layouts whose loss is the same"""

    @property
    def layout(self) -> Layout:
        """The layout."""
        array = self.array
        return Layout(
            level=array.level, members=array.members, arrays=self.arrays, spares=self.spares,
            copies=array.copies, spread=array.spread,
        )  # fmt: skip

    @property
    def best(self) -> Vector:
        """The objectives at the lower bound of the loss."""
        return vector(self.usable, self.read, self.write, self.least_loss, self.hours, self.cost)

    @property
    def worst(self) -> Vector:
        """The objectives at the upper bound of the loss."""
        return vector(self.usable, self.read, self.write, self.most_loss, self.hours, self.cost)


class _OfShape(NamedTuple):
    """What layouts of arrays of one shape share, on disks of one size."""

    equal: EqualArrays
    rates: ShapeRates
    hours: float
    """of a rebuild; 0 without redundancy"""
    risk: ShapeRisk


class Evaluator:
    """Evaluates layouts on one pool of at least one disk; caches what arrays of one shape share."""

    def __init__(
        self,
        inventory: Inventory,
        pool: DiskPool,
        constraints: Constraints,
        assumptions: Assumptions,
        measured: Mapping[str, DiskSpeed],
    ) -> None:
        self._inventory = inventory
        self._constraints = constraints
        speeds = speed_table(assumptions, measured).each(pool.disks)
        self._speeds = {disk.id: speed for disk, speed in zip(pool.disks, speeds, strict=True)}
        self._disks = pool.disks
        self._links = link_table(inventory, assumptions)
        self._alike = _AlikeDisks(pool.disks, self._speeds, self._links)
        self._placer = Placer(pool.disks)
        self._rates: dict[tuple[AnyLayout, float], LossRates] = {}
        self._capacities = CapacityTable(pool, constraints)
        self._throughput = FastThroughput(pool.disks, inventory, assumptions, measured)
        self._shapes: dict[tuple[Level, int, int, Spread], _OfShape] = {}
        self._enclosures = _enclosure_loss(pool, assumptions)
        self._assumptions = assumptions
        self._price = constraints.price_per_disk
        self.slowest = min(set(self._speeds.values()), key=lambda speed: (speed.read_bytes_per_s, speed.basis))
        self._rebuilds: dict[tuple[object, ...], tuple[float, Limit]] = {}

    @property
    def alike(self) -> bool:
        """True if no layout depends on its places: its estimate is what `evaluate` returns."""
        return self._capacities.exact and self._alike.all

    @property
    def _comparable(self) -> bool:
        """True if a layout meets all constraints that a smaller one with as many disks and a higher loss meets."""
        return self._capacities.uniform and self._constraints.survive_domain is None

    def bounds(self, shape: Shape, beaten: Beaten | None = None) -> Iterator[LayoutBounds]:
        """The layouts of `shape` with bounds of their loss, without those that md, LVM or mkfs would refuse.

        With `beaten` (`Rivals.dominate`) also without most of those that others dominate, if all disks are of one size.
        """
        array = shape.array
        counts: Iterable[tuple[int, int]] = shape.counts
        capacity_of: Callable[[int, int], Capacity | None]
        if beaten is not None and self._better_offset(array):
            return
        if self._capacities.uniform:
            known = self._of_shape(array.level, array.members, array.copies, array.spread)
            capacity_of, rates = known.equal.of, known.rates
            risks = {known.equal.component: (known.hours, known.risk)}
            if beaten is not None:
                counts = self._unbeaten(shape, known, beaten)
        else:
            capacity_of, rates, risks = self._capacities.counted(array), self._throughput.of(array), {}
        read, write = rates.read.rate, rates.write.rate
        least_common, most_common = self._enclosures
        for arrays, spares in counts:
            capacity = capacity_of(arrays, spares)
            if capacity is None:
                continue
            usable, component = capacity
            if component not in risks:
                hours = self._hours(array, component)
                risks[component] = hours, ShapeRisk(array, component, hours, self._assumptions)
            hours, risk = risks[component]
            least = risk.least(arrays)
            exact = risk.reaches_least(arrays, spares)
            most = least if exact else risk.most(arrays, spares)
            yield LayoutBounds(
                array, arrays, spares, usable, component, read(arrays), write(arrays), hours,
                _either(least, least_common), _either(most, most_common), self._cost(array, arrays, spares),
                exact, risk.key(arrays, spares),
            )  # fmt: skip

    def _hours(self, array: Layout, component: int) -> float:
        """Rebuild hours of arrays shaped as `array` of which each member uses `component` bytes."""
        return self._rebuild(array, component, self.slowest, self._throughput.sync_link(array))[0]

    def _cost(self, array: Layout, arrays: int, spares: int) -> float | None:
        return None if self._price is None else (arrays * array.members + spares) * self._price

    def _of_shape(self, level: Level, members: int, copies: int, spread: Spread) -> _OfShape:
        """What layouts of arrays of one shape share, on disks of one size."""
        key = level, members, copies, spread
        found = self._shapes.get(key)
        if found is None:
            array = Layout(level=level, members=members, copies=copies, spread=spread)
            equal = self._capacities.equal_arrays(array)
            hours = self._hours(array, equal.component)
            risk = ShapeRisk(array, equal.component, hours, self._assumptions)
            found = self._shapes[key] = _OfShape(equal, self._throughput.of(array), hours, risk)
        return found

    def _unbeaten(self, shape: Shape, known: _OfShape, beaten: Beaten) -> Iterator[tuple[int, int]]:
        """The counts of `shape` without those that `beaten` or one of two other layouts is known to dominate."""
        array = shape.array
        # with a price one array is not offered with every number of spares
        joinable = array.level == "raid10" and self._comparable and self._price is None
        hours, risk, common = known.hours or inf, known.risk, self._enclosures[0]
        read, write, room = known.rates.read.rate, known.rates.write.rate, known.equal.at_most
        for arrays, spares in shape.counts:
            cost = self._cost(array, arrays, spares) or 0.0
            least, rates = _either(risk.least(arrays), common), (read(arrays), write(arrays))
            if beaten(room(arrays), least, *rates, hours, cost):
                continue
            if joinable and arrays > 1 and self._better_alone(array, known, arrays, spares, rates):
                continue
            yield arrays, spares

    def _better_offset(self, array: Layout) -> bool:
        """True if `array` has far copies, and any number of arrays dominates as many of it with offset copies instead.

        md cuts members into the same chunks for both (raid10.c, setup_geo), so that sizes, stripes and sets of disks
        are equal, and far copies are never faster. A set that is rebuilt sooner is lost less often, whatever the
        spares.
        """
        if array.level != "raid10" or array.spread != "f" or not self._comparable:
            return False
        offset = self._of_shape(array.level, array.members, array.copies, "o")
        return offset.hours * _CLEARLY < self._hours(array, offset.equal.component)

    def _better_alone(self, array: Layout, each: _OfShape, arrays: int, spares: int, rates: tuple[int, int]) -> bool:
        """True if one RAID10 of as many members dominates `arrays` of `array`, which read and write at `rates`.

        It has the same sets of disks, and also the room that LVM leaves at the start and end of each array.
        """
        members = arrays * array.members
        if members > min(self._constraints.max_width or members, MOST_MEMBERS - spares):
            return False
        alone = self._of_shape(array.level, members, array.copies, array.spread)
        return (
            each.risk.key(arrays, spares) == alone.risk.key(1, spares)
            and alone.hours <= each.hours
            and alone.rates.read.rate(1) >= rates[0]
            and alone.rates.write.rate(1) >= rates[1]
            and each.equal.surely_less(arrays, alone.equal)
            and alone.equal.of(1, spares) is not None
        )

    def estimate(self, bounds: LayoutBounds) -> Vector:
        """The objectives with the loss in place of its bounds; enclosures as if none were fatal but an only one."""
        if bounds.exact:
            return bounds.best
        rates = self._loss_rates(bounds.layout, bounds.hours)
        losses = losses_of(rates, bounds.component, 0, self._assumptions)
        loss = _either(losses.any, self._enclosures[0])
        return vector(bounds.usable, bounds.read, bounds.write, loss, bounds.hours, bounds.cost)

    def evaluate(self, layout: AnyLayout) -> Scored | None:
        """All figures of any layout, those of `raidtui model`; None if md, LVM or mkfs would refuse it."""
        assumptions = self._assumptions
        if self.alike and isinstance(layout, Layout):
            return self._evaluate_alike(layout)
        design = self._design(layout)
        if isinstance(layout, HybridLayout):
            return self._evaluate_bands(layout, design, self._placer.choose(layout))
        alike = self._capacities.exact and (isinstance(layout, Layout) or design.stack != "lvm")
        if alike and self._alike.all:
            capacity = self._capacities.of(layout)
            members, fatal = self._alike.evenly(layout), self._alike.enclosures
        else:
            pool, numbers = self._placer.numbers(layout)
            capacity = (
                self._capacities.of(layout) if alike else _predicted(design, [pool[number] for number in numbers])
            )
            members, fatal = self._alike.of(layout, pool, numbers)
        if capacity is None:
            return None
        links = self._links.links_of([self._alike.attachments(array) for array in members])
        typical = self._alike.typical(layout, members)
        rates = sequential_rates(design, typical, self._inventory, links, assumptions, self._speeds)
        slowest = self._alike.slowest(members)
        rebuilds = [
            self._rebuild(group, capacity.component, slowest, sync_link(links, busy=busy_members(group)))
            for group in layout.groups
        ]
        return self._scored(layout, capacity, rates, max(rebuilds, key=itemgetter(0)), fatal)

    def _evaluate_alike(self, layout: Layout) -> Scored | None:
        """`evaluate` on disks that are all alike, so that their places do not matter."""
        capacity = self._capacities.of(layout)
        if capacity is None:
            return None
        striped = self._constraints.stack != "separate"
        read = self._alike_rates.rate(layout, "read", striped=striped)
        write = self._alike_rates.rate(layout, "write", striped=striped)
        link = self._alike_rates.sync_link(layout)
        rebuild = self._rebuild(layout, capacity.component, self._alike.slowest([{0: 1}]), link)
        return self._scored(layout, capacity, (read, write), rebuild, self._alike.enclosures)

    @cached_property
    def _alike_rates(self) -> AlikeThroughput:
        disk = self._disks[0]
        return AlikeThroughput(disk, self._inventory, self._links, self._assumptions, self._speeds[disk.id])

    def _scored(
        self,
        layout: AnyLayout,
        capacity: Capacity,
        sequential: tuple[tuple[int, Limit], tuple[int, Limit]],
        rebuild: tuple[float, Limit],
        fatal: int,
    ) -> Scored:
        """The layout with its figures; `fatal` enclosures each hold more members of an array than it survives."""
        (read, read_limit), (write, write_limit) = sequential
        hours, rebuild_limit = rebuild
        losses = losses_of(self._loss_rates(layout, hours), capacity.component, fatal, self._assumptions)
        return Scored(
            layout=layout,
            text=LayoutText(layout),
            usable=capacity.usable,
            read=read,
            write=write,
            read_limit=read_limit,
            write_limit=write_limit,
            hours=hours,
            rebuild_limit=rebuild_limit,
            array_loss=losses.array,
            sector_loss=losses.sector,
            enclosure_loss=losses.enclosure,
            loss=losses.any,
            common_loss=self._enclosures[0],
            cost=None if self._price is None else layout.disks * self._price,
        )

    def _evaluate_bands(self, layout: HybridLayout, design: Design, disks: Sequence[Disk]) -> Scored | None:
        """All figures of a hybrid layout on `disks`; None if md, LVM or mkfs would refuse it."""
        prediction = predict(design, disks)
        if refused(prediction.findings) or not prediction.has_sizes:
            return None
        rates = band_speed(design, disks, prediction, self._inventory, self._assumptions, self._speeds)
        losses = band_risk(design, disks, prediction, self._inventory, self._assumptions, self._speeds)
        return self._as_predicted(layout, prediction, rates, losses)

    def evaluate_on(self, layout: AnyLayout, disks: Sequence[Disk]) -> Scored | None:
        """`evaluate` on disks in this order, whether of the pool or not; None for LUNs too."""
        design = self._design(layout)
        prediction = predict(design, disks)
        rates = speed(design, disks, prediction, self._inventory, self._assumptions)
        losses = risk(design, disks, prediction, self._inventory, self._assumptions)
        if refused(prediction.findings) or rates is None or losses is None:
            return None
        return self._as_predicted(layout, prediction, rates, losses)

    def _design(self, layout: AnyLayout) -> Design:
        asked = self._constraints
        return Design(
            layout=layout, chunk_bytes=asked.chunk_bytes, stack=asked.stack, fs=asked.fs, fs_options=asked.fs_options
        )

    def _as_predicted(self, layout: AnyLayout, prediction: Prediction, rates: Throughput, risk: Durability) -> Scored:
        return Scored(
            layout=layout,
            text=LayoutText(layout),
            usable=prediction.usable_bytes,
            read=rates.seq_read.bytes_per_s,
            write=rates.seq_write.bytes_per_s,
            read_limit=rates.seq_read.bottleneck,
            write_limit=rates.seq_write.bottleneck,
            hours=risk.rebuild_hours,
            rebuild_limit=UNKNOWN if risk.rebuild is None else risk.rebuild.limit,
            array_loss=risk.annual_array_loss_probability,
            sector_loss=risk.annual_sector_loss_probability,
            enclosure_loss=risk.annual_enclosure_loss_probability,
            loss=risk.any_loss_1y,
            common_loss=self._enclosures[0],
            cost=None if self._price is None else layout.disks * self._price,
        )

    def _loss_rates(self, layout: AnyLayout, hours: float) -> LossRates:
        key = layout, hours
        if key not in self._rates:
            self._rates[key] = loss_rates(layout, hours, self._assumptions)
        return self._rates[key]

    def _rebuild(
        self, shape: Layout, component: int, slowest: DiskSpeed, link: tuple[float, Limit] | None
    ) -> tuple[float, Limit]:
        """(rebuild hours, limit) of arrays of `shape`; (0, unknown) for a level without redundancy."""
        speed = slowest.read_bytes_per_s, slowest.write_bytes_per_s, slowest.inner_share
        members = shape.members if shape.parity else 0  # of a mirror two take part, of whichever number
        key = shape.level, members, shape.copies, shape.spread, component, speed, link
        if key not in self._rebuilds:
            pace = rebuild_pace(shape, component, slowest, self._assumptions, link=link)
            self._rebuilds[key] = (0.0, UNKNOWN) if pace is None else (pace.hours, pace.limit)
        return self._rebuilds[key]


_Members = Mapping[int, int]
"""members of one array: how many of each class of `_AlikeDisks`"""


class _AlikeDisks:
    """Classes of disks that differ in nothing that the figures of a layout depend on, but for their sizes.

    Disks of one class have the same speed, link, place in the tree of links, and enclosure.
    """

    def __init__(self, disks: Sequence[Disk], speeds: Mapping[str, DiskSpeed], links: LinkTable) -> None:
        numbers: dict[tuple[object, ...], int] = {}
        self._number: dict[str, int] = {}
        self._first: dict[int, Disk] = {}
        self._attachments: dict[int, Attachment] = {}
        self._speeds: dict[int, DiskSpeed] = {}
        self._enclosures: dict[int, str | None] = {}
        self._pool: Sequence[Disk] | None = None
        self._of_pool: list[int] = []
        """class of each disk of `_pool`, the one of the last layouts"""
        for disk, attachment in zip(disks, links.attachments.each(disks), strict=True):
            alike = speeds[disk.id], attachment, disk.place.enclosure
            number = self._number[disk.id] = numbers.setdefault(alike, len(numbers))
            self._first.setdefault(number, disk)
            self._attachments[number] = attachment
            self._speeds[number] = speeds[disk.id]
            self._enclosures[number] = disk.place.enclosure
        self.all = len(numbers) == 1
        """True if there is one class: figures are the same on whichever disks a layout is placed"""
        self.enclosures = len({disk.place.enclosure for disk in disks} - {None, ""})
        """known enclosures of all disks"""

    def of(self, layout: AnyLayout, pool: Sequence[Disk], numbers: Sequence[int]) -> tuple[list[_Members], int]:
        """(members of each array on the disks `numbers` of `pool`, enclosures whose loss loses an array)."""
        if self._pool is not pool:
            self._pool = pool
            self._of_pool = [self._number[disk.id] for disk in pool]
        found: list[_Members] = []
        fatal: set[str] = set()
        for shape, (start, end) in zip(layout.shapes, pairwise(array_bounds(layout)), strict=True):
            classes = [self._of_pool[number] for number in numbers[start:end]]
            found.append(Counter(classes))
            fatal |= fatal_domains(shape, [self._enclosures[each] for each in classes])
        return found, len(fatal)

    def evenly(self, layout: AnyLayout) -> list[_Members]:
        """The members of each array of `layout` on disks that are all alike."""
        return [members for group in layout.groups for members in [{0: group.members}] * group.arrays]

    def slowest(self, arrays: Sequence[_Members]) -> DiskSpeed:
        """The member that bounds a rebuild."""
        return min((self._speeds[number] for number in set().union(*arrays)), key=slower_first)

    def attachments(self, array: _Members) -> list[tuple[Attachment, int]]:
        """(attachment, members there) of one array."""
        return [(self._attachments[number], count) for number, count in array.items()]

    def typical(self, layout: AnyLayout, arrays: Sequence[_Members]) -> tuple[ArrayDisks, ...]:
        """The arrays without spares and with one member of each class, which have the rates of the whole ones.

        Mirrors have all their members: what they read together is the sum over them.
        """
        found = []
        for shape, array in zip(layout.shapes, arrays, strict=True):
            classes = Counter(array).elements() if shape.level == "raid1" else array
            found.append(ArrayDisks(tuple(self._first[number] for number in sorted(classes)), ()))
        return tuple(found)


def _either(one: float, other: float) -> float:
    """Probability of at least one of two independent events."""
    return one + other - one * other


def _predicted(design: Design, disks: Sequence[Disk]) -> Capacity | None:
    prediction = predict(design, disks)
    if refused(prediction.findings) or not prediction.has_sizes:
        return None
    return Capacity(prediction.usable_bytes, prediction.component_bytes)


def _enclosure_loss(pool: DiskPool, assumptions: Assumptions) -> tuple[float, float]:
    """Least and highest probability within a year that an enclosure outage loses data, over all layouts on the pool."""
    names = {disk.place.enclosure for disk in pool.disks}
    yearly = assumptions.enclosure_afr * assumptions.enclosure_loss
    least = yearly if len(names) == 1 and all(names) else 0.0
    return -expm1(-least), -expm1(-yearly * len(names - {None, ""}))
