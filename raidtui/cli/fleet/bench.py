"""`raidtui fleet bench`: every host measures by itself, all at once or in turns; beside its prediction and in sum."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from raidtui.cli.confirm import ask_to_start
from raidtui.cli.fleet.hosts import named_hosts, names_hosts, transport_of
from raidtui.cli.fleet.rollout import chosen_hosts, stage_printer
from raidtui.cli.output import narrate, paint, show, working
from raidtui.machine.bench import profiles
from raidtui.machine.fleet.bench.control import INTERVAL_S, FleetBenchView, find_order
from raidtui.machine.fleet.bench.files import keep_document, keep_order, kept_order, kept_orders
from raidtui.machine.fleet.control import control_name
from raidtui.machine.fleet.gauges import FleetTicks
from raidtui.machine.fleet.transport import Transport
from raidtui.machine.system.input_files import is_named
from raidtui.model.by_key import by_key
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import BadInput, Exit, Refused
from raidtui.model.finding import Finding, errors, gravest_first
from raidtui.model.fleet.bench_order import (
    BenchOutlook,
    FleetBenchList,
    FleetBenchOrder,
    FleetBenchPreview,
    OrderedHost,
    Round,
)
from raidtui.model.fleet.bench_result import BENCH_ENDED_BADLY, FleetBench
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.safe import safe
from raidtui.planner.fleet.bench.schedule import round_seconds
from raidtui.planner.fleet.bench.text import (
    STAGE_WORDS,
    bench_lines,
    orders_table,
    outlook_lines,
    progress_line,
)
from raidtui.planner.fleet.gauge_lines import fleet_table
from raidtui.planner.fleet.slow_hosts import SlowHosts
from raidtui.planner.text.findings import findings_lines
from raidtui.tools.nodeset import fold_nodeset

_NOTHING = "nothing was started"


def bench(options: argparse.Namespace) -> int:
    """Measures, goes on with a benchmark, stops one, or lists those that were ordered here."""
    if options.list:
        return _list(options)
    asked = [name for name, given in (("--resume", options.resume), ("--stop", options.stop)) if given is not None]
    if asked and (options.target is not None or len(asked) > 1):
        raise BadInput(f"{asked[0]} goes on with its own target", hint=f"raidtui fleet bench {asked[0]} ID")
    if asked:
        order = _known(options.resume or options.stop, options)
        view = _view(order, transport_of(options), options)
        return _stopped(view) if options.stop is not None else _followed(view, None, options)
    order = _ordered(options)
    view = _view(order, transport_of(options), options)
    outlooks = _ready(view, options)
    if options.dry_run:
        return Exit.DONE
    if not options.yes and not order.simulated:
        ask_to_start(_NOTHING)
    folder = keep_order(order)
    narrate(f"benchmark {order.id[:8]}, kept in {folder}", simulated=order.simulated)
    return _followed(view, outlooks, options)


def _ordered(options: argparse.Namespace) -> FleetBenchOrder:
    """The order that the options make. Raises BadInput."""
    if options.target is None:
        raise BadInput("no target", hint="name the directory of a sheet, or one that is mounted on every host")
    transport = transport_of(options)
    order = FleetBenchOrder(
        id=secrets.token_hex(16),
        made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        control=control_name(),
        hosts=(),
        rounds=_rounds(options),
        profile=profiles.load(options.profile or "quick"),
        seconds=options.seconds,
        repeats=options.repeats,
        precondition=options.precondition,
        during_sync=options.during_sync,
        simulated=transport.simulated is not None,
        speed_up=options.speed_up,
    )
    if is_named(str(Path(options.target, "sheet.json"))):
        options.sheet = options.target
        chosen = chosen_hosts(options)
        hosts = tuple(OrderedHost(host=each.host, run_id=each.run_id, digest=each.digest) for each in chosen.hosts)
        return replace(order, hosts=hosts, sheet_digest=chosen.sheet.digest)
    if not options.target.startswith("/") or not options.target.isprintable():
        raise BadInput(
            f"{options.target}: expected the directory of a sheet, or an absolute path",
            hint="raidtui fleet plan RECIPE --out DIR writes a sheet; an absolute path is looked for on every host",
        )
    hosts = tuple(OrderedHost(host=name) for name in named_hosts(options))
    return replace(order, hosts=hosts, directory=options.target)


def _rounds(options: argparse.Namespace) -> tuple[Round, ...]:
    chosen: tuple[Round, ...] = (
        *(("turns",) if options.turns else ()), *(("at-once",) if options.at_once or not options.turns else ())
    )  # fmt: skip
    return chosen


def _known(prefix: str, options: argparse.Namespace) -> FleetBenchOrder:
    """The order with this id, as it is stored here, or as the hosts that are named keep it. Raises BadInput."""
    transport = transport_of(options)
    order = kept_order(prefix, simulated=transport.simulated is not None)
    if order is not None:
        return order
    if not names_hosts(options):
        raise BadInput(
            f"no benchmark '{prefix}' was ordered from here",
            hint="raidtui fleet bench --list shows those that were; name hosts of another with -w, they keep its order",
        )
    answers = find_order(prefix, named_hosts(options), transport)
    orders = {answer.id: answer for answer in answers.values() if isinstance(answer, FleetBenchOrder)}
    if len(orders) == 1:
        found = next(iter(orders.values()))
        keep_order(found)
        return found
    problems = [f"{host}: {answer.sentence}" for host, answer in answers.items() if isinstance(answer, HostProblem)]
    raise BadInput(
        f"{counted(len(orders), 'benchmark')} '{prefix}' on these hosts; {'; '.join(problems[:3])}".rstrip("; "),
        hint="write all digits of its id, and name every host of it",
    )


def _ready(view: FleetBenchView, options: argparse.Namespace) -> Mapping[str, BenchOutlook]:
    """What every host would measure, shown. Raises Refused where one cannot."""
    order = view.order
    with working(f"asking {counted(len(order.hosts), 'host')}"):
        answers = view.outlooks()
    outlooks = {host: each for host, each in answers.items() if isinstance(each, BenchOutlook)}
    problems = {host: (each.sentence, each.hint) for host, each in answers.items() if isinstance(each, HostProblem)}
    for host, outlook in outlooks.items():
        if wrong := errors(outlook.findings):
            problems[host] = (wrong[0].message, wrong[0].way_out)
    if problems:
        for (sentence, hint), hosts in by_key((problem, host) for host, problem in problems.items()).items():
            narrate(f"{fold_nodeset(hosts)}: {safe(sentence, longest=300)}", simulated=order.simulated)
            if hint:
                print(f"         {safe(hint, longest=300)}", file=sys.stderr)
        raise Refused(
            f"{counted(len(problems), 'host')} cannot measure; {_NOTHING}",
            hint="the lines above name each reason; leave hosts out with -w",
        )
    _show_outlooks(view, outlooks, options)
    return outlooks


def _show_outlooks(view: FleetBenchView, outlooks: Mapping[str, BenchOutlook], options: argparse.Namespace) -> None:
    order = view.order
    tasks = [outlook.bench.tasks for outlook in outlooks.values()]
    seconds = {of: round_seconds(of, tasks) for of in order.rounds}
    findings = _all_findings(outlooks)
    if options.json:
        if options.dry_run:
            print(to_json(FleetBenchPreview(order=order, seconds=seconds, outlooks=dict(outlooks))))
        return
    show(outlook_lines(order, outlooks, seconds), sys.stdout, simulated=order.simulated)
    show(findings_lines(findings, paint(sys.stderr)), sys.stderr, simulated=order.simulated)


def _all_findings(outlooks: Mapping[str, BenchOutlook]) -> tuple[Finding, ...]:
    """Findings of all hosts, each once, with the hosts that have it."""
    hosts = by_key((finding, host) for host, outlook in outlooks.items() for finding in outlook.findings)
    return gravest_first(
        tuple(
            finding
            if len(names) == len(outlooks)
            else replace(finding, message=f"{fold_nodeset(names)}: {finding.message}")
            for finding, names in hosts.items()
        )
    )


def _view(order: FleetBenchOrder, transport: Transport, options: argparse.Namespace) -> FleetBenchView:
    view = FleetBenchView(
        transport=transport, order=order, interval_s=INTERVAL_S if options.interval is None else options.interval
    )
    for hosts in view.rounds.values():
        hosts.on_progress = stage_printer(STAGE_WORDS, BENCH_ENDED_BADLY, simulated=order.simulated, terminal_only=True)
    return view


def _watching(view: FleetBenchView) -> Callable[[float], None]:
    """Waits; prints the gauges of all hosts meanwhile, slow hosts and slow disks marked, as raidtui fleet watch."""
    ticks, slow = FleetTicks(view.order.names, view.transport), SlowHosts()

    def pause(seconds: float) -> None:
        due = time.monotonic() + seconds
        tick = ticks.take()
        slow.add(tick)
        print("\n".join([*fleet_table(tick, slow, simulated=ticks.simulated), ""]), file=sys.stderr, flush=True)
        time.sleep(max(due - time.monotonic(), 0.0))

    return pause


def _pause(view: FleetBenchView, of: Round) -> Callable[[float], None]:
    """Waits, on a terminal with one line that says how far the hosts are."""

    def pause(seconds: float) -> None:
        if sys.stderr.isatty():
            states = {
                host: (known.stage, known.state)
                for host in view.order.names
                if (known := view.progress.get((of, host))) is not None
            }
            print(f"\r\x1b[K{safe(progress_line(of, states))}", end="", file=sys.stderr, flush=True)
        time.sleep(seconds)
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    return pause


def _followed(view: FleetBenchView, outlooks: Mapping[str, BenchOutlook] | None, options: argparse.Namespace) -> int:
    """Runs what is left of all rounds. Ctrl-C ends the view only."""
    order = view.order
    watching = _watching(view) if options.watch else None
    try:
        for of in order.rounds:
            if outlooks is None:
                answers = view.outlooks()
                outlooks = {host: each for host, each in answers.items() if isinstance(each, BenchOutlook)}
            view.run(of, outlooks, pause=watching or _pause(view, of))
    except KeyboardInterrupt:
        narrate(
            f"this view has ended; hosts that measure go on. raidtui fleet bench --resume {order.id[:8]} shows them, "
            f"--stop {order.id[:8]} ends them",
            simulated=order.simulated,
        )
        return Exit.INTERRUPTED
    return _shown(view.document(), options)


def _shown(found: FleetBench, options: argparse.Namespace) -> int:
    path = keep_document(found)
    if options.json:
        print(to_json(found))
    else:
        simulated = found.order.simulated
        show(bench_lines(found), sys.stdout, simulated=simulated)
        show(findings_lines(found.findings, paint(sys.stderr)), sys.stderr, simulated=simulated)
        narrate(f"raidtui report {path} makes a report of it", simulated=simulated)
    return Exit.DONE if found.finished else Exit.MACHINE


def _stopped(view: FleetBenchView) -> int:
    """Ends what runs of a benchmark on all its hosts."""
    order = view.order
    for of in order.rounds:
        view.look(of, order.names)
        busy = [host for host in order.names if view.progress[of, host].stage == "running"]
        if busy:
            narrate(f"stopping {fold_nodeset(busy)}", simulated=order.simulated)
            view.stop(of, busy)
            view.rounds[of].wait(busy, pause=_pause(view, of))
            view.fetch(of, busy)
    keep_document(view.document())
    bad = [host for (_, host), each in view.progress.items() if each.stage == "lost"]
    return Exit.MACHINE if bad else Exit.DONE


def _list(options: argparse.Namespace) -> int:
    orders = [order for simulated in (False, True) for order in kept_orders(simulated=simulated, on_skipped=narrate)]
    print(to_json(FleetBenchList(orders=tuple(orders))) if options.json else "\n".join(orders_table(orders)))
    return Exit.DONE
