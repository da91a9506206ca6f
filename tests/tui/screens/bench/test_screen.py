"""A person benchmarks: chooses with the cost in sight, starts, pauses, skips, stops, leaves, plays back."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench import store, tuning
from raidtui.bench.events import Event, FigureDone, PhaseStarted, TaskFailed, Ticked
from raidtui.cli import main
from raidtui.engine import folders
from raidtui.engine.folders import ControlRequest
from raidtui.engine.process import Launched
from raidtui.machine.gauges.rates import IDLE
from raidtui.machine.inventory.shipped import load
from raidtui.machine.system.passphrase import Passphrase
from raidtui.machine.system.places import simulated_root
from raidtui.session import report_plots
from raidtui.session.bench_view import BenchView
from raidtui.tui.jobs import tune_control
from raidtui.tui.terminal.profile import TIERS, Tier
from raidtui.tui.widgets.pane import Pane
from raidtui.values.bench import Profile
from raidtui.values.design import Design
from raidtui.values.errors import MachineFailed
from raidtui.values.layout import Layout
from tests.tui.benches import ACCEPTANCE, Staged, job, writing
from tests.tui.builds import Executors
from tests.tui.robot import Robot, robot
from tests.tui.test_tiers import HOSTILE, sent, shown

NAS4 = Design(layout=Layout.of(level="raid5", members=3, spares=1))
WALK = Profile(
    name="walk", title="Two figures", purpose="To test with.",
    jobs=(
        job("read", "seq read 1M", target="files", pattern="read", block_bytes=1 << 20, depth=16, predicted="seq_read"),
        job("write", "seq write 1M", target="files", pattern="write", block_bytes=1 << 20, depth=16,
            predicted="seq_write"),
    ),
)  # fmt: skip


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulated benchmarks of a test lie in a directory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def staged(root: Path, **more: Any) -> Staged:
    """A benchmark of four simulated disks."""
    return Staged(root / "made", load("nas4"), profile=more.pop("profile", WALK), **more)


def after_ticks(count: int, task: int = 1) -> Callable[[Event], bool]:
    """True for the tick number `count` of the first repeat of a task."""
    seen = {"on": False, "ticks": 0}

    def there(event: Event) -> bool:
        if isinstance(event, PhaseStarted) and event.task == task and event.repeat == 1:
            seen["on"] = True
        seen["ticks"] += seen["on"] and isinstance(event, Ticked)
        return seen["ticks"] == count

    return there


async def watching(user: Robot, bench: Staged) -> None:
    """The benchmark runs on the Bench screen."""
    await user.app.bench_follower.follow(bench.folder)
    await user.press("6")
    await user.finds("Predicted and measured")


async def test_the_cost_is_in_sight_before_the_start_and_a_word_is_asked_for(state: Path) -> None:
    async with robot("nas4", design=NAS4) as user:
        await user.press("6")
        await user.settle()
        assert user.sees("quick: A first look in minutes")
        assert user.sees("simulated nas4: the design as if it were built")
        assert user.sees("SIMULATED: 5 tests, about")
        assert user.sees("temporarily")
        assert user.sees("No disk is used")
        assert user.sees("random-write, /srv/data")
        await user.press("right")
        await user.settle()
        assert user.sees("ladder: Where speed is lost")
        await user.press("b")
        await user.answers("yes")
        assert user.note() == "type start, or press Esc"
        await user.answers("")
        assert user.note() == "type start, or press Esc"
        await user.press("escape")
        assert user.app.bench_follower.seen is None
        assert not (simulated_root() / "benches").exists()


async def test_the_whole_walk_works_without_a_single_disk(state: Path) -> None:
    async with robot("nas4", design=NAS4, launch=Executors()) as user:
        user.app.bench_follower.speed_up = 0.0
        await user.press("6")
        await user.settle()
        await user.press("b")
        await user.answers("start")
        await user.finds("FINISHED  5 of 5 results")
        assert user.sees("│ predicted  ░ band, 9 in 10"), "below the outcome where it does not fit beside it"
        assert user.sees("SIMULATED")
        assert user.sees("5 of 5 done")
        (folder,) = (simulated_root() / "benches").iterdir()
        result = store.load(folder)
        assert result.outcome == "finished"
        assert result.bench.simulated
        assert [figure.task for figure in result.figures] == [1, 2, 3, 4, 5]
        assert all("simulated" in figure.labels for figure in result.figures)
        await user.press("b")
        await user.settle()
        assert user.sees("What to run, and where")
        assert not user.sees("Predicted and measured")


async def test_a_tree_of_ones_own_is_measured(state: Path) -> None:
    """A tar of three files with one name that leads out of it."""
    tree = state / "small.tar"
    with tarfile.open(tree, "w") as archive:
        for name in ("a", "b/c", "b/d", "../out[b]"):
            member = tarfile.TarInfo(name)
            member.size = 3
            archive.addfile(member, io.BytesIO(b"abc"))
    async with robot("nas4", design=NAS4, launch=Executors()) as user:
        user.app.bench_follower.speed_up = 0.0
        await user.press("6")
        await user.settle()
        await user.press("O")
        await user.answers("/nowhere/missing")
        await user.eventually(lambda: "missing" in user.note())
        assert "No such file or directory" in user.note()
        await user.press("O")
        await user.answers(str(tree))
        await user.finds("tree: tree of 3 files in 1 directory")
        assert user.sees("12/12")
        assert user.sees("Skipped are 1: ../out[b]: a name that leads out of the tree.")
        await user.press("b")
        await user.answers("start")
        await user.finds("FINISHED  1 of 1 results")
        (folder,) = (simulated_root() / "benches").iterdir()
        assert store.load(folder).bench.tasks[0].job.tree == str(tree)
        await user.press("b")
        await user.settle()
        assert user.sees("tree: tree of 3 files")


async def test_trials_begin_after_the_phrase_and_show_their_table(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of `raidtui tune '(3+1)'`, to the digest; the test is their executor."""
    assert main(["tune", "(3+1)", "--inventory", "nas4", "--dry-run", "--json"]) == 0
    dry = json.loads(capsys.readouterr().out)["tuning"]
    begun: list[tuple[Path, str]] = []

    def launched(
        folder: Path, what: str, digest: str, *, simulated: bool, speed_up: float, passphrase: Passphrase | None = None
    ) -> Launched:
        assert (what, simulated, passphrase) == ("tune", True, None)
        begun.append((folder, digest))
        return Launched(how="by this test", process=None, unit="")

    monkeypatch.setattr(Launched, "running", lambda self: False)
    design = replace(NAS4, layout=Layout.of(level="raid5", members=4))
    async with robot("nas4", design=design, launch=launched) as user:
        await user.press("6")
        await user.settle()
        await user.press("T")
        await user.finds("[ Cancel ]")
        assert user.sees("Tune (3+1): 5 trials of (3+1) on the same 4 disks")
        assert user.sees("1   64 KiB  xfs")
        await user.press("escape")
        await user.settle()
        assert user.note() == "cancelled: no disk was changed"
        assert begun == []
        await user.press("T")
        await user.finds("[ Cancel ]")
        words = next(row for row in user.lines() if "type the phrase: " in row)
        await user.press("end", "enter")
        await user.answers(words.partition("type the phrase: ")[2].partition(" ]")[0])
        await user.eventually(lambda: begun != [])
        ((folder, digest),) = begun
        assert digest == dry["digest"]
        await user.finds("its process is gone")
        assert main(["execute", str(folder), "tune", digest, "--speed-up=1e9"]) == 0
        await user.finds("of (3+1): finished")
        assert user.sees("TRIAL")
        assert user.sees("512 KiB xfs")
        assert tuning.load(folder).outcome == "finished"
        await user.press("escape")
        await user.settle()
        assert user.sees("What to run, and where")
        monkeypatch.setattr(tune_control, "at_work", lambda *_: iter((folder,)))
        await user.press("T")
        await user.finds("of (3+1): finished")
        assert len(begun) == 1
        await user.press("x")
        assert folders.read_request(folder).stop


