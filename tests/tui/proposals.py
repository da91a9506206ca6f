"""A proposal for the sixty disks of e2660 made by hand, so that what the screen says of it can be written out."""

from __future__ import annotations

from dataclasses import replace

from raidtui.advice.proposals.propose import SearchProgress
from raidtui.session.decision import DesignOutcome
from raidtui.session.search_thread import SearchRequest, Steps
from raidtui.values.findings import Finding
from raidtui.values.notation import LayoutText, show
from raidtui.values.proposal import Candidate, Constraints, Pick, PickName, Proposal, WhyNot
from raidtui.values.speed import MD_THREAD, Limit
from raidtui.values.units import TIB


def candidate(
    layout: str, usable: float, read: int, write: int, rebuild: float, array: float, sector: float, spares: int,
    disks: int = 60, picks: tuple[PickName, ...] = (), limit: str = "members",
) -> Candidate:  # fmt: skip
    """`usable` TiB, `read` and `write` MB/s, `rebuild` hours."""
    return Candidate(
        layout=LayoutText.read(layout), usable_bytes=int(usable * TIB), seq_read_bytes_per_s=read * 1_000_000,
        seq_write_bytes_per_s=write * 1_000_000, rand_read_iops=7000, rand_write_iops=1200,
        annual_array_loss_probability=array, annual_sector_loss_probability=sector,
        annual_enclosure_loss_probability=0.0,
        any_loss_1y=array + sector - array * sector, any_loss_1y_correlated=4 * (array + sector),
        rebuild_hours=rebuild, spares=spares, spares_enough=1, disks=disks, outlives=(),
        read_bottleneck=Limit.read(limit), write_bottleneck=Limit.read(limit) if write > 4000 else MD_THREAD,
        picks=picks, on_front=True, shown=True,
    )  # fmt: skip


PRESENT = candidate("4x(12+2)+4", 86.75, 4610, 4100, 11.6, 1e-8, 4.1e-5, 4)
MOST = candidate("2x(27+2)+2", 97.5, 4610, 2400, 13.4, 3e-7, 5.2e-4, 2, picks=("most room",))
BALANCED = candidate(
    "5x(10+2)", 90.75, 4610, 4610, 11.6, 2e-8, 2.9e-5, 0, picks=("balanced", "quickest rebuild"),
    limit="PCIe slot 0000:03:00.0",
)  # fmt: skip
SAFEST = candidate("30x raid1(2)", 54.25, 4610, 2305, 6.0, 1e-6, 2.0e-6, 0, picks=("safest",))
WIDER = candidate("3x(17+2)+3", 92.5, 4610, 3600, 12.0, 5e-8, 1.1e-4, 3)
CANDIDATES = (MOST, WIDER, BALANCED, SAFEST)
PROPOSAL = Proposal(
    disks=60, constraints=Constraints(), considered=412, compared=5, candidates=CANDIDATES,
    picks=(
        Pick(name="most room", layout=MOST.layout, reason="The fewest disks go into parity. The md thread binds.",
             gives_up="18 times the loss of 5x(10+2)"),
        Pick(name="balanced", layout=BALANCED.layout, reason="Every array has a thread of its own. The members bind.",
             gives_up="7 TiB against 2x(27+2)+2"),
        Pick(name="safest", layout=SAFEST.layout, reason="A pair rebuilds sooner.", gives_up="half the room"),
    ),
    why_not=(WhyNot(question="why not RAID5", answer="one failure more and an unreadable sector loses data"),),
    vendors=("HPE says 10 to 12 disks in a RAID6 group",),
    findings=(Finding(severity="note", code="class", message="disk speed is a class default", way_out="--disk-speed"),),
)  # fmt: skip


def steps(ask: SearchRequest) -> Steps:
    """Finds the proposal in four steps; nothing where more room is asked for than there is."""
    for done in range(100, 500, 100):
        yield SearchProgress(done, 412)
    if ask.constraints.usable_bytes > 100 * TIB:
        nothing = Finding(
            severity="error", code="room", message="60 disks make 97.50 TiB at most", way_out="ask for less"
        )
        return replace(PROPOSAL, constraints=ask.constraints, candidates=(), picks=(), findings=(nothing,))
    if ask.every:
        more = candidate("6x(8+2)", 80.0, 3900, 3900, 11.9, 3e-8, 6e-5, 0)
        more = replace(more, on_front=False, shown=False)
        return replace(PROPOSAL, constraints=ask.constraints, candidates=(*CANDIDATES, more))
    return replace(PROPOSAL, constraints=ask.constraints)


def present(outcome: DesignOutcome) -> Candidate | None:
    """The first design of e2660 with figures made by hand; any other with those of the layout it is."""
    layout = show(outcome.decision.design.layout)
    return next((found for found in (PRESENT, *CANDIDATES) if found.layout == layout), None)
