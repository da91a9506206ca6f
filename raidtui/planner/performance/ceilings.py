"""Everything that bounds one kind of work on the arrays of a design: members, links, md, the program, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raidtui.model.limit import DISK_LINK, MD_THREAD, MEMBERS, MEMORY_CHANNELS, ONE_STREAM, Limit, LimitKind
from raidtui.model.speed import Ceiling, CeilingSource, DiskSpeed, SpeedSource
from raidtui.planner.performance import confidence_bands as bands
from raidtui.planner.performance.link_capacity import in_gb
from raidtui.planner.performance.md_limits import MEMORY, ONE_READER, bytes_moved, md_thread
from raidtui.planner.performance.operating_point import (
    Setting,
    Work,
    active,
    array_rate,
    load_on,
    members_rates,
    wire_bytes,
)
from raidtui.planner.performance.raid_level_rates import PAGE
from raidtui.planner.performance.shared_links import Way

_SOURCE: dict[SpeedSource, CeilingSource] = {
    "said": "said",
    "measured": "measured",
    "inventory": "table",
    "family": "table",
    "class": "guess",
}
_MORE = "more or faster members"
_REMEDY: dict[LimitKind, str] = {
    "port multiplier": "fewer disks behind each port multiplier",
    "expander": "a second cable or wider port",
    "cable": "a second cable",
    "PCIe slot": "a wider or newer slot, or a second adapter",
    "said link": "a faster link",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A ceiling and how far it may be off."""

    ceiling: Ceiling
    point: float
    low: float
    high: float
    unknown: str = ""
    """what is not known of it; empty where it is"""

    @property
    def stripes(self) -> bool:
        """True where writing partial stripes costs: reads come between the writes of members and of md's thread."""
        return self.ceiling.name in (MEMBERS, MD_THREAD)

    def beside_rebuild(self, left: float) -> Bound:
        """The same where a rebuild leaves `left` of it."""
        if left == 1:
            return self
        formula = f"({self.ceiling.formula}) x {left:g} beside the rebuild"
        ceiling = replace(self.ceiling, rate=round(left * self.point), formula=formula)
        return Bound(ceiling, left * self.point, left * self.low, left * self.high, self.unknown)


def bounds(setting: Setting, work: Work) -> list[Bound]:
    """Every known ceiling of `work`, in the order of the way from the disks upwards."""
    rates = members_rates(setting, work)
    found = [_members_bound(setting, work, rates), *_disk_link(setting, work)]
    stages: dict[LimitKind, list[Way]] = {}
    for way in setting.ways:
        stages.setdefault(way.limit.kind, []).append(way)
    for stage in stages.values():
        found += _stage_bound(setting, work, rates, stage)
    return found + list(_software(setting, work, sum(rate > 0 for rate in rates)))


def hidden_ceilings(setting: Setting, work: Work) -> list[tuple[str, float]]:
    """What hides, in words, and what it would allow at worst."""
    rates = members_rates(setting, work)
    found = []
    for hidden in setting.hidden:
        load = load_on(setting, work, rates, hidden.below, both_ways=True)
        if load:
            found.append((hidden.text, sum(rates) * hidden.least / load))
    return found


def _members_bound(setting: Setting, work: Work, rates: Sequence[float]) -> Bound:
    total = sum(rates)
    disk = setting.slowest
    speed = _speed_of(disk, work)
    worth, members = total / speed, len(rates) * setting.layout.members
    if work.random:
        formula = f"{members} members x {_shown(work, speed)} / {members / worth:.3g} disk operations for each"
        return _bound(MEMBERS, total, _SOURCE[disk.source], f"{formula} ({disk.basis})", _MORE)
    formula = f"{worth:.4g} members' worth of {members} x {_shown(work, speed)} ({disk.basis})"
    return _bound(MEMBERS, total, _SOURCE[disk.source], formula, _MORE, disk.low, disk.high)


def _speed_of(disk: DiskSpeed, work: Work) -> float:
    if work.random:
        return disk.read_iops if work.kind == "read" else disk.write_iops
    return disk.read_bytes_per_s if work.kind == "read" else disk.write_bytes_per_s


