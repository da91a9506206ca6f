"""What the model takes from this machine's own figures where there are any: memory, md's thread, one reader, bands."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import AnyLayout
from raidtui.model.machine_figures import MachineFigures, MeasuredFigure, WorkClass
from raidtui.model.safe import safe
from raidtui.model.speed import CeilingSource
from raidtui.model.target import Version
from raidtui.planner.performance import confidence_bands as bands
from raidtui.planner.performance.confidence_bands import RateFactor
from raidtui.planner.performance.md_limits import MEMORY, ONE_READER, md_thread
from raidtui.planner.performance.measured_links import when
from raidtui.planner.performance.operating_point import SpeedWork
from raidtui.planner.performance.posterior import Belief, cut_off, narrowed, replaced

_BANDS: dict[WorkClass, RateFactor] = {
    "disk sequential": bands.DISK_SEQUENTIAL,
    "flash read": bands.FLASH_READ,
    "flash write": bands.FLASH_OTHER_WRITE,
    "flash parity write": bands.FLASH_PARITY_WRITE,
    "random read": bands.RANDOM_READ,
    "random read disk": bands.RANDOM_READ_DISK,
    "random write": bands.RANDOM_OTHER_WRITE,
    "random write disk": bands.RANDOM_OTHER_WRITE_DISK,
    "random parity write disk": bands.RANDOM_PARITY_WRITE_DISK,
    "random parity write flash": bands.RANDOM_PARITY_WRITE_FLASH,
}


@dataclass(frozen=True, slots=True)
class Sourced:
    """A rate with its ends and where it comes from."""

    belief: Belief
    source: CeilingSource
    basis: str = ""
    """the source in words, of a measurement"""


def class_band(work: WorkClass, figures: MachineFigures) -> RateFactor:
    """The band of a class, narrowed by the benchmarks of this machine; no ceiling is expected to be exceeded."""
    known = _BANDS[work]
    for seen in figures.scatter:
        if seen.work == work:
            found = narrowed(known, seen.ratio, seen.figures, random=work.startswith("random"))
            point = min(found.point, max(1.0, known.point))
            return RateFactor(point=point, low=min(found.low, point), high=found.high)
    return known


def memory_rate(assumptions: Assumptions, figures: MachineFigures) -> Sourced:
    """Memory bandwidth: as stated, measured, or the guess of a typical server from half to double.

    A measurement that the processors held back cuts the guess off from below.
    """
    if (stated := assumptions.memory_bytes_per_s) is not None:
        return Sourced(replaced(stated, 1.0), "said")
    guess, found = replaced(MEMORY, 2.0), figures.memory
    if found is not None and found.at_least:
        return Sourced(cut_off(guess, found.bytes_per_s / found.error), "guess")
    return _measured(found) or Sourced(guess, "guess")


def reader_rate(figures: MachineFigures) -> Sourced:
    """What one thread copies out of the page cache: measured, or the table's."""
    return _measured(figures.one_reader) or Sourced(replaced(ONE_READER, 1.0), "table")


def md_thread_bound(
    layout: AnyLayout, work: SpeedWork, assumptions: Assumptions, figures: MachineFigures, kernel: Version | None = None
) -> Sourced | None:
    """Limit of md's own code for one array, in bytes or operations per second; None if no limit is known.

    Sequential writes: as stated, as measured with one thread, or a typical machine's; never above the kernel's own
    benchmark of the parity code.
    """
    threads = assumptions.parity_threads
    table = md_thread(layout, work, threads, kernel)
    if table is None:
        return None
    if work.random or not layout.parity:
        return Sourced(replaced(table, 1.0), "table")
    if (stated := assumptions.md_write_bytes_per_s) is not None:
        return Sourced(replaced(stated, 1.0), "said")
    if figures.md_write is not None and not threads:
        return _measured(figures.md_write)
    most = parity_rate(layout, figures)
    if most is not None and most.bytes_per_s < table:
        return Sourced(replaced(most.bytes_per_s, 1.0), "measured", safe(most.how))
    return Sourced(replaced(table, 1.0), "table")


def parity_rate(layout: AnyLayout, figures: MachineFigures) -> MeasuredFigure | None:
    """The kernel's own benchmark of the parity code of this level: md's thread writes no faster."""
    if layout.parity == 2:
        return figures.raid6
    return figures.xor if layout.parity == 1 else None


def _measured(found: MeasuredFigure | None) -> Sourced | None:
    if found is None:
        return None
    return Sourced(replaced(found.bytes_per_s, found.error), "measured", f"measured on {when(found.day, found.kernel)}")
