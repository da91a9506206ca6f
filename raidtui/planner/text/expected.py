"""Speed, rebuild, risk and failure domains of a design as plain text: what `raidtui model` says below the sizes."""

from __future__ import annotations

from raidtui.model.durability import Durability
from raidtui.model.placement import Placement
from raidtui.model.speed import Iops, Rate, Throughput
from raidtui.planner.numbers import hours, odds, rate
from raidtui.planner.placement.certificate import certificate_text

Row = tuple[str, str, str]


def speed_rows(speed: Throughput) -> list[Row]:
    """Figure, band and what binds, a line each; outer zone on rotating disks."""
    rows = [
        _rate("seq read", speed.seq_read),
        _rate("  one stream", speed.seq_read_one_stream),
        _rate("seq write", speed.seq_write),
        _rate("  one stream", speed.seq_write_one_stream),
        _iops("rand read 4K", speed.rand_read),
        _iops("rand write 4K", speed.rand_write),
    ]
    if speed.degraded_seq_read is not None:
        rows.append(_rate("read degraded", speed.degraded_seq_read))
    if speed.rebuilding_seq_read is not None:
        rows.append(_rate("read in rebuild", speed.rebuilding_seq_read))
    if speed.mean_share < 1:
        share = f"{speed.mean_share:.0%} on the mean, {speed.inner_share:.0%} at the inner zone"
        rows.append(("disks", share, "of the speed above where they set the limit"))
    rows.append(("disk speed", rate(speed.disk.read_bytes_per_s), f"{speed.disk.source}: {speed.disk.basis}"))
    return rows + [("not known", text, "") for text in speed.unknown]


def risk_rows(risk: Durability) -> list[Row]:
    """Rebuild, chances of loss, spares."""
    rows: list[Row] = []
    if risk.rebuild is not None:
        span = f"{hours(risk.rebuild.idle_hours)} idle to {hours(risk.rebuild.slow_hours)} busy"
        rows.append(("rebuild", hours(risk.rebuild.hours), f"{span}; limit: {risk.rebuild.limit}"))
    for name, even, together in (
        ("any loss in 1 y", risk.any_loss_1y, risk.any_loss_1y_correlated),
        ("any loss in 5 y", risk.any_loss_5y, risk.any_loss_5y_correlated),
    ):
        rows.append((name, odds(even), f"{odds(together)} if failures come together"))
    rows += [
        ("  an array", f"{odds(risk.annual_array_loss_probability)} a year", "more members gone than it outlives"),
        ("  a sector", f"{odds(risk.annual_sector_loss_probability)} a year", "unreadable while redundancy is used up"),
        (
            "  an enclosure",
            f"{odds(risk.annual_enclosure_loss_probability)} a year",
            "judgement: its outage destroys data",
        ),
        ("spares", _spares(risk), f"{odds(risk.spares_run_out_probability)} a year that none is left for a failure"),
        ("degraded", f"{hours(risk.degraded_hours_per_year)} a year", "with a member missing somewhere"),
    ]
    return rows + [("left out", text, "") for text in risk.limits]


def domain_lines(placement: Placement) -> list[str]:
    """The certificates, worst first."""
    return certificate_text(placement.certificates)


def _spares(risk: Durability) -> str:
    return f"{risk.spares_counted} for any array; {risk.spares_enough} would do"


def _rate(name: str, figure: Rate) -> Row:
    return name, f"{rate(figure.bytes_per_s)} ({rate(figure.low)} to {rate(figure.high)})", _limit(figure)


def _iops(name: str, figure: Iops) -> Row:
    return name, f"{_grouped(figure.iops)}/s ({_grouped(figure.low)} to {_grouped(figure.high)})", _limit(figure)


def _limit(figure: Rate | Iops) -> str:
    return f"limit: {figure.bottleneck}" + (f", then {figure.next}" if figure.next.known else "")


def _grouped(count: int) -> str:
    """Three significant digits in threes."""
    scale = 10 ** max(len(str(count)) - 3, 0)
    return f"{round(count / scale) * scale:,}".replace(",", " ")
