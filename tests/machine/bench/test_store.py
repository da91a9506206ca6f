"""Folders of benchmarks: found, listed, told apart; what is there when writing fails."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.bench import job, prepare, store
from raidtui.cli.follow import written_by_executor
from raidtui.engine import folders
from raidtui.engine.folders import BENCHES, ControlRequest, at_work
from raidtui.engine.process import Launched
from raidtui.session.jobs import begin_job
from raidtui.values.bench import BenchOrder, BenchResult, Target
from raidtui.values.errors import BadInput, Locked, MachineFailed, Refused, Stale
from tests.machine.bench.test_scratch_dir import left_by_a_kill
from tests.machine.benching import Stand, bench, task
from tests.machine.simulated.test_bench_load import prepared

SAMPLES = Path(__file__).parents[1] / "benches"
ARRAY = Target(kind="array", name="md0", paths=("/dev/md0",), disks=("a",), size_bytes=1)


def test_made_listed_and_found(tmp_path: Path) -> None:
    made = bench(task(1))
    folder = store.create_at(tmp_path / made.id, made)
    assert sorted(path.name for path in folder.iterdir()) == ["bench.json", "fio", "result.json"]
    assert (folder.stat().st_mode & 0o777, (folder / "bench.json").stat().st_mode & 0o777) == (0o700, 0o600)
    assert BENCHES.folders(tmp_path) == (folder,)
    assert BENCHES.folders(tmp_path / "nowhere") == ()
    assert store.find((tmp_path,), "1111") == folder
    assert store.find((tmp_path,), str(folder)) == folder
    with pytest.raises(BadInput, match="no benchmark starts with '2222'"):
        store.find((tmp_path,), "2222")
    with pytest.raises(BadInput, match=r"'\.\./x' is not a benchmark id"):
        store.find((tmp_path,), "../x")
    with pytest.raises(Refused, match="is not empty"):
        store.create_at(tmp_path / made.id, made)


def test_a_place_that_its_executor_would_refuse_gets_no_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executor of root looks at the directories above too: it would not begin, and leave `interrupted`."""
    monkeypatch.setattr(store, "is_root", lambda: True)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(Refused, match="shared is writable by others"):
        store.create_at(tmp_path / "shared" / "b", bench(task(1)))
    assert BENCHES.folders(tmp_path / "shared") == ()


def test_running_as_long_as_somebody_is_at_work(tmp_path: Path) -> None:
    folder = store.create_at(tmp_path / "b", bench(task(1)))
    with at_work(folder):
        assert store.load(folder).outcome == "running"
    told = store.load(folder)
    assert (told.outcome, told.reason) == ("interrupted", "its process did not begin")


def test_two_are_never_at_work_on_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = prepared("trio", "raid5(2+1)")
    order = store.ordered(made.order, made.bench)
    folder = store.create_at(tmp_path / "b", made.bench, order)
    monkeypatch.setattr("raidtui.bench.job.at_work", lambda folder: at_work(folder, patience=0))
    with at_work(folder), pytest.raises(Locked, match="executor is running"):
        job.carry_on(folder, order.digest, ControlRequest, speed_up=0)
    assert store.starts(folder) == 0
    assert job.carry_on(folder, order.digest, ControlRequest, speed_up=0) == 0
    assert store.load(folder).outcome == "finished"
    with pytest.raises(Refused, match="is finished"):
        job.carry_on(folder, order.digest, ControlRequest, speed_up=0)
    assert (store.load(folder).outcome, store.starts(folder)) == ("finished", 1)


@pytest.mark.parametrize("name", ["bench.json", "order.json"])
def test_an_executor_measures_only_what_was_begun(tmp_path: Path, name: str) -> None:
    made = prepared("trio", "raid5(2+1)")
    order = store.ordered(made.order, made.bench)
    folder = store.create_at(tmp_path / "b", made.bench, order)
    with pytest.raises(Stale, match="nothing was written"):
        job.carry_on(folder, "0" * 64, ControlRequest, speed_up=0)
    path = folder / name
    path.write_text(path.read_text().replace("false", "true", 1))
    with pytest.raises(Stale, match="not the benchmark that was begun"):
        job.carry_on(folder, order.digest, ControlRequest, speed_up=0)
    assert store.starts(folder) == 0


def test_a_folder_that_its_executor_would_refuse_is_refused_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "made by hand").mkdir(mode=0o755)
    with pytest.raises(Refused, match=r"open to others than its owner \(mode 0755\)"):
        store.create_at(tmp_path / "made by hand", bench(task(1)))
    (tmp_path / "private").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("private")
    with pytest.raises(Refused, match="link is not a private directory"):
        store.create_at(tmp_path / "link", bench(task(1)))
    assert list((tmp_path / "private").iterdir()) == list((tmp_path / "made by hand").iterdir()) == []
    store.create_at(tmp_path / "private", bench(task(1)))


