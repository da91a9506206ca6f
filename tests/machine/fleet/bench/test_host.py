"""A host that is told to measure: by its own process, once, whoever asks; and what it refuses."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.bench import profiles
from raidtui.machine.fleet.bench.host import serve_bench
from raidtui.machine.fleet.bench.target import HostPlaces
from raidtui.machine.fleet.host_run import serve_run
from raidtui.machine.inventory import shipped
from raidtui.model.codec import to_json
from raidtui.model.errors import BadInput, Refused
from raidtui.model.fleet.bench_order import (
    BenchOutlook,
    BenchRequest,
    FleetBenchOrder,
    HostBench,
    HostBenchResult,
    JobSlot,
    OrderedHost,
)
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.fleet.orders import BuildOrder, Claim, RunOrder
from raidtui.model.fleet.rollout import Rollout
from raidtui.model.plan import Plan

FAST = 1e9
QUICK = replace(profiles.load("quick"), jobs=profiles.load("quick").jobs[:1])
TRIO = shipped.load("trio")
ROLLOUT = Rollout(sheet_digest="d" * 64, hosts=("n1",), canary="n1", wave_size=1, stop_after=1)
CLAIM = Claim(control="admin@one", token="1" * 32, since="2026-01-31T12:00:00Z", rollout=ROLLOUT)


def ordered(plan: Plan) -> FleetBenchOrder:
    return FleetBenchOrder(
        id="ab" * 16, made="2026-01-31T12:00:00Z", control="admin@one", rounds=("at-once",), simulated=True,
        hosts=(OrderedHost(host="n1", run_id=plan.run_id, digest=plan.digest),), sheet_digest="d" * 64,
        profile=QUICK, speed_up=FAST,
    )  # fmt: skip


def request(order: FleetBenchOrder) -> BenchRequest:
    return BenchRequest(host="n1", round="at-once", fleet_id=order.id, order=order)


def asked(
    kind: RequestKind, order: FleetBenchOrder, host: Path, **more: object
) -> BenchOutlook | HostBench | HostBenchResult:
    return serve_bench(kind, replace(request(order), **more), HostPlaces.of(host))  # type: ignore[arg-type]


def test_an_order_names_no_tree(plan: Plan, host: Path) -> None:
    job = replace(QUICK.jobs[0], pattern="small-files", direct=False, files=1, block_bytes=1, tree="/root")
    order = replace(ordered(plan), profile=replace(QUICK, jobs=(job,)))
    for kind in ("bench-look", "bench"):
        with pytest.raises(BadInput, match=r"jobs\.0\.tree: no order names one; raidtui bench --tree on the host does"):
            asked(kind, order, host)


def test_a_plan_that_was_not_built_is_refused(plan: Plan, host: Path) -> None:
    for kind in ("bench-look", "bench"):
        with pytest.raises(Refused, match="its plan was not built here"):
            asked(kind, ordered(plan), host)
    assert asked("bench-status", ordered(plan), host) == HostBench()


def test_a_simulated_host_has_no_directories(plan: Plan, host: Path) -> None:
    order = replace(ordered(plan), hosts=(OrderedHost(host="n1"),), directory="/srv", sheet_digest=None)
    with pytest.raises(Refused, match="has no directories"):
        asked("bench-look", order, host)


def test_a_real_host_measures_nothing_simulated(plan: Plan, tmp_path: Path) -> None:
    places = HostPlaces(simulated=False, runs=tmp_path / "runs", benches=tmp_path / "benches")
    with pytest.raises(Refused, match="do not belong together"):
        serve_bench("bench", request(ordered(plan)), places)


@pytest.mark.parametrize("other", ["", "../../etc", "AB" * 16, "ab" * 15])
def test_an_id_never_leaves_the_directory_of_benchmarks(plan: Plan, host: Path, other: str) -> None:
    order = ordered(plan)
    for kind in ("bench-status", "bench-result", "bench-stop"):
        with pytest.raises(BadInput, match="is not the id of a benchmark"):
            asked(kind, order, host, fleet_id=other)
    with pytest.raises(BadInput, match="is not a run id"):
        asked("bench", replace(order, hosts=(OrderedHost(host="n1", run_id=f"../{other}", digest=""),)), host)


def test_an_order_that_does_not_fit_is_refused(plan: Plan, host: Path) -> None:
    order = ordered(plan)
    with pytest.raises(BadInput, match="holds no order"):
        serve_bench("bench", replace(request(order), order=None), HostPlaces.of(host))
    with pytest.raises(BadInput, match="n2 has no part"):
        serve_bench("bench", replace(request(order), host="n2"), HostPlaces.of(host))
    with pytest.raises(BadInput, match="names a plan and a directory, or neither"):
        asked("bench", replace(order, directory="/srv"), host)
    job = replace(order.profile.jobs[0], seconds=1e9)
    with pytest.raises(BadInput, match=r"the profile of the order: jobs\.0\.seconds"):
        asked("bench", replace(order, profile=replace(order.profile, jobs=(job,))), host)


def until(kind: RequestKind, order: FleetBenchOrder, host: Path, *outcomes: str) -> HostBench:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        state = asked(kind, order, host)
        assert isinstance(state, HostBench)
        if state.outcome in outcomes:
            return state
        time.sleep(0.1)
    raise AssertionError(f"not {outcomes}")


@pytest.mark.process
def test_a_host_measures_once_whoever_asks(plan: Plan, host: Path) -> None:
    build = BuildOrder(plan=plan, claim=CLAIM, speed_up=1e7)
    serve_run("build", to_json(build), host)
    status = to_json(RunOrder(run_id=plan.run_id, digest=plan.digest))
    while (built := serve_run("status", status, host).run) is None or built.outcome == "running":
        time.sleep(0.1)
    order = ordered(plan)
    outlook = asked("bench-look", order, host)
    assert isinstance(outlook, BenchOutlook) and len(outlook.bench.tasks) == 1
    assert asked("bench-status", order, host) == HostBench()
    slots = (JobSlot(job="read", ordinal=1, first_s=100.0, step_s=30.0),)
    first = asked("bench", order, host, slots=slots, begin_s=4e9)
    assert isinstance(first, HostBench) and first.begin_s == 4e9  # the machine's own time begins there
    assert isinstance(asked("bench", order, host, begin_s=5e9), HostBench)  # the answer was lost: asked again
    ended = until("bench-status", order, host, "finished")
    assert (ended.begin_s, ended.share, ended.tasks) == (4e9, 1.0, 1)
    assert len(list(host.with_suffix(".benches").glob("*/bench.json"))) == 1
    found = asked("bench-result", order, host)
    assert isinstance(found, HostBenchResult) and found.result.outcome == "finished"
    read = found.result.figures[0]
    assert read.repeats[0].began == pytest.approx(4e9 + 100 + 2, abs=0.2)  # its slot and the warm-up
    assert "simulated" in read.labels and found.raw == ()
    known = asked("bench-find", order, host, fleet_id="abab")
    assert isinstance(known, HostBench) and known.order == order
