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
    """The order in which the build was confirmed, as the hosts keep it. Raises Refused if none has begun."""
    kept = {host: each.state.claim.rollout for host, each in looked.progress.items() if each.state.claim is not None}
    if not kept:
        raise Refused("no host has begun this build", hint="begin it: raidtui fleet build")
    rollout = next(iter(kept.values()))
    other = [host for host, each in kept.items() if each != rollout]
    if other:
        raise Refused(
            f"{fold_nodeset(other)} was begun in another order than {next(iter(kept))}",
            hint="name the hosts of one build with -w",
        )
    if rollout.sheet_digest != chosen.sheet.digest:
        raise Refused("the hosts build another sheet", hint="name the directory of that sheet")
    missing = [host for host in rollout.hosts if host not in chosen.names]
    if missing:
        raise Refused(f"the build includes {fold_nodeset(missing)}", hint="leave out -w: all its hosts are needed")
    return rollout
