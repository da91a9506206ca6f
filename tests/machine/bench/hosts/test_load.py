"""Real fio servers on loopback addresses: figures by host and in sum, and hosts that go away."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.bench import store
from raidtui.machine.bench.benchmark import Benchmark
from raidtui.machine.bench.events import Event, PhaseStarted
from raidtui.machine.bench.hosts.agents import agents, answers, require
from raidtui.machine.bench.hosts.client import ClientOutput
from raidtui.machine.bench.hosts.load import HostsLoad, labels_of
from raidtui.machine.bench.hosts.prepare import prepare_hosts
from raidtui.model.bench import BenchResult, Job, Profile
from raidtui.model.errors import BadInput, MachineFailed, Refused
from raidtui.planner.measurement.bench_plan import BenchOptions
from raidtui.tools.fio_hosts import HostAddress
from raidtui.tools.fio_json import FioResult, Flow
from tests.lab.host import require_programs

MIB = 1024 * 1024
WRITE = Job(
    name="write", title="write", target="files", pattern="write", block_bytes=65536, streams=2, stream_bytes=2 * MIB,
    seconds=1, warm_up_seconds=0, repeats=1, direct=False,
)  # fmt: skip
READ = replace(WRITE, name="read", title="read", pattern="read")
PROFILE = Profile(name="two", title="", purpose="", jobs=(WRITE, READ))


class Servers:
    """fio servers that this test started, each in a session of its own."""

    def __init__(self) -> None:
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, address: str) -> HostAddress:
        with socket.socket() as listener:
            listener.bind((address, 0))
            port = listener.getsockname()[1]
        host = HostAddress(name=f"host-{address[-1]}", host=address, port=port)
        self.running[host.name] = subprocess.Popen(
            ["fio", f"--server=ip:{address},{port}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        until = time.monotonic() + 20
        while not answers(host):
            assert time.monotonic() < until, "fio's server does not answer"
            time.sleep(0.05)
        return host

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def jobs(self) -> int:
        """Processes of the servers' groups beside the servers themselves: jobs at work."""
        groups = {process.pid for process in self.running.values()}
        found = 0
        for each in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = each.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found += int(fields[2]) in groups and int(each.parent.name) not in groups and fields[0] != "Z"
        return found


@pytest.fixture
def servers() -> Iterator[Servers]:
    require_programs({"fio": "fio"})
    found = Servers()
    yield found
    for name in list(found.running):
        found.kill(name)


def run(
    tmp_path: Path, hosts: list[HostAddress], profile: Profile, *, seconds: float = 1,
    heard: Callable[[Benchmark, Event], None] = lambda _, __: None, told: Callable[[str], None] = lambda _: None,
) -> BenchResult:  # fmt: skip
    data = tmp_path / "data"
    data.mkdir()
    prepared = prepare_hosts(
        hosts, str(data), profile, BenchOptions(seconds=seconds), room_bytes=64 * MIB, on_notice=told
    )
    folder = store.create_at(tmp_path / "out", prepared.bench)
    benchmark = prepared.begin(folder)
    return benchmark.run(lambda event: heard(benchmark, event))


def left(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "data").iterdir())


@pytest.mark.process
def test_two_hosts_are_told_apart_and_summed(tmp_path: Path, servers: Servers) -> None:
    hosts = [servers.start("127.0.0.1"), servers.start("127.0.0.2")]
    seen: list[str] = []

    def heard(_: Benchmark, event: Event) -> None:
        if isinstance(event, PhaseStarted) and event.phase == "repeat":
            seen.append(event.phase)

    result = run(tmp_path, hosts, PROFILE, heard=heard)
    assert result.outcome == "finished", result.reason
    assert len(seen) == 2
    for figure in result.figures:
        repeat = figure.repeats[0]
        assert set(repeat.by_host) == {"host-1", "host-2"}
        assert min(repeat.by_host.values()) > 0
        assert repeat.value == pytest.approx(sum(repeat.by_host.values()))
        assert "partial" not in figure.labels
        assert repeat.ended - repeat.began == pytest.approx(1, abs=0.5)
        assert (tmp_path / "out" / repeat.fio).stat().st_size > 0
    assert result.bench.conditions.hosts == "host-1, host-2"
    assert left(tmp_path) == []


