from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.gauges.recording import GaugeRecorder, Recorded, Replay
from raidtui.machine.simulated.ticks import SimulatedTicks, demonstration
from raidtui.model.errors import BadInput, Refused
from raidtui.model.gauges import Gauge, Scene, Tick, WatchedDisk
from raidtui.planner.gauges.json_lines import tick_json
from tests.suite import examples

SCENE = Scene(host="store\x1b[31m", disks=(WatchedDisk(name="sda", serial="S1"), WatchedDisk(name="sdb")))
BUSY = Gauge(
    read_bytes_per_s=1e6, write_bytes_per_s=0.0, read_iops=2.0, write_iops=0.0, util=0.5, await_ms=1.0, queue=0.5
)


def tick(time: float, seconds: float = 1.0) -> Tick:
    return Tick(time=time, seconds=seconds, disks={"sda": BUSY})


def recording(path: Path, *ticks: Tick) -> Path:
    recorder = GaugeRecorder(path, SCENE)
    for each in ticks:
        recorder.write(each)
    recorder.close()
    return path


def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0), tick(11.0))
    replay = Replay(path)
    assert replay.scene == SCENE
    assert replay.all() == [tick(10.0), tick(11.0)]
    assert replay.take() is None
    assert path.read_text().isascii()


def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0))
    with pytest.raises(Refused, match="exists already"):
        GaugeRecorder(path, SCENE)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Refused, match="exists already"):
        GaugeRecorder(tmp_path / "link", SCENE)


def test_ticks_are_written_down_as_they_are_taken(tmp_path: Path) -> None:
    now = iter([0.0, 1.0, 2.5])
    source = SimulatedTicks(SCENE, demonstration(SCENE), clock=lambda: next(now))
    recorder = GaugeRecorder(tmp_path / "run.jsonl", source.scene)
    ticks = Recorded(source, recorder)
    taken = [ticks.take(), ticks.take()]
    recorder.close()
    replay = Replay(tmp_path / "run.jsonl")
    assert replay.scene.simulated
    assert [(each.time, each.seconds) for each in replay.all()] == [(t.time, t.seconds) for t in taken if t]


def test_it_takes_as_long_as_it_took(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0), tick(12.0, 2.0), tick(13.0), tick(9999.0, 9000.0))
    now, waited = [100.0], []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        now[0] += seconds

    replay = Replay(path, speed=2.0, clock=lambda: now[0], wait=wait)
    replay.take()
    replay.take()
    now[0] += 0.2  # the owner took its time
    replay.take()
    replay.take()
    assert waited == [0.5, 1.0, pytest.approx(0.3), 30.0]


def test_a_slow_owner_misses_nothing_and_waits_for_nothing(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0), tick(11.0), tick(12.0))
    now = iter([0.0, 50.0, 100.0])
    waited: list[float] = []
    replay = Replay(path, clock=lambda: next(now), wait=waited.append)
    assert [each.time for each in iter(replay.take, None) if each] == [10.0, 11.0, 12.0]
    assert waited == [1.0]


GOOD = tick_json(tick(11.0))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (GOOD[:40], "line 3: .*Invalid JSON"),
        ("", "line 3: .*Invalid JSON"),
        ("[]", "line 3: "),
        (GOOD.replace('"util"', '"\\u001b[31m"'), "line 3: "),
        (GOOD.replace("11.000", "3.0"), "line 3: earlier than the line before"),
        (GOOD.replace("11.000", "NaN"), "line 3: "),
        (GOOD.replace("1000000.0", "1e999"), "line 3: "),
        (GOOD.replace("1000000.0", "-5"), "line 3: value out of range"),
        (GOOD.replace('"seconds":1.000000', '"seconds":0'), "line 3: value out of range"),
        (GOOD.replace('"disks"', '"disk"'), "line 3: "),
        ("x" * 70000, "line 3: "),
    ],
)
def test_a_line_that_is_no_tick_is_named(tmp_path: Path, line: str, why: str) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0))
    with path.open("a") as file:
        file.write(f"{line}\n{GOOD}\n")
    replay = Replay(path, speed=0)
    assert replay.take() == tick(10.0)
    with pytest.raises(BadInput, match=why) as caught:
        replay.take()
    assert "\x1b" not in str(caught.value)


def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0), tick(11.0))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BadInput, match="line 3: truncated"):
        Replay(path).all()
    assert Replay(path, torn_end=True).all() == [tick(10.0)]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "line 1: empty"),
        (b"\x00\xff\n", "line 1: "),
        (GOOD.encode(), "line 1: "),
        (b'{"schema": "raidtui/plan/1"}\n', "1: "),
    ],
)
def test_no_recording_at_all(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=why) as refused:
        Replay(path)
    assert refused.value.hint == "name a recording of raidtui watch --record"


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        Replay(tmp_path / "run.jsonl")


@given(st.binary(max_size=200), st.integers(0, 700))
@examples(fixture=True)
def test_no_bytes_bring_it_down(tmp_path: Path, junk: bytes, at: int) -> None:
    path = tmp_path / "run.jsonl"
    path.unlink(missing_ok=True)
    whole = recording(path, tick(10.0), tick(11.0)).read_bytes()
    path.write_bytes(whole[:at] + junk + whole[at:])
    try:
        found = Replay(path).all()
    except BadInput as problem:
        assert f"{path}, line " in str(problem)
    else:
        assert all(isinstance(each, Tick) for each in found)
