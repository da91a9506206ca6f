"""fio's client at work: what it prints, when each host begins, and an end that the hosts hear of."""

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

_GOODBYE_SECONDS = 15.0
_STARTING = re.compile(rb"(?:<[^>]*> )?Starting \d+ (?:thread|process)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the client printed, and when each host began, in seconds since 1970 of this machine."""

    printed: str
    starts: tuple[float, ...]

    @property
    def skew(self) -> float:
        """Seconds between the first host's beginning and the last one's."""
        return max(self.starts) - min(self.starts) if self.starts else 0.0


class HostsRun:
    """A client at work; see Running."""

    def __init__(
        self, argv: Sequence[str], *, raw: Path | None, phase: str, seconds: float, limit: float | None,
        read: Callable[[Heard, str, int], Measured],
    ) -> None:  # fmt: skip
        self.phase, self.seconds = phase, seconds
        self._read, self._raw = read, raw
        self._until = None if limit is None else time.monotonic() + limit
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it ended
        argv = [absolute(argv[0]), *argv[1:]]
        self._process = programs.start_bound(argv, stdout=programs.PIPE, stderr=self._said)
        self._lines: list[bytes] = []
        self._starts: list[float] = []
        self._ear = threading.Thread(target=self._listen, name="fio client", daemon=True)
        self._ear.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if _STARTING.match(line):
                self._starts.append(time.time())
            self._lines.append(line)

    def ended(self) -> bool:
        """See Running. One that is overdue is ended."""
        if self._process.poll() is None and self._until is not None and time.monotonic() > self._until:
            self._goodbye()
        return self._process.poll() is not None

    def kill(self) -> None:
        """See Running. Interrupted, the client tells the hosts to end; killed, it would leave them at it."""
        self._goodbye()
        self._ear.join(_GOODBYE_SECONDS)
        self._said.close()

    def _goodbye(self) -> None:
        for number in (signal.SIGINT, signal.SIGKILL):
            if self._process.poll() is not None:
                return
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            with contextlib.suppress(programs.Overdue):
                self._process.wait(_GOODBYE_SECONDS)

    def outcome(self) -> Measured:
        """See Running."""
        code = self._process.wait()
        self._ear.join()
        printed = b"".join(self._lines)
        if self._raw is not None:
            self._raw.write_bytes(printed)
            self._raw.chmod(0o600)
        with self._said:
            self._said.seek(0)
            said = self._said.read().decode("utf-8", "replace")
        return self._read(Heard(printed=printed.decode("utf-8", "replace"), starts=tuple(self._starts)), said, code)
