"""Speed rows: predicted rates with bands and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from raidtui.values.amounts import (
    amount,
    amounts,
    ends,
    iops,
    known_iops,
    known_pair,
    known_rate,
    percent,
    rate,
    with_band,
)
from raidtui.values.blocks import FigureRow, signed_rate
from raidtui.values.codec import by_key
from raidtui.values.speed import AskedRate, BandCause, Ceiling, DiskSpeed, Driver, Iops, MemberLoad, Rate, Throughput
from raidtui.values.units import counted, exact_binary

if TYPE_CHECKING:
    from raidtui.values.bench import Unit


# Why a band is wide, and what narrows it, in words.


_NAMES: dict[Driver, str] = {
    "class": "scatter between arrays",
    "md thread": "md's thread",
    "disk speed": "the disks' speed",
    "link": "the links",
    "memory": "memory",
    "partial stripes": "partial stripes",
    "latency": "the time of one request",
    "bitmap": "the bitmap",
    "controller cache": "the controllers' cache",
}
_REASONS: dict[Driver, str] = {
    "class": "how near measured arrays came to their lowest limit; raidtui bench measures this one",
    "md thread": "it depends on the processor; state it with --md-write, or raidtui bench measures it",
    "disk speed": "state it with --disk-speed, or measure it with raidtui disks --measure",
    "link": "measure them with raidtui disks --measure, or state what they carry with --link-ceiling",
    "memory": "measure it with raidtui disks --measure, or state it with --memory",
    "controller cache": "state what the LUNs write with --disk-write-speed",
    "partial stripes": "a smaller chunk, or writes of whole stripes, avoid them",
    "bitmap": "a coarser --bitmap-chunk or --bitmap none narrows it, as the lines below say",
    "latency": "raidtui bench with a profile of these streams, size and depth measures it",
}


def band_width(rate: Rate | Iops) -> str:
    """`x1.9`: the upper over the lower end of the band."""
    return f"x{rate.high / max(rate.low, 1):.1f}"


def width_driver(rate: Rate | Iops) -> str:
    """`x1.4 from the links`: what makes the band wide; empty for a narrow band."""
    return width_driver_of(rate.spread) if rate.spread else ""


def width_driver_of(spread: BandCause) -> str:
    """`x1.4 from the links`."""
    return f"x{spread.factor:.1f} from {_NAMES[spread.driver]}"


def width_remedy(rate: Rate | Iops) -> str:
    """Why that is uncertain and what narrows it; empty for a narrow band."""
    return width_remedy_of(rate.spread) if rate.spread else ""


def width_remedy_of(spread: BandCause) -> str:
    """Why that is uncertain and what narrows it."""
    return _REASONS[spread.driver]


# Answers to stated workloads as text: rate and band, limit, what one request uses, what backs the figure.


_MOST_WIDTH = 10
"""a band whose ends differ by more is no prediction"""


_MOST_ROLES = 8


def asked_lines(answers: Sequence[AskedRate]) -> list[str]:
    """A block of lines per answer."""
    return [line for answer in answers for line in ("", *_lines(answer))]


def is_predicted(answer: AskedRate) -> bool:
    """False where the band is too wide for a prediction."""
    return _asked_width(answer) <= _MOST_WIDTH


def _asked_width(answer: AskedRate) -> float:
    return answer.high / max(answer.low, 1)


def _lines(answer: AskedRate) -> list[str]:
    if not is_predicted(answer):
        band = amounts((answer.low, answer.high), "B/s", " to ")
        measured = f"not predicted, somewhere from {band}: raidtui bench measures it"
        lines = [f"asked: {answer.ask}", f"  {measured}", *_width_lines(answer), f"  held against: {answer.evidence}"]
        return [*lines, *_notes(answer), *_bitmap_lines(answer)]
    if not answer.high:
        return [f"asked: {answer.ask}", f"  nothing: {answer.ceilings[0].formula}"]
    width = _asked_width(answer)
    figures = [f"{rate(answer.bytes_per_s)} ({ends(answer.bytes_per_s, answer.low, answer.high, 'B/s')}, x{width:.1f})"]
    if answer.requests_per_s:
        figures.append(iops(answer.requests_per_s))
    if answer.ask.streams is not None and answer.ask.streams > 1:
        figures.append(f"{rate(round(answer.bytes_per_s / answer.ask.streams))} each")
    if answer.latency_s is not None:
        figures.append(f"{1e3 * answer.latency_s:.3g} ms a request")
    lines = [f"asked: {answer.ask}", f"  {', '.join(figures)}"]
    limit = answer.ceilings[0]
    lines.append(f"  limit: {answer.bottleneck}: {limit.formula}" + (f"; {limit.remedy}" if limit.remedy else ""))
    if answer.touches:
        lines.append(f"  a request uses {answer.touches}")
    lines += [*_width_lines(answer), f"  held against: {answer.evidence}"]
    return [*lines, *_member_lines(answer.members), *_notes(answer), *_bitmap_lines(answer)]


def _width_lines(answer: AskedRate) -> list[str]:
    """What widens the band most."""
    found = answer.spread
    return [] if found is None else [f"  width: {width_driver_of(found)}: {width_remedy_of(found)}"]


def _bitmap_lines(answer: AskedRate) -> list[str]:
    """A line for the bitmaps that give the same: `with a bitmap of 64 MiB, 256 MiB: 94.6 IOPS (11.2-104 IOPS)`."""
    alike: dict[str, list[str]] = {}
    size = answer.size_bytes or 1
    unit: Unit = "IOPS" if answer.size_bytes else "B/s"
    for found in answer.bitmaps:
        value, low, high = (each / size for each in (found.bytes_per_s, found.low, found.high))
        text = with_band(value, low, high, unit)
        if high > _MOST_WIDTH * low:
            text = f"not predicted, {amount(low, unit)} to {amount(high, unit)}"
        alike.setdefault(text, []).append(exact_binary(found.chunk_bytes) if found.chunk_bytes else "none")
    return [f"  with bitmap {', '.join(chunks)}: {text}" for text, chunks in alike.items()]


def _member_lines(members: Sequence[MemberLoad]) -> list[str]:
    """A line for the members of each array that have the same load."""
    alike = by_key((", ".join(_loads(load)) or "idle", load) for load in members)
    arrays = len({load.array for load in members})
    lines = []
    for text, loads in alike.items():
        roles = sorted({load.member for load in loads})
        which = "each member" if len(loads) == len(members) else f"{counted(len(loads), 'member')} of {len(members)}"
        if len(alike) > 1 and len(loads) == len(roles) * arrays and len(roles) <= _MOST_ROLES:
            each = " of each array" if arrays > 1 else ""
            which = f"member{'s' * (len(roles) > 1)} {', '.join(map(str, roles))}{each}"
        lines.append(f"  {which}: {text}")
    return lines


def _loads(load: MemberLoad) -> list[str]:
    """`reads 45.1 MB/s (0 to 90.2 MB/s, as md chooses copies)`, `writes 448 kB/s, 109 IOPS`."""
    found = []
    if load.read_bytes_per_s or load.read_high:
        free = load.read_low < load.read_high
        band = f" ({amounts((load.read_low, load.read_high), 'B/s', ' to ')}, as md chooses copies)" if free else ""
        found.append(f"reads {rate(load.read_bytes_per_s)}{_in_requests(load.reads_per_s)}{band}")
    if load.write_bytes_per_s:
        found.append(f"writes {rate(load.write_bytes_per_s)}{_in_requests(load.writes_per_s)}")
    return found


def _in_requests(per_s: int | None) -> str:
    return "" if per_s is None else f", {iops(per_s)}"


def _notes(answer: AskedRate) -> list[str]:
    return [f"  {note}" for note in answer.notes]


_ZONE = "Rotating disks: at the outer zone, where a new file system writes first."
_BAND = "Nine of ten measurements fall into the band."
_LIMIT = "Bottleneck of the rate above, then the next one if it is removed."


def speed_rows(speed: Throughput) -> tuple[FigureRow, ...]:
    """Sequential rates with limits, single streams, random operations, and a degraded array."""
    return (
        *_limited("Seq read", speed.seq_read, "seq_read", speed, "Large reads by many concurrent streams."),
        *_limited("Seq write", speed.seq_write, "seq_write", speed, "Large full-stripe writes by many streams."),
        _one_stream(speed),
        _random("Rand read 4k", speed.rand_read, "rand_read", speed, "Random reads of 4 KiB, many at once."),
        _random(
            "Rand write 4k", speed.rand_write, "rand_write", speed,
            "Random writes of 4 KiB, many at once; parity levels read before they write. The band is wide because few "
            "measurements exist.",
        ),
        *_degraded(speed),
    )  # fmt: skip


def speed_basis(speed: Throughput) -> tuple[FigureRow, ...]:
    """What the rates rest on, and what widens their bands."""
    return (
        _disk(speed),
        *_band("Read band", speed.seq_read),
        *_band("Write band", speed.seq_write),
        *(FigureRow(title="Unknown", value=text) for text in speed.unknown),
    )


def read_and_write(speed: Throughput) -> FigureRow:
    """Sequential reading and writing in one result; its number is the slower of both."""
    read, write = speed.seq_read, speed.seq_write
    value = known_pair(read.bytes_per_s, write.bytes_per_s)
    return FigureRow(
        title="Read / write", value=value, large=value.rpartition(" ")[0],
        number=min(read.bytes_per_s, write.bytes_per_s), delta=signed_rate, better="more",
        what="read / write" if read.bytes_per_s == write.bytes_per_s
        else "reading" if read.bytes_per_s < write.bytes_per_s else "writing",
        about="Large reads and full-stripe writes in order, with so much in flight that no disk waits. `raidtui "
        f"bench` measures these first. A difference is that of the slower. {_ZONE}",
        derive=lambda: (
            f"Reading: {_banded(read)}, bound by {read.bottleneck or 'unknown'}.", *_width(read),
            *ceiling_paragraphs(speed.explained.get("seq_read", ())),
            f"Writing: {_banded(write)}, bound by {write.bottleneck or 'unknown'}.", *_width(write),
            *ceiling_paragraphs(speed.explained.get("seq_write", ())),
            *_inputs(speed),
        ),
    )  # fmt: skip


def random_pair(speed: Throughput) -> FigureRow:
    """Random reading and writing in one result; its number is that of writing, which is the slower."""
    read, write = speed.rand_read, speed.rand_write
    value = amounts((read.iops, write.iops), "IOPS")
    return FigureRow(
        title="Random", value=value, large=value.rpartition(" ")[0],
        number=write.iops, delta=_signed_iops, better="more", what="random writes",
        about="Random reads and writes of 4 KiB, many at once. A difference is that of writing.",
        derive=lambda: (
            f"Reading: {with_band(read.iops, read.low, read.high, 'IOPS')}.", *_width(read),
            *ceiling_paragraphs(speed.explained.get("rand_read", ()), operations=True),
            f"Writing: {with_band(write.iops, write.low, write.high, 'IOPS')}.", *_width(write),
            *ceiling_paragraphs(speed.explained.get("rand_write", ()), operations=True),
            *_inputs(speed),
        ),
    )  # fmt: skip


def both_limits(read: Rate | Iops, write: Rate | Iops) -> tuple[str, ...]:
    """`members / md thread`: what holds reading and writing back; then the first of them alone."""
    limits = tuple(dict.fromkeys(limit.short or "unknown" for limit in (read.bottleneck, write.bottleneck)))
    return " / ".join(limits), limits[0]


def asked_rows(answer: AskedRate) -> tuple[FigureRow, ...]:
    """What the stated workload gets, and its limit."""

    def formula() -> tuple[str, ...]:
        return tuple(text.strip() for text in asked_lines((answer,)) if text.strip())

    return (
        FigureRow(
            title="Asked", value=known_rate(answer.bytes_per_s) if is_predicted(answer) else "not predicted",
            notes=(ends(answer.bytes_per_s, answer.low, answer.high, "B/s"), str(answer.ask)),
            number=answer.bytes_per_s, delta=signed_rate, better="more", strong=True,
            about=f"The workload that was stated: {answer.ask}. {_ZONE}", derive=formula,
        ),
        FigureRow(
            title="limit", inner=True, value=str(answer.bottleneck) or "unknown",
            notes=(f"next {answer.next}",) if answer.next.known else (), about=_LIMIT, derive=formula,
        ),
    )  # fmt: skip


@lru_cache(maxsize=64)  # each of a design's rates has it
def disk_paragraph(disk: DiskSpeed) -> str:
    """Speed of one disk and its source."""
    kind = "disk" if disk.rotational else "flash drive"
    inner = f", {disk.inner_share:.2f} of it at the inner zone" if disk.inner_share < 1 else ""
    read, write = known_rate(disk.read_bytes_per_s), known_rate(disk.write_bytes_per_s)
    written = f" and writes {write}" if disk.write_bytes_per_s != disk.read_bytes_per_s else ""
    return (
        f"The slowest {kind} reads {read}{written}{inner}, {known_iops(disk.read_iops)} read, "
        f"{known_iops(disk.write_iops)} written. {source_words(disk)}: {disk.basis}."
    )


def source_words(disk: DiskSpeed) -> str:
    """Source of a disk's speed as text."""
    match disk.source:
        case "said":
            return "Typed by you"
        case "measured":
            return "Measured on this machine"
        case "inventory":
            return "From the inventory"
        case "family":
            return "From the table of drive families"
        case "class":
            return "Typical of its class"


