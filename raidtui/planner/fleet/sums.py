"""What hosts that are alike are predicted to give, and what all hosts give together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import expm1, log1p

from raidtui.model.assumptions import Assumptions
from raidtui.model.fleet.sheet import FleetSums, HostRate, SheetHost, SheetKind
from raidtui.model.geometry import Prediction
from raidtui.model.units import HOURS_PER_YEAR
from raidtui.planner.numbers import float_sum
from raidtui.planner.reliability.loss_rates import failures_per_hour, restock_hours
from raidtui.planner.reliability.spares import spares_on_shelf


def sheet_kind(prediction: Prediction, *, spares: int, simulated: bool) -> SheetKind:
    """The figures of an assessed prediction that has sizes; its hosts are filled in later."""
    speed, risk = prediction.throughput, prediction.durability
    assert speed is not None
    return SheetKind(
        hosts=(),
        layout=prediction.layout,
        disks=len(prediction.disks),
        simulated=simulated,
        spares=spares,
        raw_bytes=prediction.raw_bytes,
        usable_bytes=prediction.usable_bytes,
        seq_read=speed.seq_read,
        seq_write=speed.seq_write,
        rebuild_hours=None if risk is None else risk.rebuild_hours,
        any_loss_1y=None if risk is None else risk.any_loss_1y,
        any_loss_1y_correlated=None if risk is None else risk.any_loss_1y_correlated,
    )


def sums_of(hosts: Sequence[SheetHost], kinds: Sequence[SheetKind], assumptions: Assumptions) -> FleetSums:
    """All planned hosts together. Disks fail at the assumed rate, spares too; hosts are independent of each other."""
    planned = [(host.host, kinds[host.kind]) for host in hosts if host.kind is not None]
    known = bool(planned) and all(kind.any_loss_1y is not None for _, kind in planned)
    disks = sum(kind.disks for _, kind in planned)
    failure, restock = failures_per_hour(assumptions), restock_hours(assumptions)
    return FleetSums(
        planned=len(planned),
        left_out=sum(host.state == "left out" for host in hosts),
        refused=sum(host.state == "refused" for host in hosts),
        simulated=sum(kind.simulated for _, kind in planned),
        disks=disks,
        spares=sum(kind.spares for _, kind in planned),
        raw_bytes=sum(kind.raw_bytes for _, kind in planned),
        usable_bytes=sum(kind.usable_bytes for _, kind in planned),
        read_bytes_per_s=sum(kind.seq_read.bytes_per_s for _, kind in planned),
        write_bytes_per_s=sum(kind.seq_write.bytes_per_s for _, kind in planned),
        slowest_read=_slowest(planned, lambda kind: kind.seq_read.bytes_per_s),
        slowest_write=_slowest(planned, lambda kind: kind.seq_write.bytes_per_s),
        disk_failures_1y=disks * failure * HOURS_PER_YEAR if known else None,
        any_loss_1y=_anywhere([kind.any_loss_1y or 0.0 for _, kind in planned]) if known else None,
        any_loss_1y_correlated=_anywhere([kind.any_loss_1y_correlated or 0.0 for _, kind in planned])
        if known
        else None,
        restock_days=assumptions.restock_days if known else None,
        spares_on_shelf=spares_on_shelf(disks, failure, restock) if known else None,
    )


def _slowest(planned: Sequence[tuple[str, SheetKind]], rate: Callable[[SheetKind], int]) -> HostRate | None:
    if not planned:
        return None
    host, kind = min(planned, key=lambda each: rate(each[1]))
    return HostRate(host=host, bytes_per_s=rate(kind))


def _anywhere(losses: Sequence[float]) -> float:
    """Probability of at least one of independent events."""
    return -expm1(float_sum(log1p(-min(loss, 1 - 1e-16)) for loss in losses))
