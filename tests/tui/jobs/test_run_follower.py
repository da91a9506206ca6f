"""The follower of a run, where the app closes under it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from raidtui.tui.jobs.run_follower import RunFollower
from tests.tui.jobs.closing import Closing


async def test_a_look_that_ends_after_the_screens_have_gone_changes_nothing() -> None:
    follower = RunFollower(Closing(), None, roots=None, launch=None, allow_writes=False)  # type: ignore[arg-type]
    watch: Any = SimpleNamespace(seen=SimpleNamespace(busy=False))
    watch.look = lambda: setattr(watch, "seen", SimpleNamespace(busy=True))
    follower.watch = watch
    await follower._look((watch,))


async def test_an_undo_is_not_called_a_build_from_its_start_on() -> None:
    follower = RunFollower(Closing(), None, roots=None, launch=None, allow_writes=False)  # type: ignore[arg-type]
    for purpose, word in (("build", "BUILDING"), ("resume", "BUILDING"), ("undo", "UNDOING")):
        watch: Any = SimpleNamespace(seen=SimpleNamespace(purpose=purpose))
        follower.watch = watch
        assert follower.doing == word
