"""Looking for layouts beside the keyboard, and keeping what was found.

The search runs in a thread of its own, since some of its steps are long: the interpreter hands over to the keyboard
every 5 ms, whatever the search is doing. Measured with 1,000 disks on two cores, from a key to its picture: idle 6 to
16 ms, beside the thread 19 ms (most 72), in slices on the keyboard's own thread 14 ms (most 416).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property
from threading import Event

from raidtui.model.assumptions import Assumptions
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.proposal import Constraints, Proposal

TELL_S = 0.1
"""seconds between two words on how far it is"""
MOST_KEPT = 16
"""proposals kept; the oldest is dropped"""
Steps = Generator[tuple[int, int], None, Proposal]
"""yields how many layouts are done of how many; returns the proposal"""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What a proposal depends on."""

    inventory: Inventory
    disks: tuple[Disk, ...]
    constraints: Constraints
    assumptions: Assumptions
    every: bool = False
    """True: every layout that meets the constraints, not only the front"""

    @cached_property
    def key(self) -> object:
        """The same for asks that have the same answer: a disk's health changes nothing in it, nor does its order."""
        disks = frozenset((disk.id, disk.size_bytes, disk.model, disk.rotational, disk.place) for disk in self.disks)
        return disks, self.constraints, self.assumptions, self.every


class Search:
    """One search at a time; what was found before is there at once."""

    def __init__(self, steps: Callable[[Ask], Steps], changed: Callable[[], None]) -> None:
        self.steps = steps
        self.changed = changed
        """called on the keyboard's thread when the search has got on, and when it has ended"""
        self.done = 0
        self.total = 0
        self.kept: dict[object, Proposal] = {}
        self._key: object = None
        """of the search that runs; None when none does"""

    @property
    def running(self) -> bool:
        """True while layouts are looked at."""
        return self._key is not None

    def found(self, ask: Ask) -> Proposal | None:
        """The answer to `ask` if it is known."""
        return self.kept.get(ask.key)

    def wants(self, ask: Ask) -> bool:
        """True when `ask` has no answer and nothing is looking for it."""
        return ask.key not in self.kept and ask.key != self._key

    async def look(self, ask: Ask) -> None:
        """Looks for the answer and keeps it. When it is cancelled the thread ends with its present step."""
        key = self._key = ask.key
        self.done = self.total = 0
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

    def _walk(self, ask: Ask, stop: Event) -> Proposal | None:
        """The thread: every step of the search; None when it was stopped."""
        steps = self.steps(ask)
        try:
            while not stop.is_set():
                done, total = next(steps)
                if self._key is ask.key:
                    self.done, self.total = done, total
        except StopIteration as ended:
            proposal: Proposal = ended.value
            return proposal
        finally:
            steps.close()
        return None


def steps_of(ask: Ask) -> Steps:
    """The search itself. Loads the models."""
    from raidtui.planner.search.propose import proposing  # by the search's thread, beside the keyboard

    return proposing(ask.inventory, ask.disks, ask.constraints, ask.assumptions, every=ask.every)
