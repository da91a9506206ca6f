"""Runs a load in a child process: PR_SET_PDEATHSIG, its own session, killed as a group."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, BinaryIO

from raidtui.machine.system import programs
from raidtui.values.bench import Repeat
from raidtui.values.errors import MachineFailed
from raidtui.values.safe import safe

_GONE_SECONDS = 60
"""time to wait for a killed program before it is reported as hanging"""
_LONGEST = 64 * 1024 * 1024


class Child:
    """A running program. `read` converts its stdout, stderr and exit code to a measurement."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        output: Path | None,
        phase: str,
        seconds: float,
        read: Callable[[str, str, int], Repeat],
    ) -> None:
        self.phase = phase
        self.seconds = seconds
        self._read = read
        self._name = Path(argv[0]).name
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it ended
        self._printed = tempfile.TemporaryFile() if output is None else _new(output)  # noqa: SIM115
        try:
            self._process = programs.start_bound(argv, stdout=self._printed, stderr=self._stderr, cwd=cwd, umask=0o077)
        except OSError as problem:
            self._close()
            raise MachineFailed(f"{self._name} cannot be started: {problem.strerror}") from problem

    @property
    def pid(self) -> int:
        """Process id, also of its process group."""
        return self._process.pid

    def ended(self) -> bool:
        """See Running. Does not reap the process, so that the id of its group is not reused."""
        if self._process.returncode is not None:
            return True
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self) -> None:
        """See Running."""
        self._end_group()
        try:
            self._process.wait(_GONE_SECONDS)
        except programs.Overdue as late:
            raise MachineFailed(
                f"{self._name} (process {self.pid}) does not exit after SIGKILL: a disk does not respond",
                hint="see the kernel's log (dmesg)",
            ) from late
        finally:
            self._close()

    def outcome(self) -> Repeat:
        """See Running."""
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self._end_group()  # processes that it left
        code = self._process.wait()
        try:
            printed, stderr = (_all(file) for file in (self._printed, self._stderr))
        finally:
            self._close()
        return self._read(printed, stderr, code)

    def _end_group(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _close(self) -> None:
        self._stderr.close()
        self._printed.close()


def reason_of(name: str, code: int, stderr: str) -> MachineFailed:
    """Error for a failed program: its signal, the first line of stderr, or its exit code."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return MachineFailed(f"{name} was ended by {signal.Signals(-code).name}", hint="run it again, or resume")
        return MachineFailed(f"{name} was ended by signal {-code}", hint="run it again, or resume")
    line = next((line.strip() for line in stderr.splitlines() if line.strip()), "")
    return MachineFailed(f"{name} failed: {safe(line, longest=300)}" if line else f"{name} ended with exit code {code}")


def _new(path: Path) -> BinaryIO:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return os.fdopen(handle, "w+b")


def _all(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_LONGEST).decode("utf-8", "replace")
