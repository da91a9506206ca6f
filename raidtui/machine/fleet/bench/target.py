"""What a host measures for a benchmark of the fleet: what the plan of one of its runs built, or a directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.bench import prepare
from raidtui.machine.bench.prepare import Prepared
from raidtui.machine.bench.simulated_start import begins_after, prepare_plan
from raidtui.machine.bench.targets import BenchPlace, place_of, places_of_plan, plan_of_place
from raidtui.machine.fleet.host_check import runs_root
from raidtui.machine.inventory.this_machine import this_machine, with_stored_speeds
from raidtui.machine.run import journal
from raidtui.machine.run.run_folders import confirmed_plan, load
from raidtui.machine.run.site import SPEED_UP, site_of_run
from raidtui.machine.run.work_folder import is_id
from raidtui.machine.system.state_paths import benches_root, run_roots
from raidtui.model.errors import BadInput, Refused
from raidtui.model.fleet.bench_order import BenchRequest, FleetBenchOrder, OrderedHost
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.planner.measurement.bench_plan import BenchOptions, order_problem

_NOT_BUILT = "build it first: raidtui fleet build; or name a directory that is mounted on every host"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPlaces:
    """Where a host keeps its runs and benchmarks."""

    simulated: bool
    runs: Path
    benches: Path

    @classmethod
    def of(cls, simulated: Path | None) -> HostPlaces:
        """Of this machine, or of the one that the inventory in the file `simulated` stands in for."""
        if simulated is None:
            return cls(simulated=False, runs=runs_root(None), benches=benches_root())
        return cls(simulated=True, runs=runs_root(simulated), benches=simulated.absolute().with_suffix(".benches"))

    @classmethod
    def around(cls, folder: Path) -> HostPlaces:
        """Of the simulated host whose benchmark is in `folder`."""
        return cls(simulated=True, runs=folder.parent.with_suffix(".runs"), benches=folder.parent)


def checked_order(request: BenchRequest) -> tuple[FleetBenchOrder, OrderedHost]:
    """The order and this host in it. Raises BadInput where they do not fit."""
    order = request.order
    if order is None or order.id != request.fleet_id:
        raise BadInput("the request holds no order", hint="install the same raidtui on all hosts")
    if problem := order_problem(order.profile):
        raise BadInput(f"the profile of the order: {problem}", hint="raidtui schema profile prints its format")
    host = next((each for each in order.hosts if each.host == request.host), None)
    if host is None or request.round not in order.rounds:
        raise BadInput(f"{request.host} has no part in this benchmark", hint="raidtui fleet bench orders one")
    if (host.run_id is None) == (order.directory is None):
        raise BadInput("the order names a plan and a directory, or neither", hint="raidtui fleet bench orders one")
    return order, host


def prepared(request: BenchRequest, places: HostPlaces, *, sweep: bool = False) -> Prepared:
    """The benchmark of this host. `sweep`: removes the files of killed benchmarks first.

    Raises Refused where there is nothing to measure, and all that `raidtui bench` raises.
    """
    order, host = checked_order(request)
    if order.simulated != places.simulated:
        raise Refused("a simulated benchmark and a real host do not belong together", hint="look at the hosts again")
    ask = BenchOptions(seconds=order.seconds, repeats=order.repeats, precondition=order.precondition)
    if places.simulated:
        return _simulated(request, order, host, places, ask)
    found, plan = _measured(order, host, places)
    if sweep:
        prepare.sweep([place.path for place in found], places.benches)
    return prepare.prepare(found, own_inventory(), order.profile, ask, plan=plan, during_sync=order.during_sync)


def own_inventory() -> Inventory:
    """This machine with the speeds that were measured on it."""
    return with_stored_speeds(this_machine())


def _measured(
    order: FleetBenchOrder, host: OrderedHost, places: HostPlaces
) -> tuple[tuple[BenchPlace, ...], Plan | None]:
    if order.directory is not None:
        if not order.directory.startswith("/"):
            raise BadInput(f"{order.directory} is not an absolute path", hint="name a directory that every host has")
        place = place_of(Path(order.directory))
        return (place,), plan_of_place(place, run_roots())
    plan = _built(host, places)
    return places_of_plan(plan), plan


def _built(host: OrderedHost, places: HostPlaces) -> Plan:
    """The plan of the run that is measured. Raises Refused where it was not built here."""
    run_id = host.run_id or ""
    if not is_id(run_id):
        raise BadInput(f"'{run_id}' is not a run id", hint="plan the fleet again")
    folder = places.runs / run_id
    if not journal.is_begun(folder):
        raise Refused("its plan was not built here", hint=_NOT_BUILT)
    plan = confirmed_plan(folder, host.digest or "")
    run = load(folder).run
    if run.purpose == "undo" or run.outcome != "finished":
        raise Refused(f"the {run.purpose} of its plan is {run.outcome}", hint=_NOT_BUILT)
    return plan


def _simulated(
    request: BenchRequest, order: FleetBenchOrder, host: OrderedHost, places: HostPlaces, ask: BenchOptions
) -> Prepared:
    if order.directory is not None:
        raise Refused(
            "a simulated host has no directories", hint="name the sheet's directory that was built on these hosts"
        )
    plan = _built(host, places)
    folder = places.runs / plan.run_id
    start = request.begin_s if request.begin_s is not None else begins_after(folder, places.benches, plan)
    return prepare_plan(
        plan, site_of_run(folder, plan).inventory(plan), order.profile, ask, start=start,
        speed_up=SPEED_UP if order.speed_up is None else order.speed_up,
        bench_id=order.bench_id(request.host, request.round),
    )  # fmt: skip


def machine_time(request: BenchRequest, places: HostPlaces) -> float | None:
    """When a simulated benchmark begins by the clock of its machine; `begin_s` as it is on a real host."""
    if not places.simulated:
        return request.begin_s
    _, host = checked_order(request)
    plan = _built(host, places)
    return max(begins_after(places.runs / plan.run_id, places.benches, plan), request.begin_s or 0.0)
