"""In which order hosts build, and what stops it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.fleet.stage import decide, waves
from raidtui.fleet.values import ENDED_BADLY, HostStage, Rollout, RolloutDecision

HOSTS = ("n1", "n2", "n3", "n4", "n5", "n6")
ROLLOUT = Rollout(sheet_digest="d", hosts=HOSTS, canary="n2", wave_size=2, stop_after=2)


def stages(**known: HostStage) -> dict[str, HostStage]:
    return {host: known.get(host, "waiting") for host in HOSTS}


def test_the_canary_is_alone_and_waves_keep_the_order() -> None:
    assert waves(ROLLOUT) == (("n2",), ("n1", "n3"), ("n4", "n5"), ("n6",))


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, RolloutDecision(kind="start", hosts=("n2",))),
        ({"n2": "building"}, RolloutDecision(kind="wait", hosts=("n2",))),
        ({"n2": "built"}, RolloutDecision(kind="start", hosts=("n1", "n3"))),
        ({"n2": "built", "n1": "building"}, RolloutDecision(kind="start", hosts=("n3",))),
        ({"n2": "built", "n1": "built", "n3": "building"}, RolloutDecision(kind="wait", hosts=("n3",))),
        ({"n2": "built", "n1": "failed", "n3": "built"}, RolloutDecision(kind="start", hosts=("n4", "n5"))),
        (
            {"n2": "built", "n1": "failed", "n3": "lost"},
            RolloutDecision(kind="stop", hosts=("n1", "n3"), reason="2 hosts ended badly, the limit is 2"),
        ),
        ({"n2": "refused"}, RolloutDecision(kind="stop", hosts=("n2",), reason="the first host ended refused")),
        (
            {"n2": "built", "n1": "other-machine", "n3": "building"},
            RolloutDecision(kind="stop", hosts=("n1",), reason="not the machine that was planned for"),
        ),
        (dict.fromkeys(HOSTS, "built"), RolloutDecision(kind="done")),
    ],
)
def test_what_is_next(known: dict[str, HostStage], expected: RolloutDecision) -> None:
    assert decide(ROLLOUT, stages(**known)) == expected


ENDS: st.SearchStrategy[HostStage] = st.sampled_from(("built", "failed", "refused", "lost", "interrupted"))


@given(st.lists(ENDS, min_size=6, max_size=6), st.integers(1, 7), st.integers(1, 6), st.sampled_from(HOSTS))
def test_a_walk_starts_every_host_once_or_stops_by_its_rule(
    ends: list[HostStage], wave_size: int, stop_after: int, canary: str
) -> None:
    rollout = replace(ROLLOUT, wave_size=wave_size, stop_after=stop_after, canary=canary)
    now: dict[str, HostStage] = dict.fromkeys(HOSTS, "waiting")
    started: list[str] = []
    while True:
        decision = decide(rollout, now)
        if decision.kind == "start":
            assert len(decision.hosts) <= (wave_size if started else 1)
            started += decision.hosts
            now |= dict.fromkeys(decision.hosts, "building")
        elif decision.kind == "wait":
            now[decision.hosts[0]] = ends[HOSTS.index(decision.hosts[0])]
        else:
            break
    assert len(set(started)) == len(started)
    assert started[0] == canary
    bad = [host for host in started if now[host] in ENDED_BADLY]
    if decision.kind == "done":
        assert sorted(started) == sorted(HOSTS)
        assert len(bad) < stop_after
    else:
        assert set(decision.hosts) <= set(bad)
        assert len(bad) < stop_after + wave_size
