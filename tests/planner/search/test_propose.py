"""Searches whose outcome can be said beforehand."""

from dataclasses import replace

from raidtui.advice.proposals.propose import propose
from raidtui.machine.inventory.shipped import load
from raidtui.predict.placement.place import place
from raidtui.predict.stated_disks import purchase
from raidtui.values.codec import plain, to_json
from raidtui.values.inventory import Inventory
from raidtui.values.notation import LayoutText, parse
from raidtui.values.proposal import Constraints, Proposal
from tests.planner.outlives import survives_loss

ANY = Constraints()


def proposed(inventory: Inventory, constraints: Constraints = ANY, *, every: bool = False) -> Proposal:
    return propose(inventory, inventory.free, constraints, every=every)


def test_two_disks_become_a_stripe_or_a_mirror() -> None:
    proposal = proposed(purchase("2x4TB"), every=True)
    assert {each.layout for each in proposal.candidates} == {"raid0(2)", "raid1(2)"}
    assert proposal.considered == 7
    assert {pick.layout for pick in proposal.picks} == {"raid1(2)"}


def test_sixty_disks_of_the_field() -> None:
    """The field's 4x(12+2)+4 holds 48 of 60 disks and is on the front."""
    proposal = proposed(load("e2660"))
    found = {each.layout: each for each in proposal.candidates}[LayoutText.read("4x(12+2)+4")]
    assert found.on_front
    assert found.shown
    assert found.usable_bytes == 95_341_054_017_536
    assert (found.spares, found.disks) == (4, 60)


def test_disks_too_slow_for_a_figure_are_proposed_all_the_same() -> None:
    bought = purchase("6x4TB")
    slow = replace(bought, disks=tuple(replace(disk, sequential_bytes_per_s=1) for disk in bought.disks))
    balanced = next(pick for pick in proposed(slow).picks if pick.name == "balanced")
    assert "100 % of the fastest read" in balanced.reason


def test_one_disk_becomes_nothing() -> None:
    proposal = proposed(purchase("1x4TB"))
    assert (proposal.candidates, proposal.picks) == ((), ())
    assert [finding.code for finding in proposal.findings] == ["nothing-fits"]


def test_no_disk_becomes_nothing() -> None:
    inventory = replace(purchase("1x4TB"), disks=())
    assert [finding.code for finding in proposed(inventory).findings] == ["no-disks"]


def test_too_much_room_is_refused_with_the_most_there_is() -> None:
    proposal = proposed(purchase("4x4TB"), Constraints(usable_bytes=10**14))
    (finding,) = proposal.findings
    assert (finding.severity, finding.code) == ("error", "nothing-fits")
    assert "the largest holds 14.45 TiB of 90.95 TiB" in finding.message


def test_too_little_loss_is_refused_with_the_least_there_is() -> None:
    (finding,) = proposed(purchase("2x4TB"), Constraints(max_annual_loss=1e-9)).findings
    assert "the safest loses data with 1 in" in finding.message


def test_a_single_enclosure_cannot_be_outlived() -> None:
    (finding,) = proposed(load("e2660"), Constraints(survive_domain="enclosure")).findings
    assert "the disks are in 1 enclosure, any of which may fail" in finding.message


def test_what_outlives_a_controller_has_a_placement_that_proves_it() -> None:
    inventory = load("e2660")
    proposal = proposed(inventory, Constraints(survive_domain="controller"))
    assert any(each.layout.startswith("14x(2+2)") for each in proposal.candidates)
    for pick in proposal.picks:
        layout = parse(pick.layout)
        chosen, _ = place(layout, inventory.free)
        assert survives_loss(layout, chosen, "controller"), pick.layout
    assert not any("(12+2)" in each.layout for each in proposal.candidates)


def test_only_the_levels_asked_for() -> None:
    proposal = proposed(purchase("8x4TB"), Constraints(levels=("raid4", "raid10")), every=True)
    assert {parse(each.layout).level for each in proposal.candidates} == {"raid4", "raid10"}


def test_with_a_price_fewer_disks_are_on_the_front() -> None:
    proposal = proposed(purchase("8x4TB"), Constraints(price_per_disk=300.0, survive=1))
    cheapest = min(proposal.candidates, key=lambda each: each.disks)
    assert (cheapest.disks, cheapest.cost) == (2, 600.0)
    assert not any(each.cost is None for each in proposal.candidates)


def test_candidates_come_with_most_room_first_and_in_the_contract_s_words() -> None:
    proposal = proposed(purchase("8x4TB"))
    room = [each.usable_bytes for each in proposal.candidates]
    assert room == sorted(room, reverse=True)
    assert {
        "layout", "usable_bytes", "seq_read_bytes_per_s", "seq_write_bytes_per_s", "annual_array_loss_probability",
        "annual_sector_loss_probability", "rebuild_hours", "spares", "on_front", "picks",
    } <= set(plain(proposal)["candidates"][0])  # fmt: skip
    assert "Infinity" not in to_json(proposal)


def test_many_disks_stay_within_lvm_and_a_screen() -> None:
    proposal = proposed(purchase("300x4TB"), Constraints(levels=("raid6",), max_width=16))
    assert all(parse(each.layout).arrays <= 128 for each in proposal.candidates)
    assert len([each for each in proposal.candidates if each.shown]) <= 24
