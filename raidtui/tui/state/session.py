"""Session shared by the screens: inventory, decision history, results of the present one. Nothing here draws."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from raidtui.model.codec import to_json
from raidtui.model.decision import Decision
from raidtui.model.design import Design
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import HybridLayout
from raidtui.model.target import TargetVersions, merged
from raidtui.planner.holds import holders
from raidtui.planner.members import groups_of
from raidtui.tui.state.decision import DecisionHistory, chosen_disks, first_decision

if TYPE_CHECKING:
    from raidtui.model.ask import AskedRate
    from raidtui.model.durability import Durability
    from raidtui.model.geometry import Prediction
    from raidtui.model.placement import Placement
    from raidtui.model.plan import Plan
    from raidtui.model.speed import Throughput
    from raidtui.planner.placement.place import Placer
    from raidtui.planner.reliability.durability import LossesInAYear

_RECENT = 8
"""number of decisions whose results are kept"""


class DesignOutcome:
    """A decision and its results, each computed on first access."""

    def __init__(self, decision: Decision, inventory: Inventory, before: DesignOutcome | None = None) -> None:
        """`before`: the outcome of another decision, whose work on the same disks is used again."""
        self.decision = decision
        self.inventory = inventory
        target = merged(decision.design.target or TargetVersions(), inventory.target)
        self.design = replace(decision.design, target=target) if target else decision.design
        """the design for the machine whose disks these are"""
        self.allowed = chosen_disks(inventory, decision)
        """disks that the design may use, in inventory order"""
        self.disks = self.allowed
        """the same disks in the order of use"""
        self.placer: Placer | None = None
        """places designs on `allowed`"""
        if decision.spread:
            from raidtui.planner.placement.place import Placer, placed_disks  # only where disks are spread

            if before is not None and before.allowed == self.allowed:
                self.placer = before.placer
            self.placer = self.placer or Placer(self.allowed)
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

        Does not predict: the first picture shows these labels.
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
        from raidtui.planner.design.assess import risk  # after the first picture

        return risk(self.decision.design, self.disks, self.prediction, self.inventory, self.decision.assumptions)

    @cached_property
    def losses(self) -> LossesInAYear | None:
        """The losses within a year of `durability`, before its other figures are computed."""
        from raidtui.planner.design.assess import losses_in_a_year  # after the first picture

        decision = self.decision
        return losses_in_a_year(decision.design, self.disks, self.prediction, self.inventory, decision.assumptions)

    @property
    def complete(self) -> bool:
        """True if all figures have been computed."""
        return {"placement", "throughput", "durability"} <= self.__dict__.keys()

    @cached_property
    def assessed(self) -> Prediction:
        """The prediction with placement, throughput and durability filled in."""

        return replace(
            self.prediction, throughput=self.throughput, durability=self.durability, placement=self.placement,
            asked=(self.asked,) if self.asked else None,
        )  # fmt: skip


def may_be_spare(disk: Disk) -> bool:
    """True for a disk that can be chosen, or is idle and its content could not be read."""
    return disk.selectable or (not holders(disk) and bool(disk.id) and disk.state == "unknown")


class Session:
    """One session of the app: inventory, decision history and saved designs; it executes nothing."""

    def __init__(
        self, inventory: Inventory, *, run_id: str, design: Design | None = None, decision: Decision | None = None
    ) -> None:
        """`design`: the first one, on all free disks; `decision`: the first one with all its choices."""
        self.inventory = inventory
        self.run_id = run_id
        self.first = decision or first_decision(inventory, design)
        """the decision before the user made any"""
        self.kept: Decision | None = None
        """the decision that was last saved, loaded, exported or built; None: none was"""
        self.history = DecisionHistory(now=self.first)
        self.saved: dict[str, DesignOutcome] = {}
        """designs saved in this session, to compare with, by name"""
        self._outcome: DesignOutcome | None = None
        self._recent: dict[Decision, DesignOutcome] = {}
        """outcomes of the latest decisions, the oldest first: a value that is tried and taken back costs nothing"""

    @property
    def lacks_disks(self) -> bool:
        """True if a real machine has no disk that a design could ever use."""
        return not self.inventory.simulated and not any(may_be_spare(disk) for disk in self.inventory.disks)

    @property
    def decision(self) -> Decision:
        """The present decision."""
        return self.history.now

    @property
    def outcome(self) -> DesignOutcome:
        """The present decision with its results; computed once."""
        now = self.history.now
        if self._outcome is None or self._outcome.decision != now:
            found = self._recent.pop(now, None)
            self._outcome = self._recent[now] = found or DesignOutcome(now, self.inventory, self._outcome)
            if len(self._recent) > _RECENT:
                del self._recent[next(iter(self._recent))]
        return self._outcome

    def _forget(self) -> None:
        """Drops all results."""
        self._outcome = None
        self._recent.clear()

    def decide(self, decision: Decision) -> None:
        """Makes `decision` the present one."""
        self.history = self.history.to(decision)

    def undo(self) -> int:
        """Undoes one decision. Returns how many could be undone before."""
        steps = len(self.history.past)
        self.history = self.history.undo()
        return steps

    def redo(self) -> int:
        """Redoes one decision. Returns how many could be redone before."""
        steps = len(self.history.future)
        self.history = self.history.redo()
        return steps

    def replace_inventory(self, inventory: Inventory) -> None:
        """Replaces the inventory; the decisions stay."""
        self.inventory = inventory
        self._forget()

    def renew(self) -> None:
        """Changes the run id, so that later plans share no UUID with earlier ones."""
        import hashlib

        self.run_id = hashlib.sha256(self.run_id.encode()).hexdigest()[:32]
        self._forget()

    def plan(self, outcome: DesignOutcome | None = None) -> Plan:
        """The plan of `outcome`, of the present decision without one. Raises Refused if the design is invalid.

        Each decision gets its own run id, so that two plans of one session never share a UUID.
        """
        import hashlib

        from raidtui.machine.boot.initramfs_tool import initramfs_tool  # not before a plan is asked for
        from raidtui.planner.compile.plan import compile_plan  # not before a plan is asked for

        outcome = outcome or self.outcome
        decision = outcome.decision
        return compile_plan(
            outcome.design,
            outcome.inventory,
            outcome.disks,
            outcome.prediction,
            run_id=hashlib.sha256(f"{self.run_id} {_said(decision)}".encode()).hexdigest()[:32],
            name=decision.plan_name,
            mount_point=decision.mount_point,
            host=decision.homehost or outcome.inventory.name,
            initramfs=decision.initramfs or initramfs_tool(outcome.inventory),
            alert=decision.alert,
        )


def _said(decision: Decision) -> str:
    """The decision as text that is identical in every process, and in releases that add options."""
    sets = (sorted(decision.left_out), sorted(decision.taken_over))
    alert = () if decision.alert is None else (decision.alert.mail, decision.alert.program)
    boot = tuple(each for each in (decision.homehost, decision.initramfs) if each is not None)
    others = repr((*sets, decision.spread, decision.plan_name, decision.mount_point, *alert, *boot))
    return f"{to_json(decision.design, indent=None)} {others}"
