"""What a search has to say beside its proposals: why nothing fits, how the front was thinned, what is assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.assumptions import Assumptions
from raidtui.model.finding import Finding
from raidtui.model.proposal import Constraints
from raidtui.model.ranges import MOST_SEARCHED
from raidtui.model.safe import safe
from raidtui.model.speed import DiskSpeed
from raidtui.model.units import binary_size
from raidtui.planner.findings import error, note
from raidtui.planner.numbers import LEAST_ODDS, listed, odds, rate
from raidtui.planner.search.evaluate import LayoutBounds
from raidtui.planner.search.pareto_sample import LOSS_STEPS

_LONG = 80


def no_disks() -> Finding:
    """There is nothing to propose on."""
    return error(
        "no-disks",
        "No disk is free to propose on.",
        "choose disks with --only, or a purchase with --disks 60x2TB",
    )


def too_many_disks(count: int) -> Finding:
    """The search would take too long."""
    return error(
        "too-many-disks",
        f"{count} disks: layouts are proposed for at most {MOST_SEARCHED}.",
        "choose some of them with --only, or plan a layout that you name",
    )


def nothing_fits(
    refused: Sequence[LayoutBounds], constraints: Constraints, domains: Sequence[int]
) -> Iterator[Finding]:
    """Why no layout meets the constraints. `refused` are those that keep the demands that a layout shows by itself."""
    if not refused:
        yield error("nothing-fits", _none_of(constraints), "ask for less, or choose more disks")
        return
    roomiest = max(refused, key=lambda sketch: (sketch.usable, sketch.layout.disks))
    safest = min(refused, key=lambda sketch: (sketch.least_loss, -sketch.usable))
    parts = []
    if constraints.usable_bytes:
        parts.append(f"the roomiest holds {binary_size(roomiest.usable)} of {binary_size(constraints.usable_bytes)}")
    if constraints.max_annual_loss is not None:
        parts.append(f"the safest loses data with {odds(safest.least_loss)} a year")
    if constraints.survive_domain is not None:
        found = f"{len(domains) or 'no'} {constraints.survive_domain}{'s' if len(domains) != 1 else ''}"
        parts.append(f"the disks sit in {found}, any of which may go")
    why = ": " + "; ".join(parts) if parts else ""
    yield error(
        "nothing-fits",
        f"No layout meets everything that was asked{why}.",
        "ask for less in one of them, or choose more disks",
    )


def sample_note(front: int, idle: int, shown: int, tolerance: float) -> Finding:
    """How many layouts the table leaves out, and by which rule."""
    parts = [f"{front} layouts are on the front, {shown} are shown."]
    if idle:
        parts.append(f"{idle} that leave a whole array's worth of disks idle as spares are not.")
    if shown < front - idle:
        factor = 1 + LOSS_STEPS * tolerance
        parts.append(
            f"Each other one has a shown one no more than {tolerance * 100:g} % worse in room, speed and rebuild,"
            f" with a loss at most {factor:.2g} times as high; losses below {odds(LEAST_ODDS)} count as alike."
        )
    return note("front-thinned", " ".join(parts), "--json has the whole front; --json --every all that was judged")


def assumption_notes(speed: DiskSpeed, assumptions: Assumptions) -> Finding:
    """The inputs that the figures rest on."""
    return note(
        "assumed",
        f"Disks of {rate(speed.read_bytes_per_s)} ({speed.source}: {safe(speed.basis, longest=_LONG)});"
        f" {assumptions.afr * 100:g} % fail a year, one bit in {_power(1 / assumptions.ure_per_bit)} is unreadable,"
        f" {assumptions.restock_days:g} days to restock, rebuilds get {assumptions.rebuild_share * 100:g} % of time."
        " Disks fail independently here; one batch or enclosure failing together is far worse.",
        "say what you know: --disk-speed, --afr, --ure, --restock-days, --rebuild-share",
    )


def _none_of(constraints: Constraints) -> str:
    wanted = [f"arrays that outlive {constraints.survive} failures"] if constraints.survive else []
    wanted += [f"{constraints.spares} spares"] if constraints.spares else []
    wanted += [f"at most {constraints.max_width} members"] if constraints.max_width is not None else []
    wanted += [f"level {' or '.join(constraints.levels)}"] if constraints.levels else []
    return f"No layout of these disks has {listed(wanted)}." if wanted else "These disks are too few for any layout."


def _power(value: float) -> str:
    return f"{value:.0e}".replace("e+", "e")
