"""Starts the executor where the end of the terminal does not reach it: a transient systemd unit, else a new session."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from raidtui.machine.run.run_folders import is_alive
from raidtui.machine.system import programs
from raidtui.model.errors import Exit, Locked, MachineFailed

_SYSTEMD = Path("/run/systemd/system")
What = Literal["build", "resume", "undo", "tune", "settings", "drill"]
"""what an executor is started for"""
SAID = "executor"
"""file in the directory of a run: what its executors said beside the journal"""


@dataclass(slots=True)
class Launched:
    """An executor that was started."""

    said: str
    """how it was started and what that means, a sentence"""
    unit: str = ""
    """its systemd unit; empty when it is a process in a session of its own"""
    process: programs.Process | None = None

    def lost_the_lock(self) -> bool:
        """True when it ended because another executor holds a lock; False for a unit, whose exit code is gone."""
        return self.process is not None and self.process.poll() == Exit.LOCKED

    def running(self) -> bool:
        """True while it is starting or at work."""
        if self.process is not None:
            return self.process.poll() is None
        answer = programs.ask([_program("systemctl"), "is-active", self.unit])
        return answer.stdout.strip() in ("active", "activating", "reloading")


def executor_argv(folder: Path, purpose: What, digest: str, *, simulated: bool, speed_up: float) -> list[str]:
    """The executor's own command: isolated, so that neither environment nor directory says which code it runs.

    `digest`: of what was confirmed; the executor refuses a directory that holds anything else.
    """
    argv = [sys.executable, "-I", "-m", "raidtui", "execute", str(folder), purpose, digest]
    return [*argv, "--simulated", f"--speed-up={speed_up:g}"] if simulated else argv


def unit_argv(folder: Path, purpose: What, digest: str) -> list[str]:
    """systemd-run(1) with it: stopping the unit signals the executor alone, never the command that it waits for."""
    said = folder / SAID
    return [
        _program("systemd-run"),
        f"--unit={unit_of(folder)}",
        "--collect",
        "--quiet",
        f"--description=raidtui {purpose} {folder.name[:8]}",
        "--property=Type=exec",
        "--property=KillMode=process",
        "--property=SendSIGKILL=no",
        "--property=UMask=0077",
        "--property=WorkingDirectory=/",
        "--property=StandardInput=null",
        f"--property=StandardOutput=append:{said}",
        f"--property=StandardError=append:{said}",
        "--",
        *executor_argv(folder, purpose, digest, simulated=False, speed_up=1),
    ]


def unit_of(folder: Path) -> str:
    """Name of the unit of a run."""
    return f"raidtui-{folder.name[:8]}.service"


def launch(folder: Path, purpose: What, digest: str, *, simulated: bool, speed_up: float = 1) -> Launched:
    """Starts the executor of what is in `folder` and was confirmed by its `digest`.

    Raises MachineFailed when it cannot be started, Locked when an executor of the same run is at work.
    """
    _check_isolated()
    if not simulated and _SYSTEMD.is_dir():
        return _unit(folder, purpose, digest)
    argv = executor_argv(folder, purpose, digest, simulated=simulated, speed_up=speed_up)
    try:
        with open(folder / SAID, "ab", opener=_private) as said:
            process = programs.start_executor(argv, said)
    except OSError as problem:
        raise MachineFailed(f"the executor cannot be started: {problem}", hint="see raidtui status") from problem
    told = "it runs in its own session and continues when this terminal closes"
    if not simulated:
        told += "; no systemd runs here, so whatever ends all processes of a user at logout ends it too"
    return Launched(told, process=process)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _unit(folder: Path, purpose: What, digest: str) -> Launched:
    argv = unit_argv(folder, purpose, digest)
    done = programs.ask(argv)
    if done.exit:
        if is_alive(folder):
            raise Locked(f"another executor is at work on {folder}", hint="raidtui status shows it")
        reason = done.stderr.strip()
        raise MachineFailed(f"systemd-run did not start the executor: {reason}", hint="then raidtui resume the run")
    unit = unit_of(folder)
    return Launched(f"it runs as the unit {unit}, whatever becomes of this terminal", unit=unit)


def _check_isolated() -> None:
    """Raises MachineFailed when raidtui is only found by way of PYTHONPATH or the present directory."""
    probe = [sys.executable, "-I", "-c", "import raidtui, sys; sys.stdout.write(raidtui.__file__)"]
    found = programs.ask(probe).stdout
    here = sys.modules["raidtui"].__file__
    if not found or here is None or not Path(found).samefile(here):
        raise MachineFailed(
            "raidtui is not installed for this Python, so no executor can be started apart from this directory",
            hint=f"{sys.executable} -m pip install raidtui, or the checkout: pip install .",
        )


def _program(name: str) -> str:
    return programs.require(name, "install systemd")