async def test_a_design_that_cannot_be_is_not_measured(state: Path) -> None:
    async with robot("nas4", design=Design(layout=Layout.of(level="raid6", members=40))) as user:
        await user.press("6")
        await user.settle()
        assert user.sees("the design is invalid; change it on Design (2)")
        await user.press("T")
        await user.eventually(lambda: "the design is invalid" in user.note())
        await user.press("b")
        assert user.note().startswith("the design is invalid")


async def test_keys_reach_the_benchmark_and_stop_asks_for_a_word(state: Path) -> None:
    bench = staged(state, until=after_ticks(3))
    async with robot("nas4", design=NAS4) as user:
        await watching(user, bench)
        await user.finds("test 1 of 2")
        await user.press("p")
        assert bench.asked == ControlRequest(pause=True)
        assert "the present repeat is dropped" in user.note()
        await user.press("greater_than_sign")
        assert bench.asked == ControlRequest(skip=1)
        await user.press("x")
        await user.answers("no")
        assert user.note() == "type stop, or press Esc"
        assert bench.asked == ControlRequest(skip=1)
        await user.press("escape")
        await user.press("x")
        await user.types("stop")
        assert bench.asked == ControlRequest(skip=1)
        await user.press("enter")
        assert bench.asked == ControlRequest(skip=1, stop=True)
        bench.stop()
        await user.finds("FINISHED")
        await user.press("p", "greater_than_sign", "x")
        assert bench.asked == ControlRequest(skip=1, stop=True)


