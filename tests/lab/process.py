"""The process that a guest runs in: whether it lives, what it said, its agent."""

from __future__ import annotations

import base64
import contextlib
import ctypes
import os
import secrets
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from tests.lab.agent import Agent
from tests.lab.host import LabError, seconds

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Of a process that begins: be killed when this one ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:
        os._exit(1)


class GuestProcess(ABC):
    """A guest that runs. LabError, with the end of its console, when it fails."""

    engine: str
    process: subprocess.Popen[bytes]
    agent: Agent
    logs: tuple[Path, ...]

    @abstractmethod
    def kill(self) -> None:
        """End it at once (SIGKILL): for the guest a power cut."""

    def watch(self, reason: str, hung: bool) -> None:
        """LabError when the process has ended, or the caller found that the guest hangs."""
        ended = self.process.poll()
        if ended is None and not hung:
            return
        state = "still runs" if ended is None else f"ended with {ended}"
        raise LabError(f"{reason}; {self.engine} {state}\n{self.log_tail()}")

    def log_tail(self, size: int = 6000) -> str:
        """The end of the process's own output and of the guest's console."""
        texts = []
        for file in self.logs:
            with contextlib.suppress(OSError):
                texts.append(f"--- {file.name} ---\n{file.read_bytes()[-size:].decode(errors='replace')}")
        return "\n".join(texts)

    def wait_agent(self, deadline: float) -> dict[str, Any]:
        """Wait for the agent, then set the guest's clock and stir its random pool."""
        answer = self.agent.call("ping", deadline=deadline)
        self.wake()
        return answer

    def wake(self) -> None:
        """Set the guest's clock and stir its random pool."""
        seed = base64.b64encode(secrets.token_bytes(64)).decode("ascii")
        self.agent.call("wake", time=time.time(), seed=seed)

    def wait_end(self, deadline: float) -> None:
        """Wait for the guest to end by itself (power-off or reset)."""
        try:
            self.process.wait(seconds(deadline))
        except subprocess.TimeoutExpired:
            self.watch(f"the guest did not go down in {seconds(deadline):.0f} s", True)
        self.kill()
