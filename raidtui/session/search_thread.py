"""Search thread: searches layouts in the background and caches the proposals.

It has its own thread, since some of its steps are long: the interpreter switches to the app's thread every 5 ms.
Measured with 1,000 disks on two cores, from key to screen update: idle 6 to 16 ms, with the thread 19 ms (at most 72),
in slices on the app's thread 14 ms (at most 416).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.proposal import Candidate, Constraints, Proposal

if TYPE_CHECKING:
    from raidtui.advice.proposals.propose import SearchProgress

TELL_S = 0.1
"""seconds between progress reports"""
MOST_KEPT = 16
"""number of cached proposals; the oldest is dropped"""
SHOW_S = 0.3
"""seconds between samples of the layouts found so far"""
Steps = Generator["SearchProgress", None, Proposal]
"""yields its progress; returns the proposal"""


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """The inputs of a proposal."""

    inventory: Inventory
    disks: tuple[Disk, ...]
    constraints: Constraints
    assumptions: Assumptions
    every: bool = False
    """True: all layouts that meet the constraints, not only the Pareto front"""

    @cached_property
    def key(self) -> object:
        """Cache key: equal for inputs with the same proposal; health and order of disks do not matter."""
        disks = frozenset((disk.id, disk.size_bytes, disk.model, disk.rotational, disk.place) for disk in self.disks)
        return disks, self.constraints, self.assumptions, self.every


class Search:
    """Runs one search at a time and caches the results."""

    def __init__(self, steps: Callable[[SearchRequest], Steps], changed: Callable[[], None]) -> None:
        self.steps = steps
        self.changed = changed
        """called on the app's thread on progress and at the end"""
        self.done = 0
        self.total = 0
        self.rows: tuple[Candidate, ...] = ()
        """sample of the layouts that the running search has found so far, the largest capacity first"""
        self.kept: dict[object, Proposal] = {}
        self._key: object = None
        """inputs of the running search; None if there is none"""

    @property
    def running(self) -> bool:
        """True while a search runs."""
        return self._key is not None

    def found(self, ask: SearchRequest) -> Proposal | None:
        """The cached proposal for `ask`, or None."""
        return self.kept.get(ask.key)

    def so_far(self, ask: SearchRequest) -> tuple[Candidate, ...]:
        """The sample of what the running search has found for `ask`; empty if another search runs or none."""
        return self.rows if ask.key == self._key else ()

    def wants(self, ask: SearchRequest) -> bool:
        """True if `ask` has no cached proposal and no search for it runs."""
        return ask.key not in self.kept and ask.key != self._key

    async def look(self, ask: SearchRequest) -> None:
        """Searches and caches the proposal. On cancellation the thread ends after its present step."""
        key = self._key = ask.key
        self.done = self.total = 0
        self.rows = ()
        stop = Event()
        task = asyncio.create_task(asyncio.to_thread(self._walk, ask, stop))
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=TELL_S)
                self.changed()
        finally:
            stop.set()
            if self._key is key:
                self._key = None
        proposal = task.result()
        if proposal is not None:
            while len(self.kept) >= MOST_KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = proposal
        self.changed()

    def _walk(self, ask: SearchRequest, stop: Event) -> Proposal | None:
        """Body of the thread: runs every step of the search; returns None if stopped."""
        steps = self.steps(ask)
        sampled, shown = monotonic(), 0
        try:
            while not stop.is_set():
                progress = next(steps)
                if self._key is not ask.key:
                    continue
                self.done, self.total = progress.judged, progress.of
                found = progress.found
                if found is not None and len(found.layouts) > shown and monotonic() >= sampled + SHOW_S:
                    shown = len(found.layouts)
                    self.rows = found.sample({each.layout for each in self.rows})
                    sampled = monotonic()
        except StopIteration as ended:
            proposal: Proposal = ended.value
            return proposal
        finally:
            steps.close()
        return None


def steps_of(ask: SearchRequest) -> Steps:
    """The steps of the search. Imports the models."""
    from raidtui.advice.proposals.propose import propose_in_slices  # by the thread, beside the keyboard

    return propose_in_slices(ask.inventory, ask.disks, ask.constraints, ask.assumptions, every=ask.every)
