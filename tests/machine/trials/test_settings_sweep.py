"""Whatever ends a sweep of settings, the values of before are set again; the best is kept only when asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raidtui.machine.run import journal
from raidtui.machine.run.executor_process import carry_out, kept_in
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.site import SimulatedSite
from raidtui.machine.simulated.core.fault_model import Fault, Killed
from raidtui.machine.simulated.machine import SimulatedMachine
from raidtui.machine.system.runner import SystemReader
from raidtui.machine.trials import settings_sweep
from raidtui.machine.trials.settings_sweep import SettingsAsk, Sweep
from raidtui.machine.trials.tuning import Interrupted, Mounted
from raidtui.model.codec import to_json
from raidtui.model.errors import MachineFailed, RaidtuiError, Refused
from raidtui.model.tune import SETTINGS, TuneProgress, Workload
from raidtui.planner.measurement.settings_values import available_settings, candidate_values
from tests.machine.trials.test_drill import built
from tests.machine.tunes import figure
from tests.planner.plans import plan_of

CACHE = "/sys/block/md126/md/stripe_cache_size"
THREADS = "/sys/block/md126/md/group_thread_cnt"
AHEAD = "/sys/block/md126/queue/read_ahead_kb"
RULE = "/etc/udev/rules.d/91-raidtui-data-tuned.rules"


class _Measure:
    """Implements Measure by a function."""

    def __init__(self, work: Any) -> None:
        self._work = work

    def __call__(self, mounted: Mounted) -> tuple[Workload, ...]:
        found: tuple[Workload, ...] = self._work(mounted)
        return found

    def stop(self) -> None: ...


class Swept:
    """A built machine and a sweep on it; a larger stripe cache is faster, nothing else makes a difference."""

    def __init__(self, root: Path, names: tuple[Any, ...] = SETTINGS, *, keep: bool = False) -> None:
        text, self.plan = built()
        self.machine = SimulatedMachine.from_json(text)
        self.root = root
        self.run_folder = root / self.plan.run_id
        self.begin(names, keep=keep)
        self.before = self.values()

    def begin(self, names: tuple[Any, ...] = SETTINGS, *, keep: bool = False) -> None:
        ask = SettingsAsk(run_id=self.plan.run_id, settings=names, keep=keep)
        self.folder = settings_sweep.create(self.run_folder, ask, self.plan, "quick")

    def values(self) -> list[str | None]:
        return [self.machine.read_text(path) for path in (CACHE, THREADS, AHEAD)]

    def measure(self, _: Mounted) -> tuple[Workload, ...]:
        cache = int(self.machine.read_text(CACHE) or 0)
        ahead = int(self.machine.read_text(AHEAD) or 0)
        value = 1e6 * (100 + cache / 256 + (1 if ahead > 4096 else 0))
        return (Workload(job="write", title="write", figure=figure(0.995 * value, value, 1.005 * value)),)

    def run(self, measure: Any = None, wish: Any = ControlRequest) -> Any:
        self.told: list[TuneProgress] = []
        works = _Measure(measure or self.measure)
        return Sweep(self.folder, self.plan, self.machine, works, self.told.append, wish).run()


def test_every_value_is_tried_and_all_is_as_before(tmp_path: Path) -> None:
    made = Swept(tmp_path)
    assert made.before == ["2048\n", "0\n", "2048\n"]
    result = made.run()
    tried = {name: [each.value for each in result.tried if each.setting == name] for name in SETTINGS}
    assert tried["stripe_cache_size"] == [256, 1024, 2048, 4096, 8192, 16384, 32768]
    assert tried["read_ahead_kb"] == [1024, 2048, 4096, 8192]
    assert tried["group_thread_cnt"][:2] == [0, 1]
    assert result.best == {"stripe_cache_size": 32768}
    assert (result.outcome, result.put_back, result.kept) == ("finished", True, False)
    assert result.before == {CACHE: 2048, THREADS: 0, AHEAD: 2048}
    assert made.values() == made.before
    assert made.machine.read_text(RULE) is None


def test_the_best_is_kept_by_a_rule_and_goes_with_the_arrays(tmp_path: Path) -> None:
    made = Swept(tmp_path, keep=True)
    result = made.run()
    assert (result.kept, result.best) == (True, {"stripe_cache_size": 32768})
    uuid = made.plan.arrays[0].uuid
    assert made.machine.read_text(RULE) == (
        f"# Arrays of data, run {made.plan.run_id}: best values found by raidtui tune --settings --keep.\n"
        f'SUBSYSTEM=="block", KERNEL=="md*", ACTION=="add|change", ENV{{MD_UUID}}=="{uuid}", '
        'ATTR{md/stripe_cache_size}="32768"\n'
    )
    assert made.values() == ["32768\n", "0\n", "2048\n"]
    made.machine.reboot()
    name = made.machine.pin("/dev/md/data").name  # type: ignore[union-attr]
    assert made.machine.read_text(f"/sys/block/{name}/md/stripe_cache_size") == "32768\n"
    _undone(made)
    assert made.machine.read_text(RULE) is None


def test_a_second_sweep_replaces_what_the_first_kept(tmp_path: Path) -> None:
    made = Swept(tmp_path, ("stripe_cache_size",), keep=True)
    made.run()
    made.begin(("stripe_cache_size",), keep=True)

    def smaller(mounted: Mounted) -> tuple[Workload, ...]:
        cache = int(made.machine.read_text(CACHE) or 0)
        return (Workload(job="w", title="w", figure=figure(*(1e9 / cache * part for part in (0.99, 1, 1.01)))),)

    result = made.run(smaller)
    assert (result.best, result.kept) == ({"stripe_cache_size": 256}, True)
    assert 'stripe_cache_size}="256"' in (made.machine.read_text(RULE) or "")
    kept = kept_in(made.run_folder)
    assert kept is not None and 'stripe_cache_size}="256"' in kept.text


@pytest.mark.parametrize("error", [MachineFailed("no", hint="h"), Interrupted(), KeyboardInterrupt()])
def test_any_exit_puts_everything_back(tmp_path: Path, error: BaseException) -> None:
    made, count = Swept(tmp_path), []

    def measure(mounted: Mounted) -> tuple[Workload, ...]:
        count.append(1)
        if len(count) == 4:
            raise error
        return made.measure(mounted)

    if isinstance(error, Interrupted):
        assert made.run(measure).outcome == "stopped"
    else:
        with pytest.raises(type(error)):
            made.run(measure)
    assert made.values() == made.before


def test_the_array_of_somebody_else_that_has_the_name_by_now_is_left_alone(tmp_path: Path) -> None:
    """The values of before go to arrays that report the plan's UUID, whatever their kernel name was."""
    made = Swept(tmp_path)
    result = made.run()
    strange = {"/sys/block/md99/md/stripe_cache_size": 7, CACHE: 2048}
    sweep = Sweep(made.folder, made.plan, made.machine, _Measure(None), made.told.append, ControlRequest)
    assert result.put_back and sweep._own(strange) == {CACHE: 2048}


