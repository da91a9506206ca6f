"""What build, resume, status and undo of a fleet share: sheet and hosts, the view of a rollout, its exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.cli.confirm import confirmed_by_options
from raidtui.cli.output import narrate, show, working
from raidtui.fleet.control import control_name, control_token
from raidtui.fleet.engine import Transport, hosts_of
from raidtui.fleet.roll_out import INTERVAL_S, HostProgress, RolloutFollower, starts_nothing
from raidtui.fleet.sheet import Sheet, SheetHost
from raidtui.fleet.sheet_files import ConfirmedPlans, sheet_in
from raidtui.fleet.ssh import MOST_HOSTS, fold_nodeset, host_name
from raidtui.fleet.stage import rollout_of
from raidtui.fleet.texts import (
    STAGE_WORDS,
    RolloutWord,
    decision_line,
    fleet_phrase,
    rollout_page,
    stages_lines,
    undo_page,
)
from raidtui.fleet.values import ENDED_BADLY, BuildOrder, Claim, HostStage, Rollout, RolloutDecision, RunOrder
from raidtui.machine.system.files import HOSTS, is_directory, read_named
from raidtui.machine.system.host import utc_now
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, Refused
from raidtui.values.safe import safe
from raidtui.values.units import counted

# One confirmation for many hosts: a phrase typed on a terminal, or --yes with --confirm and the sheet's digest.


def confirm_fleet(
    page: Sequence[str],
    word: RolloutWord,
    sheet: Sheet,
    hosts: Sequence[str],
    options: argparse.Namespace,
    *,
    nothing: str,
) -> None:
    """Shows the page and returns when it is confirmed; `nothing` ends the message of a refusal.

    Raises Refused when not confirmed, BadInput for options that do not go together.
    """
    out = sys.stderr if options.json else sys.stdout
    show(page, out, simulated=sheet.sums.simulated > 0)
    if confirmed_by_options(
        options, sheet.digest, what="sheet", shown="the page shows the digest", right="read the page above",
        nothing=nothing,
    ):  # fmt: skip
        return
    if not sys.stdin.isatty():
        raise Refused(
            f"confirmation needs a terminal; {nothing}",
            hint=f"read the page above, then add --yes --confirm {sheet.digest}",
        )
    words = fleet_phrase(word, sheet, hosts)
    question = f"Type '{words}' to begin, anything else to cancel: "
    show((question,), out, simulated=sheet.sums.simulated > 0, last_open=True)
    if sys.stdin.readline().rstrip("\r\n") != words:
        raise Refused(f"not confirmed; {nothing}", hint="type the phrase exactly as shown")


# Hosts that the options name, and how they are reached.


def named_hosts(options: argparse.Namespace) -> tuple[str, ...]:
    """Hosts of -w, --host and --hosts-file in this order, each once. Raises BadInput if there is none."""
    sets = [*options.nodes, *(_lines(Path(options.hosts_file)) if options.hosts_file is not None else ())]
    hosts = dict.fromkeys((*(host for text in sets for host in hosts_of(text)), *map(host_name, options.host)))
    if not hosts:
        raise BadInput("no hosts", hint="name them: -w 'node[01-60]', --host NAME or --hosts-file FILE")
    if len(hosts) > MOST_HOSTS:
        raise BadInput(f"{len(hosts)} hosts, more than {MOST_HOSTS}", hint="ask a part of them")
    return tuple(hosts)


def names_hosts(options: argparse.Namespace) -> bool:
    """True if an option names hosts."""
    return bool(options.nodes or options.host or options.hosts_file)


def transport_of(options: argparse.Namespace) -> Transport:
    """How --worker, --ssh, --sudo, --fanout and --timeout reach the hosts."""
    simulated = _simulated(options.worker)
    return Transport(
        simulated=simulated,
        ssh=options.ssh,
        sudo=options.sudo,
        fanout=options.fanout or (None if simulated is None else os.cpu_count()),
        timeout_s=options.timeout,
    )


def _simulated(worker: str) -> Path | None:
    if worker == "ssh":
        return None
    kind, _, folder = worker.partition(":")
    if kind != "local" or not is_directory(folder):
        raise BadInput(f"invalid --worker {worker}", hint="ssh, or local:DIR with the inventory of each host")
    return Path(folder)


def _lines(path: Path) -> list[str]:
    try:
        lines = read_named(path, HOSTS).decode("utf-8").splitlines()
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path} is not UTF-8 text", hint=HOSTS.way_out) from problem
    return [line for line in (line.partition("#")[0].strip() for line in lines) if line]


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
    since = utc_now()
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


# `raidtui fleet build`: one confirmation, a first host alone, then waves; every host builds by itself.


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


# `raidtui fleet resume`: goes on with a build, from this or any other control host.


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


# `raidtui fleet status`: how far every host of a sheet is. It changes nothing.


def status(options: argparse.Namespace) -> int:
    """Prints the stage of every host; MACHINE where one ended badly or does not answer."""
    return shown(look_at(chosen_hosts(options)), options)


# `raidtui fleet undo`: removes what the build of a sheet created, host by host, after one confirmation.


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
