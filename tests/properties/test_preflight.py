"""No machine that differs from the plan's in anything that matters passes the preflight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from raidtui.steps.preflight import preflight
from raidtui.values.inventory import Disk, Place, Use
from tests.planner.plans import disks, machine, plan_of
from tests.planner.ready import facts

DISKS = disks(7)
PLAN = plan_of("(4+2)+1", DISKS)
WORDS = st.text(max_size=12)
USES = st.builds(
    Use,
    kind=st.sampled_from(
        ["mounted", "swap", "md-member", "lvm-pv", "zfs", "file-system", "partition-table", "data", "system", "locked"]
    ),
    where=WORDS,
    active=st.booleans(),
)
CHANGES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda value: {"size_bytes": value}, st.integers(10**9, 10**13)),
    st.builds(lambda value: {"logical_sector_bytes": value}, st.sampled_from([512, 4096])),
    st.builds(lambda value: {"serial": value}, st.none() | WORDS),
    st.builds(lambda value: {"model": value}, st.none() | WORDS),
    st.builds(lambda value: {"wwn": value}, st.none() | WORDS),
    st.builds(lambda value: {"id": value}, WORDS),
    st.builds(lambda value: {"by_id": (value,)}, WORDS),
    st.builds(lambda value: {"place": Place(slot=value)}, WORDS.filter(bool)),
    st.builds(lambda value: {"not_selectable": value}, WORDS),
    st.builds(lambda value: {"fingerprint": value}, WORDS),
    st.builds(lambda value: {"zoned": value}, st.sampled_from(["host-aware", "host-managed"])),
    st.builds(lambda value: {"partitions": (value,)}, st.integers(1, 128)),
    st.builds(lambda uses: {"state": "content", "uses": tuple(uses)}, st.lists(USES, min_size=1, max_size=3)),
    st.just({"state": "unknown"}),
    st.just({"state": "content"}),
    st.just({"protected": True}),
    st.just({"bsd_locked": True}),
    st.just({"physical_sector_bytes": 4096}),
)


def changed(found: Disk, change: dict[str, Any]) -> Disk:
    return replace(found, **change)


@given(number=st.integers(0, 6), change=CHANGES)
def test_a_disk_that_differs_is_refused(number: int, change: dict[str, Any]) -> None:
    now = list(DISKS)
    now[number] = changed(now[number], change)
    findings = preflight(PLAN, machine(*now), facts(PLAN))
    assert bool(findings) == (now[number] != DISKS[number])
    assert all(finding.way_out and finding.message.isprintable() for finding in findings)


@given(gone=st.sets(st.integers(0, 6), min_size=1))
def test_a_missing_disk_is_refused_by_its_serial_number(gone: set[int]) -> None:
    now = [found for number, found in enumerate(DISKS) if number not in gone]
    said = [finding.message for finding in preflight(PLAN, machine(*now), facts(PLAN))]
    assert len(said) == len(gone)
    assert all(any(f"serial S{number + 1:03d})" in message for message in said) for number in gone)


@given(order=st.permutations(range(7)), names=st.permutations([f"sd{letter}" for letter in "abcdefg"]))
def test_other_names_and_another_order_of_the_same_disks_pass(order: list[int], names: list[str]) -> None:
    now = [replace(DISKS[number], kernel_name=name) for number, name in zip(order, names, strict=True)]
    assert preflight(PLAN, machine(*now), facts(PLAN)) == ()