def _limited(title: str, rate: Rate, key: str, speed: Throughput, about: str) -> tuple[FigureRow, FigureRow]:
    formula = partial(_formula, rate, speed, key)
    unknown = (f"{len(speed.unknown)} unknown",) if speed.unknown else ()
    following = (f"next {rate.next}",) if rate.next.known else ()
    wide = (width_driver(rate),) if rate.spread else ()
    return (
        FigureRow(
            title=title, value=known_rate(rate.bytes_per_s),
            notes=(_ends(rate),),
            number=rate.bytes_per_s, delta=signed_rate, better="more", strong=True, about=f"{about} {_ZONE}",
            derive=formula,
        ),
        FigureRow(
            title="limit", inner=True, value=str(rate.bottleneck) or "unknown",
            notes=(*unknown, *wide, *following), about=_LIMIT, derive=formula,
        ),
    )  # fmt: skip


def _one_stream(speed: Throughput) -> FigureRow:
    read, write = speed.seq_read_one_stream, speed.seq_write_one_stream
    return FigureRow(
        title="One stream", value=known_pair(read.bytes_per_s, write.bytes_per_s),
        notes=("read/write", _ends(read), _ends(write), *dict.fromkeys((_limit(read), _limit(write)))),
        number=read.bytes_per_s, delta=signed_rate, better="more",
        about=f"One sequential reader, one sequential writer; the difference is that of reading. {_ZONE}",
        derive=lambda: (
            f"Reading: {_banded(read)}, bound by {read.bottleneck}.",
            *ceiling_paragraphs(speed.explained.get("seq_read_one_stream", ())),
            f"Writing: {_banded(write)}, bound by {write.bottleneck}.",
            *ceiling_paragraphs(speed.explained.get("seq_write_one_stream", ())),
            *_inputs(speed),
        ),
    )  # fmt: skip


