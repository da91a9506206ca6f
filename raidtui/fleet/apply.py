"""A recipe applied to the inventories of many hosts: a plan or a reason for each, and the sheet of all of them.

A plan is a megabyte: it is handed out and not kept. What alike hosts share is computed once: the search, and the
prediction of speed and risk.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import expm1, log1p

from raidtui.advice.proposals.propose import propose
from raidtui.fleet.machines import MachineKind, difference, kind_of, most_frequent, prediction_key
from raidtui.fleet.recipe import Recipe, RecipeConstraints, assumptions_of, constraints_of, decision_of, usable_disks
from raidtui.fleet.sheet import FleetSums, HostRate, Sheet, SheetHost, SheetKind, SheetOrder, SheetState
from raidtui.machine.system.host import utc_now
from raidtui.predict.design import assess, predict
from raidtui.predict.placement.place import disks_for
from raidtui.predict.risk.loss_rates import failures_per_hour, restock_hours
from raidtui.predict.risk.spares import spares_on_shelf
from raidtui.predict.stated_disks import with_luns
from raidtui.steps.build import compile_plan
from raidtui.values.amounts import float_sum
from raidtui.values.assumptions import Assumptions
from raidtui.values.codec import document_digest, to_json
from raidtui.values.design import Design
from raidtui.values.errors import RaidtuiError, Refused
from raidtui.values.findings import errors, first_of, warnings
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.plan import Plan
from raidtui.values.prediction import Prediction
from raidtui.values.units import HOURS_PER_YEAR

# What hosts that are alike are predicted to give, and what all hosts give together.


def sheet_kind(prediction: Prediction, *, spares: int, simulated: bool) -> SheetKind:
    """The figures of an assessed prediction that has sizes; its hosts are filled in later."""
    speed, risk = prediction.throughput, prediction.durability
    assert speed is not None
    return SheetKind(
        hosts=(),
        layout=prediction.layout,
        disks=len(prediction.disks),
        simulated=simulated,
        spares=spares,
        raw_bytes=prediction.raw_bytes,
        usable_bytes=prediction.usable_bytes,
        seq_read=speed.seq_read,
        seq_write=speed.seq_write,
        rebuild_hours=None if risk is None else risk.rebuild_hours,
        any_loss_1y=None if risk is None else risk.any_loss_1y,
        any_loss_1y_correlated=None if risk is None else risk.any_loss_1y_correlated,
    )


def sums_of(hosts: Sequence[SheetHost], kinds: Sequence[SheetKind], assumptions: Assumptions) -> FleetSums:
    """All planned hosts together. Disks fail at the assumed rate, spares too; hosts are independent of each other."""
    planned = [(host.host, kinds[host.kind]) for host in hosts if host.kind is not None]
    known = bool(planned) and all(kind.any_loss_1y is not None for _, kind in planned)
    disks = sum(kind.disks for _, kind in planned)
    failure, restock = failures_per_hour(assumptions), restock_hours(assumptions)
    return FleetSums(
        planned=len(planned),
        left_out=sum(host.state == "left out" for host in hosts),
        refused=sum(host.state == "refused" for host in hosts),
        simulated=sum(kind.simulated for _, kind in planned),
        disks=disks,
        spares=sum(kind.spares for _, kind in planned),
        raw_bytes=sum(kind.raw_bytes for _, kind in planned),
        usable_bytes=sum(kind.usable_bytes for _, kind in planned),
        read_bytes_per_s=sum(kind.seq_read.bytes_per_s for _, kind in planned),
        write_bytes_per_s=sum(kind.seq_write.bytes_per_s for _, kind in planned),
        slowest_read=_slowest(planned, lambda kind: kind.seq_read.bytes_per_s),
        slowest_write=_slowest(planned, lambda kind: kind.seq_write.bytes_per_s),
        disk_failures_1y=disks * failure * HOURS_PER_YEAR if known else None,
        any_loss_1y=_anywhere([kind.any_loss_1y or 0.0 for _, kind in planned]) if known else None,
        any_loss_1y_correlated=_anywhere([kind.any_loss_1y_correlated or 0.0 for _, kind in planned])
        if known
        else None,
        restock_days=assumptions.restock_days if known else None,
        spares_on_shelf=spares_on_shelf(disks, failure, restock) if known else None,
    )


def _slowest(planned: Sequence[tuple[str, SheetKind]], rate: Callable[[SheetKind], int]) -> HostRate | None:
    if not planned:
        return None
    host, kind = min(planned, key=lambda each: rate(each[1]))
    return HostRate(host=host, bytes_per_s=rate(kind))


def _anywhere(losses: Sequence[float]) -> float:
    """Probability of at least one of independent events."""
    return -expm1(float_sum(log1p(-min(loss, 1 - 1e-16)) for loss in losses))


TakePlan = Callable[[str, Plan], None]
"""takes the plan of a host"""


@dataclass(frozen=True, slots=True)
class _Host:
    """A host that answered."""

    name: str
    inventory: Inventory
    disks: tuple[Disk, ...]
    """those that the recipe may use"""
    kind: MachineKind


@dataclass(frozen=True, slots=True)
class _Planned:
    """A host with its plan's marks, and the key of the hosts that share its prediction."""

    entry: SheetHost
    key: Hashable


