"""Layouts that the admin names, on the disks that `raidtui model` places them on.

A search is over one kind of disk. A layout that takes more than that kind has is placed on another kind that has
enough, or on disks of several kinds (`Placer.pool`), and says so in the words of the finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.choices import Outage
from raidtui.model.counted import counted
from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout
from raidtui.planner.checks.disks import failing_disks, mixed_rotation
from raidtui.planner.placement.disk_pool import DiskPool
from raidtui.planner.placement.place import placed_disks
from raidtui.planner.placement.size_classes import kind_of
from raidtui.planner.search.evaluate import Evaluator
from raidtui.planner.search.required_domains import RequiredDomains
from raidtui.planner.search.scored_layout import Scored


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
        self._found: dict[AnyLayout, Scored | None] = {}
        """what was asked for: a row of the table and an answer need the same"""

    def evaluate(self, layout: AnyLayout) -> Scored | None:
        """All figures of a layout of at most `disks` disks; None if md, LVM or mkfs would refuse it."""
        if layout not in self._found:
            searched = self._searched(layout)
            self._found[layout] = (
                self._evaluator.evaluate(layout)
                if searched
                else self._evaluator.evaluate_on(layout, placed_disks(layout, self._all))
            )
        return self._found[layout]

    def survives(self, layout: AnyLayout) -> bool:
        """True if it survives the loss of the required failure domains."""
        if self._searched(layout):
            return self._able.survives(layout)
        return RequiredDomains(self._taken(layout), self._domain).survives(layout)

    def remarks(self, layout: AnyLayout) -> Iterator[str]:
        """Sentences on the disks of a layout that are not those of the search."""
        if self._searched(layout):
            return
        taken = self._taken(layout)
        if kind_of(self._known[0]) not in map(kind_of, taken):
            yield f"On {counted(len(taken), f'{kind_of(taken[0])[0]} disk')}, of which the proposal has none."
        yield from (finding.message for finding in (*failing_disks(taken), *mixed_rotation(taken)))

    def _searched(self, layout: AnyLayout) -> bool:
        return layout.disks <= len(self._known)

    def _taken(self, layout: AnyLayout) -> Sequence[Disk]:
        return placed_disks(layout, self._all)[: layout.disks]
