"""Named layouts among offers whose figures are written out."""

from dataclasses import replace

from raidtui.advice.proposals.pick_reasons import explain_picks, tradeoffs
from raidtui.advice.proposals.picks import Picked, broken, choose_picks, eligible_picks, rules_of
from raidtui.advice.proposals.scored_layout import Scored
from raidtui.values.choices import Wish
from raidtui.values.notation import LayoutText, parse
from raidtui.values.proposal import Constraints
from raidtui.values.speed import MD_THREAD, MEMBERS, Limit

TB = 10**12


def offer(
    text: str, room: float, read: int, write: int, hours: float, loss: float, *, sector: float = 0.0, writes: int = 800
) -> Scored:
    """Room in TB, rates in MB/s, the loss of an array, and of a sector beside it."""
    return Scored(
        layout=parse(text),
        text=LayoutText.read(text),
        usable=int(room * TB),
        read=read * 10**6,
        write=write * 10**6,
        random_read=4000,
        random_write=writes,
        read_limit=MEMBERS,
        write_limit=MD_THREAD,
        hours=hours,
        rebuild_limit=Limit("member"),
        array_loss=loss,
        sector_loss=sector,
        enclosure_loss=0.0,
        loss=loss + sector,
        worst_loss=10 * loss + sector,
        common_loss=0.0,
        spares_enough=1,
        outlives=(),
        cost=None,
    )


STRIPE = offer("raid0(24)", 48, 3000, 3000, 0, 0.3)
WIDE = offer("(21+2)+1", 42, 2600, 900, 20, 5e-4)
RAID5 = offer("2x(10+1)+2", 40, 2700, 2000, 11, 0.04)
BARE = offer("2x(10+2)", 40, 2700, 2100, 11, 2e-3)
TWO = offer("2x(9+2)+2", 36, 2600, 1900, 11, 2e-5)
THREE = offer("3x(5+2)+3", 30, 2400, 1800, 10, 1e-5)
MIRRORS = offer("raid10(22)+2", 22, 2700, 1300, 10, 4e-3)
TRIPLE = offer("7x raid1(3)+3", 14, 2700, 900, 10, 1e-8)
FRONT = [STRIPE, WIDE, RAID5, BARE, TWO, THREE, MIRRORS, TRIPLE]


ANY = Constraints()


def named(constraints: Constraints = ANY, front: list[Scored] = FRONT) -> dict[str, str]:
    picks, _, _ = choose_picks(front, rules_of(24, constraints, 1), constraints, 24)
    return {pick.name: pick.scored.text for pick in picks}


def test_a_greater_loss_is_named_only_when_asked_for() -> None:
    assert named(Constraints(max_annual_loss=0.1))["most room"] == "2x(10+1)+2"


def test_what_is_wished_for_draws_the_balance() -> None:
    """A sixth of the room against nearly half of the rebuild."""
    roomy = offer("2x(9+2)+2", 36, 2000, 1900, 11, 1e-5)
    quick = offer("3x(5+2)+3", 30, 2000, 1900, 6, 1e-5)

    def balanced(*wishes: Wish) -> str:
        picks, _, _ = choose_picks([roomy, quick], rules_of(24, ANY, 1), Constraints(wishes=wishes), 24)
        return next(pick.scored.text for pick in picks if pick.name == "balanced")

    assert balanced() == "3x(5+2)+3"
    assert balanced("capacity") == "2x(9+2)+2"
    assert balanced("rebuild", "capacity") == "3x(5+2)+3"


def test_rules_are_dropped_from_the_last_where_nothing_keeps_them() -> None:
    left, findings = eligible_picks([WIDE, STRIPE], rules_of(24, ANY, 1))
    assert left == [WIDE]
    assert [finding.code for finding in findings] == ["picks-rules", "picks-relaxed"]
    assert "has at most 16 members in a parity array" in findings[1].message


def test_each_layout_says_the_first_rule_that_it_breaks() -> None:
    rules = rules_of(24, ANY, 1)
    idle = offer("(5+2)+17", 10, 900, 700, 10, 1e-6)
    odd = offer("raid10(23)+1", 23, 2700, 1300, 10, 4e-3)
    offers = (STRIPE, WIDE, RAID5, BARE, TWO, idle, odd)
    assert [broken(each, rules) for each in offers] == [
        "unprotected", "wide arrays", "high loss", "few spares", None, "idle disks", "odd copies",
    ]  # fmt: skip


def test_a_loss_that_no_layout_avoids_decides_nothing() -> None:
    front = [replace(each, loss=each.loss + 1e-4, enclosure_loss=1e-4, common_loss=1e-4) for each in FRONT]
    plain, common = (choose_picks(layouts, rules_of(24, ANY, 1), ANY, 24)[0] for layouts in (FRONT, front))
    assert [(pick.name, pick.scored.text) for pick in plain] == [(pick.name, pick.scored.text) for pick in common]
    reasons = {pick.name: pick for pick in explain_picks(common, front)}
    assert reasons["safest"].reason.startswith("An array is lost with 1 in 100 000 a year, the lowest")
    assert "Data by any cause is lost with 1 in 9 100 a year" in reasons["safest"].reason
    assert reasons["safest"].reason.endswith("and 1 in 10 000 for an enclosure outage.")
    assert "(an array 1 in 100 000 a year instead of 1 in 50 000)" in reasons["most room"].gives_up


def test_an_unreadable_sector_keeps_no_mirror_from_a_pick_but_raid5() -> None:
    """Twelve disks of 20 TB: a rebuild of RAID10 reads one of them, one of RAID5 eleven."""
    mirrors = offer("raid10(10)+2", 100, 2700, 1300, 30, 1e-4, sector=0.02)
    parity = offer("(10+1)+1", 200, 2700, 1300, 30, 1e-3, sector=0.15)
    rules = rules_of(12, ANY, 1)
    assert (broken(mirrors, rules), broken(parity, rules)) == (None, "large RAID5")


def test_what_writes_faster_at_random_is_named_by_what_it_gains() -> None:
    """RAID6 of sixty disks against RAID10 of them: nothing is as fast as any layout beside one that writes faster."""
    mirrors = offer("raid10(22)+2", 22, 2600, 1900, 11, 2e-5, writes=2400)
    found = {pick.name: pick for pick in explain_picks([Picked("fastest", TWO)], [TWO, mirrors])}
    assert found["fastest"].reason.startswith(
        "Reads 2.60 GB/s and writes 1.90 GB/s, at random 4.00k IOPS and 800 IOPS: the best mean of the four among"
        " layouts that meet the rules, though others are faster at random writes."
    )
    assert found["fastest"].gives_up == "raid10(22)+2 writes 2.40k IOPS at random instead of 800 IOPS."


def test_a_domain_that_another_survives_is_given_up() -> None:
    other = replace(TWO, text=LayoutText.read("raid10(22)+2"), layout=parse("raid10(22)+2"), outlives=("controller",))
    assert tradeoffs(TWO, [TWO, other]) == "raid10(22)+2 survives the loss of any one controller."
