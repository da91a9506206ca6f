"""A control host over hosts that answer as told: order of turns, lost answers, other control hosts, hostile results."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.bench import store
from raidtui.machine.fleet import ask as asking
from raidtui.machine.fleet.bench import files
from raidtui.machine.fleet.bench.control import FleetBenchView, find_order
from raidtui.machine.fleet.bench.files import keep_result, kept_order
from raidtui.machine.fleet.transport import Transport
from raidtui.model.bench import BenchOutcome
from raidtui.model.errors import BadInput
from raidtui.model.fleet.bench_order import (
    BenchOutlook,
    BenchRequest,
    FleetBenchOrder,
    HostBench,
    HostBenchResult,
    RawOutput,
    Round,
)
from raidtui.model.fleet.hosts import HostEffect, HostProblem, HostState
from raidtui.model.fleet.kinds import RequestKind
from tests.machine.fleet.bench.hosts import Answer, Hosts
from tests.planner.fleet.bench.fleets import measured, order

HOSTS = ("n1", "n2")
RECORDED = Path(__file__).parents[2] / "benches" / "measured"


def state(outcome: BenchOutcome | None) -> HostBench:
    return HostBench(outcome=outcome, begin_s=1000.0 if outcome else None)


def problem(state: HostState, effect: HostEffect | None = None) -> HostProblem:
    return HostProblem(state=state, sentence=f"it is {state}", effect=effect)


class Told:
    """Each host gives the next of its answers to bench, bench-status and bench-stop, and repeats the last."""

    def __init__(self, order: FleetBenchOrder, answers: Mapping[str, list[Answer]]) -> None:
        self.order = order
        self.answers = {host: list(each) for host, each in answers.items()}
        self.requests: list[BenchRequest] = []

    def __call__(self, kind: RequestKind, request: BenchRequest) -> Answer:
        self.requests.append(request)
        result = measured(request.host, [1e8]).result
        assert result is not None
        bench = replace(result.bench, id=self.order.bench_id(request.host, request.round))
        if kind == "bench-look":
            return BenchOutlook(bench=bench, seconds=30, bytes_used=0)
        if kind == "bench-result" and self.answers[request.host][0] in (
            problem("failed", "part"),
            problem("other-version"),
        ):
            return problem("refused")
        if kind == "bench-result":
            return HostBenchResult(result=replace(result, bench=bench), begin_s=1000.0)
        left = self.answers[request.host]
        return left.pop(0) if len(left) > 1 else left[0]


Made = Callable[..., tuple[FleetBenchView, Hosts, Told]]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setattr(files, "fleet_benches_root", lambda **_: tmp_path / "control")
    (tmp_path / "control").mkdir(mode=0o700)

    def view(
        answers: Mapping[str, list[Answer]], *rounds: Round, ahead: Mapping[str, float] = {}
    ) -> tuple[FleetBenchView, Hosts, Told]:
        asked = order(HOSTS, *rounds)
        told = Told(asked, answers)
        hosts = Hosts(told, ahead_s=ahead)
        monkeypatch.setattr(asking, "ask", hosts.ask)
        files.keep_order(asked)
        return FleetBenchView(transport=Transport(), order=asked), hosts, told

    return view


def run(view: FleetBenchView) -> dict[tuple[Round, str], str]:
    outlooks = {host: each for host, each in view.outlooks().items() if isinstance(each, BenchOutlook)}
    for of in view.order.rounds:
        view.run(of, outlooks, pause=lambda _: None)
    return {key: each.stage for key, each in view.progress.items()}


def test_in_turns_a_host_begins_when_the_one_before_has_ended(made: Made) -> None:
    one: list[Answer] = [state(None), state("running"), state("running"), state("finished")]
    view, hosts, _ = made({"n1": one, "n2": one}, "turns")
    assert run(view) == {("turns", "n1"): "finished", ("turns", "n2"): "finished"}
    assert hosts.asked[4:] == [
        ("bench", "n1"), ("bench-status", "n1"), ("bench-status", "n1"), ("bench-result", "n1"),
        ("bench", "n2"), ("bench-status", "n2"), ("bench-status", "n2"), ("bench-result", "n2"),
    ]  # fmt: skip
    assert [figure.sum for figure in view.document().figures] == [2e8]


def test_at_once_each_host_is_told_the_begin_by_its_own_clock(made: Made) -> None:
    """n2's clock is an hour ahead."""
    one: list[Answer] = [state(None), state("running"), state("finished")]
    view, _, told = made({"n1": one, "n2": one}, "at-once", ahead={"n2": 3600.0})
    run(view)
    first, second = (request for request in told.requests if request.slots)
    assert first.begin_s is not None and second.begin_s is not None
    assert second.begin_s - first.begin_s == pytest.approx(3600.0, abs=0.2)
    assert first.slots == second.slots
    assert second.clock_ahead_s == pytest.approx(3600.0, abs=0.2)
    assert second.clock_error_s is not None and second.clock_error_s < 0.2