async def test_leaving_leaves_it_running_and_the_next_app_finds_it(state: Path) -> None:
    executors = Executors()
    async with robot("nas4", design=NAS4, launch=executors) as user:
        user.app.bench_follower.speed_up = 2.0
        await user.press("6")
        await user.settle()
        await user.press("b")
        await user.answers("start")
        await user.finds("test 1 of 5: read")
        (folder,) = (simulated_root() / "benches").iterdir()
        await user.press("1")
        assert user.sees("*6Bench 7Report")
        await user.press("q")
        await user.eventually(lambda: user.app._exit)
        short = folder.name[:8]
        assert user.app.bench_follower.exit_message() == (
            f"raidtui: the benchmark {short} continues; raidtui bench --attach {short} shows it again"
        )
    assert executors.running()
    async with robot("nas4", design=NAS4, launch=executors) as user:
        await user.press("6")
        await user.finds("test 1 of 5: read")
        assert executors.started == ["bench"]
        await user.press("x")
        await user.answers("stop")
        await user.finds("STOPPED")
        assert user.app.bench_follower.exit_message() == ""
    executors.join()
    result = store.load(folder)
    assert (result.outcome, result.reason) == ("stopped", "asked to stop")


async def test_one_whose_process_is_gone_says_so(state: Path) -> None:
    bench = staged(state, until=after_ticks(3))
    store.save(bench.folder, replace(bench.result, figures=(), outcome="running"))
    async with robot("nas4", design=NAS4) as user:
        await watching(user, bench)
        bench._held.close()
        await user.finds("INTERRUPTED")
        assert user.sees("its process is gone")


async def test_one_that_cannot_be_started_can_be_tried_again(state: Path) -> None:
    begun: list[Path] = []

    def launched(folder: Path, *_: object, **__: object) -> Any:
        begun.append(folder)
        raise MachineFailed("no process", hint="end some")

    async with robot("nas4", design=NAS4, launch=launched) as user:
        await user.press("6")
        await user.settle()
        for count in (1, 2):
            await user.press("b")
            await user.answers("start")
            await user.settle()
            assert user.note() == "not started: no process; end some"
            assert len(set(begun)) == count


async def test_one_that_does_not_begin_says_why(state: Path) -> None:
    def launched(folder: Path, *_: object, **__: object) -> Any:
        store.save(folder, replace(store.load(folder), outcome="failed", reason="no memory"))
        return Launched(how="by this test", process=None, unit="")

    async with robot("nas4", design=NAS4, launch=launched) as user:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Launched, "running", lambda self: False)
            await user.press("6")
            await user.settle()
            await user.press("b")
            await user.answers("start")
            await user.eventually(lambda: "no memory" in user.note())
        assert user.sees("What to run, and where")


async def test_a_stopped_one_says_so_and_keeps_what_it_measured(state: Path) -> None:
    async with robot("nas4", design=NAS4, launch=Executors()) as user:
        user.app.bench_follower.speed_up = 20.0
        await user.press("6")
        await user.settle()
        await user.press("b")
        await user.answers("start")
        await user.finds("1 of 5 done")
        await user.press("x")
        await user.types("stop")
        await user.press("enter")
        await user.finds("STOPPED")
        (folder,) = (simulated_root() / "benches").iterdir()
        result = store.load(folder)
        assert result.outcome == "stopped"
        assert 1 <= len(result.figures) < 5
        assert user.sees(f"{len(result.figures)} of 5 results")
        assert user.sees("not run")