def _random(title: str, iops: Iops, key: str, speed: Throughput, about: str) -> FigureRow:
    return FigureRow(
        title=title, value=known_iops(iops.iops), notes=(ends(iops.iops, iops.low, iops.high, "IOPS"), _limit(iops)),
        number=iops.iops, delta=_signed_iops, better="more", about=about,
        derive=lambda: (
            f"{with_band(iops.iops, iops.low, iops.high, 'IOPS')}. {_BAND}",
            *_width(iops),
            *ceiling_paragraphs(speed.explained.get(key, ()), operations=True),
            *_inputs(speed),
        ),
    )  # fmt: skip


def _degraded(speed: Throughput) -> tuple[FigureRow, ...]:
    rate, busy = speed.degraded_seq_read, speed.rebuilding_seq_read
    if rate is None:
        about = "One failed member fails the array."
        return (FigureRow(title="Degraded read", value="none: no redundancy", about=about),)
    degraded = FigureRow(
        title="Degraded read", value=known_rate(rate.bytes_per_s), notes=(_ends(rate), _limit(rate)),
        number=rate.bytes_per_s, delta=signed_rate, better="more",
        about=f"Large reads by many streams with one member of each array missing. {_ZONE}",
        derive=partial(_formula, rate, speed, "degraded_seq_read"),
    )  # fmt: skip
    if busy is None:
        return (degraded,)
    about = f"The same while a member of each array is rebuilt. {_ZONE}"
    rebuilding = FigureRow(
        title="in rebuild", inner=True, value=known_rate(busy.bytes_per_s), notes=(_ends(busy), _limit(busy)),
        number=busy.bytes_per_s, delta=signed_rate, better="more", about=about,
        derive=lambda: (f"{_banded(busy)}, bound by {busy.bottleneck}.",),
    )  # fmt: skip
    return degraded, rebuilding


