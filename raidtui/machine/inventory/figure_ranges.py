"""Bounds of measured figures in files: a stored file or inventory is input like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidtui.model.errors import BadInput
from raidtui.model.inventory import MeasuredSpeed
from raidtui.model.machine_figures import MachineFigures
from raidtui.model.ranges import MOST_DISKS, MOST_RATE

_MOST_ERROR = 10.0
_SLOWEST_ZONE = 100
"""times that the outer zone is faster than any other, at most: twice is usual, and no drive is known above three"""
_MOST_TEXT = 200
_MOST_LINKS = 10_000
_Bounded = tuple[str, float | None, float, float]


def require_ranges(disks: Mapping[str, MeasuredSpeed], machine: MachineFigures, *, source: str, way_out: str) -> None:
    """Raises BadInput for a figure of `source` that nothing can have measured, or a text that is too long."""
    found = [bounded for place, each in disks.items() for bounded in _of_disk(f"disks.{place[:80]}", each)]
    for name, value, least, most in (*found, *_of_machine(machine)):
        if value is not None and not least <= value <= most:
            raise BadInput(f"{source}: {name}: out of range: {least:g} to {most:g}", hint=way_out)


def _of_disk(place: str, found: MeasuredSpeed) -> Iterator[_Bounded]:
    for name in ("outer_bytes_per_s", "middle_bytes_per_s", "inner_bytes_per_s", "read_iops"):
        yield f"{place}.{name}", getattr(found, name), 1, MOST_RATE
    for name in ("middle_bytes_per_s", "inner_bytes_per_s"):
        yield f"{place}.{name}", getattr(found, name), found.outer_bytes_per_s // _SLOWEST_ZONE, MOST_RATE
    yield f"{place}.error", found.error, 1, _MOST_ERROR
    yield f"{place}.iops_error", found.iops_error, 1, _MOST_ERROR
    yield f"{place}.depth", found.depth, 1, 1_000_000
    for name in ("day", "kernel", "firmware", "controller", "changed"):
        yield f"length of {place}.{name}", len(getattr(found, name) or ""), 0, _MOST_TEXT


def _of_machine(machine: MachineFigures) -> Iterator[_Bounded]:
    for name in ("memory", "one_reader", "raid6", "xor", "md_write"):
        figure = getattr(machine, name)
        if figure is not None:
            yield f"figures.{name}.bytes_per_s", figure.bytes_per_s, 1, MOST_RATE
            yield f"figures.{name}.error", figure.error, 1, _MOST_ERROR
            yield f"length of figures.{name}", max(map(len, (figure.how, figure.day, figure.kernel))), 0, _MOST_TEXT
    yield "number of figures.links", len(machine.links), 0, _MOST_LINKS
    for place, link in enumerate(machine.links):
        yield f"figures.links.{place}.bytes_per_s", link.bytes_per_s, 1, MOST_RATE
        yield f"figures.links.{place}.alone_bytes_per_s", link.alone_bytes_per_s, 1, MOST_DISKS * MOST_RATE
        yield f"figures.links.{place}.error", link.error, 1, _MOST_ERROR
        longest = max(map(len, (str(link.limit), link.day, link.kernel)))
        yield f"length of figures.links.{place}", longest, 0, _MOST_TEXT
    yield "number of figures.scatter", len(machine.scatter), 0, _MOST_LINKS
    for place, each in enumerate(machine.scatter):
        yield f"figures.scatter.{place}.ratio", each.ratio, 0.001, 1000
        yield f"figures.scatter.{place}.figures", each.figures, 1, 1_000_000
        yield f"length of figures.scatter.{place}", max(len(each.day), len(each.kernel)), 0, _MOST_TEXT
    yield "length of figures.kernel_now", len(machine.kernel_now), 0, _MOST_TEXT