@pytest.mark.parametrize("at", range(1, 20, 3))
def test_after_a_kill_the_next_sweep_first_puts_everything_back(tmp_path: Path, at: int) -> None:
    made = Swept(tmp_path)
    made.machine.arm(Fault(kind="kill", at=at, side="after", words=("set",)))
    with pytest.raises(Killed):
        made.run()
    made.machine.revive()
    assert settings_sweep.load(made.folder).outcome == "failed"
    assert settings_sweep.left_behind(made.run_folder) == (
        f"settings-1 was ended before {CACHE} was restored; until the next boot or sweep: echo 2048 > {CACHE}",
        f"settings-1 was ended before {AHEAD} was restored; until the next boot or sweep: echo 2048 > {AHEAD}",
        f"settings-1 was ended before {THREADS} was restored; until the next boot or sweep: echo 0 > {THREADS}",
    )
    assert settings_sweep.left_behind(made.run_folder, "another boot") == ()
    made.begin(("group_thread_cnt",))
    result = made.run()
    assert settings_sweep.left_behind(made.run_folder) == ()
    assert result.before == {THREADS: 0}
    assert made.values() == made.before
    assert "restores the previous values" in made.told[0].text


def test_after_a_boot_nothing_is_put_back_for_names_may_be_others_by_then(tmp_path: Path) -> None:
    made = Swept(tmp_path)
    made.machine.arm(Fault(kind="kill", at=3, side="after", words=("set",)))
    with pytest.raises(Killed):
        made.run()
    made.machine.revive()
    made.machine.reboot(order=tuple(reversed([disk.id for disk in made.machine.inventory().disks])))
    made.begin(("group_thread_cnt",))
    result = made.run()
    assert result.outcome == "finished"
    assert not any("left as it was" in line.text for line in made.told)
    assert set(result.before.values()) == {0}