@pytest.mark.process
def test_files_are_where_nobody_else_can_prepare_anything(tmp_path: Path, servers: Servers) -> None:
    seen: list[tuple[str, str, list[str]]] = []

    def look(_: Benchmark, event: Event) -> None:
        if isinstance(event, PhaseStarted):
            time.sleep(0.3)
            for entry in (tmp_path / "data").iterdir():
                inside = sorted(path.name for path in entry.iterdir()) if entry.is_dir() else []
                seen.append((entry.name, oct(entry.lstat().st_mode), inside))

    before = os.umask(0)
    try:
        result = run(tmp_path, [servers.start("127.0.0.1"), servers.start("127.0.0.2")], PROFILE, heard=look)
    finally:
        os.umask(before)
    assert result.outcome == "finished", result.reason
    assert {(name, mode) for name, mode, _ in seen} == {(f".raidtui-bench-{result.bench.id}", "0o40700")}
    names = {name for _, _, inside in seen for name in inside}
    assert names == {"1.stream.0", "1.stream.1", "2.stream.0", "2.stream.1"}
    assert left(tmp_path) == []


@pytest.mark.process
def test_a_host_that_dies_leaves_a_partial_figure_of_the_others(tmp_path: Path, servers: Servers) -> None:
    hosts = [servers.start("127.0.0.1"), servers.start("127.0.0.2")]
    told: list[str] = []

    def heard(_: Benchmark, event: Event) -> None:
        if isinstance(event, PhaseStarted) and event.phase == "repeat":
            threading.Timer(1.0, lambda: servers.kill("host-2")).start()

    profile = replace(PROFILE, jobs=(replace(WRITE, seconds=3),))
    result = run(tmp_path, hosts, profile, seconds=3, heard=heard, told=told.append)
    repeat = result.figures[0].repeats[0]
    assert repeat.labels[0] == "partial"
    assert repeat.by_host["host-2"] == 0
    assert repeat.value == repeat.by_host["host-1"] > 0
    assert told == ["host-2 gave no result: figures are partial from now on"]
    assert result.outcome == "failed"
    assert "files may be left on host-2" in result.reason
    inside = [path.name for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert all(name.startswith("2.stream.") for name in inside)


@pytest.mark.process
def test_stopping_ends_the_jobs_on_all_hosts_and_leaves_nothing(tmp_path: Path, servers: Servers) -> None:
    hosts = [servers.start("127.0.0.1"), servers.start("127.0.0.2")]

    def heard(benchmark: Benchmark, event: Event) -> None:
        if isinstance(event, PhaseStarted) and event.phase == "repeat":
            threading.Timer(1.0, benchmark.stop).start()

    profile = replace(PROFILE, jobs=(replace(WRITE, seconds=60),))
    result = run(tmp_path, hosts, profile, seconds=60, heard=heard)
    assert result.outcome == "stopped", result.reason
    assert result.figures == ()
    assert left(tmp_path) == []
    until = time.monotonic() + 20
    while servers.jobs() and time.monotonic() < until:
        time.sleep(0.1)
    assert servers.jobs() == 0


@pytest.mark.process
def test_an_error_on_a_host_names_it(tmp_path: Path, servers: Servers) -> None:
    host = servers.start("127.0.0.1")
    prepared = prepare_hosts([host], str(tmp_path / "missing"), PROFILE, BenchOptions(seconds=1))
    folder = store.create_at(tmp_path / "out", prepared.bench)
    result = prepared.begin(folder).run(lambda _: None)
    assert (result.outcome, result.figures) == ("failed", ())
    assert result.reason


@pytest.mark.process
def test_agents_over_ssh_are_reached_through_a_tunnel_and_end(tmp_path: Path, servers: Servers) -> None:
    """A stand-in for ssh: it listens itself where the tunnel would begin, and becomes the agent."""
    ssh = tmp_path / "ssh"
    ssh.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "words = sys.argv[1:]\n"
        "port = words[words.index('-L') + 1].split(':')[1]\n"
        "assert words[words.index('--') + 1:] == ['stor01', 'fio', '--server=ip:127.0.0.1,8765'], words\n"
        "os.execvp('fio', ['fio', f'--server=ip:127.0.0.1,{port}'])\n"
    )
    ssh.chmod(0o755)
    with agents([HostAddress(name="stor01", host="stor01")], ssh=str(ssh)) as found:
        assert (found[0].name, found[0].host) == ("stor01", "127.0.0.1")
        assert answers(found[0])
        result = run(tmp_path, list(found), replace(PROFILE, jobs=(WRITE,)))
        assert result.outcome == "finished", result.reason
        assert set(result.figures[0].repeats[0].by_host) == {"stor01"}
    assert not answers(found[0])


