"""`raidtui fleet resume`: goes on with a build, from this or any other control host."""

from __future__ import annotations

import argparse

from raidtui.cli.fleet.rollout import (
    Chosen,
    chosen_hosts,
    claim_of,
    confirmed_plans,
    followed,
    look_at,
    roll_out,
)
from raidtui.cli.output import narrate
from raidtui.machine.fleet.roll_out import RolloutFollower
from raidtui.model.errors import Refused
from raidtui.model.fleet.rollout import Rollout
from raidtui.planner.fleet.waves import rollout_of
from raidtui.tools.nodeset import fold_nodeset


def resume(options: argparse.Namespace) -> int:
    """Takes over the runs that have begun, resumes those that ended badly, and starts the rest in the same order."""
    chosen = chosen_hosts(options)
    looked = look_at(chosen)
    rollout = _begun_rollout(chosen, looked)
    claim = claim_of(rollout)
    view = roll_out(chosen, rollout, claim, options, plans=confirmed_plans(chosen), take_over=True)
    view.progress.update((host, looked.progress[host]) for host in rollout.hosts)
    begun = [host for host in rollout.hosts if view.progress[host].stage in _TAKEN]
    if begun:
        narrate(f"taking over {fold_nodeset(begun)}")
        view.resume(begun, claim)
    return followed(view, options)


_TAKEN = frozenset({"building", "stopped", "interrupted", "failed"})
"""stages of runs that are taken over; those that run go on as they are"""


def _begun_rollout(chosen: Chosen, looked: RolloutFollower) -> Rollout:
    """How the chosen hosts are built, by the order that was signed with the sheet. Raises Refused if no host has begun,
    or one says that another build was confirmed: an answer decides nothing."""
    kept = {host: each.state.claim.rollout for host, each in looked.progress.items() if each.state.claim is not None}
    if not kept:
        raise Refused("no host has begun this build", hint="begin it: raidtui fleet build")
    for host, said in kept.items():
        if said.sheet_digest != chosen.sheet.digest:
            raise Refused(f"{host} builds another sheet", hint="name the directory of that sheet")
        confirmed = [each.host for each in chosen.sheet.hosts if each.state == "planned" and each.host in said.hosts]
        if not confirmed or said != rollout_of(chosen.sheet, confirmed):
            raise Refused(
                f"{host} says another order than the sheet that was confirmed; nothing was started",
                hint="find out who changed fleet-claim.json of the run there; with -w the others go on without it",
            )
        if others := [name for name in chosen.names if name not in said.hosts]:
            raise Refused(
                f"{host}: {fold_nodeset(others)} is not in the build that was confirmed; nothing was started",
                hint=f"name the hosts that you confirmed: -w '{fold_nodeset(confirmed)}'",
            )
    return rollout_of(chosen.sheet, chosen.names)
