"""What a report is made from: found by id, folder or file; what is wrong with it is said with its place."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui import __version__
from raidtui.bench import store
from raidtui.engine import journal
from raidtui.machine.gauges.sampler import GaugeRecorder
from raidtui.session.report import Places, material, newest, put_together, selected
from raidtui.values.bench import BenchResult
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Refused
from raidtui.values.notation import LayoutText
from raidtui.values.report import Evidence, Report
from raidtui.values.trials import DrillAsk, DrillResult, TrialResult, TuneResult, Tuning, Variant
from tests.planner.reports import plan, records, report, result, scene, ticks

SAMPLES = Path(__file__).parents[1] / "benches"


def kept_run(root: Path) -> Path:
    """The folder of a finished run."""
    folder = journal.create(root, plan())
    writer = journal.Journal(folder, "build")
    for each in records(plan()):
        writer.write(
            each.kind, step=each.step, action=each.action, argv=each.argv, exit=each.exit, text=each.text
        )  # fmt: skip
    writer.close()
    return folder


def kept_bench(root: Path, done: BenchResult, *, gauges: bool = True) -> Path:
    """The folder of a benchmark."""
    folder = store.create_at(root / done.bench.id, done.bench)
    store.save(folder, done)
    if gauges:
        recorder = GaugeRecorder(folder / store.GAUGES, scene())
        for tick in ticks(done, every=10.0):
            recorder.write(tick)
        recorder.close()
    return folder


def places(tmp_path: Path) -> Places:
    return Places(runs=(tmp_path / "runs", tmp_path / "none"), benches=(tmp_path / "benches",))


def made(*found: Any) -> Report:
    return put_together(found, made="2026-12-22T14:00:00Z", version=__version__)


@pytest.fixture
def kept(tmp_path: Path) -> Places:
    kept_run(tmp_path / "runs")
    kept_bench(tmp_path / "benches", result())
    kept_bench(tmp_path / "benches", result("survey", began=1_798_010_000.0), gauges=False)
    return places(tmp_path)


def test_a_run_and_its_benchmarks_by_the_first_digits_of_their_ids(kept: Places) -> None:
    one = made(material("0123", kept), material("6c61", kept), material("7375", kept))
    assert (one.host, one.layout, one.simulated) == ("stor01", "2x(4+2)+1", False)
    assert [bench.result.bench.profile for bench in one.benches] == ["ladder", "survey"]
    assert one.benches[0].history is not None
    assert one.benches[1].history is None
    assert one.build is not None
    assert one.build.outcome == "finished"
    assert one.verdict is not None
    assert one.verdict.word == "not accepted"  # most figures of the survey are below their bands


def test_the_newest_run_brings_the_benchmarks_of_its_plan(kept: Places, tmp_path: Path) -> None:
    other = replace(result().bench, id="e" * 32, plan_digest="0" * 64)
    kept_bench(tmp_path / "benches", replace(result(), bench=other), gauges=False)
    shutil.copytree(tmp_path / "benches" / ("e" * 32), tmp_path / "benches" / "damaged")
    (tmp_path / "benches" / "damaged" / "result.json").write_text("{")
    one = made(*newest(kept))
    assert [bench.result.bench.profile for bench in one.benches] == ["ladder", "survey"]


def kept_tuning(runs: Path, trial: str) -> None:
    """A finished tuning on the first two disks of the build, whose only trial is the run `trial`."""
    variant = Variant(number=1, name="64 KiB xfs", chunk_bytes=65536, fs="xfs", run_id=trial, plan_digest="b",
                      volume_bytes=8 << 30)  # fmt: skip
    tuning = Tuning(
        id="a" * 32, host="stor01", simulated=False, layout=LayoutText.read("raid1(2)"), asked_layout="2x(4+2)+1",
        slice_bytes=8 << 30, first_sync=True, profile="quick", disks=tuple(disk.id for disk in plan().disks[:2]),
        variants=(variant,), digest="d",
    )  # fmt: skip
    folder = runs / "tunings" / tuning.id
    folder.mkdir(parents=True)
    (folder / "tuning.json").write_text(to_json(tuning))
    done = TuneResult(tuning=tuning, trials=(TrialResult(variant=1, outcome="measured"),), outcome="finished")
    (folder / "result.json").write_text(to_json(done))


def test_drills_and_tunings_of_a_build_are_in_its_report(kept: Places, tmp_path: Path) -> None:
    ask = DrillAsk(run_id=plan().run_id, plan_digest="b", array=0, device="/dev/md/data-0", failed="wwn-1", role=2)
    drill = DrillResult(ask=ask, simulated=False, outcome="finished", mismatches=0, restored=True)
    folder = tmp_path / "runs" / plan().run_id / "drill-0-1"
    folder.mkdir()
    (folder / "result.json").write_text(to_json(drill))
    kept_tuning(tmp_path / "runs", "f" * 32)
    for found in (newest(kept), selected(["0123"], kept), selected(["0123", "7375"], kept)):
        assert [section.title for section in made(*found).sections] == [
            "Drill on /dev/md/data-0", "Tuning of 2x(4+2)+1",
        ]  # fmt: skip
    sections = made(*newest(kept)).sections
    evidence = [[each.sha256 for each in section.evidence] for section in sections]
    files = [folder / "result.json", tmp_path / "runs" / "tunings" / ("a" * 32) / "result.json"]
    assert evidence == [[hashlib.sha256(file.read_bytes()).hexdigest()] for file in files]


def test_a_trial_of_a_tuning_is_never_the_newest_run(kept: Places, tmp_path: Path) -> None:
    trial = tmp_path / "runs" / ("f" * 32)
    shutil.copytree(tmp_path / "runs" / plan().run_id, trial)
    os.utime(trial / "journal", (2_000_000_000, 2_000_000_000))
    kept_tuning(tmp_path / "runs", trial.name)
    for name in ("plan.json", "journal"):
        assert str(trial / name) not in {file.path for file in _evidence_of_build(made(*newest(kept)))}


def test_an_undo_afterwards_changes_no_evidence(kept: Places, tmp_path: Path) -> None:
    before = _evidence_of_build(made(*newest(kept)))
    undo = journal.Journal(tmp_path / "runs" / plan().run_id, "undo")
    undo.write("begun", text="alice as root")
    undo.write("finished", text="undone")
    undo.close()
    after = made(*newest(kept))
    assert after.build is not None
    assert (after.build.purpose, _evidence_of_build(after)) == ("undo", before)
    kept_journal = before[1]
    data = Path(kept_journal.path).read_bytes()[: kept_journal.size_bytes]
    assert hashlib.sha256(data).hexdigest() == kept_journal.sha256
    assert data.endswith(b"\n")


def _evidence_of_build(report: Report) -> tuple[Evidence, ...]:
    assert report.build is not None
    return report.build.evidence


def test_a_benchmark_that_cannot_be_read_is_named_and_left_out(kept: Places, tmp_path: Path) -> None:
    told: list[str] = []
    damaged = next((tmp_path / "benches").glob("6c6164*"))
    (damaged / "gauges.jsonl").write_text("{}\n")
    one = made(*newest(kept, told.append))
    assert [bench.result.bench.profile for bench in one.benches] == ["survey"]
    assert len(told) == 1
    assert told[0].startswith(f"not read: {damaged}/gauges.jsonl, line 1: ")
    for path in (tmp_path / "runs").rglob("plan.json"):
        path.write_text("{")
    assert made(*newest(kept)).build is None


def test_a_simulated_report_is_made_when_its_machine_is_done(tmp_path: Path) -> None:
    ahead = replace(result(), ended="2027-01-05T00:00:00+00:00")
    for simulated, when in ((True, "2027-01-05T00:00:00+00:00"), (False, "2026-12-22T14:00:00Z")):
        bench = replace(ahead.bench, id=f"{int(simulated):032x}", simulated=simulated)
        kept_bench(tmp_path / "benches", replace(ahead, bench=bench), gauges=False)
        assert made(material(str(tmp_path / "benches" / bench.id), places(tmp_path))).made == when


def test_a_place_that_cannot_be_read_is_named_before_nothing_is_said_to_be_there(tmp_path: Path) -> None:
    told: list[str] = []
    for name in ("runs", "benches"):
        (tmp_path / name).write_text("a file in place of the directory")
    with pytest.raises(Refused, match="no run and no benchmark"):
        newest(places(tmp_path), told.append)
    assert told == [
        f"not read: {tmp_path}/runs: Not a directory; run it as root",
        f"not read: {tmp_path}/benches: Not a directory; run it as root",
    ]


def test_without_a_run_the_newest_benchmark_and_without_both_a_refusal(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="nothing to report"):
        newest(places(tmp_path))
    kept_bench(tmp_path / "benches", result(), gauges=False)
    one = made(*newest(places(tmp_path)))
    assert one.build is None
    assert one.layout == "2x(4+2)+1"


def test_every_file_is_evidence_with_its_hash(kept: Places, tmp_path: Path) -> None:
    folder = tmp_path / "benches" / ("6c6164646572" + "0" * 20)
    (folder / "fio" / "001-1.json").write_bytes(b'{"jobs": []}')
    (bench,) = material(str(folder), kept).benches
    found = {Path(each.path).name: each for each in bench.evidence}
    assert set(found) == {"result.json", "001-1.json", "gauges.jsonl"}
    assert found["001-1.json"].sha256 == hashlib.sha256(b'{"jobs": []}').hexdigest()
    assert found["001-1.json"].size_bytes == 12
    run = material("0123", kept)
    assert run.build is not None
    assert [Path(each.path).name for each in run.build.evidence] == ["plan.json", "journal"]


def test_a_report_alone_stays_what_it_was_and_with_others_it_is_their_build(tmp_path: Path) -> None:
    before = report(result())
    path = tmp_path / "report.json"
    path.write_text(to_json(before))
    assert made(material(str(path), places(tmp_path))) == before
    assert made(material(str(tmp_path), places(tmp_path))) == before
    kept_bench(tmp_path / "benches", result("survey", began=1_798_010_000.0), gauges=False)
    more = made(material(str(path), places(tmp_path)), material("7375", places(tmp_path)))
    assert [bench.result.bench.profile for bench in more.benches] == ["ladder", "survey"]
    assert more.build == before.build
    assert [disk.role for disk in more.disks] == [disk.role for disk in before.disks]


def broken(path: Path, change: Any) -> str:
    said = json.loads(to_json(report(result())))
    change(said)
    path.write_text(json.dumps(said))
    with pytest.raises(BadInput) as caught:
        material(str(path), places(path.parent))
    return str(caught.value)


def test_what_is_wrong_with_a_report_is_said_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "report.json"

    def text_for_number(said: Any) -> None:
        said["benches"][0]["result"]["figures"][3]["median"] = "fast"

    def no_task(said: Any) -> None:
        said["benches"][0]["result"]["figures"][3]["task"] = 999

    def unknown_key(said: Any) -> None:
        said["disks"][2]["colour"] = "red"

    def negative(said: Any) -> None:
        said["benches"][0]["result"]["figures"][0]["repeats"][0]["value"] = -1

    def other(said: Any) -> None:
        said["schema"] = "raidtui/report/2"

    assert "benches.0.result.figures.3.median" in broken(path, text_for_number)
    assert broken(path, no_task).endswith("report.json: figures.3: there is no task 999")
    assert "disks.2.colour" in broken(path, unknown_key)
    assert broken(path, negative).endswith("figures.0: no repeats, or a number is negative or not finite")
    assert "a report cannot use the schema 'raidtui/report/2'" in broken(path, other)


def test_what_is_no_document_is_said(tmp_path: Path) -> None:
    where = places(tmp_path)
    (tmp_path / "x.json").write_text("not JSON")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "list.json").write_text("[1]")
    for name, words in (("x.json", "not valid JSON"), ("deep.json", "not valid JSON"), ("list.json", "schema ''")):
        with pytest.raises(BadInput, match=words):
            material(str(tmp_path / name), where)
    for name, words in (
        ("nothing", "no run, benchmark or file called"),
        (str(tmp_path), "holds no run"),
        ("", "holds no"),
    ):
        with pytest.raises(BadInput, match=words):
            material(name, where)


def test_a_damaged_recording_is_said_and_a_torn_end_is_none(kept: Places, tmp_path: Path) -> None:
    path = tmp_path / "benches" / ("6c6164646572" + "0" * 20) / "gauges.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    (bench,) = material("6c61", kept).benches
    assert bench.history is not None
    path.write_bytes(whole.replace(b'"seconds":10', b'"seconds":"x"', 1))
    with pytest.raises(BadInput, match="line 2"):
        material("6c61", kept)


@pytest.mark.parametrize(("name", "figures", "verdict"), [("measured", 5, True), ("simulated", 11, False)])
def test_benchmarks_as_they_are_kept(name: str, figures: int, verdict: bool) -> None:
    """Folders written by a real benchmark and by the simulated one."""
    one = made(material(str(SAMPLES / name), Places(runs=(), benches=())))
    assert len(one.benches[0].result.figures) == figures
    assert one.benches[0].history is not None
    assert (one.verdict is not None) is verdict
    assert one.simulated is not verdict


def test_the_history_is_of_the_disks_that_were_measured(tmp_path: Path) -> None:
    done = result()
    few = replace(done, bench=replace(done.bench, disks=done.bench.disks[:6]))
    folder = kept_bench(tmp_path / "benches", replace(few, figures=()), gauges=False)
    recorder = GaugeRecorder(folder / store.GAUGES, scene())
    for tick in ticks(done, every=60.0):
        recorder.write(tick)
    recorder.close()
    history = material(str(folder), places(tmp_path)).benches[0].history
    assert history is not None
    assert [disk.name for disk in history.disks] == ["sda", "sdb", "sdc", "sdd", "sde", "sdf"]
