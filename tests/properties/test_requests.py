"""Requests to pause, go on, limit, stop or go on during the sync, at any moment: the journal always reads."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal, replay
from raidtui.engine.process import carry_out
from raidtui.engine.site import SimulatedSite
from raidtui.predict.stated_disks import purchase
from raidtui.simulated.machine import SimulatedMachine
from raidtui.values.run import RunPurpose
from tests.planner.plans import plan_of
from tests.suite import examples

BOUGHT = purchase("4x2TB")
PLAN = plan_of("(2+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase", fs="ext4")

requests = st.builds(
    ControlRequest,
    pause=st.booleans(),
    stop=st.sampled_from((False, False, False, False, True)),
    during_sync=st.sampled_from((False, False, True)),
    sync_kib_per_s=st.sampled_from((None, 1000, 500_000)),
)
scripts = st.lists(st.tuples(requests, st.integers(1, 40)), max_size=20)
AT_EVERY_LOOK = [(ControlRequest(pause=True), 1), (ControlRequest(), 1)] * 100


class Requests:
    """Answers what each look of the executor finds; without a request left, nothing is asked."""

    def __init__(self, script: list[tuple[ControlRequest, int]], look: Callable[[], None]) -> None:
        self._left: Iterator[ControlRequest] = iter([wish for wish, times in script for _ in range(times)])
        self._look = look

    def __call__(self) -> ControlRequest:
        self._look()
        return next(self._left, ControlRequest())


@examples(10)
@example(AT_EVERY_LOOK, AT_EVERY_LOOK)
@given(scripts, scripts)
def test_a_journal_reads_at_every_moment_whatever_viewers_ask(
    during_build: list[tuple[ControlRequest, int]], during_undo: list[tuple[ControlRequest, int]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        machine = SimulatedMachine(BOUGHT, speed_up=2_000)
        site = SimulatedSite(Path(name) / "runs", machine)
        folder = journal.create(site.root, PLAN)

        def readable() -> None:
            replay(len(PLAN.steps), journal.records(folder), alive=True)

        def executor(purpose: RunPurpose, ask: Requests) -> int:
            book = Journal(folder, purpose)
            try:
                return carry_out(PLAN, site, machine, book, ask)
            finally:
                book.close()
                readable()

        asked = Requests(during_build, readable)
        purpose: RunPurpose = "build"
        while executor(purpose, asked) != 0:
            purpose = "resume"
        assert replay(len(PLAN.steps), journal.records(folder), alive=False).outcome == "finished"
        asked = Requests(during_undo, readable)
        while executor("undo", asked) != 0:
            pass
        assert journal.records(folder)[-1].kind == "finished"
