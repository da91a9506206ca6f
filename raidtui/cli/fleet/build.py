"""`raidtui fleet build`: one confirmation, a first host alone, then waves; every host builds by itself."""

from __future__ import annotations

import argparse

from raidtui.cli.fleet.confirm import confirm_fleet
from raidtui.cli.fleet.rollout import chosen_hosts, claim_of, confirmed_plans, followed, roll_out
from raidtui.cli.output import working
from raidtui.machine.fleet.roll_out import RolloutFollower
from raidtui.model.counted import counted
from raidtui.model.errors import Refused
from raidtui.planner.fleet.rollout_text import rollout_page
from raidtui.planner.fleet.waves import rollout_of
from raidtui.tools.nodeset import fold_nodeset

_NOTHING = "nothing was started"


def build(options: argparse.Namespace) -> int:
    """Builds the hosts of a sheet; MACHINE where one of them ended badly."""
    chosen = chosen_hosts(options)
    rollout = rollout_of(chosen.sheet, chosen.names)
    view = roll_out(chosen, rollout, claim_of(rollout), options, plans=confirmed_plans(chosen))
    with working(f"asking {counted(len(rollout.hosts), 'host')}"):
        view.look()
    _refuse_begun(view)
    page = rollout_page(chosen.sheet, rollout)
    confirm_fleet(page, "erase", chosen.sheet, rollout.hosts, options, nothing=_NOTHING)
    return followed(view, options)


def _refuse_begun(view: RolloutFollower) -> None:
    """Raises Refused where a host does not answer, or has begun."""
    silent = [host for host, each in view.progress.items() if each.stage == "lost"]
    if silent:
        reason = view.progress[silent[0]].sentence.rstrip(".")
        raise Refused(
            f"{fold_nodeset(silent)}: {reason}; {_NOTHING}", hint="repair it, or name the other hosts with -w"
        )
    begun = [host for host, each in view.progress.items() if each.stage != "waiting"]
    if begun:
        raise Refused(
            f"{fold_nodeset(begun)}: the build of this sheet has begun; {_NOTHING}",
            hint="look with raidtui fleet status, go on with raidtui fleet resume",
        )