def test_a_lost_answer_is_asked_for(made: Made) -> None:
    """The first order did not arrive, the answer to the second was lost: it has begun, and is not ordered again."""
    lost: list[Answer] = [
        state(None), problem("timed-out"), state(None), problem("unreachable"), state("running"), state("finished")
    ]  # fmt: skip
    view, hosts, _ = made({"n1": lost, "n2": [state(None), state("finished")]}, "at-once")
    assert run(view)["at-once", "n1"] == "finished"
    assert [host for kind, host in hosts.asked if kind == "bench"] == ["n1", "n2", "n1"]


def test_a_host_that_answers_no_order_is_lost(made: Made) -> None:
    gone: list[Answer] = [state(None), problem("unreachable")]
    view, hosts, _ = made({"n1": gone, "n2": [state(None), state("finished")]}, "at-once")
    assert run(view)["at-once", "n1"] == "lost"
    assert [host for kind, host in hosts.asked if kind == "bench"] == ["n1", "n2", "n1", "n1"]


def test_a_second_control_host_starts_only_what_is_left(made: Made) -> None:
    """The first one is killed while n1 measures."""
    one: list[Answer] = [state(None), state("running"), state("finished")]
    view, hosts, told = made({"n1": one, "n2": one}, "turns")

    def killed(_: float) -> None:
        raise KeyboardInterrupt

    outlooks = {host: each for host, each in view.outlooks().items() if isinstance(each, BenchOutlook)}
    with pytest.raises(KeyboardInterrupt):
        view.run("turns", outlooks, pause=killed)
    told.answers["n2"] = list(one)
    second = FleetBenchView(transport=Transport(), order=view.order)
    assert run(second) == {("turns", "n1"): "finished", ("turns", "n2"): "finished"}
    assert [host for kind, host in hosts.asked if kind == "bench"] == ["n1", "n2"]


@pytest.mark.parametrize(
    ("answer", "stage"),
    [
        (problem("refused", "none"), "refused"),
        (problem("absent", "none"), "refused"),
        (problem("failed", "part"), "failed"),
        (problem("other-version"), "lost"),
    ],
)
def test_a_host_that_does_not_begin_is_missing_in_the_sum(made: Made, answer: Answer, stage: str) -> None:
    view, _, _ = made({"n1": [state(None), answer], "n2": [state(None), state("finished")]}, "at-once")
    assert run(view)["at-once", "n1"] == stage
    found = view.document()
    assert found.figures[0].missing == ("n1",) and not found.finished
    assert found.findings[0].message.startswith(f"n1 {stage}: it is ")


def test_a_host_that_never_answers_again_is_lost(made: Made) -> None:
    gone: list[Answer] = [state(None), state("running"), problem("unreachable")]
    view, _, _ = made({"n1": gone, "n2": [state(None), state("finished")]}, "at-once")
    view.rounds["at-once"].patience_s = -1.0
    assert run(view)["at-once", "n1"] == "lost"


def test_a_round_at_once_that_has_begun_is_not_begun_by_others_later(made: Made) -> None:
    view, hosts, _ = made({"n1": [state("finished")], "n2": [state(None)]}, "at-once")
    assert run(view) == {("at-once", "n1"): "finished", ("at-once", "n2"): "waiting"}
    assert "bench" not in {kind for kind, _ in hosts.asked}


