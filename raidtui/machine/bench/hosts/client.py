"""fio's client process: its output, the start time of each host, and an end that also ends the hosts' jobs."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.bench.fio_load import absolute
from raidtui.machine.ports.load import Measured
from raidtui.machine.system import programs

_END_SECONDS = 15.0
_STARTING = re.compile(rb"(?:<[^>]*> )?Starting \d+ (?:thread|process)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOutput:
    """The client's stdout, and the start time of each host, seconds since 1970 by this machine's clock."""

    printed: str
    starts: tuple[float, ...]

    @property
    def skew(self) -> float:
        """Seconds between the first and the last host's start."""
        return max(self.starts) - min(self.starts) if self.starts else 0.0


class HostsRun:
    """A running client; see Running."""

    def __init__(
        self, argv: Sequence[str], *, raw: Path | None, phase: str, seconds: float, limit: float | None,
        read: Callable[[ClientOutput, str, int], Measured],
    ) -> None:  # fmt: skip
        self.phase, self.seconds = phase, seconds
        self._read, self._raw = read, raw
        self._until = None if limit is None else time.monotonic() + limit
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it ended
        argv = [absolute(argv[0]), *argv[1:]]
        self._process = programs.start_bound(argv, stdout=programs.PIPE, stderr=self._stderr)
        self._lines: list[bytes] = []
        self._starts: list[float] = []
        self._reader = threading.Thread(target=self._listen, name="fio client", daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if _STARTING.match(line):
                self._starts.append(time.time())
            self._lines.append(line)

    def ended(self) -> bool:
        """See Running. Ends an overdue client."""
        if self._process.poll() is None and self._until is not None and time.monotonic() > self._until:
            self._end()
        return self._process.poll() is not None

    def kill(self) -> None:
        """See Running. SIGINT first: the client then ends the hosts' jobs, which SIGKILL would leave running."""
        self._end()
        self._reader.join(_END_SECONDS)
        self._stderr.close()

    def _end(self) -> None:
        for number in (signal.SIGINT, signal.SIGKILL):
            if self._process.poll() is not None:
                return
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            with contextlib.suppress(programs.Overdue):
                self._process.wait(_END_SECONDS)

    def outcome(self) -> Measured:
        """See Running."""
        code = self._process.wait()
        self._reader.join()
        printed = b"".join(self._lines)
        if self._raw is not None:
            self._raw.write_bytes(printed)
            self._raw.chmod(0o600)
        with self._stderr:
            self._stderr.seek(0)
            stderr = self._stderr.read().decode("utf-8", "replace")
        return self._read(
            ClientOutput(printed=printed.decode("utf-8", "replace"), starts=tuple(self._starts)), stderr, code
        )
