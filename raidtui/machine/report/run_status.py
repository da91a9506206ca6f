"""What a run came to, as scripts and control hosts read it."""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.run.executor_process import anything_done
from raidtui.machine.run.run_folders import Begun
from raidtui.machine.run.sync_limit import BOOT_ID, left_behind
from raidtui.machine.trials import settings_sweep
from raidtui.model.run import RunStatus


def status_of(begun: Begun) -> RunStatus:
    """What a run came to."""
    plan, run = begun.plan, begun.run
    return RunStatus(
        run_id=plan.run_id, plan=plan.name, host=plan.host, digest=plan.digest, simulated=plan.simulated,
        folder=str(begun.folder), purpose=run.purpose, outcome=run.outcome, reason=run.reason,
        anything_done=anything_done(begun.records), steps_done=sum(step.state == "done" for step in run.steps),
        steps=run.steps, last=run.now, left_behind=unrestored(begun),
    )  # fmt: skip


def unrestored(begun: Begun) -> tuple[str, ...]:
    """Settings that a killed executor of the run did not restore; a simulated machine has its own boot id."""
    if begun.alive:
        return ()
    boot = "" if begun.plan.simulated else Path(BOOT_ID).read_text().strip()
    return (*left_behind(begun.folder, boot), *settings_sweep.left_behind(begun.folder, boot))
