"""A survey asks as the verbs do, tells what it learnt, and ends its processes when nobody waits."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.fleet import look, survey
from raidtui.fleet.engine import NobodyWaits, Transport
from raidtui.fleet.look import HostReply
from raidtui.fleet.survey import FleetSurvey
from raidtui.fleet.values import FleetCheck, FleetOverview, HostAnswer
from raidtui.values.codec import to_json
from tests.planner.fleet.hosts import rack
from tests.tui.fleets import RECIPE, checked, sheet_of

HOSTS = rack(3)


def answers(requests: dict[str, object], _: Transport, on_reply: object) -> None:
    for host in requests:
        answer = HostAnswer(kind="look", host=host, nonce="n", raidtui="0", time_s=0, inventory=HOSTS[host])
        on_reply(HostReply(host=host, answer=answer, started_s=0, seconds=1))  # type: ignore[operator]


def test_disks_are_shown_while_they_come_in_and_folded_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "ask", answers)
    monkeypatch.setattr(survey, "_LEAST_S", 0.0)
    monkeypatch.setattr(survey, "_SHARE", 0)
    news: list[tuple[int, str]] = []
    asked = FleetSurvey(overview=FleetOverview(hosts=tuple(HOSTS)), transport=Transport())
    asked.ask_disks(
        lambda overview, asking: news.append((len(overview.look.inventory.hosts) if overview.look else 0, asking))
    )
    assert news == [
        (0, "asking 3 hosts for their disks"),
        (1, "asking for disks: 1 of 3 answered"),
        (2, "asking for disks: 2 of 3 answered"),
        (3, "asking for disks: 3 of 3 answered"),
        (3, ""),
    ]
    assert asked.overview.look is not None
    assert [group.hosts for group in asked.overview.look.machines] == [tuple(HOSTS)]


def test_only_hosts_that_wait_check_their_plans_and_the_newest_answer_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet, _ = sheet_of(HOSTS, RECIPE.replace("4x(12+2)+3", "raid6(2+2)"))
    seen: list[list[str]] = []

    def check(_: object, __: Path, hosts: list[object], ___: Transport) -> FleetCheck:
        seen.append([each.host for each in hosts])  # type: ignore[attr-defined]
        return checked(sheet, {"node2": "another disk"} if len(seen) > 1 else {})

    def status(requests: dict[str, object], _: Transport, on_reply: object) -> None:
        for host in requests:
            answer = HostAnswer(
                kind="status", host=host, nonce="n", raidtui="0", time_s=0, content='{"schema":"raidtui/host-run/1"}'
            )
            on_reply(HostReply(host=host, answer=answer, started_s=0, seconds=1))  # type: ignore[operator]

    monkeypatch.setattr(survey, "check_hosts", check)
    monkeypatch.setattr("raidtui.fleet.look.ask", status)
    asked = FleetSurvey(
        overview=FleetOverview(hosts=tuple(HOSTS), sheet=sheet), transport=Transport(), folder=Path("sheet")
    )
    asked.ask_checks(lambda *_: None)
    assert seen == []  # before it is known who has begun, nobody is asked
    asked.ask_progress(lambda *_: None)
    asked.ask_checks(lambda *_: None)
    asked.ask_checks(lambda *_: None)
    assert seen == [list(HOSTS)] * 2
    assert asked.overview.check is not None
    assert [each.verdict for each in asked.overview.check.hosts] == ["ready", "stale", "ready"]
    assert asked.overview.run is not None
    assert {each.stage for each in asked.overview.run.hosts} == {"waiting"}


@pytest.mark.process
def test_a_look_that_nobody_waits_for_ends_its_processes(ssh: Transport) -> None:
    began = time.monotonic()
    with pytest.raises(NobodyWaits):
        look.look_at_hosts(("silent1", "silent2"), replace(ssh, given_up=lambda: True))
    assert time.monotonic() - began < 10


@pytest.mark.process
def test_simulated_hosts_are_asked_without_a_network(tmp_path: Path) -> None:
    for name, host in rack(2).items():
        (tmp_path / f"{name}.json").write_text(to_json(host))
    asked = FleetSurvey(
        overview=FleetOverview(hosts=("node1", "node2")),
        transport=Transport(simulated=tmp_path, given_up=lambda: False),
    )
    asked.ask_disks(lambda *_: None)
    assert asked.overview.look is not None
    assert set(asked.overview.look.inventory.inventories) == {"node1", "node2"}
