"""The engine: repeats and medians, what pause, next and stop do at any moment, labels, what is on disk meanwhile."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.bench import store
from raidtui.bench.events import Began, Ended, Event, PhaseStarted, RepeatDone, Ticked, Waiting
from raidtui.bench.run import Benchmark, figure_of
from raidtui.engine.folders import ControlRequest
from raidtui.values.bench import Pattern, Repeat, Target
from raidtui.values.errors import BadInput, MachineFailed
from tests.machine.benching import GONE, START, Stand, task

WISHES = {
    "pause": ControlRequest(pause=True), "stop": ControlRequest(stop=True), "skip": ControlRequest(skip=1),
}  # fmt: skip
DISK = Target(kind="disk", name="slot 1", paths=("/dev/sda",), disks=("a",), size_bytes=1 << 40)


def test_a_whole_run(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=3), task(2, repeats=1), values=(10.0, 30.0, 20.0, 7.0))
    stand.run()
    assert stand.kinds() == [
        "Began",
        "TaskStarted", "PhaseStarted", "RepeatDone", "PhaseStarted", "RepeatDone", "PhaseStarted", "RepeatDone",
        "FigureDone",
        "TaskStarted", "PhaseStarted", "RepeatDone", "FigureDone",
        "Ended",
    ]  # fmt: skip
    first, second = stand.result.figures
    assert (first.median, first.spread, first.unit, first.labels) == (20.0, 1.0, "B/s", ())
    assert [repeat.value for repeat in first.repeats] == [10.0, 30.0, 20.0]
    assert [repeat.fio for repeat in first.repeats] == ["fio/001-1.json", "fio/001-2.json", "fio/001-3.json"]
    assert (second.median, second.spread) == (7.0, 0.0)
    assert (stand.result.outcome, stand.result.reason) == ("finished", "")
    assert stand.load.log == [
        "settle", "repeat 1", "settle", "repeat 1", "settle", "repeat 1", "done 1 before 2",
        "settle", "repeat 2", "done 2 before the end", "clean",
    ]  # fmt: skip
    assert store.load(tmp_path / "b") == stand.result


@pytest.mark.parametrize(("pattern", "figures"), [("read", 1), ("write", 0)])
def test_a_disk_that_cannot_be_written_to_ends_the_benchmark(tmp_path: Path, pattern: Pattern, figures: int) -> None:
    """What is only read may fail by itself."""
    tasks = [task(number, repeats=1, target=DISK) for number in (1, 2)]
    tasks = [replace(each, job=replace(each.job, pattern=pattern)) for each in tasks]
    stand = Stand(tmp_path / "b", *tasks, values=(MachineFailed("an I/O error"), 7.0))
    stand.run()
    assert (stand.result.outcome, len(stand.result.figures)) == ("failed", figures)
    assert "an I/O error" in stand.result.reason


def test_gauges_come_every_second(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=1))
    stand.run()
    ticks = [event.tick for event in stand.told if isinstance(event, Ticked)]
    measured = [tick for tick in ticks if tick.time > ticks[2].time]
    assert {round(tick.seconds, 1) for tick in measured[1:]} == {1.0}
    assert len(ticks) in (37, 38)


@pytest.mark.parametrize("at", range(8))
@pytest.mark.parametrize("wish", WISHES)
def test_wishes_at_any_moment_leave_nothing_running(tmp_path: Path, at: int, wish: str) -> None:
    """The wish comes at the at-th thing said. Whatever was cut is killed, removed and, after a pause, done again."""
    stand = Stand(tmp_path / "b", task(1), task(2), values=(1.0, 2.0, 3.0, 4.0))
    stand.load.fill = True
    said = 0

    def also(event: Event) -> None:
        nonlocal said
        if type(event).__name__ == "Paused":
            assert stand.load.log[-1] == "clean"
            stand.asked = ControlRequest()
        elif not isinstance(event, Ticked):
            if said == at:
                stand.asked = WISHES[wish]
            said += 1

    stand.also = also
    stand.run()
    log = stand.load.log
    assert log[-1] == "clean"
    killed = log.count("kill")
    assert killed <= 1
    for place, word in enumerate(log):
        if word == "kill":
            assert log[place + 1] == "clean"
    figures = stand.result.figures
    if wish == "stop":
        assert stand.result.outcome == "stopped"
        assert all("partial" in figure.labels for figure in figures if len(figure.repeats) < 2)
        assert store.load(tmp_path / "b") == stand.result
    else:
        assert stand.result.outcome == "finished"
    if wish == "pause":
        assert [len(figure.repeats) for figure in figures] == [2, 2]
        assert not any("partial" in figure.labels for figure in figures)
        assert sum(word == "repeat 1" for word in log) - killed <= 2


def _killed() -> ControlRequest:
    raise KeyboardInterrupt


def stopped_in(
    stand: Stand, kind: type, wish: Callable[[], ControlRequest] = lambda: WISHES["stop"], *, times: int = 1
) -> None:
    """The wish comes when the times-th event of that kind is told."""
    seen = 0

    def also(event: Event) -> None:
        nonlocal seen
        if isinstance(event, kind):
            seen += 1
            if seen == times:
                stand.asked = wish()

    stand.also = also


def test_a_stopped_run_is_resumed_where_it_was(tmp_path: Path) -> None:
    """One repeat of two counts, labelled; the resumed run makes the other, and the label goes."""
    stand = Stand(tmp_path / "b", task(1), task(2), values=(10.0, 99.0))
    stopped_in(stand, PhaseStarted, times=2)
    stand.run()
    (figure,) = stand.result.figures
    assert ([repeat.value for repeat in figure.repeats], figure.labels) == ([10.0], ("partial",))
    assert stand.kinds()[-3:] == ["Abandoned", "FigureDone", "Ended"] or stand.kinds()[-2:] == ["Abandoned", "Ended"]
    again = Stand(tmp_path / "b", task(1), task(2), values=(20.0, 5.0, 6.0))
    again.run()
    assert [[repeat.value for repeat in figure.repeats] for figure in again.result.figures] == [
        [10.0, 20.0],
        [5.0, 6.0],
    ]
    assert [figure.labels for figure in again.result.figures] == [(), ()]
    assert again.result.outcome == "finished"


def test_a_killed_run_was_interrupted(tmp_path: Path) -> None:
    """Nobody holds the folder and the result says running: what it says else still counts."""
    stand = Stand(tmp_path / "b", task(1))
    stopped_in(stand, RepeatDone, _killed)
    with pytest.raises(KeyboardInterrupt):
        stand.run()
    assert stand.load.log[-1] == "clean"
    found = store.load(tmp_path / "b")
    assert (found.outcome, found.reason) == ("interrupted", "its process is gone")
    assert [repeat.value for repeat in found.figures[0].repeats] == [100.0]
    assert found.figures[0].labels == ("partial",)


def test_next_job_keeps_the_repeats_that_are_done(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=3), task(2, repeats=1))
    stopped_in(stand, PhaseStarted, lambda: WISHES["skip"], times=2)
    stand.run()
    assert [(figure.task, len(figure.repeats), figure.labels) for figure in stand.result.figures] == [
        (1, 1, ("partial",)), (2, 1, ()),
    ]  # fmt: skip
    assert stand.result.outcome == "finished"


def test_a_load_that_fails_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1), task(2))
    stand.load.values = [10.0, GONE]
    stand.run()
    assert (stand.result.outcome, stand.result.reason) == (
        "failed", "fio was ended by SIGKILL; run it again, or resume",
    )  # fmt: skip
    assert [(figure.task, figure.labels) for figure in stand.result.figures] == [(1, ("partial",))]
    assert stand.load.log[-1] == "clean"


def test_one_disk_that_fails_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, target=DISK), task(2, target=DISK, repeats=1))
    stand.load.values = [GONE, 5.0]
    stand.run()
    assert [(figure.task, figure.median) for figure in stand.result.figures] == [(2, 5.0)]
    assert stand.result.outcome == "failed"
    assert stand.result.reason.startswith("job-1 on slot 1: fio was ended by SIGKILL")


def test_short_figures_are_labelled(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, seconds=29.0, repeats=1), task(2, seconds=30.0, repeats=1))
    stand.run()
    assert [figure.labels for figure in stand.result.figures] == [("short",), ()]


def test_it_waits_for_a_sync_and_says_so(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=1))
    stand.gauges.sync = lambda at: "resync" if at < 60 else "idle"
    stand.run()
    (waiting,) = [event for event in stand.told if isinstance(event, Waiting)]
    assert waiting.reason == "md0: resync; it would share the disks"
    (figure,) = stand.result.figures
    assert figure.labels == ()
    assert 60 <= figure.repeats[0].began - START <= 70


def test_a_wait_for_a_sync_can_be_stopped(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1))
    stand.gauges.sync = lambda _: "check"
    stopped_in(stand, Waiting)
    stand.run()
    assert (stand.result.outcome, stand.result.figures) == ("stopped", ())


def test_a_sync_that_starts_in_the_middle_is_labelled(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=2))
    stand.gauges.sync = lambda at: "recover" if at > 60 else "idle"
    stopped_in(stand, RepeatDone, times=2)
    stand.benchmark = Benchmark(
        stand.benchmark.bench, tmp_path / "b", stand.gauges, stand.load, during_sync=True, clock=stand.clock
    )
    stand.run()
    assert [repeat.labels for repeat in stand.result.figures[0].repeats] == [(), ("syncing",)]


def test_degraded_and_disturbed_are_labelled(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=1))
    stand.gauges.degraded = 1
    stand.gauges.busy = 50e6
    stand.run()
    assert stand.result.figures[0].labels == ("disturbed", "degraded")


def test_simulated_figures_say_so(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=1))
    stand.load.simulated = True
    stand.run()
    assert stand.result.figures[0].labels == ("simulated",)


def test_the_result_on_disk_is_whole_at_every_moment(tmp_path: Path) -> None:
    """Read at everything that is said: it can be understood, and never holds fewer repeats than before."""
    stand = Stand(tmp_path / "b", task(1), task(2))
    counts = []

    def also(_: Event) -> None:
        text = (tmp_path / "b" / store.RESULT).read_text()
        counts.append(sum(len(figure["repeats"]) for figure in json.loads(text)["figures"]))

    stand.also = also
    stand.run()
    assert counts == sorted(counts)
    assert counts[-1] == 4


def test_median_and_spread() -> None:
    def repeat(value: float) -> Repeat:
        return Repeat(value=value, began=0, ended=30)

    one = task(1)
    four = figure_of(one, [repeat(value) for value in (4.0, 1.0, 3.0, 2.0)], None, partial=False)
    assert (four.median, four.spread) == (2.5, 1.2)
    none = figure_of(one, [repeat(0.0)], None, partial=False)
    assert (none.median, none.spread) == (0.0, 0.0)
    labelled = figure_of(
        one, [replace(repeat(1.0), labels=("short", "cached")), replace(repeat(1.0), labels=("short",))], None,
        partial=True,
    )  # fmt: skip
    assert labelled.labels == ("short", "cached", "partial")


def test_what_is_asked_pauses_and_stops_it(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1), task(2), values=(1.0, 2.0, 3.0, 4.0))
    asks = {
        "PhaseStarted": ControlRequest(pause=True),
        "Paused": ControlRequest(),
        "RepeatDone": ControlRequest(stop=True),
    }

    def also(event: Event) -> None:
        stand.asked = asks.pop(type(event).__name__, stand.asked)

    stand.also = also
    stand.run()
    assert (stand.result.outcome, stand.result.reason) == ("stopped", "asked to stop")
    assert [kind for kind in stand.kinds() if kind in ("Paused", "Resumed", "RepeatDone", "Ended")] == [
        "Paused", "Resumed", "RepeatDone", "Ended",
    ]  # fmt: skip


def test_a_viewer_reads_what_was_told_with_the_newest_ticks_alone_if_it_wants(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=1))
    reader = store.EventReader(tmp_path / "b", 1)
    assert (reader.scene, reader.new()) == (None, ())
    early: list[Event] = []
    stand.also = lambda event: early.extend(reader.new()) if isinstance(event, PhaseStarted) else None
    stand.run()
    assert reader.scene == stand.gauges.scene
    told = [*early, *reader.new()]
    assert [type(event) for event in told] == [type(event) for event in stand.told]
    assert [event for event in told if not isinstance(event, Ticked)] == [
        event for event in stand.told if not isinstance(event, Ticked)
    ]
    ticks = [event.tick.time for event in told if isinstance(event, Ticked)]
    assert ticks == pytest.approx([event.tick.time for event in stand.told if isinstance(event, Ticked)], abs=0.001)
    late = store.EventReader(tmp_path / "b").new(latest=3)
    assert [event.tick.time for event in late if isinstance(event, Ticked)] == ticks[-3:]
    assert [event for event in late if not isinstance(event, Ticked)] == [
        event for event in told if not isinstance(event, Ticked)
    ]


def test_half_an_event_is_read_when_it_is_whole_and_a_resumed_one_has_its_own_file(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "b", task(1, repeats=1))
    stand.run()
    path = tmp_path / "b" / store.EVENTS
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    reader = store.EventReader(tmp_path / "b")
    assert not any(isinstance(event, Ended) for event in reader.new())
    path.write_bytes(whole)
    assert [type(event) for event in reader.new()] == [Ended]
    assert store.starts(tmp_path / "b") == 1
    Stand(tmp_path / "b", task(1, repeats=1)).run()
    assert store.starts(tmp_path / "b") == 2
    assert [type(event) for event in store.EventReader(tmp_path / "b").new() if not isinstance(event, Ticked)] == [
        Began, Ended,
    ]  # fmt: skip


def test_a_long_benchmark_is_read_in_parts(tmp_path: Path) -> None:
    """A viewer that comes after an hour holds neither its events nor its ticks in memory at once."""
    stand = Stand(tmp_path / "b", task(1, repeats=1, seconds=3600.0))
    stand.run()
    reader = store.EventReader(tmp_path / "b")
    parts = list(iter(reader.new, ()))
    assert len(parts) > 3
    assert max(map(len, parts)) <= 1000
    assert [type(event) for part in parts for event in part] == [type(event) for event in stand.told]
    newest = store.EventReader(tmp_path / "b")
    few = [event for part in iter(lambda: newest.new(latest=1), ()) for event in part]
    assert isinstance(few[-1], Ended)
    assert len([event for event in few if isinstance(event, Ticked)]) == len(parts)


@pytest.mark.parametrize("place", [-1, 1 << 40, 1 << 70])
def test_a_tick_that_is_not_in_the_recording_is_told_by_its_place(tmp_path: Path, place: int) -> None:
    Stand(tmp_path / "b", task(1, repeats=1)).run()
    path = tmp_path / "b" / store.EVENTS
    path.write_text(f'{{"tick":{place}}}\n')
    with pytest.raises(BadInput, match=r"gauges\.jsonl, byte"):
        store.EventReader(tmp_path / "b").new()


def test_an_event_without_an_end_is_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Stand(tmp_path / "b", task(1, repeats=1)).run()
    (tmp_path / "b" / store.EVENTS).write_text("x" * 2000)
    assert store.EventReader(tmp_path / "b").new() == ()
    monkeypatch.setattr("raidtui.bench.store.LONGEST", 1000)
    with pytest.raises(BadInput, match="a line has more than 1000 bytes"):
        store.EventReader(tmp_path / "b").new()


def test_the_end_can_be_read_after_the_disk_was_full_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a line fits; the files of the benchmark are removed then, and there is room for its end."""
    write, full = os.write, [False]

    def half(handle: int, data: bytes) -> int:
        short = full[0] and data.startswith(b'{"schema"')
        full[0] = full[0] and not short
        return write(handle, data[:10] if short else data)

    stand = Stand(tmp_path / "b", task(1))
    stand.also = lambda event: full.__setitem__(0, isinstance(event, PhaseStarted) or full[0])
    monkeypatch.setattr("raidtui.bench.store.os.write", half)
    stand.run()
    assert (stand.result.outcome, "No space left" in stand.result.reason) == ("failed", True)
    told = store.EventReader(tmp_path / "b").new()
    assert isinstance(told[-1], Ended)
    assert told[-1].result == stand.result


def test_a_pause_and_a_long_wait_fill_no_disk(tmp_path: Path) -> None:
    """Two hours of each: of the pause nothing is recorded, of a wait for a sync a tick every few seconds."""
    stand = Stand(tmp_path / "b", task(1, repeats=1))
    stand.gauges.sync = lambda at: "resync" if at < 7200 else "idle"
    pause = ControlRequest(pause=True)
    stand.benchmark = Benchmark(
        stand.benchmark.bench, tmp_path / "b", stand.gauges, stand.load, clock=stand.clock,
        request=lambda: pause if 7210 < stand.clock.now() - START < 14410 else ControlRequest(),
    )  # fmt: skip
    stand.run()
    assert stand.result.outcome == "finished"
    assert stand.result.figures[0].repeats[0].began > START + 14410
    assert {"Waiting", "Paused", "Resumed"} < set(stand.kinds())
    ticks = [event.tick.time - START for event in stand.told if isinstance(event, Ticked)]
    assert len([at for at in ticks if at <= 7200]) < 2000
    assert len([at for at in ticks if 7212 < at < 14410]) <= 1
