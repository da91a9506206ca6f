"""What an adversary tried at the command line: bad files, absurd figures, swapped plans, a lost race."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import pytest

from raidtui.cli import main
from raidtui.engine.folders import RUNS
from raidtui.engine.journal import records
from raidtui.engine.process import launch
from raidtui.engine.site import MACHINE
from raidtui.machine.system.places import simulated_root
from raidtui.predict.stated_disks import purchase
from raidtui.scripts.build_script import build_script
from raidtui.scripts.undo_script import undo_script
from raidtui.values.codec import to_json
from raidtui.values.plan import Plan
from tests.cli.commands import FAST, called, finish, put
from tests.planner.plans import plan_of
from tests.simulated.machine import FaultyMachine

BOUGHT = purchase("10x2TB")
MOST_MEMORY = 3 << 30
"""bytes of address space that a call with bad input gets"""


def planned(folder: Path, *, first: int = 0, **more: Any) -> Plan:
    """A plan on five of the ten disks, written into `folder`."""
    plan = plan_of("(3+1)+1", BOUGHT.disks[first : first + 5], inventory=BOUGHT, host="purchase", fs="ext4", **more)
    put(plan, folder)
    return plan


def confirmed(verb: str, path: Path, plan: Plan) -> list[str]:
    return [verb, str(path), "--yes", "--confirm", plan.digest, FAST]


def of_run() -> FaultyMachine:
    """The machine of the one run there is."""
    (folder,) = RUNS.folders(simulated_root())
    return FaultyMachine.kept(folder / MACHINE)


def confined(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`raidtui` with little memory; a call that does not end is broken off and fails the test."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MOST_MEMORY, before[1]))
    handler = signal.signal(signal.SIGALRM, _broken_off)
    signal.alarm(40)
    try:
        return called(*arguments)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


class Endless(BaseException):
    """The call did not end."""


def _broken_off(*_: object) -> NoReturn:
    raise Endless


def _address_space() -> int:
    """Bytes that this process has already."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


# What was confirmed is what runs.


@pytest.mark.process
def test_undo_by_a_file_with_the_id_of_a_run_and_other_disks_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = planned(tmp_path / "one")
    finish(plan)
    other = planned(tmp_path / "other", first=5)
    assert (other.run_id, {disk.id for disk in other.disks} & {disk.id for disk in plan.disks}) == (plan.run_id, set())
    before = of_run().hashes()
    capsys.readouterr()

    assert main(confirmed("undo", tmp_path / "other" / "plan.json", other)) == 4
    assert plan.digest in capsys.readouterr().err
    assert of_run().hashes() == before


