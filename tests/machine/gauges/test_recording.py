from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.gauges.rates import tick_json
from raidtui.machine.gauges.sampler import GaugeRecorder, read_recording
from raidtui.values.errors import BadInput, Refused
from raidtui.values.gauges import Gauge, Scene, Tick, WatchedDisk
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


def ticks_of(path: Path) -> list[Tick]:
    _, ticks = read_recording(path)
    return list(ticks)


def test_what_was_recorded_is_read(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0), tick(11.0))
    scene, ticks = read_recording(path)
    assert scene == SCENE
    assert list(ticks) == [tick(10.0), tick(11.0)]
    assert path.read_text().isascii()


def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0))
    with pytest.raises(Refused, match="exists already"):
        GaugeRecorder(path, SCENE)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Refused, match="exists already"):
        GaugeRecorder(tmp_path / "link", SCENE)


GOOD = tick_json(tick(11.0))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (GOOD[:40], "line 3: .*Invalid JSON"),
        ("", "line 3: .*Invalid JSON"),
        ("[]", "line 3: "),
        (GOOD.replace('"util"', '"\\u001b[31m"'), "line 3: "),
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
    _, ticks = read_recording(path)
    assert next(ticks) == tick(10.0)
    with pytest.raises(BadInput, match=why) as caught:
        next(ticks)
    assert "\x1b" not in str(caught.value)


def test_a_clock_that_was_set_back_costs_no_recording(tmp_path: Path) -> None:
    """By an hour, after a boot for instance; then by a second."""
    path = recording(tmp_path / "run.jsonl", tick(7210.0), tick(7211.0), tick(3612.0), tick(3613.0), tick(3612.5, 2.0))
    assert [each.time for each in ticks_of(path)] == [7210.0, 7211.0, 7212.0, 7213.0, 7215.0]
    assert ticks_of(path)[2].disks == tick(0.0).disks


def test_a_file_that_was_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    path = recording(tmp_path / "run.jsonl", tick(10.0), tick(11.0))
    path.write_bytes(path.read_bytes()[:-30])
    assert ticks_of(path) == [tick(10.0)]


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
        read_recording(path)
    assert refused.value.hint == "name the gauges.jsonl of a benchmark"


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_recording(tmp_path / "run.jsonl")


@given(st.binary(max_size=200), st.integers(0, 700))
@examples(fixture=True)
def test_no_bytes_bring_it_down(tmp_path: Path, junk: bytes, at: int) -> None:
    path = tmp_path / "run.jsonl"
    path.unlink(missing_ok=True)
    whole = recording(path, tick(10.0), tick(11.0)).read_bytes()
    path.write_bytes(whole[:at] + junk + whole[at:])
    try:
        found = ticks_of(path)
    except BadInput as problem:
        assert f"{path}, line " in str(problem)
    else:
        assert all(isinstance(each, Tick) for each in found)
