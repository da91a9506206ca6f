"""More danger never looks safer: each input of the risk model moves the figures one way."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from raidtui.predict.risk.durability import durability
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Disk, Place
from raidtui.values.layout import Layout
from raidtui.values.members import disks_by_array
from raidtui.values.prediction import Durability, Rebuild
from raidtui.values.speed import Limit
from tests.properties.layouts import layouts

TB = 10**12
ROUNDING = 1e-9
OFTEN = 0.5
"""chance of array loss within a year beyond which arrays are new again too often for long-run shares to be ordered"""

FAILURES = {0: 0.65, 1: 4.0}
"""members that fail in a year, by how many an array survives, with which its loss is hardly ever as likely as OFTEN"""
AFRS = (0.0005, 0.001, 0.005, 0.015, 0.04, 0.1)

small = layouts(most_members=24)
redundant = layouts(most_members=24, levels=("raid1", "raid4", "raid5", "raid6", "raid10"))
parity = layouts(most_members=24, levels=("raid4", "raid5", "raid6"))
factors = st.sampled_from((1.05, 1.5, 3.0))
hours = st.sampled_from((0.5, 5.0, 60.0, 300.0))
assumptions = st.builds(
    Assumptions,
    afr=st.sampled_from(AFRS),
    restock_days=st.sampled_from((0.5, 3.0, 7.0, 30.0, 90.0, 365.0)),
    ure_per_bit=st.sampled_from((1e-17, 1e-15, 1e-14)),
    correlation=st.sampled_from((1.0, 3.0, 10.0)),
    enclosure_afr=st.sampled_from((0.0, 0.01, 0.1)),
    monitor=st.booleans(),
)
Case = tuple[Layout, Assumptions, float]
FIGURES = (
    "annual_array_loss_probability", "annual_sector_loss_probability", "annual_array_loss_correlated",
    "annual_sector_loss_correlated", "annual_enclosure_loss_probability", "any_loss_1y", "any_loss_1y_correlated",
    "any_loss_5y", "any_loss_5y_correlated", "mission_loss", "spares_run_out_probability",
)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn, of: st.SearchStrategy[Layout] = small) -> Case:
    """A layout, whose disks fail seldom enough for its figures to be ordered, and the hours of a rebuild."""
    layout = draw(of)
    most = FAILURES.get(layout.survives, float("inf")) / (layout.member_disks)
    afr = draw(st.sampled_from([afr for afr in AFRS if afr <= most]))
    return layout, replace(draw(assumptions), afr=afr), draw(hours)


def judged(layout: Layout, assumed: Assumptions, rebuild_hours: float, size: int = 20 * TB) -> Durability:
    disks = [
        Disk(id=str(number), size_bytes=size, place=Place(enclosure=str(number % 3))) for number in range(layout.disks)
    ]
    rebuild = Rebuild(
        hours=rebuild_hours, idle_hours=rebuild_hours, slow_hours=4 * rebuild_hours, bytes_per_s=1,
        limit=Limit("member"), formula="said",
    )  # fmt: skip
    return durability(layout, disks_by_array(layout, disks), size, rebuild if layout.survives else None, assumed)


def losses(found: Durability) -> dict[str, float]:
    return {name: getattr(found, name) for name in FIGURES}


def never_safer(less: Durability, more: Durability, slack: float = ROUNDING) -> None:
    """Every figure of `more` is at least that of `less`. How soon spares run out is told in two ways, 3 % apart."""
    assume(less.annual_array_loss_correlated < OFTEN)
    for name, before in losses(less).items():
        allowed = 0.03 if name == "spares_run_out_probability" else slack
        assert losses(more)[name] >= before * (1 - allowed), name


@given(small, assumptions, hours)
def test_chances_are_chances(layout: Layout, assumed: Assumptions, rebuild_hours: float) -> None:
    found = judged(layout, assumed, rebuild_hours)
    assert all(0 <= chance <= 1 for chance in losses(found).values())
    assert found.any_loss_1y <= found.any_loss_5y
    assert found.any_loss_1y_correlated <= found.any_loss_5y_correlated
    assert found.any_loss_1y <= found.any_loss_1y_correlated * (1 + ROUNDING)
    assert found.annual_array_loss_probability <= found.any_loss_1y * (1 + ROUNDING)
    assert 0 <= found.degraded_hours_per_year <= 8760
    assert 0 < found.mttdl_hours < float("inf")


@given(cases(), factors)
def test_disks_that_fail_more_often(case: Case, by: float) -> None:
    layout, assumed, rebuild_hours = case
    worse = replace(assumed, afr=assumed.afr * by)
    never_safer(judged(layout, assumed, rebuild_hours), judged(layout, worse, rebuild_hours))


@given(cases(), factors)
def test_slower_restocking(case: Case, by: float) -> None:
    layout, assumed, rebuild_hours = case
    worse = replace(assumed, restock_days=assumed.restock_days * by)
    never_safer(judged(layout, assumed, rebuild_hours), judged(layout, worse, rebuild_hours))


@given(cases(redundant), factors)
def test_slower_rebuilds(case: Case, by: float) -> None:
    layout, assumed, rebuild_hours = case
    never_safer(judged(layout, assumed, rebuild_hours), judged(layout, assumed, rebuild_hours * by))


@given(cases(), factors)
def test_more_unreadable_sectors_more_correlation_more_outages(case: Case, by: float) -> None:
    layout, assumed, rebuild_hours = case
    before = judged(layout, assumed, rebuild_hours)
    never_safer(before, judged(layout, replace(assumed, ure_per_bit=assumed.ure_per_bit * by), rebuild_hours))
    never_safer(before, judged(layout, replace(assumed, correlation=assumed.correlation * by), rebuild_hours))
    never_safer(before, judged(layout, replace(assumed, enclosure_afr=assumed.enclosure_afr * by), rebuild_hours))


@given(cases(), factors)
def test_larger_disks(case: Case, by: float) -> None:
    layout, assumed, rebuild_hours = case
    larger = judged(layout, assumed, rebuild_hours, int(20 * TB * by))
    never_safer(judged(layout, assumed, rebuild_hours), larger)


@given(cases())
def test_one_more_spare(case: Case) -> None:
    """Spares sit in enclosures too, but members are dealt first."""
    layout, assumed, rebuild_hours = case
    more = replace(layout, spares=layout.spares + 1)
    never_safer(judged(more, assumed, rebuild_hours), judged(layout, assumed, rebuild_hours))


@given(cases(redundant))
def test_no_monitor(case: Case) -> None:
    layout, assumed, rebuild_hours = case
    watched, unwatched = (replace(assumed, monitor=monitor) for monitor in (True, False))
    never_safer(judged(layout, watched, rebuild_hours), judged(layout, unwatched, rebuild_hours))


@given(cases(parity))
def test_wider_parity_arrays(case: Case) -> None:
    """Another data disk in every array; enclosures are left out, since disks move between them."""
    layout, assumed, rebuild_hours = case
    bare = replace(assumed, enclosure_afr=0.0)
    wider = Layout.joined([replace(layout.first, members=layout.first.members + 1)] * layout.arrays, layout.spares)
    never_safer(judged(layout, bare, rebuild_hours), judged(wider, bare, rebuild_hours))


@given(cases())
def test_one_more_array(case: Case) -> None:
    """With a monitor: without one, another array changes which of them has the odd spare."""
    layout, assumed, rebuild_hours = case
    watched = replace(assumed, monitor=True, enclosure_afr=0.0)
    more = Layout.joined([*layout.shapes, layout.first], layout.spares)
    never_safer(judged(layout, watched, rebuild_hours), judged(more, watched, rebuild_hours))
