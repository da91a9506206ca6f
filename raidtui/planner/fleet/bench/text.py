"""A benchmark of many hosts in words: its estimate, how far the hosts are, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.fleet.bench_order import BenchOutlook, FleetBenchOrder, HostBench, Round
from raidtui.model.fleet.bench_result import BenchStage, FleetBench, FleetFigure, FleetSlowDisk, Outlier
from raidtui.model.safe import safe
from raidtui.model.units import binary_size
from raidtui.planner.amounts import amount, percent, rate, ratio_band
from raidtui.planner.text.bench import duration
from raidtui.planner.text.bench_result import verdict_word
from raidtui.planner.text.summary import columns
from raidtui.tools.nodeset import fold_nodeset

ROUND_WORDS: Mapping[Round, str] = {"turns": "one host after the other", "at-once": "all hosts at once"}
STAGE_WORDS: Mapping[BenchStage, str] = {
    "waiting": "not started", "running": "measuring", "finished": "finished", "stopped": "stopped by request",
    "failed": "failed", "interrupted": "interrupted", "refused": "refused, nothing was started",
    "lost": "no answer, it may go on",
}  # fmt: skip
_HEADS = ("TEST", "HOSTS", "MEASURED", "PREDICTED", "RATIO", "BAND", "", "BEGAN WITHIN")


def outlook_lines(
    order: FleetBenchOrder, outlooks: Mapping[str, BenchOutlook], seconds: Mapping[Round, float]
) -> list[str]:
    """What will be measured where, and for how long."""
    what = order.directory or "the file systems of its own plan"
    lines = [
        f"profile {safe(order.profile.name)} on {counted(len(order.hosts), 'host')}: {fold_nodeset(order.names)}",
        f"measured on each: {safe(what)}",
    ]
    tests = by_key(((len(each.bench.tasks), each.bytes_used), host) for host, each in outlooks.items())
    for (count, used), hosts in tests.items():
        room = f", up to {binary_size(used)} of files while it runs" if used else ""
        lines.append(f"  {fold_nodeset(hosts)}: {counted(count, 'figure')}{room}")
    lines += [f"{ROUND_WORDS[of]}: takes about {duration(seconds[of])}" for of in order.rounds]
    return [*lines, "each host measures by itself and removes its files; this program starts, asks and shows"]


def progress_line(of: Round, states: Mapping[str, tuple[BenchStage, HostBench]]) -> str:
    """How far the hosts of a round are, in one line."""
    running = [state for stage, state in states.values() if stage == "running"]
    ended = sum(stage not in ("running", "waiting") for stage, _ in states.values())
    shares = [1.0 if stage not in ("running", "waiting") else state.share for stage, state in states.values()]
    read, write = (sum(getattr(state, name) for state in running) for name in ("read_bytes_per_s", "write_bytes_per_s"))
    doing = sorted({f"task {state.task} {state.phase}".strip() for state in running if state.task})
    share = percent(sum(shares) / max(1, len(shares)))
    return (
        f"{ROUND_WORDS[of]}: {ended} of {counted(len(states), 'host')} done, {share}"
        f"{''.join(f', {text}' for text in doing[:2])}; disks read {rate(read)}, write {rate(write)}"
    )


def bench_lines(found: FleetBench) -> list[str]:
    """Figures beside predictions round by round, hosts far from their peers, slow disks, what did not finish."""
    order = found.order
    lines = [f"{safe(order.profile.name)} on {counted(len(order.hosts), 'host')}: {fold_nodeset(order.names)}"]
    for of in order.rounds:
        rows = [_row(figure) for figure in found.figures if figure.round == of]
        lines += ["", _round_head(found, of)]
        lines += columns([_HEADS if of == "at-once" else _HEADS[:-1], *rows], right=(1, 2, 3, 4)) if rows else [
            "nothing was measured"
        ]  # fmt: skip
    if found.together:
        rows = [
            (
                safe(each.title, longest=40),
                amount(each.alone, each.unit),
                amount(each.at_once, each.unit),
                f"{each.ratio:.2f}",
            )
            for each in found.together
        ]
        heads = ("DOES THE SUM HOLD UP", "EACH ALONE", "ALL AT ONCE", "RATIO")
        lines += ["", *columns([heads, *rows], right=(1, 2, 3))]
    for title, texts in (
        ("far from alike hosts", [outlier_text(each) for each in found.outliers]),
        ("slow disks", [slow_text(each) for each in found.slow_disks]),
    ):
        lines += ["", f"{title}:", *(f"  {text}" for text in texts)] if texts else []
    return lines


def _round_head(found: FleetBench, of: Round) -> str:
    errors = [host.clock_error_s for host in found.hosts if host.round == of and host.clock_error_s is not None]
    clocks = f"; clocks known to {max(errors):.2f} s" if errors and of == "at-once" else ""
    return f"{ROUND_WORDS[of]}{clocks}"


def _row(figure: FleetFigure) -> tuple[str, ...]:
    total = len(figure.hosts) + len(figure.missing)
    hosts = str(total) if not figure.missing else f"{len(figure.hosts)} of {total}"
    row = (
        safe(figure.title, longest=40), hosts, amount(figure.sum, figure.unit),
        "-" if figure.predicted is None else amount(figure.predicted, figure.unit),
        "-" if figure.ratio is None else f"{figure.ratio:.2f}",
        ratio_band(figure.predicted, figure.low, figure.high) or "-", verdict_word(figure.verdict),
    )  # fmt: skip
    return row if figure.round == "turns" else (*row, began_text(figure))


def began_text(figure: FleetFigure) -> str:
    """`0.2 s +-0.1, 98 % together`; `-` where it is not known."""
    if figure.began_within_s is None or figure.together is None:
        return "-"
    error = "" if figure.began_error_s is None else f" +-{figure.began_error_s:.1f}"
    return f"{figure.began_within_s:.1f} s{error}, {percent(figure.together)} together"


def outlier_text(each: Outlier) -> str:
    """`node07: sequential read 310 MB/s, 62 % of the median of 12 alike hosts (500 MB/s)`."""
    return (
        f"{safe(each.host)}: {safe(each.title)} {amount(each.measured, each.unit)}, {percent(each.share)} of the "
        f"median of {each.peers} alike hosts ({amount(each.median, each.unit)}), {ROUND_WORDS[each.round]}"
    )


def slow_text(each: FleetSlowDisk) -> str:
    """`node07: slot 3, serial X: 55 % of the disks of its model in the fleet (disk-read)`."""
    how = "slower than the" if each.share is None else f"{percent(each.share)} of the"
    return f"{safe(each.host)}: {safe(each.place)}: {how} {each.peers} ({safe(each.job)})"


def orders_table(orders: Iterable[FleetBenchOrder]) -> list[str]:
    """One line per benchmark that this control host ordered."""
    rows: Sequence[tuple[str, ...]] = [
        (
            "SIMULATED" if order.simulated else "", order.id[:8], order.made, safe(order.profile.name),
            safe(fold_nodeset(order.names), longest=40), ", ".join(order.rounds),
        )
        for order in orders
    ]  # fmt: skip
    return columns([("", "BENCH", "ORDERED", "PROFILE", "HOSTS", "ROUNDS"), *rows]) if rows else ["none was ordered"]
