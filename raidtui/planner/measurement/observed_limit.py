"""What bound a run, read off the gauges: members, a shared link, md's thread, one slow member, or the program.

The rules are those people use by hand on iostat, in this order, on the medians of the ticks so that a single odd one
does not count:

    one member busy and slow while the others idle         a slow member
    an md thread fills a core                              md thread
    a link's total is at what it carries                   that link
    members run at the rate the model gives them           members
    a sequential write reads members back                  partial stripes
    all members busy, equal and below their rate           the link they share, where it is half full at least
    members idle part of the time                          program
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from raidtui.model.bench import Seen, Task
from raidtui.model.gauges import Scene, Tick, WatchedArray, WatchedDisk
from raidtui.model.geometry import Prediction
from raidtui.model.limit import MD_THREAD, MEMBERS, PARTIAL_STRIPES, PROGRAM, SLOW_MEMBER, UNKNOWN, Limit
from raidtui.model.notation import parse
from raidtui.model.safe import safe
from raidtui.model.speed import Ceiling
from raidtui.planner.measurement.tick_medians import (
    Member,
    arrays_of,
    below_links,
    busiest_thread,
    members_of,
    read_back,
)
from raidtui.planner.numbers import listed, rate
from raidtui.planner.performance.raid_level_rates import wire_share

AT_RATE = 0.8
"""share of their rate from which members are what binds"""
LINK_FULL = 0.85
"""the same of a link: what is known of its capacity is good to 10 or 20 %"""
LINK_SUSPECT = 0.5
"""share of what a link carries from which busy members that are all alike point at it"""
CORE_FULL = 0.9
"""share of a core from which an md thread is what binds"""
READ_BACK = 0.01
"""bytes read over bytes written from which partial stripes were read back; whole ones show a thousandth"""
_BUSY = 0.9
_HELD = 0.85
_IDLE = 0.75
_DEEP = 4.0
_SLOWER = 1.5
_TIES = 0.05
_ALIKE = 0.1
_NOTHING = 50_000.0


def seen(scene: Scene, ticks: Sequence[Tick], task: Task, prediction: Prediction | None = None) -> Seen:
    """What bound `task` while `ticks` were taken: those of its repeats, without warm-ups and what lies between."""
    members = members_of(scene, ticks, task)
    busy = [member for member in members if member.total > _NOTHING or member.iops > 1]
    if not busy:
        return Seen(limit=UNKNOWN, reason="the gauges saw no work on the disks" if ticks else "nothing was gauged")
    share = read_back(ticks, members) if task.job.pattern in ("write", "randwrite") else None

    def found(limit: Limit, reason: str, slow: Sequence[Member] = ()) -> Seen:
        return Seen(
            limit=limit,
            reason=reason,
            slow_disks=tuple(member.disk.id or member.disk.name for member in slow),
            write_reads_share=share,
        )

    slow = _slow_members(busy, coupled=task.target.kind != "disks")
    if slow:
        return found(SLOW_MEMBER, _slow_words(slow, busy), slow)
    arrays = [] if task.target.kind in ("disk", "disks") else arrays_of(scene, task)
    name, thread = busiest_thread(ticks, arrays)
    if thread >= CORE_FULL:
        return found(MD_THREAD, f"the threads of {name} take {thread:.0%} of a core")
    at_rate = _share_of_rate(busy, task, prediction)
    links = _links(scene, members)
    full = [link for link in links if link[0] >= LINK_FULL]
    if full or at_rate >= AT_RATE:
        best, words = _fullest(full, at_rate, busy, task, prediction)
        return found(best, words)
    if share is not None and share > READ_BACK and _whole_stripes(task, arrays):
        return found(PARTIAL_STRIPES, f"{share:.1%} of what was written to members was read back from them")
    return found(*_rest(links, busy, at_rate))


def _rest(links: Sequence[tuple[float, Limit, str]], members: Sequence[Member], at_rate: float) -> tuple[Limit, str]:
    """Limit and reason where nothing is at its ceiling: the link that holds busy members back, or the program."""
    util, queue = median(member.util for member in members), median(member.queue for member in members)
    spinning = all(member.disk.rotational for member in members)
    words = f"members busy {util:.0%} of the time, {queue:.1f} requests waiting"
    if util < _IDLE or (not spinning and queue < _DEEP):
        return PROGRAM, f"{words}: too little is kept in flight"
    if util < _BUSY:
        return UNKNOWN, words
    shared = links[0][1] if links and links[0][0] >= LINK_SUSPECT else UNKNOWN
    if at_rate and shared.known and _alike(members):
        return shared, f"all members alike at {at_rate:.0%} of their rate, and busy"
    if spinning and not shared.known:
        return MEMBERS, words
    return UNKNOWN, f"{words}, at {at_rate:.0%} of their rate"


def _slow_members(members: Sequence[Member], *, coupled: bool) -> list[Member]:
    """Few members that hold up the rest.

    In an array all run at the same rate: the slow one is busy and takes longer while the others wait for it. Disks
    read side by side each run at their own rate.
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


