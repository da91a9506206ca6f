"""Text of predicted speed, rebuild, risk and failure domains: the lower part of the output of `raidtui model`."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.durability import Durability
from raidtui.model.placement import Placement
from raidtui.model.speed import Iops, Rate, Throughput
from raidtui.planner.amounts import percent, rate, with_band
from raidtui.planner.numbers import at_worst, hours, odds, shortage_text, spares_text
from raidtui.planner.placement.certificate import certificate_text
from raidtui.planner.reliability.spare_count import RULE
from raidtui.planner.text.band_width import band_width, width_driver, width_remedy

ExpectedRow = tuple[str, str, str]


def speed_rows(speed: Throughput) -> list[ExpectedRow]:
    """(name, rate with band, limit) per figure; rotating disks at their outer zone."""
    rows = [
        _rate("seq read", speed.seq_read),
        *_width(speed.seq_read),
        _rate("  one stream", speed.seq_read_one_stream),
        _rate("seq write", speed.seq_write),
        *_width(speed.seq_write),
        _rate("  one stream", speed.seq_write_one_stream),
        _iops("rand read 4K", speed.rand_read),
        _iops("rand write 4K", speed.rand_write),
    ]
    if speed.degraded_seq_read is not None:
        rows.append(_rate("read degraded", speed.degraded_seq_read))
    if speed.rebuilding_seq_read is not None:
        rows.append(_rate("read in rebuild", speed.rebuilding_seq_read))
    if speed.mean_share < 1:
        share = f"{percent(speed.mean_share)} on average, {percent(speed.inner_share)} at the inner zone"
        rows.append(("disks", share, "of the speed above if limited by members"))
    rows.append(("disk speed", rate(speed.disk.read_bytes_per_s), f"{speed.disk.source}: {speed.disk.basis}"))
    return rows + [("unknown", text, "") for text in speed.unknown]


def risk_rows(risk: Durability) -> list[ExpectedRow]:
    """(name, figure, note) for rebuild, probabilities of loss, spares."""
    rows: list[ExpectedRow] = []
    if risk.rebuild is not None:
        span = f"{hours(risk.rebuild.idle_hours)} idle to {hours(risk.rebuild.slow_hours)} busy"
        rows.append(("rebuild", hours(risk.rebuild.hours), f"{span}; limit: {risk.rebuild.limit}"))
    for name, even, together in (
        ("disks lose: 1 y", risk.disks_loss_1y, risk.disks_loss_1y_correlated),
        ("disks lose: 5 y", risk.disks_loss_5y, risk.disks_loss_5y_correlated),
    ):
        rows.append(
            (name, odds(even), "".join(f"{worst} with correlated failures" for worst in at_worst(even, together)))
        )
    rows += [
        ("  an array", f"{odds(risk.annual_array_loss_probability)} a year", "more members fail than it survives"),
        (
            "  a sector",
            f"{odds(risk.annual_sector_loss_probability)} a year",
            "unreadable while redundancy is exhausted",
        ),
        (
            "an enclosure",
            f"{odds(risk.annual_enclosure_loss_probability)} a year",
            "besides, assumed: an outage destroys data",
        ),
        ("all of it: 1 y", odds(risk.any_loss_1y), "disks and enclosures"),
        *_spares(risk),
        ("degraded", f"{hours(risk.degraded_hours_per_year)} a year", "with any member missing"),
    ]
    return rows + [("not modelled", text, "") for text in risk.limits]


def domain_lines(placement: Placement) -> list[str]:
    """The certificates as a table, worst first."""
    return certificate_text(placement.certificates)


def _spares(risk: Durability) -> Iterator[ExpectedRow]:
    if risk.rebuild is None:
        return
    enough = {0: "none needed", 1: "1 suffices"}.get(risk.spares_enough, f"{risk.spares_enough} suffice")
    yield "spares", f"{risk.spares_counted} for any array; {enough}", RULE
    for row in risk.spare_shortages:
        yield "no spare left", f"with {spares_text(row.spares)}", shortage_text(row)


def _width(figure: Rate) -> Iterator[ExpectedRow]:
    if figure.spread is not None:
        yield "  width", f"{band_width(figure)}, {width_driver(figure)}", width_remedy(figure)


def _rate(name: str, figure: Rate) -> ExpectedRow:
    return name, with_band(figure.bytes_per_s, figure.low, figure.high, "B/s"), _limit(figure)


def _iops(name: str, figure: Iops) -> ExpectedRow:
    return name, with_band(figure.iops, figure.low, figure.high, "IOPS"), _limit(figure)


def _limit(figure: Rate | Iops) -> str:
    return f"limit: {figure.bottleneck}" + (f", then {figure.next}" if figure.next.known else "")
