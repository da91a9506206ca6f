"""A decision and what follows from it for the disks of one machine. Nothing here draws."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from raidtui.model.decision import Decision
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import HybridLayout
from raidtui.model.target import TargetVersions, merged
from raidtui.planner.members import groups_of
from raidtui.tui.state.decision import chosen_disks

if TYPE_CHECKING:
    from raidtui.model.ask import AskedRate
    from raidtui.model.durability import Durability
    from raidtui.model.geometry import Prediction
    from raidtui.model.placement import Placement
    from raidtui.model.speed import Throughput
    from raidtui.planner.placement.place import Placer


class DesignOutcome:
    """A decision and its results, each computed on first access."""

    def __init__(self, decision: Decision, inventory: Inventory, before: DesignOutcome | None = None) -> None:
        """`before`: the outcome of another decision, whose work on the same disks is used again."""
        self.decision = decision
        self.inventory = inventory
        target = merged(decision.design.target or TargetVersions(), inventory.target)
        self.design = replace(decision.design, target=target) if target else decision.design
        """the design for the machine whose disks these are"""
        choice = decision.left_out, decision.taken_over
        same = before if before is not None and before.inventory is inventory and before.choice == choice else None
        self.choice: tuple[frozenset[str], frozenset[str]] = choice
        """disks that the decision leaves out, and those that it takes over"""
        self.allowed: tuple[Disk, ...] = same.allowed if same is not None else chosen_disks(inventory, decision)
        """disks that the design may use, in inventory order"""
        self.disks = self.allowed
        """the same disks in the order of use"""
        self.placer: Placer | None = None
        """places designs on `allowed`"""
        if decision.spread:
            from raidtui.planner.placement.place import Placer, placed_disks  # only where disks are spread

            self.placer = (same.placer if same is not None else None) or Placer(self.allowed)
            self.disks = placed_disks(decision.design.layout, self.allowed, self.placer)
        if isinstance(decision.design.layout, HybridLayout):
            from raidtui.planner.geometry.bands import on_disks  # after the first picture

            self.design = on_disks(self.design, self.disks)

    @cached_property
    def prediction(self) -> Prediction:
        """Sizes and findings of the design on those disks."""
        from raidtui.planner.checks.existing_arrays import with_arrays_first  # after the first picture
        from raidtui.planner.design.predict import predict  # beside it

        return with_arrays_first(predict(self.design, self.disks), self.inventory)

    @cached_property
    def placement(self) -> Placement | None:
        """Effects of the loss of each failure domain; None if the design is invalid."""
        from raidtui.planner.design.assess import placement  # after the first picture

        return placement(self.decision.design, self.disks, self.prediction, spread=self.decision.spread)

    @cached_property
    def groups(self) -> dict[str, str]:
        """Label of the array of each disk that the design uses, by identity; empty if it needs more disks.

        Does not predict: Disks shows these labels.
        """
        layout = self.decision.design.layout
        return groups_of(layout, self.disks) if len(self.disks) >= layout.disks else {}

    @cached_property
    def throughput(self) -> Throughput | None:
        """Predicted rates; None if the design is invalid."""
        from raidtui.planner.design.assess import speed  # after the first picture

        return speed(self.decision.design, self.disks, self.prediction, self.inventory, self.decision.assumptions)

    @cached_property
    def asked(self) -> AskedRate | None:
        """What the stated workload gets; None without one, or if the design is invalid."""
        from raidtui.planner.design.assess import answers  # after the first picture

        decision = self.decision
        asks = (decision.ask,) if decision.ask is not None else ()
        found = answers(asks, decision.design, self.disks, self.prediction, self.inventory, decision.assumptions)
        return found[0] if found else None

    @cached_property
    def durability(self) -> Durability | None:
        """Rebuild time and probability of data loss; None if the design is invalid."""
        from raidtui.planner.design.assess import risk_and_sync  # after the first picture

        return risk_and_sync(
            self.decision.design, self.disks, self.prediction, self.inventory, self.decision.assumptions
        )

    @cached_property
    def assessed(self) -> Prediction:
        """The prediction with placement, throughput and durability filled in."""

        return replace(
            self.prediction, throughput=self.throughput, durability=self.durability, placement=self.placement,
            asked=(self.asked,) if self.asked else None,
        )  # fmt: skip
