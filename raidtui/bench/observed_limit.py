"""Observed limit of a run, from the gauges: members, a shared link, md's thread, one slow member, or the program.

Rules, as for reading iostat manually, applied in this order to medians over the ticks so that outliers do not count:

    one member busy and slow while the others idle         a slow member
    an md thread fills a core                              md thread
    a link's total is at its capacity                      that link
    members run at the rate of the model                   members
    a sequential write reads members back                  partial stripes
    all members busy, equal and below their rate           the shared link, if it is at least half full
    members idle part of the time                          program

A link that carried more in another test of the same run is not a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from raidtui.bench.plan import RAW
from raidtui.predict.speed.raid_level_rates import mean_wire_share
from raidtui.values.amounts import float_sum, listed, percent, rate
from raidtui.values.bench import Figure, Seen, Task
from raidtui.values.codec import by_key
from raidtui.values.gauges import Gauge, Scene, Tick, WatchedArray, WatchedDisk
from raidtui.values.layout import parity_of
from raidtui.values.prediction import Prediction
from raidtui.values.safe import safe
from raidtui.values.speed import MD_THREAD, MEMBERS, PARTIAL_STRIPES, PROGRAM, SLOW_MEMBER, UNKNOWN, Ceiling, Limit

# Load of the disks and arrays below a target during a job, as medians over ticks so that outliers count little.


@dataclass(frozen=True, slots=True)
class MemberMedians:
    """A disk under load: medians over the ticks; bytes per second, operations per second."""

    disk: WatchedDisk
    read: float
    write: float
    iops: float
    util: float
    await_ms: float
    queue: float

    @property
    def total(self) -> float:
        """Bytes per second read and written."""
        return self.read + self.write


def member_medians(scene: Scene, ticks: Sequence[Tick], task: Task) -> list[MemberMedians]:
    """The disks below the target with their medians."""
    wanted = set(task.target.disks)
    disks = [disk for disk in scene.disks if (disk.id or disk.name) in wanted] or _under(scene, task.target.array)
    members = []
    for disk in disks:
        gauges = [tick.disks[disk.name] for tick in ticks if disk.name in tick.disks]
        if (disk.role != "spare" or task.target.disks_alone) and gauges:
            members.append(_member(disk, gauges))
    return members


def _member(disk: WatchedDisk, gauges: Sequence[Gauge]) -> MemberMedians:
    def middle(of: Callable[[Gauge], float]) -> float:
        return median(map(of, gauges))

    return MemberMedians(
        disk=disk,
        read=middle(lambda gauge: gauge.read_bytes_per_s),
        write=middle(lambda gauge: gauge.write_bytes_per_s),
        iops=middle(lambda gauge: gauge.read_iops + gauge.write_iops),
        util=middle(lambda gauge: gauge.util),
        await_ms=middle(lambda gauge: gauge.await_ms),
        queue=middle(lambda gauge: gauge.queue),
    )


def target_arrays(scene: Scene, task: Task) -> list[WatchedArray]:
    """The md arrays below the target; all arrays if the target lists none."""
    known = {array.name: array for array in scene.arrays}
    names = [task.target.array] if task.target.array in known else []
    found: list[WatchedArray] = []
    while names:
        array = known.get(names.pop())
        if array is not None and array not in found:
            found.append(array)
            names += array.members
    if found:
        return found
    wanted = set(task.target.disks)
    held = {disk.array for disk in scene.disks if disk.id in wanted} - {""}
    return [array for array in scene.arrays if array.name in held]


def _under(scene: Scene, array: str) -> list[WatchedDisk]:
    """Disks of an array and of the arrays below it."""
    known = {each.name: each for each in scene.arrays}
    names, todo, done = set(), [array], set()
    while todo:
        name = todo.pop()
        if name in known and name not in done:
            done.add(name)
            todo += known[name].members
        else:
            names.add(name)
    return [disk for disk in scene.disks if disk.name in names]


def reads_per_write(ticks: Sequence[Tick], members: Sequence[MemberMedians]) -> float | None:
    """Bytes read over bytes written, of all members over all ticks; None if nothing was written."""
    names = [member.disk.name for member in members]
    read = written = 0.0
    for tick in ticks:
        for name in names:
            gauge = tick.disks.get(name)
            if gauge is not None:
                read += gauge.read_bytes_per_s * tick.seconds
                written += gauge.write_bytes_per_s * tick.seconds
    return read / written if written > 0 else None


def busiest_thread(ticks: Sequence[Tick], arrays: Sequence[WatchedArray]) -> tuple[str, float]:
    """(array with the busiest md threads, their share of a core)."""
    best = "", 0.0
    for array in arrays:
        shares = [tick.arrays[array.name].thread_share for tick in ticks if array.name in tick.arrays]
        if shares and median(shares) > best[1]:
            best = array.name, median(shares)
    return best


def below_links(members: Sequence[MemberMedians]) -> dict[str, list[MemberMedians]]:
    """Name of each expander, port multiplier and controller to the members below it."""
    found = by_key((key, each) for each in members for key in {each.disk.link, each.disk.controller} - {""})
    return dict(sorted(found.items()))


AT_RATE = 0.8
"""share of their rate at which members are the limit"""
LINK_FULL = 0.85
"""share of its capacity at which a link is the limit: capacities are known to 10 or 20 %"""
LINK_SUSPECT = 0.5
"""share of a link's capacity at which it is the limit if all members are busy and alike"""
CORE_FULL = 0.9
"""share of a core at which an md thread is the limit"""
READ_BACK = 0.01
"""bytes read over bytes written that indicate partial-stripe writes; full-stripe writes show 0.001"""
_BUSY = 0.9
_HELD = 0.85
_IDLE = 0.75
_DEEP = 4.0
_SLOWER = 1.5
_TIES = 0.05
_ALIKE = 0.1
_NOTHING = 50_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A shared link under load."""

    share: float
    """share of its capacity in use"""
    limit: Limit
    """which link"""
    bytes_per_s: float
    """what it carries"""
    words: str
    """figures as text"""


def observed_limit(
    scene: Scene,
    ticks: Sequence[Tick],
    task: Task,
    prediction: Prediction | None = None,
    carried: Mapping[Limit, float] = {},
) -> Seen:
    """The limit of `task` during `ticks`: those of its repeats, without warm-ups and pauses.

    `carried`: the most that each shared link carried in other tests of the run, bytes per second.
    """
    members = member_medians(scene, ticks, task)
    busy = [member for member in members if member.total > _NOTHING or member.iops > 1]
    if not busy:
        return Seen(limit=UNKNOWN, reason="no I/O on the disks" if ticks else "no gauges recorded")
    share = reads_per_write(ticks, members) if task.job.pattern in ("write", "randwrite") else None
    links = _links(scene, members)
    several = len(members) > 1 and task.target.kind in RAW
    each = {member.disk.id or member.disk.name: member for member in members} if several else {}

    def found(limit: Limit, reason: str, slow: Sequence[MemberMedians] = ()) -> Seen:
        return Seen(
            limit=limit,
            reason=reason,
            slow_disks=tuple(member.disk.id or member.disk.name for member in slow),
            write_reads_share=share,
            disk_read_bytes_per_s={key: member.read for key, member in each.items()},
            disk_write_bytes_per_s={key: member.write for key, member in each.items()},
            link_bytes_per_s={link.limit: link.bytes_per_s for link in links},
        )

    slow = _slow_members(busy, coupled=task.target.kind != "disks")
    if slow:
        return found(SLOW_MEMBER, _slow_words(slow, busy), slow)
    arrays = [] if task.target.disks_alone else target_arrays(scene, task)
    name, thread = busiest_thread(ticks, arrays)
    if thread >= CORE_FULL:
        return found(MD_THREAD, f"the threads of {name} take {percent(thread)} of a core")
    at_rate = _share_of_rate(busy, task, prediction)
    possible = [link for link in links if not is_passed(link.bytes_per_s, carried.get(link.limit, 0.0))]
    full = [link for link in possible if link.share >= LINK_FULL]
    if full or at_rate >= AT_RATE:
        best, words = _fullest(full, at_rate, busy, task, prediction)
        return found(best, words)
    if share is not None and share > READ_BACK and _whole_stripes(task, arrays):
        return found(PARTIAL_STRIPES, f"members read {percent(share)} of the bytes written to them (read-modify-write)")
    return found(*_rest(possible, busy, at_rate))


def is_passed(bytes_per_s: float, other: float) -> bool:
    """True if a link that carries `other` in another test is no limit at `bytes_per_s`."""
    return other > bytes_per_s * (1 + _TIES)


def carried_over_links(figures: Iterable[Figure]) -> dict[Limit, float]:
    """The most that each shared link carried in any of `figures`, bytes per second."""
    most: dict[Limit, float] = {}
    for figure in figures:
        for link, carried in (figure.seen.link_bytes_per_s if figure.seen else {}).items():
            most[link] = max(carried, most.get(link, 0.0))
    return most


def _rest(links: Sequence[_Link], members: Sequence[MemberMedians], at_rate: float) -> tuple[Limit, str]:
    """(limit, reason) if nothing is at its ceiling: the link shared by busy members, or the program."""
    util, queue = median(member.util for member in members), median(member.queue for member in members)
    spinning = all(member.disk.rotational for member in members)
    words = f"members busy {percent(util)} of the time, {queue:.1f} requests waiting"
    if util < _IDLE or (not spinning and queue < _DEEP):
        return PROGRAM, f"{words}: too few requests in flight"
    if util < _BUSY:
        return UNKNOWN, words
    shared = links[0].limit if links and links[0].share >= LINK_SUSPECT else UNKNOWN
    if at_rate and shared.known and _alike(members):
        return shared, f"all members alike at {percent(at_rate)} of their rate, and busy"
    if spinning and not shared.known:
        return MEMBERS, words
    return UNKNOWN, f"{words}, at {percent(at_rate)} of their rate"


def _slow_members(members: Sequence[MemberMedians], *, coupled: bool) -> list[MemberMedians]:
    """The few members that slow down the others; empty if none or too many stand out.

    In an array all members run at the same rate: the slow one is busy with longer requests while the others wait.
    Independent disks each run at their own rate.
    """
    if len(members) < 3:
        return []
    if coupled:
        util, wait = median(member.util for member in members), median(member.await_ms for member in members)
        slow = [each for each in members if each.util >= _BUSY and util < _HELD and each.await_ms > _SLOWER * wait]
    else:
        total = median(member.total for member in members)
        slow = [each for each in members if each.total < AT_RATE * total]
    return slow if len(slow) <= max(1, len(members) // 4) else []


def _slow_words(slow: Sequence[MemberMedians], members: Sequence[MemberMedians]) -> str:
    rest = [member for member in members if member not in slow] or list(members)
    named = listed([_name(member.disk) for member in slow])
    figures = f"{rate(slow[0].total)}, busy {percent(slow[0].util)}, {slow[0].await_ms:.1f} ms per request"
    others = f"{rate(median(m.total for m in rest))}, {percent(median(m.util for m in rest))}"
    return f"{named}: {figures}; the others {others}, {median(m.await_ms for m in rest):.1f} ms"


def _name(disk: WatchedDisk) -> str:
    """`slot 7 (serial ZVT0A2K1)`, as far as known."""
    serial = f"serial {safe(disk.serial)}" if disk.serial else ""
    if disk.slot:
        return f"slot {safe(disk.slot)}" + (f" ({serial})" if serial else "")
    return serial or safe(disk.id or disk.name)


def _figure_ceilings(task: Task, prediction: Prediction | None) -> Mapping[Limit, Ceiling]:
    """The model's ceilings, by name, of the figure that the task is compared against, by their limits."""
    speed = prediction.throughput if prediction else None
    found = speed.explained.get(task.job.predicted, ()) if speed else ()
    return {ceiling.name: ceiling for ceiling in found}