def plan_fleet(
    recipe: Recipe,
    inventories: Mapping[str, Inventory],
    *,
    mint: str,
    keep: TakePlan,
    unanswered: Mapping[str, str] | None = None,
    order: SheetOrder | None = None,
) -> Sheet:
    """The sheet of `recipe` on every host of `inventories` and of `unanswered`, hosts without one, with the reasons.

    `mint` is 32 hex digits, new for every sheet; the sheet follows from the arguments alone. `keep` gets each plan
    once, in the order of `inventories`. Nothing is raised for a host: its entry holds the reason. `order`: that of the
    build; without a first host of its own it gets the first that has a plan.
    """
    return _Fleet(recipe, inventories, mint, unanswered or {}).sheet(keep, order or SheetOrder())


class _Fleet:
    def __init__(
        self, recipe: Recipe, inventories: Mapping[str, Inventory], mint: str, unanswered: Mapping[str, str]
    ) -> None:
        self._recipe, self._mint, self._unanswered = recipe, mint, unanswered
        self._hosts = {name: _host(recipe, name, inventory) for name, inventory in inventories.items()}
        self._usual = most_frequent({name: host.kind for name, host in self._hosts.items()})
        self._shared = _hosts_of_disks(self._hosts.values())
        self._layouts: dict[Hashable, Layout | str] = {}
        self._kinds: dict[Hashable, SheetKind] = {}

    @property
    def _unlike(self) -> SheetState:
        """State of hosts that are not like most, or did not answer."""
        return "refused" if self._recipe.differs == "refuse" else "left out"

    def sheet(self, keep: TakePlan, build: SheetOrder) -> Sheet:
        """The sheet; `keep` gets every plan."""
        entries, planned = [], []
        for host in self._hosts.values():
            made = self._planned(host, keep)
            planned += [made] if isinstance(made, _Planned) else []
            entries.append(made.entry if isinstance(made, _Planned) else made)
        entries += [
            SheetHost(host=name, state=self._unlike, reason=reason) for name, reason in self._unanswered.items()
        ]
        return self._put_together(entries, planned, build)

    def _put_together(self, entries: Sequence[SheetHost], planned: Sequence[_Planned], build: SheetOrder) -> Sheet:
        order = [key for key, _ in Counter(each.key for each in planned).most_common()]
        number = {key: place for place, key in enumerate(order)}
        names = {key: tuple(each.entry.host for each in planned if each.key == key) for key in order}
        kinds = tuple(replace(self._kinds[key], hosts=names[key]) for key in order)
        kind_of_host = {each.entry.host: number[each.key] for each in planned}
        hosts = tuple(replace(entry, kind=kind_of_host.get(entry.host)) for entry in entries)
        sheet = Sheet(
            recipe=self._recipe,
            mint=self._mint,
            hosts=hosts,
            kinds=kinds,
            sums=sums_of(hosts, kinds, assumptions_of(self._recipe, ())),
            order=replace(build, first=build.first or next((each.entry.host for each in planned), "")),
            digest="",
        )
        return replace(sheet, digest=document_digest(sheet))

    def _planned(self, host: _Host, keep: TakePlan) -> _Planned | SheetHost:
        """The plan's marks, or the entry with the reason why there is none."""
        assert self._usual is not None
        usual = self._hosts[self._usual]
        differs = difference(host.kind, host.inventory, usual.kind, usual.inventory)
        if differs and self._recipe.differs != "fit":
            return SheetHost(
                host=host.name, state=self._unlike, reason=f"not like most hosts: {differs}", differs=differs
            )
        try:
            self._require_own_disks(host)
            return self._plan(host, differs, keep)
        except RaidtuiError as problem:
            return SheetHost(host=host.name, state="refused", reason=str(problem), differs=differs)

    def _require_own_disks(self, host: _Host) -> None:
        """Raises Refused if another host has the same disks: one machine under two names, or shared shelves."""
        others = {other for disk in host.disks for other in self._shared.get(disk.id, ())} - {host.name}
        if others and not host.inventory.simulated:
            raise Refused(f"{min(others)} has the same disks: two names of one machine, or disks that both reach")

    def _plan(self, host: _Host, differs: str, keep: TakePlan) -> _Planned:
        recipe, inventory = self._recipe, host.inventory
        layout = self._layout(host, differs)
        decision = decision_of(recipe, layout, host.disks)
        design = replace(decision.design, target=inventory.target)
        disks = disks_for(design, host.disks) if recipe.spread else host.disks
        if design.encryption is not None and design.encryption.asks:
            raise Refused("no person types a passphrase on each host", hint="state key_file in the recipe")
        prediction = predict(design, disks)
        if refused := errors(prediction.findings):
            raise Refused(first_of(refused))
        plan = compile_plan(
            design, inventory, disks, prediction, run_id=self._run_id(host), name=decision.plan_name,
            mount_point=decision.mount_point, host=inventory.name, initramfs=recipe.initramfs, alert=decision.alert,
            made=utc_now(),
        )  # fmt: skip
        keep(host.name, plan)
        entry = SheetHost(
            host=host.name,
            state="planned",
            differs=differs,
            run_id=plan.run_id,
            digest=plan.digest,
            erases=tuple(sorted({disk for step in plan.steps for disk in step.destroys})),
            warnings=tuple(sorted({finding.code for finding in warnings(plan.findings)})),
        )
        return _Planned(entry, self._predicted(host, design, disks, prediction, decision.assumptions))

    def _layout(self, host: _Host, differs: str) -> Layout:
        """The layout of the recipe, or that of the search. Raises Refused if there is none."""
        recipe = self._recipe
        if recipe.layout is not None and not (differs and recipe.constraints):
            return recipe.layout.layout
        key = prediction_key(host.inventory, host.disks)
        if key not in self._layouts:
            self._layouts[key] = _searched(recipe, host)
        found = self._layouts[key]
        if isinstance(found, str):
            raise Refused(found)
        return found

    def _predicted(
        self, host: _Host, design: Design, disks: Sequence[Disk], prediction: Prediction, said: Assumptions
    ) -> Hashable:
        """Predicts speed and risk once for all hosts that are alike; returns their key."""
        key = design, host.inventory.simulated, prediction_key(host.inventory, disks[: design.disks])
        if key not in self._kinds:
            found = assess(design, disks, prediction, host.inventory, said, spread=self._recipe.spread)
            self._kinds[key] = sheet_kind(found, spares=design.layout.spares, simulated=host.inventory.simulated)
        return key

    def _run_id(self, host: _Host) -> str:
        """Follows from the mint and all that decides the plan, so that no two plans share a UUID."""
        disks = [(disk.id, disk.size_bytes, disk.fingerprint) for disk in host.disks]
        known = to_json([self._mint, host.name, host.inventory.machine_id, self._recipe, disks], indent=None)
        return hashlib.sha256(known.encode()).hexdigest()[:32]


