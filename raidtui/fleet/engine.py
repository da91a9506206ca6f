"""Starts one process a host, feeds its standard input, collects its output.

Node sets, the fanout and the options of ssh are those of ClusterShell's configuration. Its own engine collects lines: a
line without an end grows by copying, all of it is kept, and it waits for a process that closed its output but does not
exit. Here bytes are collected up to a limit, and such a process is ended.
"""

from __future__ import annotations

import logging
import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import Literal

from ClusterShell.Task import task_self

from raidtui.fleet.archive import Carrier
from raidtui.fleet.ssh import OWN_FAILURE, parse_nodeset
from raidtui.machine.system import programs
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
    """asked twice a second while hosts are asked: True ends all processes and raises NobodyWaits"""

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
_TICK = 0.02
"""seconds between two looks whether a process has ended"""
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

    Host names must be checked (`nodeset.host_name`). Ctrl-C ends all processes and is raised, so does NobodyWaits.
    """
    fanout = transport.fanout or int(task_self().info("fanout"))
    waiting = list(inputs.items())[::-1]
    running: list[_Asked] = []
    ask_at = time.monotonic() + _PATIENCE
    with DefaultSelector() as selector:
        try:
            while waiting or running:
                while waiting and len(running) < fanout:
                    host, content = waiting.pop()
                    try:
                        running.append(_Asked(host, content, transport, selector))
                    except OSError as problem:
                        on_output(_not_started(host, problem))
                for key, _ in selector.select(_TICK):
                    key.data.go_on(key.fd)
                for asked in [each for each in running if each.is_over()]:
                    running.remove(asked)
                    on_output(asked.output())
                if transport.given_up is not None and time.monotonic() > ask_at:
                    ask_at = time.monotonic() + _PATIENCE
                    if transport.given_up():
                        raise NobodyWaits
        finally:
            for asked in running:
                asked.stop("timed-out")
                asked.output()


def _not_started(host: str, problem: OSError) -> Output:
    """As of an ssh that failed."""
    return Output(
        host=host, stdout=b"", stderr=str(problem).encode(), end="exited", exit=OWN_FAILURE, started_s=time.time(),
        seconds=0.0,
    )  # fmt: skip


def _ssh_argv(host: str, transport: Transport) -> list[str]:
    """As ClusterShell's: the admin's configuration, no question, no forwarding."""
    info = task_self().info
    user, seconds = info("ssh_user"), info("connect_timeout", 0)
    return [
        *map(os.path.expanduser, (transport.ssh, *shlex.split(info("ssh_options") or ""))),
        "-oForwardAgent=no", "-oForwardX11=no", *(("-l", user) if user else ()),
        *((f"-oConnectTimeout={int(seconds)}",) if seconds > 0 else ()), "-oBatchMode=yes", host,
        transport.remote_command,
    ]  # fmt: skip


class _Asked:
    """One host's process: what is left of its input, and what it wrote."""

    def __init__(self, host: str, content: bytes, transport: Transport, selector: DefaultSelector) -> None:
        self._host, self._transport, self._selector = host, transport, selector
        self._input = memoryview((transport.carrier.content if transport.carrier is not None else b"") + content)
        self._end: End = "exited"
        self._size = 0
        self._closed_at: float | None = None
        """when both of its outputs were closed"""
        self._started_s, self._started = time.time(), time.monotonic()
        argv = _ssh_argv(host, transport) if transport.simulated is None else transport.local_argv(host)
        pipe = programs.PIPE
        self._process = programs.start(argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd=".", environment=os.environ)
        each = self._process
        self._open = {pipe.fileno(): pipe for pipe in (each.stdin, each.stdout, each.stderr) if pipe is not None}
        self._stdin, self._stdout, self._stderr = self._open
        self._parts: dict[int, list[bytes]] = {self._stdout: [], self._stderr: []}
        for number in self._open:
            os.set_blocking(number, False)
            selector.register(number, EVENT_WRITE if number == self._stdin else EVENT_READ, self)

    def go_on(self, pipe: int) -> None:
        """Writes to or reads from a pipe that is ready, or was until it was closed."""
        if pipe in self._open:
            self._feed(pipe) if pipe == self._stdin else self._read(pipe)

    def _feed(self, pipe: int) -> None:
        try:
            self._input = self._input[os.write(pipe, self._input[:MIB]) :]
        except BrokenPipeError:
            self._input = self._input[:0]
        if not self._input:
            self._close(pipe)

    def _read(self, pipe: int) -> None:
        part = os.read(pipe, MIB)
        self._size += len(part)
        kept = self._parts[pipe]
        if pipe == self._stdout or sum(map(len, kept)) < _MOST_STDERR:
            kept.append(part)
        if self._size > self._transport.most_output:
            self._parts = {self._stdout: [], self._stderr: []}
            self.stop("too-large")
        elif not part:
            self._close(pipe)

    def _close(self, pipe: int) -> None:
        self._selector.unregister(pipe)
        self._open.pop(pipe).close()
        if not self._open.keys() & self._parts.keys():
            self._closed_at = time.monotonic()

    def stop(self, end: End) -> None:
        """Ends its process."""
        self._end = end
        self._process.kill()
        for pipe in list(self._open):
            self._close(pipe)

    def is_over(self) -> bool:
        """Whether its process has ended; ends one that should have."""
        now = time.monotonic()
        if self._end == "exited" and now > self._started + self._transport.timeout_s:
            self.stop("timed-out")
        elif self._closed_at is not None and now > self._closed_at + _EXIT_SECONDS:
            self._process.kill()
        return self._closed_at is not None and self._process.poll() is not None

    def output(self) -> Output:
        """What it wrote, once it is over; the exit code of one that a signal ended is 128 and the signal, as in sh."""
        for pipe in list(self._open):
            self._close(pipe)
        code = self._process.wait()
        return Output(
            host=self._host,
            stdout=b"".join(self._parts[self._stdout]),
            stderr=b"".join(self._parts[self._stderr])[:_MOST_STDERR],
            end=self._end,
            exit=None if self._end != "exited" else code if code >= 0 else 128 - code,
            started_s=self._started_s,
            seconds=time.monotonic() - self._started,
        )


# Node sets with the groups of the admin's ClusterShell configuration (groups.conf), which may run its commands.


def hosts_of(text: str) -> tuple[str, ...]:
    """Hosts of a node set that may name groups, `@rack1`. Raises BadInput as `parse_nodeset` does."""
    from ClusterShell.NodeSet import std_group_resolver  # an extra, for these verbs only

    return parse_nodeset(text, resolver=std_group_resolver())
