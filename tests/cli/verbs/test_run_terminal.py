"""A build begun on a real terminal: the typed phrase, Ctrl-C, and the terminal that goes away."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from raidtui.answers.confirm import phrase
from raidtui.engine.folders import RUNS, is_alive
from raidtui.engine.runs import load
from raidtui.predict.stated_disks import purchase
from raidtui.scripts.files import write_plan
from raidtui.values.design import Encryption
from raidtui.values.plan import Plan
from tests.planner.plans import plan_of

pytestmark = pytest.mark.process
BOUGHT = purchase("5x2TB")


class Sitting:
    """A verb on a terminal of its own, until it asks."""

    def __init__(self, folder: Path, asks: str, *words: str) -> None:
        self.root = folder / "state" / "raidtui" / "simulated"
        self.seen = b""
        self.ours, theirs = os.openpty()

        def take_terminal() -> None:
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        self.program = subprocess.Popen(
            [sys.executable, "-m", "raidtui", *words],
            stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_terminal,
            env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
        )  # fmt: skip
        os.close(theirs)
        self.until(asks.encode())

    def until(self, words: bytes) -> None:
        """Reads until `words` were printed."""
        end = time.monotonic() + 60
        while words not in self.seen:
            assert time.monotonic() < end, self.seen[-2000:]
            if select.select([self.ours], [], [], 0.1)[0]:
                self.seen += os.read(self.ours, 65536)

    def type(self, text: str) -> None:
        """Types a text."""
        os.write(self.ours, text.encode())

    def run(self) -> Path:
        """The run that was begun."""
        (folder,) = RUNS.folders(self.root)
        return folder

    def end(self) -> None:
        """Asks the run to stop and waits for it."""
        env = {**os.environ, "XDG_STATE_HOME": str(self.root.parent.parent)}
        subprocess.run([sys.executable, "-m", "raidtui", "control", self.run().name[:8], "stop"], env=env, check=True)
        end = time.monotonic() + 60
        while is_alive(self.run()):
            assert time.monotonic() < end
            time.sleep(0.05)
        assert load(self.run()).run.outcome == "stopped"


def begins(folder: Path, plan: Plan) -> Sitting:
    """`raidtui build`."""
    words = ("build", str(folder / "plan.json"), "--wait-for-sync", "--speed-up=400")
    return Sitting(folder, f"Type '{phrase(plan)}' to begin", *words)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    made = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase")
    write_plan(made, tmp_path)
    return made


def test_enter_begins_nothing(plan: Plan, tmp_path: Path) -> None:
    sitting = begins(tmp_path, plan)
    sitting.type("\r")
    sitting.until(b"not confirmed; nothing was written")
    assert sitting.program.wait(30) == 1
    assert RUNS.folders(sitting.root) == ()
    os.close(sitting.ours)


@pytest.mark.thorough
def test_ctrl_c_leaves_and_the_build_goes_on(plan: Plan, tmp_path: Path) -> None:
    sitting = begins(tmp_path, plan)
    sitting.type(phrase(plan) + "\r")
    sitting.until(b"waits until the arrays are in sync")
    sitting.until(b"MB/s per member")
    sitting.type("\x03")
    sitting.until(f"raidtui build --attach {plan.run_id[:8]} follows it again".encode())
    assert sitting.program.wait(30) == 130
    assert is_alive(sitting.run())
    sitting.end()
    os.close(sitting.ours)


def test_the_build_outlives_its_terminal(plan: Plan, tmp_path: Path) -> None:
    sitting = begins(tmp_path, plan)
    sitting.type(phrase(plan) + "\r")
    sitting.until(b"Create /dev/md/data")
    os.close(sitting.ours)
    assert sitting.program.wait(30) != 0
    assert is_alive(sitting.run())
    sitting.end()


SECRET = "seven lean cows"


def test_a_passphrase_is_typed_without_echo_and_shown_nowhere(tmp_path: Path) -> None:
    """Not in a process, a file of the run, or the terminal; a resume asks again, and refuses another one."""
    plan = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase", encryption=Encryption())
    write_plan(plan, tmp_path)
    sitting = begins(tmp_path, plan)
    sitting.type(phrase(plan) + "\r")
    for first, again in ((SECRET, "other"), (SECRET, SECRET)):
        sitting.until(b"Passphrase of the encrypted volumes of data: ")
        sitting.type(first + "\r")
        sitting.until(b"The same again: ")
        sitting.seen, before = b"", sitting.seen
        assert SECRET.encode() not in before
        sitting.type(again + "\r")
        if first != again:
            sitting.until(b"the two are not the same: type it again")
    sitting.until(b"waits until the arrays are in sync")
    processes = [each / name for each in Path("/proc").glob("[0-9]*") for name in ("cmdline", "environ")]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in (*processes, *files) if SECRET.encode() in read(path)] == []
    sitting.end()
    assert SECRET.encode() not in sitting.seen
    sitting.program.wait(30)
    second = Sitting(tmp_path, "volumes of data: ", "resume", plan.run_id[:8])
    second.type(SECRET + "\r")
    second.until(b"The same again: ")
    second.type(SECRET + "\r")
    second.until(b"FINISHED: every step is done and verified")
    assert second.program.wait(60) == 0
    assert SECRET.encode() not in second.seen
    assert [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in read(path)] == []


def read(path: Path) -> bytes:
    """Its content, nothing where it is gone or of another user."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
