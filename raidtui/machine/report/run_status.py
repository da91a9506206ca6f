"""What a run came to, as scripts and control hosts read it."""

from __future__ import annotations

from raidtui.machine.ports.runner import Syncing
from raidtui.machine.run import journal
from raidtui.machine.run.executor_process import anything_done
from raidtui.machine.run.run_folders import Begun
from raidtui.machine.run.site import site_of_run
from raidtui.machine.run.sync_limit import left_behind
from raidtui.model.run import ArraySync, RunStatus
from raidtui.model.units import SECTOR


def status_of(begun: Begun) -> RunStatus:
    """What a run came to."""
    plan, run = begun.plan, begun.run
    return RunStatus(
        run_id=plan.run_id, plan=plan.name, host=plan.host, digest=plan.digest, simulated=plan.simulated,
        folder=str(begun.folder), purpose=run.purpose, outcome=run.outcome, reason=run.reason,
        anything_done=anything_done(begun.records), steps_done=sum(step.state == "done" for step in run.steps),
        steps=run.steps, last=run.now, syncing=syncs_of(begun), left_behind=unrestored(begun),
    )  # fmt: skip


def syncs_of(begun: Begun) -> tuple[ArraySync, ...]:
    """The arrays of a run that sync now; none before its first command."""
    if not anything_done(begun.records):
        return ()
    reader = site_of_run(begun.folder, begun.plan).reader()
    syncs = {sync.device: sync for sync in reader.syncing()}
    pins = [(array.device, reader.pin(array.device)) for array in begun.plan.arrays] if syncs else []
    return tuple(_as_sync(device, syncs[pin.name]) for device, pin in pins if pin is not None and pin.name in syncs)


def _as_sync(device: str, sync: Syncing) -> ArraySync:
    left = (sync.all_sectors - sync.done_sectors) * SECTOR
    return ArraySync(
        device=device, action=sync.action, bytes_per_s=sync.bytes_per_s,
        done=min(sync.done_sectors / sync.all_sectors, 1.0) if sync.all_sectors else 0.0,
        seconds_left=left / sync.bytes_per_s if sync.bytes_per_s else None,
    )  # fmt: skip


def unrestored(begun: Begun) -> tuple[str, ...]:
    """Sync limits that a killed executor of the run did not restore; a simulated machine has its own boot id."""
    if begun.alive:
        return ()
    boot = "" if begun.plan.simulated else journal.boot_id()
    return left_behind(begun.folder, boot)
