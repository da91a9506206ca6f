"""Findings of a search: why no layout fits, how the front was sampled, which inputs were assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raidtui.advice.proposals.guide import WISH_WORDS
from raidtui.advice.proposals.scored_layout import LOSS_STEPS, Scored
from raidtui.predict.checks.layout import NO_DISK_WAY_OUT
from raidtui.values.amounts import LEAST_ODDS, listed, odds, rate, spares_text, stated_percent
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import Wish
from raidtui.values.findings import Finding, error, note
from raidtui.values.proposal import Constraints
from raidtui.values.safe import safe
from raidtui.values.speed import DiskSpeed
from raidtui.values.units import MOST_SEARCHED, binary_size, counted, plural

NOTHING_FITS = "nothing-fits"
"""code of the finding that no layout meets the constraints"""
_LONG = 80


def no_disks() -> Finding:
    """Error: no disk is free."""
    return error(
        "no-disks",
        "No free disk.",
        NO_DISK_WAY_OUT,
    )


def too_many_disks(count: int) -> Finding:
    """Error: too many disks for a search in reasonable time."""
    return error(
        "too-many-disks",
        f"{count} disks: a proposal covers at most {MOST_SEARCHED}.",
        "select some of them with --only, or plan a specific layout",
    )


def luns_not_compared(count: int) -> Finding:
    """Error: some disks are LUNs of hardware controllers."""
    return error(
        "luns-not-compared",
        f"{count} disks are LUNs of hardware controllers: a proposal compares risk and rebuild time, which are "
        "unknown for LUNs.",
        f"see single layouts with raidtui model, for example {count}x disk, an LVM stripe over the LUNs",
    )


def nothing_fits(
    refused: Sequence[Scored], largest: int, constraints: Constraints, domains: Sequence[int]
) -> Iterator[Finding]:
    """Why no layout meets the constraints.

    `largest`: usable bytes of the largest that meets those that depend on the layout alone; `refused`: those that meet
    all but those on figures.
    """
    if not largest:
        yield error(NOTHING_FITS, _none_of(constraints), "relax the constraints, or select more disks")
        return
    parts = []
    if constraints.usable_bytes:
        parts.append(f"the largest holds {binary_size(largest)} of {binary_size(constraints.usable_bytes)}")
    if constraints.max_annual_loss is not None and refused:
        safest = min(refused, key=lambda scored: scored.loss)
        parts.append(f"the safest loses data with {odds(safest.loss)} a year, by disks or an enclosure")
    if constraints.survive_domain is not None:
        found = f"{len(domains) or 'no'} {plural(constraints.survive_domain, len(domains))}"
        parts.append(f"the disks are in {found}, any of which may fail")
    why = ": " + "; ".join(parts) if parts else ""
    yield error(
        NOTHING_FITS,
        f"No layout meets all constraints{why}.",
        "relax one of the constraints, or select more disks",
    )


def weights_note(weights: Mapping[Wish, float], *, priced: bool) -> Finding:
    """Note: what the balanced and the fastest pick weigh."""
    listed_weights = [f"{WISH_WORDS[wish]} {weight:g}" for wish, weight in weights.items() if priced or wish != "cost"]
    return note(
        "weights",
        f"The balanced pick weighs {listed(listed_weights)}; the fastest one the rates alone, with these weights.",
        "state what matters most with --prefer",
    )


def sample_note(front: int, idle: int, shown: int, tolerance: float) -> Finding:
    """Note: the number of layouts that the table omits, and the rule."""
    parts = [f"Of {front} best trade-offs {shown} are shown."]
    if idle:
        parts.append(f"{idle} that leave a whole array's worth of disks idle as spares are omitted.")
    if shown < front - idle:
        factor = 1 + LOSS_STEPS * tolerance
        parts.append(
            f"For each omitted one, another is shown: at most {stated_percent(tolerance)} worse in capacity, speed and"
            f" rebuild. Its loss is at most {factor:.2g} times as likely. Losses below {odds(LEAST_ODDS)} count as "
            f"equal."
        )
    return note("front-thinned", " ".join(parts), "--json prints the whole front, --json --every all layouts compared")


def assumption_notes(speed: DiskSpeed, assumptions: Assumptions) -> Finding:
    """Note: the inputs of the figures."""
    return note(
        "assumed",
        f"Disks of {rate(speed.read_bytes_per_s)} ({speed.source}: {safe(speed.basis, longest=_LONG)}). AFR "
        f"{stated_percent(assumptions.afr)}, one unreadable bit in {_power(1 / assumptions.ure_per_bit)},"
        f" {assumptions.restock_days:g} days to restock, rebuilds get {stated_percent(assumptions.rebuild_share)} of"
        " time. Disks are assumed to fail independently; joint failures of a batch or enclosure are far worse.",
        "set known values: --disk-speed, --afr, --ure, --restock-days, --rebuild-share",
    )


def _none_of(constraints: Constraints) -> str:
    wanted = [f"arrays that survive {counted(constraints.survive, 'failure')}"] if constraints.survive else []
    wanted += [spares_text(constraints.spares)] if constraints.spares else []
    wanted += [f"at most {constraints.max_width} members"] if constraints.max_width is not None else []
    wanted += [f"level {' or '.join(constraints.levels)}"] if constraints.levels else []
    return f"No layout of these disks has {listed(wanted)}." if wanted else "These disks are too few for any layout."


def _power(value: float) -> str:
    return f"{value:.0e}".replace("e+", "e")
