"""The figures of all hosts, computed again from what fio printed on each: recorded, and by real fio processes.

The arithmetic is written out here: bytes and requests of fio's JSON over its run time, summed over the hosts.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from raidtui.machine.bench import store
from raidtui.machine.fleet import ask as asking
from raidtui.machine.fleet.bench import control, files, target
from raidtui.machine.fleet.bench.control import FleetBenchView
from raidtui.machine.fleet.bench.host import serve_bench
from raidtui.machine.fleet.bench.process import REQUEST
from raidtui.machine.fleet.bench.target import HostPlaces
from raidtui.machine.fleet.transport import Transport
from raidtui.machine.run import launch
from raidtui.model.bench import BenchResult, Job, Profile
from raidtui.model.codec import to_json
from raidtui.model.fleet.bench_order import BenchOutlook, BenchRequest, FleetBenchOrder, OrderedHost, Round
from raidtui.model.fleet.bench_result import FleetBench
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.inventory import Inventory
from raidtui.planner.fleet.bench import schedule
from tests.machine.fleet.bench.hosts import Answer, Hosts

RECORDED = Path(__file__).parents[2] / "benches" / "measured"
MIB = 1024 * 1024
READ = Job(
    name="read", title="read", target="files", pattern="read", block_bytes=65536, streams=2, depth=4, seconds=1.0,
    warm_up_seconds=0.0, repeats=2, stream_bytes=4 * MIB,
)  # fmt: skip
RANDOM = replace(READ, name="random", title="random", pattern="randread", block_bytes=4096, repeats=1)
SEQUENTIAL = {"read", "write"}


@pytest.fixture(autouse=True)
def _kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "fleet_benches_root", lambda **_: tmp_path / "control")
    (tmp_path / "control").mkdir(mode=0o700)


def of_fio(path: Path, *, sequential: bool) -> float:
    """Bytes or requests a second, of both directions, in fio's own output."""
    total = 0.0
    for job in json.loads(path.read_text())["jobs"]:
        for way in ("read", "write"):
            if job[way]["runtime"]:
                total += job[way]["io_bytes" if sequential else "total_ios"] / (job[way]["runtime"] / 1000)
    return total


def recomputed(folder: Path, hosts: list[str], task: int, repeats: int, *, sequential: bool) -> float:
    """Median over the repeats of the sum over the hosts, from the raw files alone."""
    sums = [
        sum(of_fio(folder / host / "fio" / f"{task:03d}-{repeat}.json", sequential=sequential) for host in hosts)
        for repeat in range(1, repeats + 1)
    ]
    return median(sums)


def compare(found: FleetBench, folder: Path, hosts: list[str]) -> int:
    """Compares every figure with fio's; how many there are."""
    count = 0
    for number, job in enumerate(found.order.profile.jobs, start=1):
        if job.pattern == "small-files":
            continue
        (figure,) = (figure for figure in found.figures if figure.job == job.name)
        sequential = job.pattern in SEQUENTIAL
        expected = recomputed(folder, hosts, number, job.repeats, sequential=sequential)
        assert figure.sum == pytest.approx(expected, rel=1e-9)
        for host in figure.hosts:
            alone = recomputed(folder, [host.host], number, job.repeats, sequential=sequential)
            assert host.measured == pytest.approx(alone, rel=1e-9)
            count += 1
    return count


def ordered(hosts: list[str], profile: Profile, of: Round = "at-once", directory: str = "/srv") -> FleetBenchOrder:
    return FleetBenchOrder(
        id="ab" * 16, made="2026-01-31T12:00:00Z", control="admin@one", rounds=(of,), profile=profile,
        hosts=tuple(OrderedHost(host=host) for host in hosts), directory=directory,
    )  # fmt: skip


def view(
    order: FleetBenchOrder, served: Callable[[RequestKind, BenchRequest], Answer], ask: pytest.MonkeyPatch
) -> FleetBenchView:
    ask.setattr(asking, "ask", Hosts(served).ask)
    files.keep_order(order)
    return FleetBenchView(transport=Transport(), order=order, interval_s=0.5)


