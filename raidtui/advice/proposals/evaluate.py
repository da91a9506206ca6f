"""Every figure of one layout on one pool, as `raidtui model` has it: its disks, sizes, rates, rebuild and losses.

A search is over one kind of disk. A layout that the admin names and that takes more than that kind has is placed on
another kind that has enough, or on disks of several kinds (`Placer.pool`), and says so in the words of the finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import expm1

from raidtui.advice.proposals.enumerate_layouts import RequiredDomains
from raidtui.advice.proposals.scored_layout import Scored, as_scored
from raidtui.predict.checks.disks import failing_disks, mixed_rotation
from raidtui.predict.design import predict, risk, speed
from raidtui.predict.placement.certificate import certify, outlived
from raidtui.predict.placement.disk_pool import DiskPool, kind_of
from raidtui.predict.placement.place import Placer, placed_disks
from raidtui.predict.speed.disk_speed import speed_table
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import Outage
from raidtui.values.design import Design
from raidtui.values.findings import refused
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.prediction import Prediction
from raidtui.values.proposal import Constraints
from raidtui.values.units import counted


class Evaluator:
    """Evaluates layouts on one pool of at least one disk."""

    def __init__(
        self, inventory: Inventory, pool: DiskPool, constraints: Constraints, assumptions: Assumptions
    ) -> None:
        self._inventory = inventory
        self._constraints = constraints
        self._assumptions = assumptions
        self._placer = Placer(pool.disks)
        self._common_loss = common_loss(pool.disks, assumptions)
        self._sizes: dict[Layout, Prediction | None] = {}
        speeds = set(speed_table(assumptions).each(pool.disks))
        self.slowest = min(speeds, key=lambda speed: (speed.read_bytes_per_s, speed.basis))
        """speed of the slowest disk"""

    def sizes(self, layout: Layout) -> Prediction | None:
        """Sizes of a layout of at most as many disks as the pool has; None if md, LVM or mkfs would refuse it."""
        if layout not in self._sizes:
            found = predict(self._design(layout), self._placer.choose(layout))
            self._sizes[layout] = None if refused(found.findings) or not found.has_sizes else found
        return self._sizes[layout]

    def evaluate(self, layout: Layout) -> Scored | None:
        """All figures of such a layout; None if md, LVM or mkfs would refuse it."""
        prediction = self.sizes(layout)
        return None if prediction is None else self._scored(layout, self._placer.choose(layout), prediction)

    def evaluate_on(self, layout: Layout, disks: Sequence[Disk]) -> Scored | None:
        """`evaluate` on disks in this order, whether of the pool or not; None for LUNs too."""
        prediction = predict(self._design(layout), disks)
        return None if refused(prediction.findings) else self._scored(layout, disks, prediction)

    def _scored(self, layout: Layout, disks: Sequence[Disk], prediction: Prediction) -> Scored | None:
        design = self._design(layout)
        rates = speed(design, disks, prediction, self._inventory, self._assumptions)
        losses = risk(design, disks, prediction, self._inventory, self._assumptions)
        if rates is None or losses is None:
            return None
        kept = outlived(certify(layout.whole, disks[: layout.disks]))
        return as_scored(layout, prediction, rates, losses, kept, self._constraints.price_per_disk, self._common_loss)

    def _design(self, layout: Layout) -> Design:
        asked = self._constraints
        return Design(
            layout=layout, chunk_bytes=asked.chunk_bytes, stack=asked.stack, fs=asked.fs, fs_options=asked.fs_options
        )


def common_loss(disks: Sequence[Disk], assumptions: Assumptions) -> float:
    """Probability within a year that an enclosure outage loses data whatever the layout: one enclosure holds all."""
    names = {disk.place.enclosure for disk in disks}
    return -expm1(-assumptions.enclosure_afr * assumptions.enclosure_loss) if len(names) == 1 and all(names) else 0.0


class NamedLayouts:
    """Answers about any layout of `disks`, of which `known` were searched."""

    def __init__(
        self,
        disks: Sequence[Disk],
        known: DiskPool,
        evaluator: Evaluator,
        able: RequiredDomains,
        domain: Outage | None,
    ) -> None:
        self.disks = len(disks)
        """number of disks that a layout may take"""
        self._all = disks
        self._known = known.disks
        self._evaluator = evaluator
        self._able = able
        self._domain = domain
        self._found: dict[Layout, Scored | None] = {}
        """what was asked for: a row of the table and an answer need the same"""

    def evaluate(self, layout: Layout) -> Scored | None:
        """All figures of a layout of at most `disks` disks; None if md, LVM or mkfs would refuse it."""
        if layout not in self._found:
            searched = self._searched(layout)
            self._found[layout] = (
                self._evaluator.evaluate(layout)
                if searched
                else self._evaluator.evaluate_on(layout, placed_disks(layout, self._all))
            )
        return self._found[layout]

    def survives(self, layout: Layout) -> bool:
        """True if it survives the loss of the required failure domains."""
        if self._searched(layout):
            return self._able.survives(layout)
        return RequiredDomains(self._taken(layout), self._domain).survives(layout)

    def remarks(self, layout: Layout) -> Iterator[str]:
        """Sentences on the disks of a layout that are not those of the search."""
        if self._searched(layout):
            return
        taken = self._taken(layout)
        if kind_of(self._known[0]) not in map(kind_of, taken):
            yield f"On {counted(len(taken), f'{kind_of(taken[0])[0]} disk')}, of which the proposal has none."
        yield from (finding.message for finding in (*failing_disks(taken), *mixed_rotation(taken)))

    def _searched(self, layout: Layout) -> bool:
        return layout.disks <= len(self._known)

    def _taken(self, layout: Layout) -> Sequence[Disk]:
        return placed_disks(layout, self._all)[: layout.disks]
