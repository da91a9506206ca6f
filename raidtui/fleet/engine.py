"""The one door to ClusterShell's engine: starts one process a host, feeds its standard input, collects its output.

ClusterShell collects lines: a line without an end grows by copying, all of it is kept, and the engine waits for a
process that closed its output but does not exit. The clients here collect bytes up to a limit, and end such a process.
"""

from __future__ import annotations

import logging
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ClusterShell.Event import EventHandler
from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet
from ClusterShell.Task import Task, task_self
from ClusterShell.Worker.Exec import ExecClient, ExecWorker
from ClusterShell.Worker.Ssh import SshClient

from raidtui.fleet.archive import Carrier
from raidtui.fleet.ssh import parse_nodeset
from raidtui.values.units import KIB, MIB

# How hosts are reached: ssh with the admin's own configuration, or local processes that stand in for hosts.


TIMEOUT_S = 120.0
"""seconds for one host: a look at sixty disks takes some three, more where disks spin up"""
MOST_OUTPUT = 64 * MIB
"""bytes that one host may send; an inventory of 60 disks has some 60 KiB"""
INSTALLED = ("raidtui", "fleet-host")
"""what runs on the host where raidtui is installed"""


class NobodyWaits(Exception):
    """Nobody waits for the answers any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """How hosts are reached, and the limits."""

    simulated: Path | None = None
    """directory with HOST.json, the inventory of each simulated host; None: ssh"""
    ssh: str = "ssh"
    """name or path of the ssh program"""
    sudo: bool = False
    """start the program on the host by `sudo -n`"""
    fanout: int | None = None
    """hosts at once; None: as ClusterShell's configuration, 64 without one"""
    timeout_s: float = TIMEOUT_S
    """seconds for one host, from its start"""
    most_output: int = MOST_OUTPUT
    """bytes that one host may send before it is ended"""
    carrier: Carrier | None = None
    """what is carried to the host and run there; None: what is installed there"""
    given_up: Callable[[], bool] | None = None
    """asked twice a second while hosts are asked: True ends all processes and raises GivenUp"""

    @property
    def remote_command(self) -> str:
        """Command for the login shell of the host: constant, whatever is asked of it."""
        words = self.carrier.argv if self.carrier is not None else INSTALLED
        return shlex.join((*(("sudo", "-n") if self.sudo else ()), *words))

    def local_argv(self, host: str) -> list[str]:
        """Command of the process that stands in for `host`."""
        folder = self.simulated or Path()
        return [sys.executable, "-P", "-m", "raidtui", "fleet-host", "--simulated", str(folder / f"{host}.json")]


End = Literal["exited", "timed-out", "too-large"]
_MOST_STDERR = 64 * KIB
"""bytes of standard error that are kept"""
_EXIT_SECONDS = 0.5
"""for a process to exit after it closed its output"""
_PATIENCE = 0.5
"""seconds between two questions whether anyone still waits"""
logging.getLogger("ClusterShell").addHandler(logging.NullHandler())  # else Python prints its warnings to the terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What one host's process wrote, and how it ended."""

    host: str
    stdout: bytes
    stderr: bytes
    """its first 64 KiB"""
    end: End
    """what ended it"""
    exit: int | None
    """exit code; None when it was ended"""
    started_s: float
    """when it started, seconds since the epoch"""
    seconds: float
    """until it ended"""


def run(inputs: Mapping[str, bytes], transport: Transport, on_output: Callable[[Output], None]) -> None:
    """Starts one process for each host with its standard input; `on_output` gets each as soon as it ended.

    Host names must be checked (`nodeset.host_name`). Ctrl-C ends all processes and is raised, so does GivenUp.
    """
    task = task_self()
    try:
        task.set_info("ssh_path", shlex.quote(transport.ssh))
        if transport.fanout is not None:
            task.set_info("fanout", transport.fanout)
        for host, content in inputs.items():
            _schedule(task, host, content, transport, on_output)
        if transport.given_up is not None:
            task.timer(_PATIENCE, _Waiting(transport.given_up), interval=_PATIENCE, autoclose=True)
        task.resume()
    finally:
        task.abort(kill=True)


