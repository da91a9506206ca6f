"""The agents on other hosts: whether they answer, and starting them over ssh behind a tunnel."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO

from raidtui.machine.bench.fio_load import absolute
from raidtui.machine.system import programs
from raidtui.model.errors import MachineFailed, Refused
from raidtui.model.safe import safe
from raidtui.tools.fio_hosts import HostAddress, server_argv, ssh_argv

CONNECT_SECONDS = 3.0
"""to wait for an agent"""
AGENT_SECONDS = 20.0
"""to wait for one that is started over ssh"""
_SILENCE_SECONDS = 0.3
_GOODBYE_SECONDS = 15.0


def answers(host: HostAddress, seconds: float = CONNECT_SECONDS) -> bool:
    """True when an agent listens there: it waits for us to speak, where a tunnel to nothing hangs up."""
    try:
        there = socket.create_connection((host.host, host.port), timeout=seconds)
    except OSError:
        return False
    with there:
        there.settimeout(_SILENCE_SECONDS)
        try:
            return there.recv(1) != b""
        except TimeoutError:
            return True
        except OSError:
            return False


def require(hosts: Sequence[HostAddress]) -> None:
    """Raises Refused when an agent does not answer, with the command that starts it."""
    silent = [host for host in hosts if not answers(host)]
    if silent:
        command = " ".join(server_argv("ADDRESS", silent[0].port))
        raise Refused(
            f"no agent answers at {', '.join(f'{host.name} (port {host.port})' for host in silent)}",
            hint=f"run there, on a network you trust, as a user who may write the directory: {command}; or say --ssh",
        )


@contextlib.contextmanager
def agents(hosts: Sequence[HostAddress], *, ssh: str = "") -> Iterator[tuple[HostAddress, ...]]:
    """Agents over ssh for as long as it lasts: yields where they are reached, tunnelled, on this machine's loopback.

    `ssh` is the program's path; empty for this machine's own. Raises MachineFailed when an agent cannot be started;
    what ssh said is in the hint.
    """
    found: list[HostAddress] = []
    running: list[programs.Process] = []
    try:
        for host in hosts:
            port = _free_port()
            argv = ssh_argv(host, port)
            said = tempfile.TemporaryFile()  # noqa: SIM115
            process = programs.start_ssh([ssh or absolute(argv[0]), *argv[1:]], said)
            running.append(process)
            found.append(replace(host, host="127.0.0.1", port=port))
            _await(found[-1], process, said)
        yield tuple(found)
    finally:
        _end(running)


def _end(running: Sequence[programs.Process]) -> None:
    """Ends each with whatever it started. None is reaped before that: until then its group's number is its own."""
    for process in running:
        os.killpg(process.pid, signal.SIGTERM)
    until = time.monotonic() + _GOODBYE_SECONDS
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while time.monotonic() < until and not all(os.waitid(os.P_PID, each.pid, flags) for each in running):
        time.sleep(0.05)
    for process in running:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _await(host: HostAddress, process: programs.Process, said: IO[bytes]) -> None:
    """Returns when the tunnel is up. The agent behind it is asked again before each job."""
    until = time.monotonic() + AGENT_SECONDS
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while os.waitid(os.P_PID, process.pid, flags) is None and time.monotonic() < until:
        if answers(host, 1.0):
            return
        time.sleep(0.2)
    said.seek(0)
    words = said.read().decode("utf-8", "replace").strip().splitlines()
    raise MachineFailed(f"{host.name}: no agent over ssh", hint=safe(words[-1], longest=300) if words else "")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