def _slow_words(slow: Sequence[Member], members: Sequence[Member]) -> str:
    rest = [member for member in members if member not in slow] or list(members)
    named = listed([_name(member.disk) for member in slow])
    figures = f"{rate(slow[0].total)}, busy {slow[0].util:.0%}, {slow[0].await_ms:.1f} ms a request"
    others = f"{rate(median(m.total for m in rest))}, {median(m.util for m in rest):.0%}"
    return f"{named}: {figures}; the others {others}, {median(m.await_ms for m in rest):.1f} ms"


def _name(disk: WatchedDisk) -> str:
    """`slot 7 (serial ZVT0A2K1)`, as far as it is known."""
    serial = f"serial {safe(disk.serial)}" if disk.serial else ""
    if disk.slot:
        return f"slot {safe(disk.slot)}" + (f" ({serial})" if serial else "")
    return serial or safe(disk.id or disk.name)


def _figure_ceilings(task: Task, prediction: Prediction | None) -> Mapping[Limit, Ceiling]:
    """The model's ceilings of the figure that the task is held against, by their limits."""
    speed = prediction.throughput if prediction else None
    found = speed.explained.get(task.job.predicted, ()) if speed else ()
    return {ceiling.name: ceiling for ceiling in found}


def _share_of_rate(members: Sequence[Member], task: Task, prediction: Prediction | None) -> float:
    """What members do over what they would if nothing else bound; 0 where the model does not say."""
    speed = prediction.throughput if prediction else None
    if prediction is None or speed is None:
        return 0.0
    writes = task.job.pattern in ("write", "randwrite")
    random = task.job.pattern.startswith("rand")
    if random:
        iops = speed.disk.write_iops if writes else speed.disk.read_iops
        return median(member.iops for member in members) / iops if iops else 0.0
    full = float(speed.disk.write_bytes_per_s if writes else speed.disk.read_bytes_per_s)
    members_rate = _figure_ceilings(task, prediction).get(MEMBERS)
    total = sum(array.members for array in prediction.arrays)
    if members_rate is not None and total and task.target.kind not in ("disk", "disks"):
        full = members_rate.rate * wire_share(parse(prediction.layout), "write" if writes else "read") / total
    done = median((member.write if writes else member.read) for member in members)
    return done / full if full else 0.0


def _links(scene: Scene, members: Sequence[Member]) -> list[tuple[float, Limit, str]]:
    """Links that several members share: share of what they carry, which, figures."""
    found = []
    for key, below in below_links(members).items():
        ceiling = next(iter(scene.ceilings.get(key, ())), None)
        if ceiling is None or not ceiling.rate or len(below) < 2:
            continue
        read, written = sum(member.read for member in below), sum(member.write for member in below)
        total = read + written if ceiling.name.kind == "port multiplier" else max(read, written)
        words = f"{rate(total)} of {rate(ceiling.rate)} over {ceiling.name}"
        found.append((total / ceiling.rate, ceiling.name, words))
    return sorted(found, reverse=True)


def _fullest(
    full: Sequence[tuple[float, Limit, str]],
    at_rate: float,
    members: Sequence[Member],
    task: Task,
    prediction: Prediction | None,
) -> tuple[Limit, str]:
    """What is nearest to its ceiling; among those within a twentieth the one that the model named."""
    each = median(member.total for member in members)
    candidates = list(full)
    if at_rate >= AT_RATE:
        candidates.append((at_rate, MEMBERS, f"members at {rate(each)} each, {at_rate:.0%} of their rate"))
    most = max(share for share, _, _ in candidates)
    near = [candidate for candidate in candidates if candidate[0] >= most - _TIES]
    ceilings = _figure_ceilings(task, prediction).values()
    predicted = min(ceilings, key=lambda ceiling: ceiling.rate).name if ceilings else UNKNOWN
    chosen = next((candidate for candidate in near if candidate[1] == predicted), max(candidates))
    return chosen[1], chosen[2]


def _whole_stripes(task: Task, arrays: Sequence[WatchedArray]) -> bool:
    """True for sequential writes to parity arrays, which are to go out as whole stripes."""
    return task.job.pattern == "write" and any(array.level in ("raid4", "raid5", "raid6") for array in arrays)


def _alike(members: Sequence[Member]) -> bool:
    totals = [member.total for member in members]
    return max(totals) - min(totals) <= _ALIKE * max(totals)