async def test_a_picked_disk_is_named_and_the_smallest_terminal_shows_verdicts_in_full(state: Path) -> None:
    async with robot("nas4", design=NAS4) as user:
        bench = staged(state, until=after_ticks(3, task=2))
        await watching(user, bench)
        await user.finds("test 2 of 2")
        await user.press("shift+tab", "right")
        assert user.app.focused is user.app.page.query_one("#gauges")
        assert " sda " in user.note()
        await user.pilot.resize_terminal(60, 18)
        await user.pilot.pause()
        await user.press("tab")
        assert user.sees("ratio  verdict")
        assert not user.sees("verdict (band)")
        bench.stop()


async def test_trouble_and_slow_disks_are_found_by_slot_and_serial(state: Path) -> None:
    bench = staged(state)
    seen = BenchView(bench.bench, bench.scene, bench.folder)
    disk = bench.scene.disks[1]
    for event in bench.events[:-1]:
        if isinstance(event, FigureDone) and event.figure.seen is not None:
            event = FigureDone(
                figure=replace(event.figure, seen=replace(event.figure.seen, slow_disks=(disk.id,)), labels=("cached",))
            )
        seen.apply(event)
    seen.apply(TaskFailed(task=2, reason="fio was killed"))
    async with robot("nas4", design=NAS4, width=120, height=40) as user:
        user.app.bench_follower.seen = seen
        await user.press("6")
        assert user.sees("fio was killed")
        assert user.sees(f"{disk.serial}: slower than its group in seq read 1M")
        assert user.sees("2 results: may include reads from a cache")
        assert user.sees("not comparable")


async def test_a_member_that_does_not_move_its_part_is_named(state: Path) -> None:
    bench = staged(state)
    seen = BenchView(bench.bench, bench.scene, bench.folder)
    slow, member = bench.scene.disks[1], {name for array in bench.scene.arrays for name in array.members}
    for event in bench.events:
        seen.apply(event)
        if seen.loads:
            break
    assert isinstance(event, Ticked)
    assert set(seen.loads) == member
    assert not [name for name, load in seen.loads.items() if load.off]
    for _ in range(10):
        seen.apply(Ticked(tick=replace(event.tick, disks={**event.tick.disks, slow.name: IDLE})))
    assert [name for name, load in seen.loads.items() if load.off and load.deviation < 0] == [slow.name]
    async with robot("nas4", design=NAS4, width=120, height=40) as user:
        user.app.bench_follower.seen = seen
        await user.press("6")
        assert user.sees(f"{slow.slot} moves 0 MB/s, expected ")
        assert user.sees("(-100 %)")


async def test_it_is_copied_and_exported(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_plots, "available", lambda: False)  # they take seconds, and have tests of their own
    monkeypatch.chdir(tmp_path)
    async with robot("nas4", design=NAS4) as user:
        await watching(user, staged(state))
        await user.finds("FINISHED")
        await user.press("y")
        assert "sent to the terminal's clipboard" in user.note()
        text = user.app.clipboard
        assert text.startswith(
            "SIMULATED: these figures come from the model, no disk was accessed\nwalk of (2+2) on nas4"
        )
        assert ", finished\n\ntest " in text
        assert "no disk is slower than its group" in text
        assert text.isascii()
        await user.press("e")
        await user.answers("out")
        await user.settle()
        assert user.note().startswith("wrote report")
        assert {path.name for path in (tmp_path / "out").iterdir()} >= {"report.md", "report.json", "report.html"}


async def test_help_and_the_hint_line_offer_what_works_now(state: Path) -> None:
    async with robot("nas4", design=NAS4) as user:
        await user.press("6")
        await user.settle()
        assert " b  start" in user.lines()[-1]
        assert "pause" not in user.lines()[-1]
        await user.press("question_mark")
        assert user.sees("start, after typing start")
        await user.press("escape")
        bench = staged(state, until=after_ticks(3))
        await watching(user, bench)
        hints = user.lines()[-1]
        assert "pause" in hints
        assert "stop" in hints
        assert "start" not in hints
        bench.stop()


