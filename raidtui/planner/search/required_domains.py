"""Failure domains whose loss layouts are required to survive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from raidtui.model.choices import Outage
from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout
from raidtui.planner.placement.failure_domains import domain_names
from raidtui.planner.placement.feasibility import can_survive


class RequiredDomains:
    """The disks of a search, largest first, in each failure domain of the kind whose loss must be survived."""

    def __init__(self, disks: Sequence[Disk], kind: Outage | None) -> None:
        self._names = domain_names(disks, kind) if kind is not None else None
        self._counts: dict[int, tuple[int, ...]] = {}

    def counts(self, disks: int) -> tuple[int, ...]:
        """Disks in each domain among the `disks` largest; disks of unknown domain can only be spares."""
        if disks not in self._counts:
            found = Counter(name for name in (self._names or ())[:disks] if name is not None)
            self._counts[disks] = tuple(sorted(found.values()))
        return self._counts[disks]

    @property
    def any(self) -> bool:
        """True if no kind of domain is required."""
        return self._names is None

    def survives(self, layout: AnyLayout) -> bool:
        """True if some placement survives the loss of any one domain, or no kind of domain is required."""
        return self.any or can_survive(layout, self.counts(layout.disks))
