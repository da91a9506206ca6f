"""A follower: one look at a time, and none that hangs holds up what is followed next."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import Any

from raidtui.tui.jobs.follower import Follower
from tests.tui.jobs.closing import Closing


class _App(Closing):
    """Counts the looks that are begun, and begins none."""

    class profile:
        kind = "local"

    def __init__(self) -> None:
        self.begun = 0

    def set_interval(self, *_: object) -> None: ...

    def run_worker(self, look: Any, **_: object) -> None:
        look.close()
        self.begun += 1


class _Followed(Follower[str, str]):
    """What is called old hangs until `answers` is set."""

    def __init__(self, app: _App) -> None:
        super().__init__(app)  # type: ignore[arg-type]
        self.reads, self.answers = Event(), Event()
        self.shown: list[str] = []

    def _due(self) -> str:
        return "old"

    def _take(self, what: str) -> str:
        if what == "old":
            self.reads.set()
            self.answers.wait()
        return what

    def _apply(self, what: str, found: str) -> None:
        self.shown.append(found)


async def test_one_look_at_a_time_and_one_that_hangs_holds_up_none_at_what_is_followed_next() -> None:
    app = _App()
    follower = _Followed(app)
    follower.start()
    follower.look_now()
    assert app.begun == 1
    hangs = asyncio.create_task(follower._look("old"))
    try:
        await asyncio.to_thread(follower.reads.wait)
        follower.look_now()
        assert app.begun == 1, "a look is under way"
        follower.start()
        await follower._look("new")
        assert follower.shown == ["new"]
        follower.look_now()
        assert app.begun == 2, "though the old one still hangs"
    finally:
        follower.answers.set()
        await hangs
    assert follower.shown == ["new", "old"]
