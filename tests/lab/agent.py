"""The host's end of the guest's agent: requests out, answers in, several at a time."""

from __future__ import annotations

import base64
import itertools
import json
import secrets
import shlex
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.host import LabError, seconds


@dataclass(frozen=True)
class Result:
    """What a program in the guest came to; `exit` is negative for a signal."""

    command: str
    exit: int
    raw_stdout: bytes
    raw_stderr: bytes
    timed_out: bool = False

    @property
    def stdout(self) -> str:
        """Its output as text."""
        return self.raw_stdout.decode(errors="replace")

    @property
    def stderr(self) -> str:
        """Its error output as text."""
        return self.raw_stderr.decode(errors="replace")

    def json(self) -> Any:
        """Its output as a JSON document."""
        return json.loads(self.raw_stdout)

    def __str__(self) -> str:
        late = " (killed at its deadline)" if self.timed_out else ""
        return f"$ {self.command}\nexit {self.exit}{late}\n{self.stdout}\n{self.stderr}".rstrip()


class GuestCommandError(AssertionError):
    """A program in the guest that had to succeed did not."""

    def __init__(self, result: Result) -> None:
        super().__init__(str(result))
        self.result = result


SHORT = 1024
"""bytes that a message may have where longer ones go through a file; the guest's agent has the same"""
Watch = Callable[[str, bool], None]
"""Called with a reason while waiting: raises when the guest is gone, and always when the flag is set."""


class Agent:
    """The conversation with one guest over a socket that ends in its serial port.

    With `exchange`, a directory that the guest sees too, only short messages go over the line, which then names the
    file that has the rest: the serial line of user-mode Linux hangs when more than 4 KiB wait in it.
    """

    def __init__(self, line: socket.socket, watch: Watch, exchange: Path | None = None) -> None:
        self._socket = line
        self._exchange = exchange
        self._watch = watch
        self._ids = itertools.count(secrets.randbelow(1 << 40))
        self._pending = b""
        self._answers: dict[int, dict[str, Any]] = {}

    def send(self, op: str, **fields: Any) -> int:
        """Send a request, return its number."""
        number = next(self._ids)
        self._socket.settimeout(seconds(120))
        message = json.dumps({"id": number, "op": op, **fields}).encode()
        if self._exchange is not None and len(message) > SHORT:
            (self._exchange / f"request-{number}").write_bytes(message)
            message = json.dumps({"file": f"request-{number}"}).encode()
        try:
            self._socket.sendall(message + b"\n")
        except OSError as error:
            raise LabError(f"the agent's line was closed: {error}") from error
        return number

    def receive(self, number: int, deadline: float) -> dict[str, Any]:
        """Wait for the answer to a request; LabError at the (already scaled) deadline."""
        until = time.monotonic() + deadline
        while number not in self._answers:
            if time.monotonic() > until:
                self._watch(f"the guest's agent gave no answer in {deadline:.0f} s", True)
            self._watch("waiting for the guest's agent", False)
            self._socket.settimeout(0.5)
            try:
                data = self._socket.recv(1 << 20)
            except TimeoutError:
                continue
            except OSError as error:
                raise LabError(f"the agent's line was closed: {error}") from error
            if not data:
                self._watch("the agent's line was closed", True)
            *lines, self._pending = (self._pending + data).split(b"\n")
            for line in filter(None, lines):
                answer = json.loads(line)
                if "op" in answer:  # our first request, echoed and dropped before a slow guest's line was raw
                    time.sleep(0.2)
                    self._socket.sendall(line.strip() + b"\n")
                    continue
                if self._exchange is not None and "file" in answer:
                    file = self._exchange / answer["file"]
                    answer = json.loads(file.read_bytes())
                    file.unlink()
                self._answers[answer["id"]] = answer
        answer = self._answers.pop(number)
        if "error" in answer:
            raise LabError(f"the guest's agent: {answer['error']}\n{answer.get('trace', '')}")
        return answer

    def call(self, op: str, *, deadline: float = 60, **fields: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        return self.receive(self.send(op, **fields), seconds(deadline))

    def start(
        self,
        command: str | Sequence[str],
        *,
        stdin: bytes | str = b"",
        timeout: float = 120,
        env: Mapping[str, str] | None = None,
        cwd: str = "/root",
    ) -> Pending:
        """Start a command (text for bash, a sequence as argv); killed after `timeout` seconds, scaled."""
        argv = ["/bin/bash", "-c", command] if isinstance(command, str) else list(command)
        shown = command if isinstance(command, str) else shlex.join(command)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        number = self.send(
            "run",
            argv=argv,
            stdin=base64.b64encode(data).decode("ascii"),
            timeout=seconds(timeout),
            env=dict(env or {}),
            cwd=cwd,
        )
        return Pending(self, number, shown, seconds(timeout) + seconds(30))

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


@dataclass(frozen=True)
class Pending:
    """A command that runs in the guest."""

    agent: Agent
    number: int
    command: str
    deadline: float

    def wait(self) -> Result:
        """Wait for its end."""
        answer = self.agent.receive(self.number, self.deadline)
        out, err = (base64.b64decode(answer[name]) for name in ("stdout", "stderr"))
        return Result(self.command, answer["exit"], out, err, answer["timed_out"])