def _share_of_rate(members: Sequence[MemberMedians], task: Task, prediction: Prediction | None) -> float:
    """Measured over member-bound rate; 0 if the model has no such figure."""
    speed = prediction.throughput if prediction else None
    if prediction is None or speed is None:
        return 0.0
    writes = task.job.pattern in ("write", "randwrite")
    random = task.job.random
    if random:
        iops = speed.disk.write_iops if writes else speed.disk.read_iops
        return median(member.iops for member in members) / iops if iops else 0.0
    full = float(speed.disk.write_bytes_per_s if writes else speed.disk.read_bytes_per_s)
    members_rate = _figure_ceilings(task, prediction).get(MEMBERS)
    total = sum(array.members for array in prediction.arrays)
    if members_rate is not None and total and not task.target.disks_alone:
        full = members_rate.rate * mean_wire_share(prediction.layout.layout, "write" if writes else "read") / total
    done = median((member.write if writes else member.read) for member in members)
    return done / full if full else 0.0


def _links(scene: Scene, members: Sequence[MemberMedians]) -> list[_Link]:
    """The shared links, the fullest first."""
    found = []
    for key, below in below_links(members).items():
        ceiling = next(iter(scene.ceilings.get(key, ())), None)
        if ceiling is None or not ceiling.rate or len(below) < 2:
            continue
        read, written = float_sum(member.read for member in below), float_sum(member.write for member in below)
        total = read + written if ceiling.name.kind == "port multiplier" else max(read, written)
        words = f"{rate(total)} of {rate(ceiling.rate)} over {ceiling.name}"
        found.append(_Link(share=total / ceiling.rate, limit=ceiling.name, bytes_per_s=total, words=words))
    return sorted(found, key=lambda link: (link.share, link.limit), reverse=True)


