"""A benchmark of a chassis that is not there: everything says so, always the same, and nothing is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidtui.bench import prepare, store
from raidtui.bench.events import Event, Ticked
from raidtui.bench.plan import BenchOptions
from raidtui.bench.prepare import Prepared, prepare_simulated
from raidtui.machine.inventory import shipped
from raidtui.predict.design import assess, predict
from raidtui.simulated.loads import played
from raidtui.values.assumptions import defaults_for
from raidtui.values.bench import BenchResult
from raidtui.values.design import Design
from raidtui.values.notation import parse


def prepared(name: str, layout: str, profile: str = "quick", ask: BenchOptions | None = None) -> Prepared:
    inventory = shipped.load(name)
    design = Design(layout=parse(layout), chunk_bytes=256 * 1024)
    found = predict(design, inventory.disks)
    prediction = assess(design, inventory.disks, found, inventory, defaults_for(inventory.disks), spread=False)
    return prepare_simulated(
        inventory, design, inventory.disks, prediction, prepare.load(profile), ask or BenchOptions(),
        start=1_800_000_000.0, bench_id="7" * 32,
    )  # fmt: skip


def run(made: Prepared, folder: Path) -> tuple[BenchResult, list[Event]]:
    told: list[Event] = []
    store.create_at(folder, made.bench)
    return prepare.begun(made.bench, made.order, folder).run(told.append), told


@pytest.mark.parametrize(
    ("name", "layout"),
    [("trio", "raid5(2+1)"), ("nas4", "raid10(4)"), ("e2660", "4x(12+2)+4"), ("nvme24", "2x(10+2)")],
)
def test_every_chassis_plays(tmp_path: Path, name: str, layout: str) -> None:
    result, _ = run(prepared(name, layout), tmp_path / "b")
    assert result.outcome == "finished"
    assert len(result.figures) == 5
    for figure, task in zip(result.figures, result.bench.tasks, strict=True):
        assert abs(figure.median / played(result.bench, task) - 1) <= 0.02
        assert "simulated" in figure.labels


def test_an_array_of_two_parities_shows_the_writes_that_were_asked_for(tmp_path: Path) -> None:
    """Each is 4 KiB: not counted once more for the parity that its members write."""
    _, told = run(prepared("nas4", "(2+2)"), tmp_path / "b")
    ticks = [event.tick for event in told if isinstance(event, Ticked)]
    gauges = [array.gauge for tick in ticks for array in tick.arrays.values()]
    sizes = {round(each.write_bytes_per_s / each.write_iops) for each in gauges if each.write_iops}
    assert min(sizes) == 4096


def test_it_is_the_same_every_time(tmp_path: Path) -> None:
    ask = BenchOptions(seconds=30, repeats=3)
    first, _ = run(prepared("nas4", "raid10(4)", ask=ask), tmp_path / "a")
    second, _ = run(prepared("nas4", "raid10(4)", ask=ask), tmp_path / "b")
    assert first == second
    assert (tmp_path / "a" / "gauges.jsonl").read_bytes() == (tmp_path / "b" / "gauges.jsonl").read_bytes()
    assert all(0 < figure.spread < 0.05 for figure in first.figures)


def test_simulated_is_said_in_every_file(tmp_path: Path) -> None:
    run(prepared("nas4", "raid10(4)"), tmp_path / "b")
    assert json.loads((tmp_path / "b" / "bench.json").read_text())["simulated"] is True
    result = json.loads((tmp_path / "b" / "result.json").read_text())
    assert result["bench"]["simulated"] is True
    assert all("simulated" in repeat["labels"] for figure in result["figures"] for repeat in figure["repeats"])
    first = (tmp_path / "b" / "gauges.jsonl").read_text().splitlines()[0]
    assert json.loads(first)["scene"]["simulated"] is True
    assert list((tmp_path / "b" / "fio").iterdir()) == []


def test_gauges_show_what_is_played(tmp_path: Path) -> None:
    """While the array is read its members together move what the figure says; nobody else moves anything."""
    result, told = run(prepared("e2660", "4x(12+2)+4", profile="ladder", ask=BenchOptions(repeats=1)), tmp_path / "b")
    figures = {figure.task: figure for figure in result.figures}
    task = next(task for task in result.bench.tasks if task.job.name == "array")
    repeat = figures[task.number].repeats[0]
    names = {disk.name for disk in result.bench.disks if disk.id in task.target.disks and disk.role == "member"}
    ticks = [event.tick for event in told if isinstance(event, Ticked)]
    inside = [tick for tick in ticks if repeat.began + 2 < tick.time < repeat.ended - 1]
    assert (len(names), len(inside) >= 25) == (14, True)
    for tick in inside:
        moved = sum(tick.disks[name].read_bytes_per_s for name in names)
        assert abs(moved / repeat.value - 1) < 0.05
        assert sum(gauge.read_bytes_per_s for name, gauge in tick.disks.items() if name not in names) == 0


def test_the_ladder_has_a_rung_for_everything() -> None:
    tasks = prepared("e2660", "4x(12+2)+4", profile="ladder").bench.tasks
    kinds = [task.target.kind for task in tasks]
    assert {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)} == {
        "disk": 60, "disks": 1, "array": 4, "volume": 1, "files": 2,
    }  # fmt: skip
    assert len(next(task for task in tasks if task.target.kind == "disks").target.disks) == 56
