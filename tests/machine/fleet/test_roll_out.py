"""A control host over hosts that answer as told: order, lost answers, the stop rule, and other control hosts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from raidtui.fleet import look
from raidtui.fleet.engine import Transport
from raidtui.fleet.look import HostReply
from raidtui.fleet.roll_out import RolloutFollower
from raidtui.fleet.values import (
    BuildOrder,
    Claim,
    HostAnswer,
    HostEffect,
    HostProblem,
    HostRequest,
    HostRun,
    HostState,
    RequestKind,
    Rollout,
    RunOrder,
)
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import Refused
from raidtui.values.run import RunOutcome, RunPurpose, RunStatus
from tests.machine.simulation import planned

HOSTS = ("n1", "n2", "n3")
ROLLOUT = Rollout(sheet_digest="d" * 64, hosts=HOSTS, canary="n1", wave_size=2, stop_after=1)
CLAIM = Claim(control="admin@one", token="1" * 32, since="2026-01-31T12:00:00Z", rollout=ROLLOUT)
THEIRS = replace(CLAIM, control="admin@two", token="2" * 32)
PLAN = planned("raid5(2+1)")
Answer = HostRun | HostProblem


def run(outcome: RunOutcome, purpose: RunPurpose = "build", claim: Claim = CLAIM) -> HostRun:
    status = RunStatus(
        run_id="0" * 32, plan="data", host="h", digest="", simulated=True, folder="", purpose=purpose, outcome=outcome,
        reason="", anything_done=True, steps_done=1, steps=(), left_behind=(),
    )  # fmt: skip
    return HostRun(run=status, claim=claim)


def problem(state: HostState, effect: HostEffect | None = None) -> HostProblem:
    return HostProblem(state=state, sentence=f"it is {state}", effect=effect)


class Hosts:
    """Stand for all hosts: each gives the next of its answers, and repeats the last."""

    def __init__(self, answers: Mapping[str, list[Answer]]) -> None:
        self.answers = answers
        self.asked: list[tuple[RequestKind, str]] = []

    def ask(self, requests: Mapping[str, HostRequest], _: Transport, on_reply: Callable[[HostReply], None]) -> None:
        for host, request in requests.items():
            self.asked.append((request.kind, host))
            left = self.answers[host]
            answer = left.pop(0) if len(left) > 1 else left[0]
            on_reply(HostReply(host=host, answer=self._sent(request, answer), started_s=0, seconds=0))

    def started(self) -> list[str]:
        return [host for kind, host in self.asked if kind == "build"]

    def _sent(self, request: HostRequest, answer: Answer) -> HostAnswer | HostProblem:
        if isinstance(answer, HostProblem):
            return answer
        return HostAnswer(
            kind=request.kind, host=request.host, nonce=request.nonce, raidtui="0", time_s=0, content=to_json(answer)
        )


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[RolloutFollower, Hosts]]:
    def made(answers: Mapping[str, list[Answer]], **more: Any) -> tuple[RolloutFollower, Hosts]:
        hosts = Hosts({**{host: [run("finished")] for host in HOSTS}, **answers})
        monkeypatch.setattr(look, "ask", hosts.ask)
        asks = {host: RunOrder(run_id="0" * 32, digest="", claim=CLAIM) for host in HOSTS}
        orders = lambda _: BuildOrder(plan=PLAN, claim=CLAIM)  # noqa: E731
        return RolloutFollower(transport=Transport(), rollout=ROLLOUT, orders=orders, asks=asks, **more), hosts

    return made


def stages(view: RolloutFollower) -> dict[str, str]:
    return {host: each.stage for host, each in view.progress.items()}


def no_pause(_: float) -> None:
    """Time plays no part."""


def test_the_first_host_ends_before_the_others_start(view: Callable[..., tuple[RolloutFollower, Hosts]]) -> None:
    rolled, hosts = view({"n1": [run("running"), run("running"), run("finished")]})
    assert rolled.follow(pause=no_pause).kind == "done"
    assert hosts.asked == [
        ("build", "n1"), ("status", "n1"), ("status", "n1"), ("build", "n2"), ("build", "n3"),
    ]  # fmt: skip
    assert stages(rolled) == dict.fromkeys(HOSTS, "built")


def test_a_lost_answer_is_asked_for_and_the_order_given_again(
    view: Callable[..., tuple[RolloutFollower, Hosts]],
) -> None:
    rolled, hosts = view({"n1": [problem("timed-out"), HostRun(), run("finished")]})
    assert rolled.follow(pause=no_pause).kind == "done"
    assert hosts.asked[:3] == [("build", "n1"), ("status", "n1"), ("build", "n1")]


@pytest.mark.parametrize("state", ["unreachable", "half", "failed", "other-version", "garbage", "too-large"])
def test_a_host_whose_answer_to_the_order_is_lost_may_build(
    view: Callable[..., tuple[RolloutFollower, Hosts]], state: HostState
) -> None:
    rolled, hosts = view({"n1": [problem(state), run("running"), run("finished")]})
    assert rolled.follow(pause=no_pause).kind == "done"
    assert hosts.asked[:3] == [("build", "n1"), ("status", "n1"), ("status", "n1")]


def test_an_order_whose_answer_never_arrives_is_given_three_times(
    view: Callable[..., tuple[RolloutFollower, Hosts]],
) -> None:
    rolled, hosts = view({"n1": [problem("failed"), HostRun()] * 9})
    assert rolled.follow(pause=no_pause).kind == "stop"
    assert hosts.started() == ["n1", "n1", "n1"]
    assert stages(rolled) == {"n1": "lost"}


@pytest.mark.parametrize(
    ("answer", "stage"),
    [
        (problem("refused", "none"), "refused"),
        (problem("unreachable", "none"), "refused"),
        (problem("key-changed", "none"), "refused"),
        (problem("absent", "none"), "refused"),
        (problem("other-version", "none"), "refused"),
        (problem("claimed", "none"), "refused"),
        (problem("failed", "part"), "failed"),
        (problem("other-machine", "none"), "other-machine"),
        (run("failed"), "failed"),
        (run("interrupted"), "interrupted"),
    ],
)
def test_a_first_host_that_ends_badly_stops_it(
    view: Callable[..., tuple[RolloutFollower, Hosts]], answer: Answer, stage: str
) -> None:
    rolled, hosts = view({"n1": [answer]})
    assert rolled.follow(pause=no_pause).kind == "stop"
    assert hosts.started() == ["n1"]
    assert stages(rolled) == {"n1": stage}


def test_hosts_that_build_are_followed_after_a_stop(view: Callable[..., tuple[RolloutFollower, Hosts]]) -> None:
    rolled, _ = view({"n2": [run("failed")], "n3": [run("running"), run("running"), run("finished")]})
    assert rolled.follow(pause=no_pause).hosts == ("n2",)
    assert stages(rolled) == {"n1": "built", "n2": "failed", "n3": "built"}


def test_a_host_that_never_answers_again_is_lost(view: Callable[..., tuple[RolloutFollower, Hosts]]) -> None:
    rolled, _ = view({"n1": [run("running"), problem("unreachable")]}, patience_s=-1.0)
    assert rolled.follow(pause=no_pause).kind == "stop"
    assert stages(rolled) == {"n1": "lost"}


def test_the_view_ends_when_another_control_host_takes_over(view: Callable[..., tuple[RolloutFollower, Hosts]]) -> None:
    rolled, hosts = view({"n1": [run("running"), run("running", claim=THEIRS)]})
    with pytest.raises(Refused, match="n1: control host admin@two follows its build since 2026-01-31T12:00:00Z"):
        rolled.follow(pause=no_pause)
    assert hosts.started() == ["n1"]


def test_an_undo_gives_up_the_files_that_were_counted(
    view: Callable[..., tuple[RolloutFollower, Hosts]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rolled, hosts = view({"n1": [replace(run("finished"), files="12"), run("finished", "undo")]})
    sent: list[RunOrder] = []
    ask = hosts.ask

    def recorded(requests: Mapping[str, HostRequest], *more: Any) -> None:
        sent.extend(from_json(RunOrder, each.content, source="order") for each in requests.values())
        ask(requests, *more)

    monkeypatch.setattr(look, "ask", recorded)
    rolled.count_files(["n1"])
    rolled.undo(["n1"], CLAIM)
    assert [(order.lose_files, order.take_over) for order in sent] == [("0", False), ("12", True)]
    assert stages(rolled) == {"n1": "undone"}


def test_why_a_run_is_not_resumed_comes_before_how_far_it_was(
    view: Callable[..., tuple[RolloutFollower, Hosts]],
) -> None:
    refused = HostProblem(state="refused", sentence="Permission denied.", effect="none")
    rolled, _ = view({"n1": [run("interrupted"), refused]})
    rolled.look(["n1"])
    rolled.resume(["n1"], CLAIM)
    assert rolled.run.hosts[0].reason == "Permission denied; 1 of 0 steps done"


def test_a_host_that_undoes_and_does_not_answer_is_not_taken_for_one_that_builds(
    view: Callable[..., tuple[RolloutFollower, Hosts]],
) -> None:
    rolled, _ = view({"n1": [run("running", "undo"), problem("unreachable"), run("finished", "undo")]})
    rolled.look(["n1"])
    rolled.look(["n1"])
    assert stages(rolled) == {"n1": "undoing"}
    rolled.wait(pause=no_pause)
    assert stages(rolled) == {"n1": "undone"}


@pytest.mark.parametrize(("first", "stage"), [(run("finished"), "built"), (problem("unreachable"), "lost")])
def test_a_host_that_is_not_at_work_and_does_not_answer_is_as_before(
    view: Callable[..., tuple[RolloutFollower, Hosts]], first: Answer, stage: str
) -> None:
    """It may be asked again and again, as the Fleet screen does: it is not taken for one that builds."""
    rolled, _ = view({"n1": [first, problem("timed-out")]})
    rolled.look(["n1"])
    rolled.look(["n1"])
    assert stages(rolled) == {"n1": stage}
    assert rolled.run.hosts[0].reason == "it is timed-out"