@pytest.mark.process
@pytest.mark.parametrize("verb", ["build", "undo", "resume"])
def test_a_plan_that_is_swapped_in_the_directory_of_the_run_after_the_confirmation_is_refused(
    tmp_path: Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other plan is a genuine one of the same run id; its digest fits it."""
    plan = planned(tmp_path / "one")
    other = planned(tmp_path / "other", mount_point="/srv/other")
    path = tmp_path / "one" / "plan.json"
    if verb != "build":
        finish(plan)
    before: dict[str, str] = {}

    def swapped(folder: Path, *arguments: Any, **more: Any) -> Any:
        (folder / "plan.json").write_text(to_json(other) + "\n")
        before.update(FaultyMachine.kept(folder / MACHINE).hashes())
        return launch(folder, *arguments, **more)

    monkeypatch.setattr("raidtui.cli.verbs.run.launch", swapped)
    assert main(confirmed(verb, path, plan)) == 4
    assert before
    assert of_run().hashes() == before


def test_the_word_of_the_build_script_does_not_begin_the_undo_script() -> None:
    plan = plan_of("(3+1)+1")
    tail = plan.digest[-8:]
    assert f"\n[[ $* == {tail} ]] || " in build_script(plan).text
    assert f"wanted=undo-{tail};" in undo_script(plan).text


# Directories.


def test_plans_are_written_into_directories_that_only_their_owner_may_enter(tmp_path: Path) -> None:
    old = os.umask(0o002)
    try:
        code = main(["plan", "(3+1)+1", "--disks", "5x2TB", "--out", str(tmp_path / "deep" / "out")])
    finally:
        os.umask(old)
    assert code == 0
    modes = {name: oct((tmp_path / name).stat().st_mode & 0o777) for name in ("deep", "deep/out")}
    assert modes == {"deep": "0o700", "deep/out": "0o700"}


def test_a_dangling_link_in_the_place_of_one_file_leaves_none_of_the_others(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir(mode=0o700)
    (out / "undo.sh").symlink_to(tmp_path / "nowhere")
    assert main(["plan", "(3+1)+1", "--disks", "5x2TB", "--out", str(out)]) == 1
    assert [entry.name for entry in out.iterdir()] == ["undo.sh"]
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("place", ["/var/lib/raidtui", "/var/lib/raidtui/data", "/var/lib"])
def test_a_mount_point_that_hides_the_state_directory_is_refused(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "(3+1)+1", "--disks", "5x2TB", "--mount", place]) in (1, 2)
    assert place in capsys.readouterr().err


# A lost race.


@pytest.mark.process
def test_a_build_that_loses_the_race_for_the_lock_exits_5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(tmp_path / "one")
    held: list[int] = []

    def raced(folder: Path, *arguments: Any, **more: Any) -> Any:
        held.append(os.open(simulated_root() / "lock", os.O_RDWR | os.O_CREAT, 0o600))
        fcntl.flock(held[0], fcntl.LOCK_EX)
        return launch(folder, *arguments, **more)

    monkeypatch.setattr("raidtui.cli.verbs.run.launch", raced)
    try:
        code = main(confirmed("build", tmp_path / "one" / "plan.json", plan))
    finally:
        os.close(held[0])
    assert code == 5
    assert not any(of_run().writes().values())
    (folder,) = RUNS.folders(simulated_root())
    assert [record.argv for record in records(folder) if record.argv] == []


# Bad input.


@pytest.mark.parametrize("verb", [("build",), ("script",), ("disks", "--inventory"), ("undo",)], ids=" ".join)
@pytest.mark.parametrize(
    "kind", ["/dev/zero", "a FIFO", "a directory", pytest.param("64 MiB", marks=pytest.mark.thorough)]
)
def test_what_is_no_regular_file_of_a_fitting_size_is_bad_input(
    tmp_path: Path, verb: tuple[str, ...], kind: str
) -> None:
    path = Path("/dev/zero") if kind == "/dev/zero" else tmp_path / "input.json"
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a directory":
        path.mkdir()
    elif kind == "64 MiB":
        path.write_bytes(b" " * (64 << 20))
    done = confined(*verb, str(path))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr[-600:]


@pytest.mark.parametrize(
    "arguments",
    [
        "model (3+1) --disks 14x99999999999999999999999999TB",
        "model (3+1) --disks 14x0TB",
        "model (3+1) --disks=14x-2TB",
        "model (3+1) --disks 0x2TB",
        "model (3+1) --disks 99999999999x2TB",
        "propose --disks 1000000x2TB",
        "model (3+1) --disks 4x2TB --disk-speed 0MB/s",
        "model (3+1) --disks 4x2TB --disk-speed=-5MB/s",
        "model (3+1) --disks 4x2TB --disk-iops 0",
        "model (3+1) --disks 4x2TB --disk-iops=-1",
        "model (3+1) --disks 4x2TB --link-ceiling 0MB/s",
        "model (3+1) --disks 4x2TB --sync-max 0MB/s",
        "model (3+1) --disks 4x2TB --restock-days=-1",
        "model (3+1) --disks 4x2TB --restock-days nan",
        "model (3+1) --disks 4x2TB --afr=-1%",
        "model (3+1) --disks 4x2TB --parity-threads=-1",
        "model (99999999999999999+2) --disks 4x2TB",
    ],
)
def test_an_absurd_figure_is_bad_input(arguments: str) -> None:
    done = confined(*arguments.split())
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr[-600:]
