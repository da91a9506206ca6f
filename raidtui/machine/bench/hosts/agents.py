"""Agents (fio servers) on other hosts: connection check, and start over ssh with a tunnel."""

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
"""timeout of a connection to an agent"""
AGENT_SECONDS = 20.0
"""timeout of the start over ssh"""
_SILENCE_SECONDS = 0.3
_GOODBYE_SECONDS = 15.0


def answers(host: HostAddress, seconds: float = CONNECT_SECONDS) -> bool:
    """True if an agent listens there: it waits for input, while a tunnel without an agent closes the connection."""
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
    """Raises Refused if an agent does not answer, with the command that starts it."""
    unreachable = [host for host in hosts if not answers(host)]
    if unreachable:
        command = " ".join(server_argv("ADDRESS", unreachable[0].port))
        raise Refused(
            f"no agent answers at {', '.join(f'{host.name} (port {host.port})' for host in unreachable)}",
            hint=f"run there, on a network you trust, as a user who may write the directory: {command}; or use --ssh",
        )


@contextlib.contextmanager
def agents(hosts: Sequence[HostAddress], *, ssh: str = "") -> Iterator[tuple[HostAddress, ...]]:
    """Context manager: starts agents over ssh and yields their tunnelled addresses on this machine's loopback.

    `ssh`: path of the program; empty for the installed one. Raises MachineFailed if an agent cannot be started, with
    the last line of ssh's stderr as hint.
    """
    found: list[HostAddress] = []
    running: list[programs.Process] = []
    try:
        for host in hosts:
            port = _free_port()
            argv = ssh_argv(host, port)
            stderr = tempfile.TemporaryFile()  # noqa: SIM115
            process = programs.start_ssh([ssh or absolute(argv[0]), *argv[1:]], stderr)
            running.append(process)
            found.append(replace(host, host="127.0.0.1", port=port))
            _await(found[-1], process, stderr)
        yield tuple(found)
    finally:
        _end(running)


def _end(running: Sequence[programs.Process]) -> None:
    """Kills each process group. Processes are reaped afterwards, so that a group's id is not reused."""
    for process in running:
        os.killpg(process.pid, signal.SIGTERM)
    until = time.monotonic() + _GOODBYE_SECONDS
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while time.monotonic() < until and not all(os.waitid(os.P_PID, each.pid, flags) for each in running):
        time.sleep(0.05)
    for process in running:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _await(host: HostAddress, process: programs.Process, stderr: IO[bytes]) -> None:
    """Returns when the tunnel is up. Raises MachineFailed. The agent is checked again before each job."""
    until = time.monotonic() + AGENT_SECONDS
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while os.waitid(os.P_PID, process.pid, flags) is None and time.monotonic() < until:
        if answers(host, 1.0):
            return
        time.sleep(0.2)
    stderr.seek(0)
    words = stderr.read().decode("utf-8", "replace").strip().splitlines()
    raise MachineFailed(
        f"{host.name}: no agent could be started over ssh", hint=safe(words[-1], longest=300) if words else ""
    )


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