def test_files_are_not_written_where_their_file_system_is_not_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unmounted after the question, or resumed after a boot: the directory below the mount point is no substitute."""
    monkeypatch.setattr("raidtui.machine.system.places.os.geteuid", lambda: 1000)
    (tmp_path / "data").mkdir()
    target = Target(kind="files", name="x", paths=(str(tmp_path / "data"),), disks=("a",), size_bytes=1)
    made = bench(task(1, target=target))
    order = store.ordered(BenchOrder(mounts={str(tmp_path / "data"): str(tmp_path / "data")}), made)
    folder = store.create_at(tmp_path / "b", made, order)
    with pytest.raises(Refused, match="nothing is mounted at"):
        job.carry_on(folder, order.digest, ControlRequest, speed_up=0)
    result = store.load(folder)
    assert (result.outcome, result.figures, store.starts(folder)) == ("failed", (), 0)
    data = tmp_path / "data"
    assert result.reason == f"nothing is mounted at {data} now, where {data} was to be measured; mount {data}"
    assert list((tmp_path / "data").iterdir()) == []


def test_what_an_executor_wrote_is_read_like_every_file_of_ours(tmp_path: Path) -> None:
    """A pipe in its place keeps nobody waiting."""
    (tmp_path / "executor").write_text("one\ntwo \x1b[31m\n")
    assert written_by_executor(tmp_path)[0] == "one"
    assert "\x1b" not in written_by_executor(tmp_path)[1]
    (tmp_path / "executor").unlink()
    os.mkfifo(tmp_path / "executor")
    assert written_by_executor(tmp_path) == ()


def test_a_damaged_result_is_told_by_its_place(tmp_path: Path) -> None:
    folder = store.create_at(tmp_path / "b", bench(task(1)))
    (folder / "result.json").write_text('{"schema": "raidtui/bench-result/1"')
    with pytest.raises(BadInput, match=r"result\.json"):
        store.load(folder)


@pytest.mark.parametrize(
    ("name", "value"), [("depth", 10**400), ("streams", -1), ("seconds", 1 << 63)], ids=["huge", "negative", "large"]
)
def test_a_job_out_of_range_is_told_by_its_place(tmp_path: Path, name: str, value: int) -> None:
    job = replace(task(1).job, **{name: value})  # type: ignore[arg-type]
    result = BenchResult(outcome="finished", figures=(), bench=bench(replace(task(1), job=job)))
    with pytest.raises(BadInput, match=rf"result.json: bench.tasks.0.job.{name}: out of range"):
        store.checked(result, tmp_path / "result.json")


@pytest.mark.parametrize("at", range(1, 5))
def test_no_room_to_keep_results_ends_the_run_and_leaves_nothing_on_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """From the at-th write on the disk of the folder is full; what was written before is whole."""
    stand = Stand(tmp_path / "b", task(1), task(2))
    real, count = store.save, 0

    def save(folder: Path, result: BenchResult) -> None:
        nonlocal count
        count += 1
        if count >= at:
            raise MachineFailed("No space left on device")
        real(folder, result)

    monkeypatch.setattr(store, "save", save)
    with pytest.raises(MachineFailed, match="No space left"):
        stand.run()
    assert stand.load.log[-1] == "clean"
    assert sum(len(figure.repeats) for figure in store.load(tmp_path / "b").figures) == at - 1


def test_the_samples_read_back() -> None:
    measured, simulated = (store.load(SAMPLES / name) for name in ("measured", "simulated"))
    assert (measured.outcome, measured.bench.simulated, len(measured.figures)) == ("finished", False, 5)
    assert (simulated.outcome, simulated.bench.simulated, len(simulated.figures)) == ("finished", True, 11)
    assert simulated.bench.layout == "4x(12+2)+4"


def test_leftovers_are_found_by_the_benchmarks_that_are_kept(tmp_path: Path) -> None:
    """A killed run says where it worked; one that is at work is left alone."""
    place = tmp_path / "target"
    place.mkdir()
    target = Target(kind="files", name="x", paths=(str(place),), disks=(), size_bytes=1)
    folder = store.create_at(tmp_path / "kept" / "b", bench(task(1, target=target)))
    left = left_by_a_kill(place)
    with at_work(folder):
        assert prepare.sweep((), tmp_path / "kept") == ()
    assert prepare.sweep((), tmp_path / "kept") == (left,)
    assert list(place.iterdir()) == []


def test_a_resumed_run_never_reads_a_device_that_a_boot_may_have_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    result = BenchResult(bench=bench(task(1, target=ARRAY), task(2)), figures=(), outcome="stopped")
    monkeypatch.setattr("raidtui.bench.prepare._booted", lambda: 1_700_000_000.0)
    prepare.check_names(result)
    monkeypatch.setattr("raidtui.bench.prepare._booted", lambda: 1_900_000_000.0)
    with pytest.raises(Refused, match="/dev/md0 may be another device now"):
        prepare.check_names(result)
    prepare.check_names(replace(result, bench=bench(task(2))))


def test_what_was_asked_of_an_earlier_executor_does_not_count(tmp_path: Path) -> None:
    folder = store.create_at(tmp_path / "b", bench(task(1)))
    folders.write_request(folder, ControlRequest(stop=True, skip=1))
    found: list[tuple[ControlRequest, float]] = []

    def launch(folder: Path, *_: object, simulated: bool, speed_up: float, **_named: object) -> Launched:
        assert simulated
        found.append((folders.read_request(folder), speed_up))
        return Launched("by this test")

    begin_job(lambda: folder, "bench", "", launch, simulated=True, speed_up=2)
    assert found == [(ControlRequest(), 2)]
