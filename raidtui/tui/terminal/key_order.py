"""Keys, pastes and clicks in the order typed: each acts once all that came before it has had its whole effect.

Textual hands a key on from queue to queue, from the focused widget to the app, where most bindings act; a priority
binding overtakes it, and what a key opens has no focus for some milliseconds. Keys that arrive together, as on a slow
line, from a paste or from somebody who types ahead, would act in another order or below what they were meant for. The
app therefore keeps them, and hands out the next one when all queues are empty, the layout is done and what is opened
or loaded stands.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from math import inf
from time import monotonic
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget
from textual.worker import Worker, WorkerError

_GROUP = "keys"
"""group of the worker that hands out what was typed"""
_CALM = 2
"""rounds in a row in which nothing may move"""
_MOST_ROUNDS = 40
"""rounds after which a screen that never rests, such as one with live figures, is taken as it is"""
_LOOK = 0.05
"""seconds after which one looks whether what is waited for can still come"""
_TURNS = 8
"""turns of the event loop in which a queue without work calls back"""
_INTERRUPT = "ctrl+c"
"""key that drops what was typed before it and has not acted yet"""


class SteadyScreen(Screen[ScreenResultType]):
    """A screen or dialog that keeps its focus, and knows whether its layout is still to be made."""

    LOADS: frozenset[str] = frozenset()
    """groups of workers without whose result its keys would act on something else"""
    FREE: frozenset[str] = frozenset()
    """keys that do not wait for them"""

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name, id, classes)
        self.asking = False
        """True while a question is open"""
        self.layout_due = True
        self.shown_since = inf
        """since when there is something to act on while it still loads, `monotonic`: keys typed later do not wait"""
        self._last_focus: Widget | None = None

    def on_mount(self) -> None:
        """Learns of each layout."""
        self.screen_layout_refresh_signal.subscribe(self, self._laid_out, immediate=True)

    def on_layout(self) -> None:
        """A widget asks for another layout."""
        self.layout_due = True

    def _laid_out(self, screen: Screen[Any]) -> None:
        del screen
        self.layout_due = False

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remembers where the keys go."""
        self._last_focus = event.widget

    def on_resize(self, event: events.Resize) -> None:
        """Gives the focus back once a terminal that was too small shows everything again."""
        del event
        self.call_after_refresh(self.refocus)

    def refocus(self) -> None:
        """Focuses what had the focus last, if it was hidden meanwhile and nothing has it now."""
        if self.focused is None and self._last_focus is not None and self._last_focus.focusable:
            self.set_focus(self._last_focus)


class SteadyDialog(SteadyScreen[ScreenResultType], ModalScreen[ScreenResultType]):
    """A dialog over a screen."""