def _disk(speed: Throughput) -> FigureRow:
    disk = speed.disk
    slower = f"{percent(speed.mean_share)} on average, {percent(speed.inner_share)} at the inner zone"
    return FigureRow(
        title="Disk speed", value=known_rate(disk.read_bytes_per_s),
        notes=(*((slower,) if speed.mean_share < 1 else ()), disk.basis),
    )  # fmt: skip


def _band(title: str, rate: Rate) -> Iterator[FigureRow]:
    if rate.spread:
        yield FigureRow(title=title, value=band_width(rate), notes=(width_driver(rate), width_remedy(rate)))


def _ends(rate: Rate) -> str:
    return ends(rate.bytes_per_s, rate.low, rate.high, "B/s")


def _limit(figure: Rate | Iops) -> str:
    return f"limit: {figure.bottleneck or 'unknown'}" + (f", then {figure.next}" if figure.next.known else "")


def _banded(rate: Rate) -> str:
    return with_band(rate.bytes_per_s, rate.low, rate.high, "B/s")


def _width(rate: Rate | Iops) -> tuple[str, ...]:
    if rate.spread is None:
        return ()
    return (f"The band is {band_width(rate)} wide, {width_driver(rate)}: {width_remedy(rate)}.",)


def _formula(rate: Rate, speed: Throughput, key: str) -> tuple[str, ...]:
    then = f", then {rate.next}" if rate.next.known else ""
    lowest = min(rate.ceilings.values(), default=0)
    share = f" {rate.bytes_per_s / lowest:.2f} of the lowest ceiling is expected." if lowest else ""
    return (
        f"{_banded(rate)}: bound by {rate.bottleneck}{then}.{share} {_BAND}",
        *_width(rate),
        *ceiling_paragraphs(speed.explained.get(key, ())),
        *_inputs(speed),
    )


def ceiling_paragraphs(ceilings: Sequence[Ceiling], *, operations: bool = False) -> tuple[str, ...]:
    """Every ceiling, lowest first: rate, formula, source, remedy."""
    return tuple(
        f"{place}. {ceiling.name}: {known_iops(ceiling.rate) if operations else known_rate(ceiling.rate)}"
        f" = {ceiling.formula} ({_source(ceiling)})." + (f" To raise it: {ceiling.remedy}." if ceiling.remedy else "")
        for place, ceiling in enumerate(ceilings, 1)
    )


def _source(ceiling: Ceiling) -> str:
    match ceiling.source:
        case "said":
            return "typed by you"
        case "measured":
            return "measured"
        case "sysfs":
            return "read from this machine"
        case "table":
            return "from a table"
        case "guess":
            return "an estimate"


def _inputs(speed: Throughput) -> tuple[str, ...]:
    return (
        disk_paragraph(speed.disk),
        *(f"Unknown, possibly lower: {what.rstrip('.')}." for what in speed.unknown),
        *(f"Note: {words.rstrip('.')}." for words in speed.notes),
    )


def _signed_iops(difference: float) -> str:
    if not difference:
        return "="
    return ("+" if difference > 0 else "-") + amount(abs(difference), "IOPS")
