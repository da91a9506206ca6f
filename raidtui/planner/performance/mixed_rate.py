"""Random reads beside random writes: the answer from those for reads alone and for writes alone.

A request takes the members' time that it takes alone, a write of a parity array that of its read-modify-write. So the
times of both kinds add up, for every limit: where the members are busy, and where a program waits for its requests.
"""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.ask import AskedRate, WorkloadQuestion
from raidtui.model.limit import UNKNOWN, Limit
from raidtui.model.speed import Ceiling
from raidtui.planner.amounts import percent
from raidtui.planner.performance.member_load import added, scaled

FLASH_LOW = 0.5
"""lower end on flash: reads wait for the drive's writes and erases (judgement; no measurement of md)"""
WIDE = 4.0
"""width of a band beyond which a figure is good for an order of magnitude only, as in a benchmark's verdict"""
EVIDENCE = "nothing, not judged: no published measurement of md on flash mixes reads and writes"
DISK_EVIDENCE = "20 rows of one RAID5 of eight disks: half reads, 4 KiB, 1 to 4,096 requests in flight (fio-plot)"


def mixed_rate(ask: WorkloadQuestion, reads: AskedRate, writes: AskedRate, *, rotational: bool) -> AskedRate:
    """The answer to the mixed `ask`, from those to the same request as `reads` and as `writes` alone."""
    share = (ask.read_percent or 0) / 100

    def together(read: float, write: float) -> int:
        return round(1 / (share / max(read, 1) + (1 - share) / max(write, 1)))

    value = together(reads.bytes_per_s, writes.bytes_per_s)
    low, high = together(reads.low, writes.low), together(reads.high, writes.high)
    low = low if rotational else min(value, round(FLASH_LOW * low))
    ceilings = _ceilings(reads, writes, share)
    spreads = [each.spread for each in (reads, writes) if each.spread is not None]
    notes = [*dict.fromkeys((*reads.notes, *writes.notes))]
    notes.append(f"alone: {_alone(reads)} reads/s, {_alone(writes)} writes/s; the times of both add up")
    if not rotational:
        notes.append("the lower end is halved for reads that wait for the drive's writes (judgement; no measurement)")
    if high > WIDE * low:
        notes.append(f"the band is wider than x{WIDE:.0f}: an order of magnitude, no verdict")
    size = reads.size_bytes
    waiting = reads.latency_s * reads.bytes_per_s if reads.latency_s is not None else None
    return AskedRate(
        ask=ask,
        bytes_per_s=value,
        low=low,
        high=high,
        size_bytes=size,
        requests_per_s=round(value / size) if size else None,
        latency_s=waiting / value if waiting is not None and value else None,
        bottleneck=ceilings[0].name,
        next=ceilings[1].name if len(ceilings) > 1 else UNKNOWN,
        ceilings=ceilings,
        spread=max(spreads, key=lambda spread: spread.factor, default=None),
        touches=f"{reads.touches}; or {writes.touches}",
        evidence=DISK_EVIDENCE if rotational else EVIDENCE,
        notes=tuple(notes),
        members=added(
            scaled(reads.members, share * value / max(reads.bytes_per_s, 1)),
            scaled(writes.members, (1 - share) * value / max(writes.bytes_per_s, 1)),
        ),
    )


def _ceilings(reads: AskedRate, writes: AskedRate, share: float) -> tuple[Ceiling, ...]:
    """Every limit of either kind, lowest first; one that binds only one kind leaves the other alone."""
    of_reads: dict[Limit, Ceiling] = {each.name: each for each in reversed(reads.ceilings)}
    of_writes: dict[Limit, Ceiling] = {each.name: each for each in reversed(writes.ceilings)}
    found = []
    for name in dict.fromkeys((*of_reads, *of_writes)):
        parts = [(share, "reads", of_reads.get(name)), (1 - share, "writes", of_writes.get(name))]
        known = [(part, what, ceiling) for part, what, ceiling in parts if ceiling is not None]
        seconds = sum(part / max(ceiling.rate, 1) for part, _, ceiling in known)
        formula = " and ".join(f"{percent(part)} {what}: {ceiling.formula}" for part, what, ceiling in known)
        slower = max(known, key=lambda each: each[0] / max(each[2].rate, 1))[2]
        found.append(replace(slower, rate=round(1 / seconds), formula=formula))
    return tuple(sorted(found, key=lambda ceiling: ceiling.rate))


def _alone(answer: AskedRate) -> str:
    return f"{answer.requests_per_s or 0:,}".replace(",", " ")
