"""The engine: every host gets its own input and gives its own output, however it ends."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from ClusterShell.Task import Task, task_self

from raidtui.fleet.engine import Output, Transport, run

pytestmark = pytest.mark.process


def outputs(inputs: dict[str, bytes], transport: Transport) -> dict[str, Output]:
    found: list[Output] = []
    run(inputs, transport, found.append)
    assert sorted(output.host for output in found) == sorted(inputs)
    return {output.host: output for output in found}


def test_each_host_ends_in_its_own_way(ssh: Transport) -> None:
    began = time.monotonic()
    found = outputs(
        dict.fromkeys(("refused1", "silent1", "stuck1", "half1", "absent1", "deaf1"), b"x" * 300_000),
        replace(ssh, timeout_s=3),
    )
    assert time.monotonic() - began < 20
    assert (found["refused1"].end, found["refused1"].exit) == ("exited", 255)
    assert found["refused1"].stderr == b"refused1: Permission denied (publickey).\n"
    assert (found["silent1"].end, found["silent1"].exit, found["silent1"].stdout) == ("timed-out", None, b"")
    assert (found["stuck1"].end, found["stuck1"].stdout[:9]) == ("timed-out", b'{"schema"')
    assert found["half1"].stdout == b'{"schema": "raidtui/host-answer/1", "kin'
    assert (found["absent1"].exit, found["deaf1"].exit) == (127, 7)


def test_an_ssh_that_is_not_there_fails_for_each_host(ssh: Transport) -> None:
    found = outputs(dict.fromkeys(("half1", "half2"), b""), replace(ssh, ssh="/nowhere/ssh"))
    assert [(each.end, each.exit) for each in found.values()] == [("exited", 255)] * 2


@pytest.mark.parametrize("host", ["endless1", "line1", "noisy1"])
def test_a_host_that_sends_without_end_is_cut_off(ssh: Transport, host: str) -> None:
    """A line without an end, too: collected line by line it would be copied with each part."""
    began = time.monotonic()
    found = outputs({host: b"", "half1": b""}, replace(ssh, most_output=64 << 20))
    assert (found[host].end, found[host].stdout, found[host].stderr) == ("too-large", b"", b"")
    assert found["half1"].end == "exited"
    assert time.monotonic() - began < 20


def test_a_process_that_closes_its_output_and_stays_is_ended(ssh: Transport) -> None:
    """ClusterShell itself would wait for it, and all other hosts with it."""
    began = time.monotonic()
    found = outputs({"closed1": b"", "closed2": b"", "half1": b""}, ssh)
    assert time.monotonic() - began < 5
    assert (found["closed1"].end, found["closed1"].stdout) == ("exited", b"")
    assert found["half1"].exit == 0


def test_a_configured_topology_changes_nothing(ssh: Transport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ClusterShell's tree mode would start its own gateway program on gate1: jump hosts are those of ssh's own
    configuration.
    """
    topology = tmp_path / "topology.conf"
    topology.write_text("[routes]\nadmin: gate1\ngate1: half[1-9]\n")
    monkeypatch.setattr(Task, "TOPOLOGY_CONFIGS", [str(topology)])
    found = outputs(dict.fromkeys(("half1", "half2"), b""), ssh)
    assert [output.stdout[:9] for output in found.values()] == [b'{"schema"'] * 2
    assert task_self().topology is None


def test_no_more_hosts_at_once_than_the_fanout(ssh: Transport) -> None:
    found = outputs(dict.fromkeys(("silent1", "silent2", "silent3"), b""), replace(ssh, fanout=1, timeout_s=0.3))
    starts = sorted(output.started_s for output in found.values())
    assert starts[1] - starts[0] > 0.25 and starts[2] - starts[1] > 0.25
