"""What build, resume, status and undo of a fleet share: sheet and hosts, the view of a rollout, its exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from raidtui.cli.fleet.hosts import named_hosts, names_hosts, transport_of
from raidtui.cli.output import narrate, show, working
from raidtui.machine.fleet.control import control_name, control_token
from raidtui.machine.fleet.follow import HostProgress
from raidtui.machine.fleet.roll_out import INTERVAL_S, RolloutFollower, starts_nothing
from raidtui.machine.fleet.sheet_files import ConfirmedPlans, sheet_in
from raidtui.machine.fleet.transport import Transport
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import BadInput, Exit
from raidtui.model.fleet.orders import BuildOrder, Claim, RunOrder
from raidtui.model.fleet.rollout import ENDED_BADLY, HostStage, Rollout, RolloutDecision
from raidtui.model.fleet.sheet import Sheet, SheetHost
from raidtui.model.safe import safe
from raidtui.planner.fleet.rollout_text import STAGE_WORDS, decision_line, stages_lines
from raidtui.tools.nodeset import fold_nodeset


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The hosts of a sheet that a verb works on."""

    folder: Path
    sheet: Sheet
    hosts: tuple[SheetHost, ...]
    """planned ones, in the order of the sheet"""
    transport: Transport

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(host.host for host in self.hosts)


def chosen_hosts(options: argparse.Namespace) -> Chosen:
    """The planned hosts of the sheet in the directory that is named, or those of -w. Raises BadInput."""
    folder = Path(options.sheet)
    sheet = sheet_in(folder)
    planned = [host for host in sheet.hosts if host.state == "planned"]
    if names_hosts(options):
        wanted = named_hosts(options)
        unplanned = [name for name in wanted if name not in {host.host for host in planned}]
        if unplanned:
            raise BadInput(
                f"the sheet has no plan for {fold_nodeset(unplanned)}", hint="leave them out, or plan the fleet again"
            )
        planned = [host for host in planned if host.host in set(wanted)]
    if not planned:
        raise BadInput(f"{folder}: no host of the sheet has a plan", hint="plan the fleet again")
    return Chosen(folder=folder, sheet=sheet, hosts=tuple(planned), transport=transport_of(options))


def claim_of(rollout: Rollout) -> Claim:
    """This control host's claim."""
    since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Claim(control=control_name(), token=control_token(), since=since, rollout=rollout)


def confirmed_plans(chosen: Chosen) -> ConfirmedPlans:
    """The plans of all hosts. Raises BadInput for one that is damaged or not the sheet's, before any host builds."""
    with working(f"reading {counted(len(chosen.hosts), 'plan')}"):
        return ConfirmedPlans(chosen.folder, chosen.hosts)


def roll_out(
    chosen: Chosen,
    rollout: Rollout,
    claim: Claim | None,
    options: argparse.Namespace,
    *,
    plans: ConfirmedPlans | None = None,
    take_over: bool = False,
) -> RolloutFollower:
    """The view of this rollout. `claim`: None for one that only asks; `plans`: None for one that starts no build."""
    speed_up = options.speed_up

    def order(host: str) -> BuildOrder:
        assert claim is not None
        assert plans is not None
        return BuildOrder(
            plan=plans.of(host), claim=claim, take_over=take_over,
            accept_content=tuple(options.accept_content or ()), during_sync=options.during_sync,
            wait_for_sync=options.wait_for_sync, speed_up=speed_up,
        )  # fmt: skip

    asks = {
        host.host: RunOrder(run_id=host.run_id or "", digest=host.digest or "", claim=claim, speed_up=speed_up)
        for host in chosen.hosts
    }
    return RolloutFollower(
        transport=chosen.transport,
        rollout=rollout,
        orders=order,
        asks=asks,
        on_progress=_unsaid if claim is None else _stage_printer(simulated=chosen.transport.simulated is not None),
        on_decision=_decided,
        interval_s=INTERVAL_S if options.interval is None else options.interval,
    )


def look_at(chosen: Chosen) -> RolloutFollower:
    """How far every host is, asked once."""
    view = starts_nothing(chosen.sheet, chosen.hosts, chosen.transport)
    with working(f"asking {counted(len(chosen.hosts), 'host')}"):
        view.look()
    return view


def followed(view: RolloutFollower, options: argparse.Namespace) -> int:
    """Follows a rollout to its end. Ctrl-C ends the view only."""
    try:
        view.follow()
    except KeyboardInterrupt:
        narrate("this view has ended; the hosts that build go on. raidtui fleet status shows them")
        return Exit.INTERRUPTED
    return shown(view, options)


def shown(view: RolloutFollower, options: argparse.Namespace) -> int:
    """Prints the state of all hosts. MACHINE where one ended badly or is not known."""
    run = view.run
    if options.json:
        print(to_json(run))
    else:
        stages = {each.host: each.stage for each in run.hosts}
        details = {each.host: each.reason for each in run.hosts}
        show(stages_lines(stages, details), sys.stdout, simulated=view.transport.simulated is not None)
    return Exit.MACHINE if any(each.stage in ENDED_BADLY for each in run.hosts) else Exit.DONE


def _stage_printer(*, simulated: bool) -> Callable[[HostProgress], None]:
    """Prints a line for each new stage of a host."""
    last: dict[str, HostStage] = {}

    def changed(progress: HostProgress) -> None:
        if last.get(progress.host, "waiting") == progress.stage:
            return
        last[progress.host] = progress.stage
        bad = progress.stage in ENDED_BADLY
        reason = f": {safe(progress.detail, longest=300)}" if bad and progress.detail else ""
        narrate(f"{progress.host}: {STAGE_WORDS[progress.stage]}{reason}", simulated=simulated)
        if bad and progress.hint:
            print(f"         {safe(progress.hint, longest=300)}", file=sys.stderr, flush=True)

    return changed


def _unsaid(_: HostProgress) -> None:
    """The state of all hosts is printed at the end."""


def _decided(decision: RolloutDecision) -> None:
    line = decision_line(decision)
    if line:
        narrate(line)
