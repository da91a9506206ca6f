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
from raidtui.values.plan import Plan
from tests.planner.plans import plan_of

pytestmark = pytest.mark.process
BOUGHT = purchase("5x2TB")


class Sitting:
    """`raidtui build` on a terminal of its own."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.root = folder / "state" / "raidtui" / "simulated"
        self.seen = b""
        self.ours, theirs = os.openpty()

        def take_terminal() -> None:
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        self.program = subprocess.Popen(
            [sys.executable, "-m", "raidtui", "build", str(folder / "plan.json"), "--wait-for-sync", "--speed-up=400"],
            stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_terminal,
            env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
        )  # fmt: skip
        os.close(theirs)
        self.until(f"Type '{phrase(plan)}' to begin".encode())

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


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    made = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase")
    write_plan(made, tmp_path)
    return made


def test_enter_begins_nothing(plan: Plan, tmp_path: Path) -> None:
    sitting = Sitting(tmp_path, plan)
    sitting.type("\r")
    sitting.until(b"not confirmed; nothing was written")
    assert sitting.program.wait(30) == 1
    assert RUNS.folders(sitting.root) == ()
    os.close(sitting.ours)


@pytest.mark.thorough
def test_ctrl_c_leaves_and_the_build_goes_on(plan: Plan, tmp_path: Path) -> None:
    sitting = Sitting(tmp_path, plan)
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
    sitting = Sitting(tmp_path, plan)
    sitting.type(phrase(plan) + "\r")
    sitting.until(b"Create /dev/md/data")
    os.close(sitting.ours)
    assert sitting.program.wait(30) != 0
    assert is_alive(sitting.run())
    sitting.end()
