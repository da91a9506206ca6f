"""Session shared by the screens: inventory, decision history, results of the present one. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from raidtui.predict.disks.holds import holders
from raidtui.values.inventory import Disk, Inventory

if TYPE_CHECKING:
    from pathlib import Path

    from raidtui.session.decision import DecisionHistory, DesignOutcome
    from raidtui.values.decision import Decision
    from raidtui.values.design import Design
    from raidtui.values.plan import Plan


def may_be_spare(disk: Disk) -> bool:
    """True for a disk that can be chosen, or is idle and its content could not be read."""
    return disk.selectable or (not holders(disk) and bool(disk.id) and disk.state == "unknown")


class Session:
    """One session of the app: inventory, decision history and saved designs; it executes nothing."""

    def __init__(
        self, inventory: Inventory, *, run_id: str, design: Design | None = None, decision: Decision | None = None,
        designs: Path | None = None,
    ) -> None:  # fmt: skip
        """`design`: the first one, on all free disks; `decision`: the first one with all its choices.

        `designs`: directory of saved designs; None: they last for this session only.
        """
        self.run_id = run_id
        self.designs = designs
        self.changed: Callable[[], None] = lambda: None
        """called after each decision, and when the inventory was replaced"""
        self._begin(inventory, design, decision)

    def _begin(self, inventory: Inventory, design: Design | None = None, decision: Decision | None = None) -> None:
        self.inventory = inventory
        self.shipped = inventory
        """of a chassis: as it is without any run"""
        self._begun_with = design, decision
        self.kept: Decision | None = None
        """the decision that was last saved, loaded, exported or built; None: none was"""
        self.saved: dict[str, DesignOutcome] = {}
        """designs saved in this session, to compare with, by name"""
        self._outcome: DesignOutcome | None = None

    def begin_again(self, inventory: Inventory) -> None:
        """Begins on other disks; a design stays only if it was saved on disk."""
        self._begin(inventory)
        for made in ("first", "history"):
            self.__dict__.pop(made, None)
        self.changed()

    @cached_property
    def first(self) -> Decision:
        """The decision before the user made any."""
        from raidtui.session.decision import first_decision  # after the first picture

        design, decision = self._begun_with
        return decision or first_decision(self.inventory, design)

    @cached_property
    def history(self) -> DecisionHistory:
        """Every decision."""
        from raidtui.session.decision import DecisionHistory  # after the first picture

        return DecisionHistory(now=self.first)

    @property
    def lacks_disks(self) -> bool:
        """True if a real machine has no disk that a design could ever use."""
        return not self.inventory.simulated and not any(may_be_spare(disk) for disk in self.inventory.disks)

    @property
    def built_on(self) -> bool:
        """True for a chassis that is as a simulated run left it."""
        return self.inventory.origin == "chassis" and self.inventory is not self.shipped

    @property
    def decision(self) -> Decision:
        """The present decision."""
        return self.history.now

    @property
    def is_unsaved(self) -> bool:
        """True if leaving now would lose a design: it differs from the first one, and from the one last kept."""
        return self.decision not in (self.first, self.kept)

    @property
    def decided(self) -> bool:
        """False until somebody asked for an outcome: the first picture shows disks alone."""
        return self._outcome is not None

    @property
    def outcome(self) -> DesignOutcome:
        """The present decision with its results; computed once."""
        now = self.history.now
        if self._outcome is None or self._outcome.decision != now:
            from raidtui.session.decision import DesignOutcome  # after the first picture

            self._outcome = DesignOutcome(now, self.inventory, self._outcome)
        return self._outcome

    def decide(self, decision: Decision) -> None:
        """Makes `decision` the present one."""
        self.history = self.history.to(decision)
        self.changed()

    def undo(self) -> int:
        """Undoes one decision. Returns how many could be undone before."""
        steps = len(self.history.past)
        self.history = self.history.undo()
        self.changed()
        return steps

    def redo(self) -> int:
        """Redoes one decision. Returns how many could be redone before."""
        steps = len(self.history.future)
        self.history = self.history.redo()
        self.changed()
        return steps

    def replace_inventory(self, inventory: Inventory) -> None:
        """Replaces the inventory; the decisions stay."""
        self.inventory = inventory
        self._outcome = None
        self.changed()

    def renew(self) -> None:
        """Changes the run id, so that later plans share no UUID with earlier ones."""
        import hashlib

        self.run_id = hashlib.sha256(self.run_id.encode()).hexdigest()[:32]
        self._outcome = None

    def plan(self, outcome: DesignOutcome | None = None) -> Plan:
        """The plan of `outcome`, of the present decision without one. Raises Refused if the design is invalid.

        Each decision gets its own run id, so that two plans of one session never share a UUID.
        """
        import hashlib

        from raidtui.machine.arrays.boot import initramfs_tool  # not before a plan is asked for
        from raidtui.machine.system.host import utc_now  # not before a plan is asked for
        from raidtui.steps.build import compile_plan  # not before a plan is asked for

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
            made=utc_now(),
        )


def _said(decision: Decision) -> str:
    """The decision as text that is identical in every process, and in releases that add options."""
    from raidtui.values.codec import to_json  # not before a plan is asked for

    sets = (sorted(decision.left_out), sorted(decision.taken_over))
    alert = () if decision.alert is None else (decision.alert.mail, decision.alert.program)
    boot = tuple(each for each in (decision.homehost, decision.initramfs) if each is not None)
    others = repr((*sets, decision.spread, decision.plan_name, decision.mount_point, *alert, *boot))
    return f"{to_json(decision.design, indent=None)} {others}"