def _schedule(task: Task, host: str, content: bytes, transport: Transport, on_output: Callable[[Output], None]) -> None:
    kind = _SshWorker if transport.simulated is None else _LocalWorker
    worker = kind(
        NodeSet.fromlist([host], resolver=RESOLVER_NOGROUP), _Handler(on_output), timeout=transport.timeout_s,
        command=transport.remote_command, stderr=True,
    )  # fmt: skip
    worker.transport = transport
    if transport.carrier is not None:
        worker.write(transport.carrier.content)
    worker.write(content)
    worker.set_write_eof()
    task.schedule(worker)


class _Collector(ExecClient):  # type: ignore[misc] # ClusterShell has no types
    """Collects what one process writes, up to a limit."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.parts: dict[str, list[bytes]] = {}
        self.size = 0
        self.too_large = False
        self.started_s = 0.0
        self._started = 0.0

    @property
    def seconds(self) -> float:
        """Since its start."""
        return time.monotonic() - self._started

    def _start(self) -> Any:
        self.started_s, self._started = time.time(), time.monotonic()
        super()._start()
        stdin = self.streams[self.worker.SNAME_STDIN]
        stdin.wbuf = memoryview(stdin.wbuf)  # the engine cuts it after each write: of bytes, the rest would be copied
        return self

    def _handle_read(self, sname: str) -> None:
        part = self._read(sname)
        self.size += len(part)
        kept = self.parts.setdefault(sname, [])
        if sname == self.worker.SNAME_STDOUT or sum(map(len, kept)) < _MOST_STDERR:
            kept.append(part)
        if self.size > self.worker.transport.most_output:
            self.too_large = True
            self.parts.clear()
            self.abort()

    def _flush_read(self, sname: str) -> None:
        """Nothing is left: all that was read is collected."""

    def _close(self, abort: bool, timeout: bool) -> None:
        if not abort:
            until = time.monotonic() + _EXIT_SECONDS
            while self.popen.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            if self.popen.poll() is None:
                self.popen.kill()
        super()._close(abort, timeout)


class _SshCollector(_Collector, SshClient):  # type: ignore[misc] # see above
    """By ssh; the command is ClusterShell's: BatchMode, no forwarding, the admin's configuration."""

    _build_cmd = SshClient._build_cmd


class _LocalCollector(_Collector):
    """By a process on this machine."""

    def _build_cmd(self) -> tuple[list[str], None]:
        return self.worker.transport.local_argv(str(self.key)), None


class _SshWorker(ExecWorker):  # type: ignore[misc] # see above
    SHELL_CLASS = _SshCollector
    transport: Transport


class _LocalWorker(ExecWorker):  # type: ignore[misc] # see above
    SHELL_CLASS = _LocalCollector
    transport: Transport


class _Waiting(EventHandler):  # type: ignore[misc] # see above
    """Ends everything once nobody waits for it."""

    def __init__(self, given_up: Callable[[], bool]) -> None:
        self._given_up = given_up

    def ev_timer(self, timer: object) -> None:  # noqa: ARG002 - ClusterShell's signature
        """Some time has passed."""
        if self._given_up():
            raise NobodyWaits


class _Handler(EventHandler):  # type: ignore[misc] # see above
    """Hands out the output of one worker, which has one host."""

    def __init__(self, on_output: Callable[[Output], None]) -> None:
        self._on_output = on_output
        self._exit: int | None = None

    def ev_hup(self, worker: ExecWorker, node: str, rc: int | None) -> None:  # noqa: ARG002 - ClusterShell's signature
        """Its process exited."""
        self._exit = rc

    def ev_close(self, worker: ExecWorker, timedout: bool) -> None:
        """All is over, however it ended."""
        client = worker._engine_clients()[0]
        parts, client.parts = client.parts, {}
        self._on_output(
            Output(
                host=str(client.key),
                stdout=b"".join(parts.get(worker.SNAME_STDOUT, ())),
                stderr=b"".join(parts.get(worker.SNAME_STDERR, ()))[:_MOST_STDERR],
                end="too-large" if client.too_large else "timed-out" if timedout else "exited",
                exit=self._exit,
                started_s=client.started_s,
                seconds=client.seconds,
            )
        )


# Node sets with the groups of the admin's ClusterShell configuration (groups.conf), which may run its commands.


def hosts_of(text: str) -> tuple[str, ...]:
    """Hosts of a node set that may name groups, `@rack1`. Raises BadInput as `parse_nodeset` does."""
    from ClusterShell.NodeSet import std_group_resolver  # an extra, for these verbs only

    return parse_nodeset(text, resolver=std_group_resolver())
