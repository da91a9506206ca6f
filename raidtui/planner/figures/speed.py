"""Speed rows: predicted rates with bands and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from raidtui.model.ask import AskedRate
from raidtui.model.speed import Ceiling, DiskSpeed, Iops, Rate, Throughput
from raidtui.planner.amounts import amount, ends, known_iops, known_pair, known_rate, percent, with_band
from raidtui.planner.figures.asked import asked_lines, is_predicted
from raidtui.planner.figures.band_width import band_width, width_driver, width_remedy
from raidtui.planner.figures.row import FigureRow, signed_rate

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
    return FigureRow(
        title="Read / write", value=known_pair(read.bytes_per_s, write.bytes_per_s),
        number=min(read.bytes_per_s, write.bytes_per_s), delta=signed_rate, better="more",
        about="Large reads and full-stripe writes in order, with so much in flight that no disk waits: what `raidtui "
        f"bench` measures first. A difference is that of the slower. {_ZONE}",
        derive=lambda: (
            f"Reading: {_banded(read)}, bound by {read.bottleneck or 'unknown'}.", *_width(read),
            *ceiling_paragraphs(speed.explained.get("seq_read", ())),
            f"Writing: {_banded(write)}, bound by {write.bottleneck or 'unknown'}.", *_width(write),
            *ceiling_paragraphs(speed.explained.get("seq_write", ())),
            *_inputs(speed),
        ),
    )  # fmt: skip


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
    return f"limit {figure.bottleneck or 'unknown'}" + (f", then {figure.next}" if figure.next.known else "")


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
