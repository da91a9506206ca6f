"""A host that is told to build: by its own executor, once, for one control host at a time."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import is_alive
from raidtui.fleet import host_acts
from raidtui.fleet.control import Claimed
from raidtui.fleet.host_acts import require_own_plan, serve_run
from raidtui.fleet.values import BuildOrder, Claim, HostRun, Rollout, RunOrder
from raidtui.machine.inventory import shipped
from raidtui.simulated.machine import SimulatedMachine
from raidtui.values.codec import to_json
from raidtui.values.design import Alert
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Use
from raidtui.values.plan import Plan
from tests.machine.simulation import planned

ROLLOUT = Rollout(sheet_digest="d" * 64, hosts=("n1",), canary="n1", wave_size=1, stop_after=1)
CLAIM = Claim(control="admin@one", token="1" * 32, since="2026-01-31T12:00:00Z", rollout=ROLLOUT)
OTHER = replace(CLAIM, control="admin@two", token="2" * 32)
FAST = 1e7
TRIO = shipped.load("trio")


def build(plan: Plan, host: Path, claim: Claim = CLAIM, *, take_over: bool = False) -> HostRun:
    order = BuildOrder(plan=plan, claim=claim, take_over=take_over, speed_up=FAST)
    return serve_run("build", to_json(order), host)


def asked(kind: str, plan: Plan, host: Path, **more: object) -> HostRun:
    order = RunOrder(run_id=plan.run_id, digest=plan.digest, speed_up=FAST, **more)  # type: ignore[arg-type]
    return serve_run(kind, to_json(order), host)  # type: ignore[arg-type]


def ended(plan: Plan, host: Path) -> HostRun:
    """The executor holds its folder a moment longer than its last record says that it runs."""
    folder = host.with_suffix(".runs") / plan.run_id
    until = time.monotonic() + 60
    while time.monotonic() < until:
        state = asked("status", plan, host)
        if state.run is not None and state.run.outcome != "running" and not is_alive(folder):
            return state
        time.sleep(0.1)
    raise AssertionError("it did not end")


def begins(plan: Plan, host: Path) -> int:
    records = journal.records(host.with_suffix(".runs") / plan.run_id)
    return sum(record.kind == "begun" for record in records)


def test_a_run_that_did_not_begin_is_no_run(plan: Plan, host: Path) -> None:
    assert asked("status", plan, host) == HostRun()


def test_content_that_is_not_given_up_is_refused_before_anything_is_written(host: Path) -> None:
    first = replace(TRIO.disks[0], uses=(Use(kind="file-system", where="", active=False),), state="content")
    found = SimulatedMachine(replace(TRIO, disks=(first, *TRIO.disks[1:]))).inventory()
    held = planned("raid5(2+1)", found)
    host.write_text(to_json(found))
    with pytest.raises(Refused, match="holds"):
        build(held, host)
    assert not host.with_suffix(".runs").joinpath(held.run_id).exists()


def test_an_executor_on_a_busy_host_begins_after_minutes(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes, records = itertools.count(step=60.0), iter([(), (), (), (), ("its first record",)])
    monkeypatch.setattr(host_acts, "go_on", lambda *_, **__: SimpleNamespace(running=lambda: True))
    monkeypatch.setattr(
        "raidtui.engine.process.time", SimpleNamespace(monotonic=lambda: next(minutes), sleep=lambda _: None)
    )
    monkeypatch.setattr(journal, "records", lambda _: next(records))
    host_acts._start(tmp_path, "undo", plan, None)
    assert list(records) == []


def test_a_run_that_an_order_left_without_a_record_asks_for_its_content_again(host: Path) -> None:
    """The order that wrote the plan gave the content up; one that comes later has to say so too."""
    first = replace(TRIO.disks[0], uses=(Use(kind="file-system", where="", active=False),), state="content")
    found = SimulatedMachine(replace(TRIO, disks=(first, *TRIO.disks[1:]))).inventory()
    held = planned("raid5(2+1)", found)
    host.write_text(to_json(found))
    folder = journal.create(host.with_suffix(".runs"), held)
    with pytest.raises(Refused, match="holds"):
        build(held, host)
    assert journal.records(folder) == ()


def test_an_order_of_another_version_names_the_way_out(plan: Plan, host: Path) -> None:
    order = json.loads(to_json(BuildOrder(plan=plan, claim=CLAIM)))
    order["plan"]["colour"] = "green"
    with pytest.raises(BadInput, match=r"the order of the control host: plan\.colour: unknown key") as problem:
        serve_run("build", json.dumps(order), host)
    assert problem.value.hint == "install the same version of raidtui on all hosts"


def test_a_changed_plan_is_refused(plan: Plan, host: Path) -> None:
    with pytest.raises(BadInput, match="changed after it was written"):
        build(replace(plan, name="other"), host)
    assert asked("status", plan, host) == HostRun()


def test_an_order_names_only_alert_programs_that_root_listed(host: Path) -> None:
    """mdadm's monitor runs the program as root: without the list, whoever may send an order is root."""
    named = planned("raid5(2+1)", TRIO, alert=Alert(mail="storage@example.org", program="/usr/local/sbin/page"))
    listed = host.with_name("alert-programs")
    sentence = "names /usr/local/sbin/page as alert program, which root has not listed on this host"
    for text in (None, "", "# /usr/local/sbin/page\n/usr/local/sbin\n/usr/local/sbin/pager\n"):
        if text is not None:
            listed.write_text(text)
        with pytest.raises(Refused, match=sentence) as problem:
            build(named, host)
        assert str(listed) in problem.value.hint
        assert not (host.with_suffix(".runs") / named.run_id).exists()
    listed.write_text("/usr/local/sbin/page\n")
    require_own_plan(named, host)
    listed.chmod(0o666)
    with pytest.raises(Refused, match="writable by others"):
        require_own_plan(named, host)


