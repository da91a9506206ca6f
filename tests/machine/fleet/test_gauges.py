"""Polls of many hosts: rates of the host's own interval, hosts that fail, answers of hostile hosts."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.fleet.ask import HostReply
from raidtui.machine.fleet.gauges import FleetTicks
from raidtui.machine.fleet.host_gauges import _counters, answer_gauges
from raidtui.machine.fleet.transport import Transport
from raidtui.machine.inventory import shipped
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput
from raidtui.model.fleet.exchange import HostAnswer, HostRequest
from raidtui.model.fleet.gauges import GaugesOrder, HostCounters
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.gauges import Scene, WatchedDisk

SCENE = Scene(host="x", simulated=True, disks=(WatchedDisk(name="sda", model="M"),))
Content = Callable[[HostRequest, int], "str | HostProblem"]


def counters(number: int, *, scene: bool, sectors: int = 1000) -> str:
    found = HostCounters(
        boot="a", monotonic_s=10.0 + 4 * number, scene=SCENE if scene else None,
        diskstats=f"   8 0 sda {number * 40} 0 {number * sectors} 5 0 0 0 0 0 {number * 400} 5",
    )  # fmt: skip
    return to_json(found, indent=None)


def asking(content: Content) -> tuple[Callable[..., None], list[HostRequest]]:
    """Hosts that answer with what `content` returns for the number of the poll."""
    asked: list[HostRequest] = []

    def send(requests: Mapping[str, HostRequest], _: Transport, on_reply: Callable[[HostReply], None]) -> None:
        for host, request in requests.items():
            number = sum(each.host == host for each in asked)
            asked.append(request)
            found = content(request, number)
            answer = found if isinstance(found, HostProblem) else HostAnswer(
                kind=request.kind, host=host, nonce=request.nonce, raidtui="0", time_s=1e9, content=found
            )  # fmt: skip
            on_reply(HostReply(host=host, answer=answer, started_s=1e9, seconds=0.1))

    return send, asked


def wants_scene(request: HostRequest) -> bool:
    return from_json(GaugesOrder, request.content, source="test").scene


def test_rates_are_of_the_hosts_own_interval_and_the_scene_is_asked_once() -> None:
    send, asked = asking(lambda request, number: counters(number, scene=wants_scene(request)))
    ticks = FleetTicks(("n1",), Transport(), asking=send)
    first = ticks.take().hosts["n1"]
    assert (first.tick, first.age_s, first.problem, first.fresh) == (None, None, None, False)
    second = ticks.take().hosts["n1"]
    assert second.tick is not None and second.fresh
    assert (second.tick.seconds, second.tick.disks["sda"].read_bytes_per_s) == (4.0, 1000 * 512 / 4)
    assert second.scene is not None and (second.scene.host, second.scene.simulated) == ("n1", False)
    assert [(each.kind, wants_scene(each)) for each in asked] == [("gauges", True), ("gauges", False)]


def test_another_disk_makes_the_scene_be_asked_again() -> None:
    def content(request: HostRequest, number: int) -> str:
        document = json.loads(counters(number, scene=wants_scene(request)))
        if number:
            document["diskstats"] += "\n   8 16 sdb 1 0 8 1 0 0 0 0 0 1 1"
        return json.dumps(document)

    send, asked = asking(content)
    ticks = FleetTicks(("n1",), Transport(), asking=send)
    for _ in range(4):
        ticks.take()
    assert [wants_scene(each) for each in asked] == [True, False, True, False]


def test_a_host_that_fails_keeps_its_last_figures_with_their_age() -> None:
    late = HostProblem(state="timed-out", sentence="no answer within 10 s")
    now = [0.0]
    send, _ = asking(lambda request, number: late if number == 2 else counters(number, scene=wants_scene(request)))
    ticks = FleetTicks(("n1",), Transport(), asking=send, clock=lambda: now[0])
    for now[0] in (1.0, 5.0):
        ticks.take()
    now[0] = 12.0
    found = ticks.take().hosts["n1"]
    assert (found.problem, found.age_s, found.fresh) == (late, 7.0, False)
    assert found.tick is not None and found.tick.disks["sda"].read_iops == 10.0
    now[0] = 16.0
    again = ticks.take().hosts["n1"]
    assert again.tick is not None and again.fresh
    assert (again.tick.seconds, again.tick.disks["sda"].read_iops) == (8.0, 10.0)  # over the gap, exact


@given(st.text() | st.recursive(st.none() | st.integers() | st.floats() | st.text(), st.lists).map(json.dumps)
       | st.sampled_from(["boot", "monotonic_s", "diskstats", "arrays", "scene"]).flatmap(
           lambda name: st.sampled_from(["x", -1, 1e999, None, [], {"sda": {}}, "8 0 sda " + "9 " * 40]).map(
               lambda value: json.dumps({**json.loads(counters(1, scene=True)), name: value}))))  # fmt: skip
def test_hostile_answers_are_a_problem_or_figures(content: str) -> None:
    send, _ = asking(lambda _, number: content if number else counters(0, scene=True))
    ticks = FleetTicks(("n1",), Transport(), asking=send)
    for _ in range(3):
        found = ticks.take().hosts["n1"]
        assert found.problem is None or (found.problem.state, bool(found.problem.hint)) == ("garbage", True)


def test_the_counters_of_a_machine(tmp_path: Path) -> None:
    (tmp_path / "proc/sys/kernel/random").mkdir(parents=True)
    (tmp_path / "proc/sys/kernel/random/boot_id").write_text("b00t\n")
    (tmp_path / "proc/stat").write_text("cpu  1 2 3 4 5 6 7 8 9 10\n")
    row = "1 0 8 1 0 0 0 0 0 1 1"
    names = ("loop0", "sda", "sda1", "md0", "dm-0")
    (tmp_path / "proc/diskstats").write_text("".join(f"   8 {at} {name} {row}\n" for at, name in enumerate(names)))
    for name in ("loop0", "sda", "md0/md", "dm-0"):
        (tmp_path / "sys/block" / name).mkdir(parents=True)
    for name, word in (("array_state", "active"), ("degraded", "1"), ("sync_action", "idle")):
        (tmp_path / "sys/block/md0/md" / name).write_text(f"{word}\n")
    before = time.monotonic()
    found = from_json(HostCounters, json.dumps(_counters(str(tmp_path))), source="test")
    assert before <= found.monotonic_s <= time.monotonic()
    assert (found.boot, found.processor) == ("b00t", (27, 36))
    assert found.diskstats.split("\n") == [f"   8 1 sda {row}", f"   8 3 md0 {row}"]
    assert (found.arrays["md0"].state, found.arrays["md0"].degraded) == ("active", 1)


@pytest.mark.parametrize("content", ["", "[]", "{}", "7", '{"scene"'])
def test_a_request_without_an_order_is_refused(content: str) -> None:
    with pytest.raises(BadInput, match="no order of gauges"):
        answer_gauges(None, {"content": content})


@pytest.mark.process
def test_simulated_hosts_answer_and_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "n1.json").write_text(to_json(shipped.load("nas4")))
    ticks = FleetTicks(("n1", "n2"), Transport(simulated=tmp_path))
    ticks.take()
    hosts = ticks.take().hosts
    assert hosts["n1"].tick is not None and hosts["n1"].fresh
    rates = [gauge.read_bytes_per_s for gauge in hosts["n1"].tick.disks.values()]
    assert len(rates) == 4 and all(170e6 < rate < 181e6 for rate in rates)
    assert hosts["n2"].problem is not None and hosts["n2"].problem.state == "refused"


@pytest.mark.process
def test_hosts_by_ssh_with_raidtui_without_it_and_those_that_fail(ssh: Transport) -> None:
    hosts = ("good1", "bare1", "half1", "greeting1")
    ticks = FleetTicks(hosts, ssh, carry="missing")
    for _ in range(2):
        found = ticks.take().hosts
    names = set(os.listdir("/sys/block"))  # noqa: PTH208
    for host in ("good1", "bare1"):
        assert found[host].problem is None and found[host].fresh
        shown = found[host].tick
        assert shown is not None and shown.seconds > 0.1 and {*shown.disks, *shown.arrays} <= names
    problems = {host: each.problem.state for host, each in found.items() if each.problem is not None}
    assert problems == {"half1": "half", "greeting1": "garbage"}