@pytest.mark.parametrize("at", range(1, 16))
def test_a_value_that_cannot_be_set_fails_it_with_all_put_back(tmp_path: Path, at: int) -> None:
    made = Swept(tmp_path)
    made.machine.arm(Fault(kind="fail" if at % 2 else "lie", at=at, words=("set",)))
    try:
        made.run()
    except MachineFailed as problem:
        assert CACHE in str(problem) or AHEAD in str(problem) or THREADS in str(problem)
    assert made.values() == made.before


def test_nothing_but_the_declared_values_can_be_set(tmp_path: Path) -> None:
    made = Swept(tmp_path)
    for path in ("/sys/block/md126/md/sync_action", "/sys/block/sda/queue/nr_requests", f"{CACHE}/../array_state",
                 "/etc/passwd", "/sys/block/sda/queue/read_ahead_kb"):  # fmt: skip
        with pytest.raises(MachineFailed, match="not one of the values"):
            made.machine.set_value(path, 1)


def test_files_of_the_kernel_are_read_in_pieces() -> None:
    # asked for 16 MiB at once, /proc/sys answers with ENOMEM
    assert len((SystemReader().read_text("/proc/sys/kernel/random/boot_id") or "").strip()) == 36
    assert "MemAvailable" in (SystemReader().read_text("/proc/meminfo") or "")


def test_it_waits_for_nobody_but_refuses_a_sync(tmp_path: Path) -> None:
    made = Swept(tmp_path)
    made.machine.run(("mdadm", "--misc", "--action=check", "/dev/md/data"), 2)
    with pytest.raises(Refused, match="is resyncing"):
        made.run()


def test_what_is_worth_trying() -> None:
    plan = plan_of("2x(4+2)", stack="md")
    assert available_settings(plan) == SETTINGS
    assert available_settings(plan_of("raid10(4)")) == ("read_ahead_kb",)
    sizes = {"present": 2048, "free_bytes": 1 << 30, "processors": 2}
    # 12 members of 4 KiB an entry: a quarter of a GiB holds 5461
    assert candidate_values("stripe_cache_size", plan, **sizes) == (256, 1024, 2048, 4096)
    assert candidate_values("group_thread_cnt", plan, **{**sizes, "present": 0}) == (0, 1, 2)
    assert candidate_values("read_ahead_kb", plan, **{**sizes, "present": 8192}) == (4096, 8192, 16384, 32768)


def _undone(made: Swept) -> None:
    """`raidtui undo RUN`."""
    if not (made.run_folder / "journal").exists():
        (made.run_folder / "plan.json").write_text(to_json(made.plan))
        (made.run_folder / "output").mkdir()
        (made.run_folder / "journal").write_bytes(bytes(4096))
    book = Journal(made.run_folder, "undo")
    try:
        assert carry_out(made.plan, SimulatedSite(made.root, made.machine), made.machine, book, ControlRequest) == 0
    except RaidtuiError as problem:
        raise AssertionError(str(problem)) from problem
    finally:
        book.close()
    assert journal.records(made.run_folder)[-1].kind == "finished"