@pytest.mark.parametrize("tier", TIERS)
async def test_only_characters_of_the_tier_are_sent(state: Path, tier: Tier) -> None:
    jobs = tuple(replace(each, title=HOSTILE) for each in WALK.jobs)
    bench = staged(state, profile=replace(WALK, jobs=jobs))
    bench.bench = replace(
        bench.bench, host=HOSTILE,
        tasks=tuple(replace(task, target=replace(task.target, name=HOSTILE)) for task in bench.bench.tasks),
    )  # fmt: skip
    scene = replace(bench.scene, disks=tuple(replace(disk, serial=HOSTILE, slot=HOSTILE) for disk in bench.scene.disks))
    seen = BenchView(bench.bench, scene, bench.folder)
    for event in bench.events:
        seen.apply(event)
    async with robot("nas4", design=NAS4, tier=tier) as user:
        user.app.bench_follower.seen = seen
        await user.press("6")
        await user.finds("2 of 2 done")
        for key in ("", "v", "v", "enter", "escape", "1", "7", "down", "down", "enter"):
            await user.press(*[key] if key else [])
            await user.settle()
            assert {char for char in sent(user) if not shown(tier, char)} == set(), key


async def test_sixty_disks_fit_a_small_and_a_large_screen(state: Path) -> None:
    for width, height in ((80, 24), (120, 36), (200, 60)):
        jobs = replace(ACCEPTANCE, jobs=ACCEPTANCE.jobs[1:3])
        bench = Staged(state / str(width), load("e2660"), profile=jobs, until=after_ticks(3, task=2))
        async with robot("e2660", width=width, height=height) as user:
            await watching(user, bench)
            await user.finds("1 of 2 done")
            await user.finds("md3")
            assert user.sees("60 disks")
            assert all(len(row) <= width for row in user.lines())
            bench.stop()
            await user.finds("│ predicted  ░ band")
            assert not user.sees("60 disks"), "after the end results take the place of gauges"
            assert all(len(row) <= width for row in user.lines())


async def test_a_very_large_screen_shows_each_value_in_its_bay(state: Path) -> None:
    made = Staged(state / "bench", load("e2660"), profile=ACCEPTANCE, until=writing())
    async with robot(width=200, height=60) as user:
        await user.press("6")
        await user.app.bench_follower.follow(made.folder)
        await user.pilot.pause()
        await user.pilot.pause()
        at = next(number for number, text in enumerate(user.lines()) if text.startswith("│ drawer 1 "))
        assert user.lines()[at][:54] == "│ drawer 1 │     01      │     02      │     03      │"
        assert user.lines()[at + 1][:54] == "│          │     sda     │     sdb     │     sdc     │"
        assert user.lines()[at + 2][:54] == "│          │  94 ███████ │  97 ███████ │  94 ███████ │"
        await user.pilot.click("#map", offset=(32, 4))
        assert "drawer 1 slot 02 sdb " in user.note()
        made.stop()


@pytest.mark.parametrize("size", [(80, 24), (80, 32), (110, 32), (109, 40), (132, 43), (195, 60)])
async def test_the_tests_are_seen_before_the_start(size: tuple[int, int]) -> None:
    """At 110x32 the pane had its titles and no test."""
    async with robot("nas4", width=size[0], height=size[1]) as user:
        await user.press("6")
        await user.settle()
        numbered = [row.lstrip(" │")[:2] for row in user.lines()]
        assert {"1 ", "2 ", "3 ", "4 ", "5 "} <= set(numbered)
        assert user.sees("A first look in minutes" if size[1] < 30 else "11 profiles")


async def test_a_very_large_screen_shows_before_the_start_what_each_test_does_and_where(state: Path) -> None:
    async with robot("nas4", design=NAS4, width=200, height=60) as user:
        await user.press("6")
        await user.settle()
        assert user.sees("read, 4 MiB records, 1 stream, depth 128, direct; limited by members")
        assert user.sees("Reads every disk alone, all disks at once, each array and the volume")
        start = next(at for at, row in enumerate(user.lines()) if "Slots in use" in row)
        bays = [row.split("│")[2:6] for row in user.lines()[start + 3 : start + 7]]
        assert [[cell.strip() for cell in row] for row in bays] == [
            ["01", "02", "03", "04"], ["sda", "sdb", "sdc", "sdd"], ["A", "A", "A", "+"], ["●", "●", "●", "●"],
        ]  # fmt: skip


async def test_a_very_large_screen_shows_the_test_under_the_cursor_beside_the_results(state: Path) -> None:
    async with robot("nas4", design=NAS4, width=200, height=60) as user:
        await watching(user, staged(state))
        await user.finds("FINISHED")
        details = user.app.page.query_one("#details", Pane)
        await user.eventually(lambda: details.heading == "seq read 1M, /srv/data")
        await user.press("down")
        await user.eventually(lambda: details.heading == "seq write 1M, /srv/data")
        assert user.sees("write, 1 MiB records, 1 stream, depth 16, direct")