def recorded_host(tmp_path: Path, order: FleetBenchOrder, host: str, swapped: bool) -> HostPlaces:
    """A host that ran the recorded benchmark; `swapped`: with its two repeats of the first test the other way round."""
    places = HostPlaces(simulated=False, runs=tmp_path / "none", benches=tmp_path / host)
    folder = places.benches / order.bench_id(host, "at-once")
    shutil.copytree(RECORDED, folder)
    result = store.load(folder)
    if swapped:
        first, second = (folder / "fio" / f"001-{number}.json" for number in (1, 2))
        texts = first.read_text(), second.read_text()
        first.write_text(texts[1])
        second.write_text(texts[0])
        read = result.figures[0]
        repeats = tuple(replace(read.repeats[at], value=read.repeats[1 - at].value) for at in (0, 1))
        result = replace(result, figures=(replace(read, repeats=repeats), *result.figures[1:]))
    store.save(folder, replace(result, bench=replace(result.bench, id=folder.name)))
    request = BenchRequest(host=host, round="at-once", fleet_id=order.id, order=order, begin_s=1.0)
    (folder / REQUEST).write_text(to_json(request))
    (folder / REQUEST).chmod(0o600)
    return places


def profile_of(result: BenchResult) -> Profile:
    return Profile(name="recorded", title="", purpose="", jobs=tuple(task.job for task in result.bench.tasks))


def test_recorded_output_of_fio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = ["n1", "n2"]
    order = ordered(hosts, profile_of(store.load(RECORDED)))
    places = {host: recorded_host(tmp_path, order, host, host == "n2") for host in hosts}
    shown = view(order, lambda kind, request: serve_bench(kind, request, places[request.host]), monkeypatch)
    shown.run("at-once", {}, pause=lambda _: None)  # it has ended there: nothing is started
    found = shown.document()
    folder = tmp_path / "control" / order.id / "at-once"
    assert compare(found, folder, hosts) == 8  # two hosts, four tests of fio
    read = found.figures[0]
    assert read.sum == pytest.approx(851052752.19 + 1119120303.07, abs=1)  # not twice a median
    assert [host.raw_outputs for host in found.hosts] == [6, 6]
    for host in hosts:
        there = places[host].benches / order.bench_id(host, "at-once") / "fio"
        for kept in (folder / host / "fio").glob("*.json"):
            assert kept.read_bytes() == (there / kept.name).read_bytes()


@pytest.mark.thorough
@pytest.mark.needs("fio")
def test_real_fio_on_two_hosts_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two benchmarks that begin together by the clock, each in its own process: that takes its ten seconds."""
    monkeypatch.setattr(launch, "_SYSTEMD", tmp_path / "none")
    monkeypatch.setattr(target, "own_inventory", lambda: Inventory(origin="machine", name="testhost"))
    monkeypatch.setattr(schedule, "_BEFORE_JOB", 4.0)
    monkeypatch.setattr(schedule, "_BEFORE_REPEAT", 3.0)
    monkeypatch.setattr(control, "_LEAST_LEAD_S", 0.5)
    hosts, data = ["n1", "n2"], tmp_path / "data"
    data.mkdir()
    profile = Profile(name="mine", title="", purpose="", jobs=(READ, RANDOM))
    order = ordered(hosts, profile, directory=str(data))
    places = {
        host: HostPlaces(simulated=False, runs=tmp_path / "runs", benches=tmp_path / f"benches-{host}")
        for host in hosts
    }
    shown = view(order, lambda kind, request: serve_bench(kind, request, places[request.host]), monkeypatch)
    outlooks = {host: each for host, each in shown.outlooks().items() if isinstance(each, BenchOutlook)}
    assert set(outlooks) == set(hosts)
    shown.run("at-once", outlooks, pause=time.sleep)
    found = shown.document()
    assert found.finished, [(host.host, host.reason) for host in found.hosts]
    assert compare(found, tmp_path / "control" / order.id / "at-once", hosts) == 4
    for figure in found.figures:
        assert figure.began_within_s is not None and figure.together is not None
    assert list(data.iterdir()) == []
