"""Executors for tests of the Build screen: a thread instead of a process, simulated, at a test's pace."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from raidtui.bench import job, store
from raidtui.engine import folders
from raidtui.engine import journal as journal_files
from raidtui.engine import journal as journal_lines
from raidtui.engine.folders import ControlRequest, at_work
from raidtui.engine.journal import Journal
from raidtui.engine.living import act_in, carry_on, run_of
from raidtui.engine.process import carry_out
from raidtui.engine.runs import read_plan
from raidtui.engine.site import MACHINE, SPEED_UP, SimulatedSite, home_of, locked
from raidtui.machine.system.passphrase import Passphrase
from raidtui.values.errors import RaidtuiError
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import JobPurpose
from tests.simulated.machine import FaultyMachine

WAITS = 20
"""seconds after which a test gives up"""
AFTERNOON = datetime(2026, 1, 5, 14, 2, 11, tzinfo=UTC)


class Killed(BaseException):
    """The executor is gone, as by kill -9: its journal ends where it is."""


class Executors:
    """Starts executors as `raidtui.engine.process.launch` does. `hold()` stops them before they let time pass."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.killed = False
        self.holds_in_sync = False
        """True: the build is asked to wait for the sync, and stops by itself where a step does"""
        self.started: list[JobPurpose] = []
        self.passphrase: Passphrase | None = None
        """that the last one was given"""
        self._thread: threading.Thread | None = None

    def __call__(
        self, folder: Path, purpose: JobPurpose, digest: str, /, *, simulated: bool, speed_up: float,
        passphrase: Passphrase | None = None,
    ) -> Executors:  # fmt: skip
        assert simulated
        self.passphrase = passphrase
        assert digest == _digest_in(folder, purpose)
        self.started.append(purpose)
        self.killed = False
        self._thread = threading.Thread(target=self._work, args=(folder, purpose, speed_up), daemon=True)
        self._thread.start()
        return self

    def running(self) -> bool:
        """True while one is at work."""
        return self._thread is not None and self._thread.is_alive()

    def hold(self) -> None:
        """No time passes from now on."""
        self.gate.clear()

    def release(self) -> None:
        """Time passes again."""
        self.gate.set()

    def kill(self) -> None:
        """As kill -9."""
        self.killed = True
        self.gate.set()
        self.join()

    def join(self) -> None:
        """Waits for the end."""
        assert self._thread is not None
        self._thread.join(WAITS)
        assert not self._thread.is_alive()

    def _sleep(self, journal: Journal) -> None:
        if self.holds_in_sync and journal.records[-1].kind == "waiting":
            self.holds_in_sync = False
            self.hold()
        self.gate.wait(WAITS)
        if self.killed:
            raise Killed

    def _change(self, folder: Path, speed_up: float) -> None:
        act, root = act_in(folder), folder.parent.parent
        home, _ = run_of(act, root)

        def sleep(_: float) -> None:
            self.gate.wait(WAITS)
            if self.killed:
                raise Killed

        machine = FaultyMachine.kept(home_of(home) / MACHINE, speed_up=speed_up, sleep=sleep)
        carry_on(act, SimulatedSite(root, machine, home_of(home)), lambda: folders.read_request(folder))

    def _work(self, folder: Path, purpose: JobPurpose, speed_up: float) -> None:
        if purpose == "bench":
            with suppress(RaidtuiError):
                job.carry_on(
                    folder, store.order_in(folder).digest, lambda: folders.read_request(folder), speed_up=speed_up
                )
            return
        if purpose in ("replace", "extend"):
            with suppress(RaidtuiError, Killed):
                self._change(folder, speed_up)
            return
        with suppress(RaidtuiError, Killed), locked(folder.parent / "lock"), at_work(folder):
            if self.holds_in_sync:
                folders.write_request(folder, replace(folders.read_request(folder), wait_for_sync=True))
            home = home_of(folder)
            machine = FaultyMachine.kept(home / MACHINE, speed_up=speed_up, sleep=lambda _: self._sleep(journal))
            journal = Journal(folder, purpose, machine.clock)
            site = SimulatedSite(folder.parent, machine, home)
            try:
                plan = read_plan(folder / "plan.json")
                carry_out(plan, site, machine, journal, lambda: folders.read_request(folder), self.passphrase)
            finally:
                journal.close()


def _digest_in(folder: Path, purpose: JobPurpose) -> str:
    if purpose == "bench":
        return store.order_in(folder).digest
    return (act_in(folder) if purpose in ("replace", "extend") else read_plan(folder / "plan.json")).digest


class _Cut(BaseException):
    """The executor is stopped here."""


def standing_run(root: Path, plan: Plan, inventory: Inventory, *, seconds: float) -> Path:
    """A run in `root` after so many seconds of simulated time, its journal written on an afternoon. Returns its folder.

    Always the same to the byte that is shown: no real time passes in it. A worker makes each once and copies it.
    """
    key = (plan.digest, seconds)
    if key not in _STANDING:
        place = tempfile.TemporaryDirectory()
        _STANDING[key] = (place, _made_to_stand(Path(place.name), plan, inventory, seconds))
    folder = _STANDING[key][1]
    shutil.copytree(folder.parent, root, dirs_exist_ok=True)
    return root / folder.name


_STANDING: dict[tuple[str, float], tuple[tempfile.TemporaryDirectory[str], Path]] = {}


def _made_to_stand(root: Path, plan: Plan, inventory: Inventory, seconds: float) -> Path:
    machine = FaultyMachine(inventory, speed_up=SPEED_UP)
    site = SimulatedSite(root, machine)
    folder = journal_files.create(root, plan)
    journal = Journal(folder, "build")

    def wish() -> ControlRequest:
        if machine.now > seconds:
            raise _Cut
        return ControlRequest(wait_for_sync=True)

    with suppress(_Cut):
        carry_out(plan, site, machine, journal, wish)
    (folder / MACHINE).write_text(machine.to_json())
    seal, text = "", ""
    for record in journal.records:
        at = AFTERNOON + timedelta(seconds=0.3 * record.sequence)
        line, seal = journal_lines.record_line(replace(record, time=at.isoformat(timespec="milliseconds")), seal)
        text += line
    (folder / "journal").write_text(text)
    journal.close()
    return folder


@contextmanager
def standing(inventory: Inventory, plan: Plan, *, seconds: float) -> Iterator[Path]:
    """The root of a run that an executor is at work on for as long as it lasts."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        with at_work(standing_run(root, plan, inventory, seconds=seconds)):
            yield root