class KeyOrderApp(App[int]):
    """An app that acts on keys, pastes and clicks in the order in which they arrive."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._typed: deque[tuple[events.Event, float]] = deque()
        """what has arrived, each with its time, `monotonic`"""
        self._acting = False
        self._steady = False
        """True if nothing of what was typed is under way"""
        self._interrupted = asyncio.Event()

    # Provided by subclasses.

    async def act(self, event: events.Event) -> None:
        """Acts on a key, a paste or a movement of the mouse."""
        await super().on_event(event)

    def awaited(self, event: events.Event, arrived: float) -> Iterable[Worker[Any]]:
        """The workers that must end before `event` can act, which has arrived at `arrived`."""
        del event, arrived
        return ()

    # Arriving.

    async def on_event(self, event: events.Event) -> None:
        """Keeps what was typed until its turn; acts on everything else."""
        if not isinstance(event, (events.InputEvent, events.Paste)) or event.is_forwarded:
            if isinstance(event, events.Resize):
                self._steady = False
            await super().on_event(event)
            return
        if isinstance(event, events.Key) and event.key == _INTERRUPT and self.interrupt():
            return
        self._typed.append((event, monotonic()))
        self._work()

    def simulate_key(self, key: str) -> None:
        """Presses `key` before all that waits: a click that presses a key has had its turn."""
        self._typed.appendleft((events.Key(key, None), monotonic()))
        self._work()

    def interrupt(self) -> bool:
        """Drops what was typed and waits; returns False if nothing did."""
        waited = bool(self._typed)
        self._typed.clear()
        self._interrupted.set()
        return waited

    # Acting.

    def _work(self) -> None:
        if not self._acting:
            self._acting = True
            self.run_worker(self._act_in_order(), group=_GROUP)

    async def _act_in_order(self) -> None:
        try:
            while self._typed and self.return_code is None:
                event, arrived = self._typed[0]
                if isinstance(event, events.MouseMove):  # many, and no key depends on one
                    self._typed.popleft()
                    await self._hand_out(event)
                    continue
                if not self._steady:
                    await self._settle()
                    self._steady = True
                    continue  # Ctrl-C may have dropped it
                if worker := next((each for each in self.awaited(event, arrived) if not each.is_finished), None):
                    await self._over(worker)
                    self._steady = False
                    continue
                self._steady = False
                self._typed.popleft()
                await self._hand_out(event)
                await self._settle()
                self._steady = True
        finally:
            self._acting = False

    async def _hand_out(self, event: events.Event) -> None:
        """Returns when the app itself has acted on `event`."""
        done = asyncio.Event()

        async def act() -> None:
            try:
                if isinstance(event, events.Key) and isinstance(self.screen, SteadyScreen):
                    self.screen.refocus()
                await self.act(event)
            finally:
                done.set()

        if self.call_later(act):
            await done.wait()

    async def _over(self, worker: Worker[Any]) -> None:
        """Returns when `worker` has ended, or at Ctrl-C."""

        async def end() -> None:
            with suppress(WorkerError):
                await worker.wait()

        self._interrupted.clear()
        interrupted = asyncio.create_task(self._interrupted.wait())
        # The first task is not cancelled: it would cancel the worker.
        await asyncio.wait({asyncio.create_task(end()), interrupted}, return_when=asyncio.FIRST_COMPLETED)
        interrupted.cancel()

    async def _settle(self) -> None:
        """Returns when no queue holds a message, and the layout of the screen is made."""
        calm, before = 0, None
        for _ in range(_MOST_ROUNDS):
            nodes = self._queues()
            for node in nodes:
                await _passed(node.call_later, partial(self._hears, node))
            if not self.screen_stack:
                return  # the app closes
            screen = self.screen
            now = (screen, screen.focused, len(nodes))
            calm = calm + 1 if now == before and not any(node.message_queue_size for node in nodes) else 0
            before = now
            if calm >= _CALM:
                if not (isinstance(screen, SteadyScreen) and screen.layout_due):
                    return
                screen.layout_due, calm = False, 0
                await _passed(screen.call_after_refresh, partial(self._shows, screen))

    def _hears(self, node: DOMNode) -> bool:
        """True while `node` calls back: in an app that has been left none does."""
        return node.is_running and self.return_code is None

    def _shows(self, screen: Screen[Any]) -> bool:
        """True while `screen` is drawn: one below a dialog is not, and calls back only when the dialog is gone."""
        return bool(self.screen_stack) and self.screen is screen and self._hears(screen)

    def _queues(self) -> list[DOMNode]:
        """Every queue that a key may pass: of the screen, from its leaves to its root, and of the app.

        A screen below draws all of the picture again at any message, as of Textual 8.2.
        """
        return [*reversed([*self.screen.walk_children(with_self=True)]), self] if self.screen_stack else [self]


async def _passed(call: Callable[[Callable[[], None]], bool], answers: Callable[[], bool]) -> None:
    """Returns when `call` has called back; also if it says that it will not, or `answers` says so meanwhile."""
    passed = asyncio.Event()
    if not call(passed.set):
        return
    for _ in range(_TURNS):
        if passed.is_set():
            return
        await asyncio.sleep(0)
    waiting = asyncio.create_task(passed.wait())
    try:
        while not waiting.done() and answers():
            await asyncio.wait({waiting}, timeout=_LOOK)
    finally:
        waiting.cancel()
