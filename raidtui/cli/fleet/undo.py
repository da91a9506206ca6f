"""`raidtui fleet undo`: removes what the build of a sheet created, host by host, after one confirmation."""

from __future__ import annotations

import argparse
from dataclasses import replace

from raidtui.cli.fleet.confirm import confirm_fleet
from raidtui.cli.fleet.rollout import chosen_hosts, claim_of, look_at, roll_out, shown
from raidtui.cli.output import narrate, working
from raidtui.model.counted import counted
from raidtui.model.errors import Exit, Refused
from raidtui.model.fleet.rollout import Rollout
from raidtui.planner.fleet.rollout_text import undo_page
from raidtui.tools.nodeset import fold_nodeset

_STANDS = frozenset({"built", "stopped", "interrupted", "failed"})
"""stages of runs that an undo can take back"""


def undo(options: argparse.Namespace) -> int:
    """Undoes the runs of a sheet on the hosts named; MACHINE where one of them ended badly."""
    chosen = chosen_hosts(options)
    looked = look_at(chosen)
    hosts = tuple(host for host in chosen.names if looked.progress[host].stage in _STANDS)
    if not hosts:
        raise Refused("nothing of this sheet can be undone now", hint="raidtui fleet status shows each host")
    rollout = Rollout(
        sheet_digest=chosen.sheet.digest, hosts=hosts, canary=hosts[0], wave_size=1, stop_after=1
    )  # fmt: skip
    claim = claim_of(rollout)
    view = roll_out(chosen, rollout, claim, options, take_over=True)
    with working(f"counting files on {counted(len(hosts), 'host')}"):
        counted_view = roll_out(chosen, rollout, None, options)
        counted_view.progress.update((host, looked.progress[host]) for host in hosts)
        counted_view.count_files(hosts)
    refused = [host for host in hosts if counted_view.progress[host].stage not in _STANDS]
    if refused:
        first = counted_view.progress[refused[0]]
        raise Refused(
            f"{fold_nodeset(refused)}: {first.sentence.rstrip('.')}; nothing was removed",
            hint=first.hint or "name the other hosts with -w",
        )
    view.progress.update(counted_view.progress)
    files = {host: view.progress[host].state.files for host in hosts}
    confirm_fleet(
        undo_page(chosen.sheet, hosts, files), "undo", chosen.sheet, hosts, options, nothing="nothing was removed"
    )
    try:
        for host in hosts:
            kept = looked.progress[host].state.claim  # what a host says of the build goes back to itself alone
            view.undo([host], claim if kept is None else replace(claim, rollout=kept.rollout))
            view.wait()
    except KeyboardInterrupt:
        narrate("this view has ended; the host that undoes goes on. raidtui fleet status shows it")
        return Exit.INTERRUPTED
    return shown(view, options)
