"""Starts the executor where the end of the terminal does not reach it: a transient systemd unit, else a new session."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from raidtui.machine.run.work_folder import is_alive, is_id
from raidtui.machine.system import programs
from raidtui.model.errors import Exit, Locked, MachineFailed

_SYSTEMD = Path("/run/systemd/system")
What = Literal["build", "resume", "undo", "tune", "drill", "replace", "extend"]
"""purpose of an executor"""
EXECUTOR_OUTPUT = "executor"
"""file in the run's directory: stdout and stderr of its executors"""


@dataclass(slots=True)
class Launched:
    """A started executor."""

    how: str
    """how it was started and what ends it, a clause"""
    unit: str = ""
    """its systemd unit; empty for a process in a session of its own"""
    process: programs.Process | None = None

    def lost_the_lock(self) -> bool:
        """True if it exited because another executor holds a lock; False for a unit, whose exit code is unknown."""
        return self.process is not None and self.process.poll() == Exit.LOCKED

    def running(self) -> bool:
        """True while it starts or runs."""
        if self.process is not None:
            return self.process.poll() is None
        answer = programs.ask([_program("systemctl"), "is-active", self.unit])
        return answer.stdout.strip() in ("active", "activating", "reloading")


def executor_argv(folder: Path, purpose: What, digest: str, speed_up: float | None = None) -> list[str]:
    """Command of the executor, isolated (-I): neither the environment nor the working directory selects its code.

    `digest`: of the confirmed plan; the executor refuses a directory with any other. `speed_up`: of simulated time.
    """
    argv = [sys.executable, "-I", "-m", "raidtui", "execute", str(folder), purpose, digest]
    return argv if speed_up is None else [*argv, f"--speed-up={speed_up:g}"]


def unit_argv(folder: Path, purpose: What, digest: str) -> list[str]:
    """systemd-run(1) with `executor_argv`: stopping the unit signals the executor only, not its running command."""
    output = folder / EXECUTOR_OUTPUT
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
        f"--property=StandardOutput=append:{output}",
        f"--property=StandardError=append:{output}",
        "--",
        *executor_argv(folder, purpose, digest),
    ]


def unit_of(folder: Path) -> str:
    """Name of the unit of a run, or of an act on arrays that run."""
    return f"raidtui-{folder.name[:8] if is_id(folder.name) else folder.name}.service"


def launch(folder: Path, purpose: What, digest: str, *, simulated: bool, speed_up: float = 1) -> Launched:
    """Starts the executor of the run in `folder`; `digest`: of the confirmed plan.

    Raises MachineFailed if it cannot be started, Locked if an executor of this run is active.
    """
    _check_isolated()
    if not simulated and _SYSTEMD.is_dir() and os.geteuid() == 0:
        return _unit(folder, purpose, digest)
    argv = executor_argv(folder, purpose, digest, speed_up if simulated else None)
    try:
        with open(folder / EXECUTOR_OUTPUT, "ab", opener=_private) as output:
            process = programs.start_executor(argv, output)
    except OSError as problem:
        raise MachineFailed(f"the executor cannot be started: {problem}", hint="see raidtui status") from problem
    how = "it runs in its own session and continues when this terminal closes"
    if not simulated:
        how += "; it is no unit of systemd, so a logout that kills the user's processes ends it too"
    return Launched(how, process=process)


def await_start(launched: Launched, folder: Path, has_begun: Callable[[], bool], patience: float, way_out: str) -> None:
    """Returns when `has_begun`. Raises MachineFailed if the executor ends before, or after `patience` seconds."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        running = launched.running()
        if has_begun():
            return
        if not running:
            break
        time.sleep(0.05)
    raise MachineFailed("its executor did not begin", hint=f"look there at {folder / EXECUTOR_OUTPUT}{way_out}")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _unit(folder: Path, purpose: What, digest: str) -> Launched:
    argv = unit_argv(folder, purpose, digest)
    done = programs.ask(argv)
    if done.exit:
        if is_alive(folder):
            raise Locked(f"another executor is running for {folder}", hint="raidtui status shows it")
        reason = done.stderr.strip()
        raise MachineFailed(
            f"systemd-run did not start the executor: {reason}", hint="fix the cause, then raidtui resume the run"
        )
    unit = unit_of(folder)
    return Launched(f"it runs as the systemd unit {unit} and continues when this terminal closes", unit=unit)


def _check_isolated() -> None:
    """Raises MachineFailed if raidtui is importable only through PYTHONPATH or the working directory."""
    probe = [sys.executable, "-I", "-c", "import raidtui, sys; sys.stdout.write(raidtui.__file__)"]
    found = programs.ask(probe).stdout
    here = sys.modules["raidtui"].__file__
    if not found or here is None or not Path(found).samefile(here):
        raise MachineFailed(
            "raidtui is not installed for this Python, so the executor cannot be started outside of this directory",
            hint=f"in the checkout: {sys.executable} -m pip install .",
        )


def _program(name: str) -> str:
    return programs.require(name, "install systemd")