def _disk_link(setting: Setting, work: Work) -> Iterator[Bound]:
    """What each member's own link allows: the level's rule with the link in the member's place, nothing passed over."""
    links = [pace.link for pace in setting.paces if pace.link is not None]
    if len(links) < len(setting.paces):
        return
    unit = PAGE if work.random else 1
    rates = active(setting, work, [array_rate(setting.layout, work, link / unit, False) for link in links])
    formula = f"members' links of {in_gb(min(links))} each"
    yield _bound(DISK_LINK, sum(rates), "sysfs", formula, "ports of a faster generation")


def _stage_bound(setting: Setting, work: Work, rates: Sequence[float], stage: Sequence[Way]) -> list[Bound]:
    """The tightest link of one stage of the tree.

    Striped arrays all run as fast as the tightest link lets its members: rate of all / its overload. Arrays apart are
    each held only by links they use.
    """
    overloads = [load_on(setting, work, rates, way.below, way.both_ways) / way.capacity.point for way in stage]
    worst = max(overloads)
    if not worst:
        return []
    tight = stage[next(number for number, over in enumerate(overloads) if over >= worst * (1 - 1e-9))]
    if setting.joined or worst <= 1:
        total = sum(rates) / worst
    else:
        total = sum(
            rate / max(1.0, max(over if way.below[array] else 0.0 for way, over in zip(stage, overloads, strict=True)))
            for array, rate in enumerate(rates)
        )
    capacity = tight.capacity
    below, of = sum(tight.below), setting.layout.members * len(rates)
    wire = wire_bytes(setting.layout, work, tight.both_ways)
    formula = f"{capacity.formula} = {in_gb(capacity.point)} for {below} of {of} members"
    if len(stage) > 1:
        formula += f", {len(stage)} such links"
    if not work.random and wire != 1:
        formula += f"; {wire:.3g} bytes travel for each of data"
    low, high = capacity.low / capacity.point, capacity.high / capacity.point
    found = _bound(tight.limit, total, capacity.source, formula, _REMEDY[tight.limit.kind], low, high)
    return [replace(found, unknown=capacity.unknown)]


def _software(setting: Setting, work: Work, active: int) -> Iterator[Bound]:
    """md's thread, the copying of a single program, memory. `active` arrays are worked on."""
    layout, threads = setting.layout, setting.parity_threads
    thread = md_thread(layout, work, threads)
    if thread is not None:
        formula = f"{active} arrays x {_shown(work, thread)} each"
        if layout.parity and work.kind == "write":
            formula += f" with group_thread_cnt {threads}"
        remedy = "more, narrower arrays" + ("" if threads else ", or group_thread_cnt 2 to 4")
        spread = bands.MD_THREAD if setting.rotational else bands.EXACT
        yield _bound(MD_THREAD, active * thread, "table", formula, remedy, spread.low, spread.high)
    if work.random:
        return
    single = work.streams == 1
    if single:
        formula = "one thread copies through the page cache"
        yield _bound(ONE_STREAM, ONE_READER, "table", formula, "several streams, or direct I/O")
    moved = bytes_moved(layout, work.kind, buffered=single)
    said = setting.memory_bytes_per_s
    formula = f"{in_gb(said or MEMORY)} / {moved:g} bytes moved for each of data"
    low, high = (1.0, 1.0) if said else (0.5, 2.0)
    yield _bound(
        MEMORY_CHANNELS,
        (said or MEMORY) / moved,
        "said" if said else "guess",
        formula,
        "more memory channels",
        low,
        high,
    )


def _bound(
    limit: Limit, rate: float, source: CeilingSource, formula: str, remedy: str, low: float = 1.0, high: float = 1.0
) -> Bound:
    ceiling = Ceiling(name=limit, rate=round(rate), source=source, formula=formula, remedy=remedy)
    return Bound(ceiling, rate, rate * low, rate * high)


def _shown(work: Work, rate: float) -> str:
    return f"{rate:,.0f}/s".replace(",", " ") if work.random else in_gb(rate)
