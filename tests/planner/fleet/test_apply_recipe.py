"""A recipe on a rack: a plan or a reason for every host, and the figures of all."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.fleet.apply import plan_fleet
from raidtui.fleet.recipe import read_recipe
from raidtui.fleet.sheet import Sheet, SheetHost
from raidtui.predict.risk.spares import MISSED, spares_on_shelf
from raidtui.values.codec import document_digest
from raidtui.values.inventory import Inventory, Use
from raidtui.values.plan import Plan
from tests.planner.fleet.hosts import rack, with_files, with_kernel, without_disk

MINT = "5" * 32
MEASURED = Path(__file__).parents[2] / "measured"


def planned(recipe: str, hosts: Mapping[str, Inventory], **more: str) -> tuple[Sheet, dict[str, Plan]]:
    plans: dict[str, Plan] = {}
    sheet = plan_fleet(
        read_recipe(recipe.encode(), source="recipe"),
        hosts,
        mint=MINT,
        keep=lambda host, plan: plans.update({host: plan}),
        unanswered=more,
    )
    return sheet, plans


def entry(sheet: Sheet, host: str) -> SheetHost:
    (found,) = (each for each in sheet.hosts if each.host == host)
    return found


def test_three_alike_hosts() -> None:
    sheet, plans = planned('layout = "4x(12+2)+4"\nchunk = "256K"', rack(3, "e2660"))
    assert [host.state for host in sheet.hosts] == ["planned"] * 3
    assert [kind.hosts for kind in sheet.kinds] == [("node1", "node2", "node3")]
    sums = sheet.sums
    assert sums.usable_bytes == 3 * 95_341_066_665_984  # as real mkfs.xfs made it
    assert (sums.disks, sums.spares, sums.planned) == (180, 12, 3)
    assert sums.disk_failures_1y == pytest.approx(180 * 0.015)
    assert sums.spares_on_shelf == 1  # 0.22 on order on average: more than one in 2.1 % of the time
    loss = sheet.kinds[0].any_loss_1y
    assert loss is not None
    assert sums.any_loss_1y == pytest.approx(1 - (1 - loss) ** 3)
    assert {host.digest for host in sheet.hosts} == {plan.digest for plan in plans.values()}
    assert len({plan.digest for plan in plans.values()}) == 3
    uuids = [array.uuid for plan in plans.values() for array in plan.arrays]
    assert len(set(uuids)) == len(uuids) == 12
    assert all(document_digest(plan) == plan.digest for plan in plans.values())
    assert [len(entry(sheet, name).erases) for name in plans] == [60, 60, 60]


def test_a_host_that_differs_refuses_all_of_it_by_default() -> None:
    sheet, plans = planned('layout = "raid5(2+1)"', rack(5, changed={"node4": without_disk(0), "node5": with_files(1)}))
    assert list(plans) == ["node1", "node2", "node3"]
    assert entry(sheet, "node4").state == entry(sheet, "node5").state == "refused"
    assert entry(sheet, "node4").reason == (
        "not like most hosts: 3 disks can be used, 4 on most hosts; bay 1 empty (3.96 TB ATA SIM4000NAS elsewhere)"
    )
    assert entry(sheet, "node5").reason == (
        "not like most hosts: 3 disks can be used, 4 on most hosts (bay 2: file-system ext4)"
    )
    assert (sheet.sums.planned, sheet.sums.refused, sheet.sums.left_out) == (3, 2, 0)


def test_fit_gives_each_kind_of_machine_its_own_layout() -> None:
    recipe = 'layout = "raid6(2+2)"\ndiffers = "fit"\n[constraints]\nsurvive = 1\npick = "most room"'
    sheet, _ = planned(recipe, rack(3, changed={"node2": without_disk(0)}))
    assert [(kind.layout, kind.hosts) for kind in sheet.kinds] == [
        ("(2+2)", ("node1", "node3")),
        ("(2+1)", ("node2",)),
    ]
    assert entry(sheet, "node2").differs.startswith("3 disks can be used, 4 on most hosts; bay 1 empty ")


def test_fit_without_constraints_refuses_where_the_layout_needs_more_disks() -> None:
    sheet, _ = planned('layout = "raid6(2+2)"\ndiffers = "fit"', rack(3, changed={"node2": without_disk(0)}))
    refused = entry(sheet, "node2")
    assert refused.state == "refused"
    assert "needs 4 disks" in refused.reason


def test_constraints_that_nothing_meets() -> None:
    sheet, plans = planned('[constraints]\nsurvive = 1\nusable = "800TB"', rack(2))
    assert plans == {}
    assert {host.state for host in sheet.hosts} == {"refused"}
    # 800 TB are 727.6 TiB; a RAID5 of four 3.96 TB holds three of them, less what the file system needs
    assert {host.reason for host in sheet.hosts} == {
        "No layout meets all constraints: the largest holds 10.73 TiB of 727.6 TiB."
    }


def test_the_rule_chooses_the_disks() -> None:
    hosts = rack(2)
    small = replace(hosts["node2"].disks[3], size_bytes=500_107_862_016)
    hosts["node2"] = replace(hosts["node2"], disks=(*hosts["node2"].disks[:3], small))
    hosts["node1"] = without_disk(3)(hosts["node1"])
    sheet, plans = planned('layout = "raid5(2+1)"\n[disks]\nat_least = "3TB"\nmodel = "SIM4000*"', hosts)
    assert {host.state for host in sheet.hosts} == {"planned"}
    assert small.id not in plans["node2"].prediction.disks


def test_one_machine_under_two_names_is_refused() -> None:
    host = rack(1)["node1"]
    sheet, plans = planned('layout = "raid5(2+1)"', {"node1": host, "alias": host})
    assert plans == {}
    assert entry(sheet, "alias").reason == (
        "node1 has the same disks: two names of one machine, or disks that both reach"
    )


def test_a_disk_that_another_host_uses_is_planned_on_none() -> None:
    hosts = rack(2)
    mounted = Use(kind="file-system", where="/srv", active=True)
    theirs = replace(hosts["node1"].disks[0], state="content", uses=(mounted,))
    hosts["node2"] = replace(hosts["node2"], disks=(theirs, *hosts["node2"].disks[1:]))
    sheet, plans = planned('layout = "raid5(2+1)"\ndiffers = "fit"', hosts)
    assert "node1" not in plans
    assert entry(sheet, "node1").reason == (
        "node2 has the same disks: two names of one machine, or disks that both reach"
    )


def test_the_same_mint_gives_the_same_sheet_and_another_shares_no_uuid() -> None:
    recipe = read_recipe(b'layout = "raid5(2+1)"', source="x")
    kept: list[Plan] = []
    sheets = [
        plan_fleet(recipe, rack(2), mint=mint, keep=lambda _, plan: kept.append(plan))
        for mint in (MINT, MINT, "6" * 32)
    ]
    assert sheets[0] == sheets[1] != sheets[2]
    assert [plan.digest for plan in kept[:2]] == [plan.digest for plan in kept[2:4]]
    assert not {plan.arrays[0].uuid for plan in kept[:2]} & {plan.arrays[0].uuid for plan in kept[4:]}


def test_a_recipe_that_changes_shares_no_uuid_with_the_earlier_one() -> None:
    _, before = planned('layout = "raid5(2+1)"', rack(1))
    _, after = planned('layout = "raid5(3+1)"', rack(1))
    assert before["node1"].arrays[0].uuid != after["node1"].arrays[0].uuid


CHANGES = {"alike": lambda host: host, "fewer": without_disk(0), "held": with_files(1), "kernel": with_kernel("6.12")}


@pytest.mark.parametrize("row", list(csv.DictReader((MEASURED / "spares_poisson.csv").open()))[::7], ids=str)
def test_spares_on_the_shelf_against_published_tails(row: dict[str, str]) -> None:
    found = spares_on_shelf(int(row["disks"]), float(row["afr_pct"]) / 100 / 8760, float(row["restock_days"]) * 24)
    if found <= 5:
        assert float(row[f"p_more_than_{found}"]) <= MISSED
    if 0 < found <= 6:
        assert float(row[f"p_more_than_{found - 1}"]) > MISSED


def test_a_passphrase_that_no_person_types_is_refused() -> None:
    sheet, plans = planned('layout = "raid6(2+2)"\nencrypt = "volume"', rack(2))
    assert plans == {}
    assert {host.reason for host in sheet.hosts} == {"no person types a passphrase on each host"}