def test_another_control_host_gets_the_order_of_the_hosts(made: Made) -> None:
    view, _, _ = made({"n1": [HostBench(order=order(HOSTS))], "n2": [problem("refused")]})
    assert kept_order("0000", simulated=False) == order(HOSTS)
    found = find_order("0000", HOSTS, view.transport)
    assert found == {"n1": order(HOSTS), "n2": problem("refused")}


@pytest.mark.usefixtures("made")
def test_an_order_that_does_not_read_hides_no_other() -> None:
    files.keep_order(order(HOSTS))
    broken = files.fleet_benches_root(simulated=False) / ("f" * 32)
    broken.mkdir(0o700)
    (broken / "order.json").write_text("[" * 100_000)
    told: list[str] = []
    assert files.kept_orders(simulated=False, on_skipped=told.append) == (order(HOSTS),)
    assert len(told) == 1
    assert kept_order(order(HOSTS).id[:8], simulated=False) == order(HOSTS)
    with pytest.raises(BadInput, match="recursion"):
        kept_order("ffff", simulated=False)


def raw(printed: bytes, **other: object) -> RawOutput:
    packed = base64.b64encode(zlib.compress(printed)).decode()
    digest = hashlib.sha256(printed).hexdigest()
    found = RawOutput(task=1, repeat=1, size_bytes=len(printed), sha256=digest, content=packed)
    return replace(found, **other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "output",
    [
        raw(b"{}", task=99),
        raw(b"{}", repeat=-1),
        raw(b"{}", sha256="0" * 64),
        raw(b"{}", content="no base64"),
        raw(b"{}", content=base64.b64encode(b"no zlib").decode()),
        raw(b"\xff\xfe"),
        raw(b"{}", content=base64.b64encode(zlib.compress(bytes(80 * 1024 * 1024))).decode()),
    ],
    ids=["task", "repeat", "hash", "base64", "zlib", "text", "bomb"],
)
@pytest.mark.usefixtures("made")
def test_a_hostile_output_is_not_stored(tmp_path: Path, output: RawOutput) -> None:
    asked = order(HOSTS)
    result = store.load(RECORDED)
    result = replace(result, bench=replace(result.bench, id=asked.bench_id("n1", "at-once")))
    with pytest.raises(BadInput, match="the benchmark of n1"):
        keep_result(asked, "n1", "at-once", HostBenchResult(result=result, raw=(output,)))
    assert list((tmp_path / "control").rglob("*.json")) == []


@pytest.mark.usefixtures("made")
def test_outputs_that_are_large_together_are_not_stored(tmp_path: Path) -> None:
    """Each is small as it comes, 9 of 8 MiB are unpacked, and the one that exceeds the sum is named."""
    asked = order(HOSTS)
    result = store.load(RECORDED)
    number, figure = next((at, each) for at, each in enumerate(result.figures) if each.repeats and each.repeats[0].fio)
    many = replace(figure, repeats=(figure.repeats[0],) * 20)
    figures = (*result.figures[:number], many, *result.figures[number + 1 :])
    result = replace(result, figures=figures, bench=replace(result.bench, id=asked.bench_id("n1", "at-once")))
    zeros = bytes(8 * 1024 * 1024)
    packed = base64.b64encode(zlib.compress(zeros)).decode()
    assert len(packed) < 12_000
    outputs = tuple(raw(zeros, task=figure.task, repeat=repeat, content=packed) for repeat in range(1, 21))
    with pytest.raises(BadInput, match=r"-9\.json is too large: an output has at most 8 MiB, all 64 MiB"):
        keep_result(asked, "n1", "at-once", HostBenchResult(result=result, raw=outputs))
    with pytest.raises(BadInput, match="is not the output of a repeat"):
        keep_result(asked, "n1", "at-once", HostBenchResult(result=result, raw=(outputs[0], outputs[0])))
    assert list((tmp_path / "control").rglob("*.json")) == []


@pytest.mark.usefixtures("made")
def test_another_benchmark_is_not_taken_for_the_one_ordered(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is another one"):
        keep_result(order(HOSTS), "n1", "at-once", HostBenchResult(result=store.load(RECORDED)))
    assert list((tmp_path / "control").rglob("*.json")) == []
