"""The plain-text answer: fits, is safe, and says everything once."""

from dataclasses import replace
from functools import cache

from raidtui.advice.proposals.propose import propose
from raidtui.answers.proposal import proposal_text
from raidtui.machine.inventory.shipped import load
from raidtui.predict.purchase import purchase
from raidtui.values.notation import LayoutText
from raidtui.values.proposal import Constraints, Proposal

E2660 = load("e2660")


@cache
def whole() -> Proposal:
    return propose(E2660, E2660.free, Constraints(compare=(LayoutText.read("4x(12+2)+4"),)))


def test_it_fits_its_width() -> None:
    for width in (80, 100):
        assert max(len(line) for line in proposal_text(whole(), width=width).splitlines()) <= width


def test_it_says_the_names_first_then_the_table_then_answers() -> None:
    lines = proposal_text(whole()).splitlines()
    assert lines[0].startswith("60 disks allow 39 339 layouts; ")
    assert lines[1].startswith("Each pick survives a failed disk, loses an array with at most 1 in 100 a year")
    assert any(line.startswith("The balanced pick weighs room 1, reading 0.5, writing 0.5, random") for line in lines)
    order = ["BALANCED", "       LAYOUT", "And 4x(12+2)+4?", "Why not RAID5", "NUMBER OF SPARES", "note: "]
    places = [next(number for number, line in enumerate(lines) if mark in line) for mark in order]
    assert places == sorted(places)


def test_every_named_layout_stands_in_the_table_with_its_mark() -> None:
    text = proposal_text(whole())
    for pick in whole().picks:
        mark = pick.name[0].upper()
        assert any(mark in line.split(pick.layout)[0] for line in text.splitlines() if f" {pick.layout} " in line)


def test_a_narrow_table_says_the_units_of_its_rates_below() -> None:
    row = {width: _row(proposal_text(whole(), width=width)) for width in (80, 100)}
    random, loss, rest = ["6.72k", "1.12k"], ["8", "400", "19M"], ["12", "h"]
    assert row[100].split()[2:] == ["86.71", "TiB", "5.70", "GB/s", "4.56", "GB/s", *random, *loss, "3", "300", *rest]
    assert row[80].split()[2:] == ["86.71", "TiB", "5.70", "4.56", *random, *loss, *rest]
    assert "Read and write, in GB/s, are" in " ".join(proposal_text(whole(), width=80).split())


def _row(text: str) -> str:
    """The row of the field's layout in the table."""
    return next(line for line in text.splitlines() if "  86.71 TiB" in line and "4x(12+2)+4" in line)


def test_figures_stay_with_their_units() -> None:
    for line in proposal_text(whole(), width=80).splitlines():
        assert not line.lstrip().startswith(("GB/s", "MB/s", "TiB", "%"))


def test_a_rate_that_is_not_known_reads_so_as_in_design() -> None:
    silent = replace(whole(), candidates=tuple(replace(each, seq_read_bytes_per_s=0) for each in whole().candidates))
    text = proposal_text(silent)
    assert "reads unknown" in text
    assert "reads 0 MB/s" not in text


def test_money_has_a_column_where_disks_have_a_price() -> None:
    inventory = purchase("8x4TB")
    text = proposal_text(propose(inventory, inventory.disks, Constraints(price_per_disk=250.0, survive=1)))
    assert "COST" in text
    assert "2 000" in text


def test_nothing_to_propose_says_why() -> None:
    text = proposal_text(propose(E2660, E2660.free, Constraints(usable_bytes=10**15)))
    assert text.startswith("60 disks: no proposal.\n\nNOTES\n  error: No layout meets all constraints")