@pytest.mark.process
def test_ssh_that_fails_is_quoted(tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('ssh: stor01: \\x1b[31mPermission denied')\n")
    ssh.chmod(0o755)
    with (
        pytest.raises(MachineFailed, match="stor01: no agent could be started over ssh") as caught,
        agents([HostAddress(name="stor01", host="stor01")], ssh=str(ssh)),
    ):
        pass
    assert caught.value.hint == "ssh: stor01: \\e[31mPermission denied"


def nowhere() -> HostAddress:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return HostAddress(name="stor01", host="127.0.0.1", port=listener.getsockname()[1])


def test_without_agents_nothing_starts() -> None:
    with pytest.raises(Refused, match="no agent answers at stor01") as caught:
        require([nowhere()])
    assert "fio --server=ip:ADDRESS," in caught.value.hint


def test_a_tunnel_to_nothing_is_no_agent() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def hang_up() -> None:
            there, _ = listener.accept()
            there.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        assert not answers(HostAddress(name="x", host="127.0.0.1", port=listener.getsockname()[1]))
        thread.join()


def test_when_no_host_answers_a_job_fails(tmp_path: Path) -> None:
    prepared = prepare_hosts([nowhere()], "/srv", PROFILE, BenchOptions(seconds=1))
    load = HostsLoad(prepared.bench, [nowhere()])
    with pytest.raises(MachineFailed, match="no host answers"):
        load.measure(prepared.bench.tasks[0], 1, tmp_path / "raw")
    load.clean()


def test_hosts_that_begin_apart_are_noticed() -> None:
    assert ClientOutput(printed="", starts=(10.0, 10.4, 12.5)).skew == 2.5
    assert ClientOutput(printed="", starts=()).skew == 0.0


@pytest.mark.parametrize(
    ("hosts", "seconds", "skew", "labels"),
    [
        (2, (30.0, 30.0), 0.4, ()),
        (2, (30.0, 30.0), 2.9, ()),
        (2, (30.0, 30.0), 3.1, ("partial",)),
        (2, (30.0, 26.0), 0.4, ("partial",)),
        (3, (30.0, 30.0), 0.4, ("partial",)),
    ],
)
def test_a_figure_whose_hosts_were_not_together_is_partial(
    hosts: int, seconds: tuple[float, ...], skew: float, labels: tuple[str, ...]
) -> None:
    def flow(lasting: float) -> Flow:
        return Flow(bytes=1, ios=1, seconds=lasting, latency=None)

    def one(lasting: float) -> FioResult:
        return FioResult(version="fio-3.33", read=flow(0), write=flow(lasting), errors=0, error="")

    whole = replace(one(30), by_host=tuple((f"h{n}:8765", one(each)) for n, each in enumerate(seconds)))
    asked = prepare_hosts([nowhere()], "/srv", replace(PROFILE, jobs=(replace(WRITE, seconds=30),)), BenchOptions())
    (task,) = asked.bench.tasks
    past_the_cache = replace(task, job=replace(task.job, direct=True))
    assert labels_of(past_the_cache, whole, hosts, skew) == labels
    assert labels_of(task, whole, hosts, skew) == (*labels, "cached")  # nobody knows the hosts' memory
    assert [finding.code for finding in asked.findings].count("cached") == 1


def test_only_jobs_on_files_run_on_several_hosts() -> None:
    mixed = Profile(
        name="mixed", title="", purpose="",
        jobs=(WRITE, replace(READ, name="disks", target="disks"), replace(READ, name="small", pattern="small-files")),
    )  # fmt: skip
    prepared = prepare_hosts([nowhere()], "/srv", mixed, BenchOptions(), room_bytes=64 * MIB)
    assert [task.job.name for task in prepared.bench.tasks] == ["write"]
    assert "left out on several hosts: disks, small" in [finding.message for finding in prepared.findings]
    assert prepared.bench.disks == ()
    for directory in ("srv", "", "/srv\n"):
        with pytest.raises(BadInput):
            prepare_hosts([nowhere()], directory, mixed, BenchOptions())


def test_streams_share_the_room() -> None:
    wide = Profile(name="wide", title="", purpose="", jobs=(replace(WRITE, streams=4, stream_bytes=0),))
    prepared = prepare_hosts([nowhere()], "/srv", wide, BenchOptions(), room_bytes=64 * MIB)
    assert prepared.bench.tasks[0].job.stream_bytes == 16 * MIB
    assert prepared.bytes_used == 64 * MIB
