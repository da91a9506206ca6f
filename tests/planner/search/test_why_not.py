"""Answers to what people ask, on layouts whose figures are written out or judged on a purchase."""

from collections.abc import Callable
from dataclasses import replace

from raidtui.advice.proposals.enumerate_layouts import RequiredDomains
from raidtui.advice.proposals.evaluate import Evaluator, NamedLayouts
from raidtui.advice.proposals.scored_layout import Scored
from raidtui.advice.proposals.why_not import SearchResult, compare_named, unmet_constraints, why_nots
from raidtui.predict.placement.disk_pool import disk_pool
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.layout import Layout
from raidtui.values.notation import LayoutText, parse
from raidtui.values.proposal import Constraints

ANY = Constraints()
SIXTY = purchase("60x2TB")


def judge(constraints: Constraints, assumptions: Assumptions = DEFAULTS) -> Callable[[Layout], Scored | None]:
    return evaluator(constraints, assumptions).evaluate


def evaluator(constraints: Constraints, assumptions: Assumptions = DEFAULTS) -> Evaluator:
    return Evaluator(SIXTY, disk_pool(SIXTY.disks), constraints, assumptions)


def asked(text: str, constraints: Constraints, assumptions: Assumptions = DEFAULTS) -> dict[str, str]:
    ask = judge(constraints, assumptions)
    chosen = ask(parse(text))
    assert chosen is not None
    return {each.question: each.answer for each in why_nots(chosen, ask, constraints, assumptions)}


def test_the_questions_that_four_arrays_raise() -> None:
    answers = asked("4x(12+2)+4", Constraints())
    assert list(answers) == [
        "Why not RAID5, 4x(13+1)+4?",
        "Why not 2x(26+2)+4?",
        "Why not one wide array, (54+2)+4?",
        "Why not RAID10, raid10(56)+4?",
        "Why 4 spares and not 1?",
        "Is it a problem that 12 data disks are not a power of two?",
    ]


def test_raid5_is_answered_by_its_unreadable_sectors() -> None:
    answer = asked("4x(12+2)+4", Constraints())["Why not RAID5, 4x(13+1)+4?"]
    assert answer.startswith("It holds 8.3 % more, but no second parity can reconstruct an unreadable sector")


def test_spares_that_only_cover_restocking() -> None:
    answers = asked("4x(12+2)+1", Constraints())
    assert answers["Is one spare enough?"].startswith(
        "1 spare is enough for 56 disks with an AFR of 1.5 % and 30 days to restock: the fewest with which at most"
        " 1 year in 10 has a failure that finds no spare. Failures that find no spare: 1 in 15 with 1 spare (1 in"
        " 18 years). Without spares an array is lost with"
    )


def test_a_year_without_a_visit_needs_three() -> None:
    answers = asked("4x(12+2)+3", Constraints(), Assumptions(restock_days=365))
    assert answers["Are 3 spares enough?"].startswith("3 spares are enough for 56 disks")


def compare(text: str, front: list[str], *, balanced: str | None = None, demands: Constraints = ANY) -> str:
    """The answer for `text` beside a front of these layouts."""
    judge = evaluator(demands)
    offers = {layout: judge.evaluate(parse(layout)) for layout in front}
    known = [offer for offer in offers.values() if offer is not None]
    chosen = offers[balanced] if balanced is not None else None
    halves = [
        replace(disk, place=replace(disk.place, controller=f"controller {number % 2}"))
        for number, disk in enumerate(SIXTY.disks)
    ]
    able = RequiredDomains(halves, demands.survive_domain)
    named = NamedLayouts(SIXTY.disks, disk_pool(SIXTY.disks), judge, able, demands.survive_domain)
    return compare_named(LayoutText.read(text), SearchResult(named, known, known, chosen), demands).answer


def test_a_compared_layout_on_the_front_says_so() -> None:
    answer = compare("4x raid1(3)", ["4x raid1(3)", "4x raid1(2)"], balanced="4x raid1(2)")
    assert "On the front: no other layout is at least as good in everything." in answer
    assert "Against the suggested 4x raid1(2) it reads" in answer
    assert "loses data less often" in answer


def test_a_compared_layout_that_the_kernel_refuses() -> None:
    answer = compare("(12+2)", [], demands=Constraints(chunk_bytes=3 * 4096))
    assert answer == "md, LVM or mkfs refuses it on these disks; see raidtui model."


def test_a_compared_layout_that_does_not_outlive_a_domain() -> None:
    answer = compare("4x(12+2)+4", [], demands=Constraints(survive_domain="controller"))
    assert "It violates constraints: losing one controller loses data with any placement of the disks." in answer
    assert "On the front" not in answer


def test_what_was_asked_and_is_missed() -> None:
    offer = judge(Constraints())(parse("2x(10+1)"))
    assert offer is not None
    demands = Constraints(
        usable_bytes=10**14, survive=2, spares=1, max_width=10, levels=("raid6",), max_annual_loss=1e-6
    )
    assert unmet_constraints(offer, demands) == [
        "36.12 TiB of the 90.95 TiB required",
        "arrays survive 1 failures, not 2",
        "0 of 1 spare",
        "11 members, not 10",
        "raid5 is not among the levels",
        "loss 1 in 19 a year, limit 1 in 1 000 000",
    ]


def test_a_limit_of_loss_counts_the_enclosure_that_is_shown_beside_it() -> None:
    offer = judge(Constraints())(parse("4x(12+2)+4"))
    assert offer is not None
    housed = replace(offer, array_loss=1 / 26_000, sector_loss=0.0, enclosure_loss=1e-4, loss=1.38e-4)
    assert unmet_constraints(housed, Constraints(max_annual_loss=5e-5)) == ["loss 1 in 7 200 a year, limit 1 in 20 000"]


def test_spares_that_would_widen_only_some_arrays_are_an_unequal_layout_where_the_stack_uses_it() -> None:
    question = "Why 3 spares and not 1?"
    assert " would use them)" not in asked("4x(12+2)+3", Constraints())[question]
    assert "(though 2x(13+2)+2x(12+2)+1 would use them)" in asked("4x(12+2)+3", Constraints(stack="md"))[question]
    assert (
        "(though 3x(13+2)+(12+2)+1 would use them)"
        in asked("4x(12+2)+4", Constraints(stack="md"))["Why 4 spares and not 1?"]
    )
