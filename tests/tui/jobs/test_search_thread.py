"""The search runs beside the keyboard, and what was found is kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from threading import Event

import pytest

from raidtui.advice.proposals.propose import SearchProgress
from raidtui.machine.inventory.shipped import load
from raidtui.tui.jobs.search_thread import MOST_KEPT, Search, SearchRequest, Steps
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Smart
from raidtui.values.proposal import Constraints
from tests.tui import proposals

E2660 = load("e2660")


def ask(*, survive: int = 0, spares: int = 0) -> SearchRequest:
    constraints = Constraints(survive=survive, spares=spares)
    return SearchRequest(inventory=E2660, disks=E2660.disks, constraints=constraints, assumptions=Assumptions())


async def test_the_keyboard_is_served_while_it_looks_and_told_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.tui.jobs.search_thread.TELL_S", 0.001)
    heard: list[tuple[int, int]] = []
    told = Event()

    def stepping(_: SearchRequest) -> Steps:
        yield SearchProgress(1, 3)
        told.wait(5)
        yield SearchProgress(2, 3)
        return proposals.PROPOSAL

    def changed() -> None:
        heard.append((search.done, search.total))
        if heard[-1] == (1, 3):
            told.set()

    search = Search(stepping, changed)
    await search.look(ask())
    assert search.found(ask()) == proposals.PROPOSAL
    assert (1, 3) in heard
    assert heard[-1] == (2, 3)
    assert not search.running


async def test_what_was_found_is_not_looked_for_again() -> None:
    search = Search(proposals.steps, lambda: None)
    assert search.wants(ask(survive=1))
    await search.look(ask(survive=1))
    assert not search.wants(ask(survive=1))
    assert search.wants(ask(survive=2))


async def test_a_search_that_was_dropped_leaves_nothing_and_its_thread_ends() -> None:
    closed = Event()

    def endless(_: SearchRequest) -> Steps:
        try:
            while True:
                yield SearchProgress(1, 2)
        finally:
            closed.set()

    search = Search(endless, lambda: None)
    task = asyncio.create_task(search.look(ask()))
    await asyncio.sleep(0.01)
    assert search.running
    assert not search.wants(ask())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(closed.wait, 5)
    assert not search.running
    assert search.wants(ask())


async def test_what_goes_wrong_in_the_thread_is_not_swallowed() -> None:
    def broken(_: SearchRequest) -> Steps:
        yield SearchProgress(1, 2)
        raise ZeroDivisionError

    search = Search(broken, lambda: None)
    with pytest.raises(ZeroDivisionError):
        await search.look(ask())
    assert not search.running


async def test_only_the_last_proposals_are_kept() -> None:
    search = Search(proposals.steps, lambda: None)
    for spares in range(MOST_KEPT + 1):
        await search.look(ask(spares=spares))
    assert search.found(ask(spares=0)) is None
    assert search.found(ask(spares=1)) is not None


def test_neither_order_nor_health_of_the_disks_makes_another_search() -> None:
    turned = replace(ask(), disks=tuple(reversed(E2660.disks)))
    hot = replace(ask(), disks=tuple(replace(disk, smart=Smart(temperature_c=60)) for disk in E2660.disks))
    assert turned.key == ask().key
    assert hot.key == ask().key
    assert replace(ask(), disks=E2660.disks[:-1]).key != ask().key
    assert replace(ask(), assumptions=Assumptions(restock_days=7.0)).key != ask().key
    assert replace(ask(), every=True).key != ask().key
