"""Hosts and disks that are far from their peers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from raidtui.model.bench import BenchResult
from raidtui.model.by_key import by_key
from raidtui.model.fleet.bench_order import Round
from raidtui.model.fleet.bench_result import FleetFigure, FleetSlowDisk, Outlier
from raidtui.planner.gauges.slow_disks import BEHIND, FEWEST_DISKS
from raidtui.planner.measurement.compare import disk_location, slower_than_peers

_FAR = 3.5
"""least modified z-score of an outlier (Iglewicz and Hoaglin 1993)"""
_SIGMAS = 1.4826
"""standard deviations of a normal distribution in its median absolute deviation"""


def outliers(figures: Sequence[FleetFigure], layouts: Mapping[tuple[Round, str], str]) -> tuple[Outlier, ...]:
    """Figures of hosts that are far from those of alike hosts, the furthest first.

    Alike are hosts with the same layout; `layouts`: of each round and host, empty where it is not known. A host is an
    outlier if its figure is further from the median of its peers than 3.5 times 1.4826 MAD (median absolute deviation),
    and further than 15 % of the median, as a slow disk is. The first alone would name hosts that differ by one per cent
    where all others agree; the second alone would name the half of a fleet that scatters. Of fewer than three alike
    hosts none is named: of two, neither can be called the outlier.
    """
    found = [each for figure in figures for each in _of_figure(figure, layouts)]
    return tuple(sorted(found, key=lambda each: -abs(each.share - 1)))


def _of_figure(figure: FleetFigure, layouts: Mapping[tuple[Round, str], str]) -> Iterator[Outlier]:
    alike = by_key((layouts.get((figure.round, host.host), ""), (host.host, host.measured)) for host in figure.hosts)
    for group in alike.values():
        values = [value for _, value in group]
        middle = median(values)
        mad = median(abs(value - middle) for value in values)
        for name, value in group if len(group) >= FEWEST_DISKS else ():
            distance = abs(value - middle)
            if distance > _FAR * _SIGMAS * mad and distance > BEHIND * middle:
                yield Outlier(
                    round=figure.round, host=name, job=figure.job, title=figure.title, unit=figure.unit, measured=value,
                    median=middle, mad=mad, peers=len(group), share=value / middle if middle else 0.0,
                )  # fmt: skip


def slow_disks(of: Round, results: Mapping[str, BenchResult]) -> tuple[FleetSlowDisk, ...]:
    """Slow disks of all hosts of a round.

    A disk that was measured alone is compared with all disks of its model in the fleet, by the rule of one host; the
    others are those that the gauges of their own host found.
    """
    found = {(each.host, each.disk): each for each in (*_by_gauges(of, results), *_alone(of, results))}
    return tuple(found.values())


def _alone(of: Round, results: Mapping[str, BenchResult]) -> Iterator[FleetSlowDisk]:
    alike: dict[tuple[str, str], list[tuple[str, str, str, float]]] = {}
    for host, result in results.items():
        disks = {disk.id: disk for disk in result.bench.disks}
        tasks = {task.number: task for task in result.bench.tasks}
        for figure in result.figures:
            task = tasks[figure.task]
            if task.target.kind != "disk" or len(task.target.disks) != 1 or task.target.disks[0] not in disks:
                continue
            disk = disks[task.target.disks[0]]
            row = (host, disk.id, disk_location(disk), figure.median)
            alike.setdefault((task.job.name, disk.model), []).append(row)
    for (job, _), rows in alike.items():
        for at, share in slower_than_peers([row[3] for row in rows]).items():
            host, disk_id, place, _ = rows[at]
            yield FleetSlowDisk(
                round=of, host=host, disk=disk_id, place=place, job=job, peers="disks of its model in the fleet",
                share=share,
            )  # fmt: skip


def _by_gauges(of: Round, results: Mapping[str, BenchResult]) -> Iterator[FleetSlowDisk]:
    for host, result in results.items():
        disks = {disk.id: disk for disk in result.bench.disks}
        names = {task.number: task.job.name for task in result.bench.tasks}
        for figure in result.figures:
            for disk in figure.seen.slow_disks if figure.seen is not None else ():
                place = disk_location(disks[disk]) if disk in disks else disk
                yield FleetSlowDisk(
                    round=of, host=host, disk=disk, place=place, job=names[figure.task], peers="disks of its host"
                )