def _host(recipe: Recipe, name: str, inventory: Inventory) -> _Host:
    if not recipe.measured:
        inventory = inventory.unmeasured
    if recipe.lun is not None:
        inventory = with_luns(inventory, (recipe.lun,))
    disks = usable_disks(recipe, inventory)
    return _Host(name, inventory, disks, kind_of(inventory, disks))


def _hosts_of_disks(hosts: Iterable[_Host]) -> dict[str, set[str]]:
    """Identity of each disk that several hosts reach, in use there or not, with their names."""
    found: dict[str, set[str]] = {}
    for host in hosts:
        for disk in host.inventory.disks:
            found.setdefault(disk.id, set()).add(host.name)
    return {disk: names for disk, names in found.items() if len(names) > 1}


def _searched(recipe: Recipe, host: _Host) -> Layout | str:
    """The layout that the search picks for a host, or why there is none."""
    constraints = constraints_of(recipe)
    assert constraints is not None
    proposal = propose(host.inventory, host.disks, constraints, assumptions_of(recipe, host.disks))
    if refused := errors(proposal.findings):
        return first_of(refused)
    wanted = (recipe.constraints or RecipeConstraints()).pick
    picked = next((pick for pick in proposal.picks if pick.name == wanted), None)
    return f"no layout is '{wanted}' on its disks" if picked is None else picked.layout.layout
