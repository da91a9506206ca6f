"""The search runs beside the keyboard, and what was found is kept."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from raidtui.advice.proposals.propose import SearchProgress
from raidtui.machine.inventory.shipped import load
from raidtui.session.search_thread import Search, SearchRequest, Steps
from raidtui.values.assumptions import Assumptions
from raidtui.values.proposal import Constraints
from tests.tui import proposals

E2660 = load("e2660")


def ask(*, survive: int = 0, spares: int = 0) -> SearchRequest:
    constraints = Constraints(survive=survive, spares=spares)
    return SearchRequest(inventory=E2660, disks=E2660.disks, constraints=constraints, assumptions=Assumptions())


async def test_the_keyboard_is_served_while_it_looks_and_told_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.session.search_thread.TELL_S", 0.001)
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