def _fullest(
    full: Sequence[_Link],
    at_rate: float,
    members: Sequence[MemberMedians],
    task: Task,
    prediction: Prediction | None,
) -> tuple[Limit, str]:
    """The limit nearest to its ceiling; of those within 5 % the one that the model predicted."""
    each = median(member.total for member in members)
    candidates = [(link.share, link.limit, link.words) for link in full]
    if at_rate >= AT_RATE:
        candidates.append((at_rate, MEMBERS, f"members at {rate(each)} each, {percent(at_rate)} of their rate"))
    most = max(share for share, _, _ in candidates)
    near = [candidate for candidate in candidates if candidate[0] >= most - _TIES]
    ceilings = _figure_ceilings(task, prediction).values()
    predicted = min(ceilings, key=lambda ceiling: ceiling.rate).name if ceilings else UNKNOWN
    chosen = next((candidate for candidate in near if candidate[1] == predicted), max(candidates))
    return chosen[1], chosen[2]


def _whole_stripes(task: Task, arrays: Sequence[WatchedArray]) -> bool:
    """True for sequential writes to parity arrays, which should be full-stripe writes."""
    return task.job.pattern == "write" and any(parity_of(array.level) for array in arrays)


def _alike(members: Sequence[MemberMedians]) -> bool:
    totals = [member.total for member in members]
    return max(totals) - min(totals) <= _ALIKE * max(totals)