def test_a_host_of_a_fleet_refuses_disks_that_only_their_path_names(host: Path) -> None:
    disks = (replace(TRIO.disks[0], id="path-pci-0000:04:00.0", by_id=(), by_path="pci-0000:04:00.0"), *TRIO.disks[1:])
    named = planned("raid5(2+1)", replace(TRIO, disks=disks))
    with pytest.raises(Refused, match="knows disks by their path alone, which is not enough for a fleet"):
        build(named, host)
    assert not (host.with_suffix(".runs") / named.run_id).exists()


@pytest.mark.parametrize("run_id", ["", "../../etc", "A" * 32, "0" * 31])
def test_a_run_id_never_leaves_the_directory_of_runs(run_id: str, host: Path) -> None:
    with pytest.raises(BadInput, match="not a run id"):
        serve_run("status", to_json(RunOrder(run_id=run_id, digest="d")), host)


@pytest.mark.process
def test_a_host_builds_once_whoever_asks_and_is_undone(plan: Plan, host: Path) -> None:
    assert build(plan, host).run is not None
    with pytest.raises(Claimed, match="admin@one follows this run since 2026-01-31T12:00:00Z"):
        build(plan, host, OTHER)
    assert build(plan, host).claim == CLAIM  # the answer was lost: asked again
    taken = build(plan, host, OTHER, take_over=True)
    assert taken.claim == OTHER
    done = ended(plan, host)
    assert done.run is not None
    assert (done.run.purpose, done.run.outcome, done.run.reason) == ("build", "finished", "")
    assert begins(plan, host) == 1
    with pytest.raises(Claimed):
        asked("undo", plan, host, claim=CLAIM)
    looked = asked("undo-look", plan, host)
    asked("undo", plan, host, claim=OTHER, lose_files=looked.files or "0")
    undone = ended(plan, host)
    assert undone.run is not None
    assert (undone.run.purpose, undone.run.outcome) == ("undo", "finished")
    assert begins(plan, host) == 2
