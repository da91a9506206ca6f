"""fio on several hosts at once: the addresses, the client's command line, a job file for each host, ssh's command line.

`fio --server` waits on port 8765 for a client that sends it jobs (fio(1), CLIENT / SERVER). Whoever reaches that port
can have any file written as the user it runs as: over ssh it listens on the host's own loopback only and is reached
through a tunnel. Each host works on files that carry its number, so that hosts may share a file system
(`unique_filename` tells clients apart, not servers).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidtui.model.errors import BadInput
from raidtui.tools import fio
from raidtui.tools.fio import FioWorkload

PORT = 8765
"""fio's own"""
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_HINT = "write host names or IPv4 addresses, such as --hosts stor01,stor02:8766"
_MOST = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAddress:
    """Where an agent is reached."""

    name: str
    """as requested; the key of its figures"""
    host: str
    """name or address to connect to"""
    port: int = PORT
    """TCP"""
    user: str = ""
    """for ssh; empty: ssh's own choice"""

    @property
    def key(self) -> str:
        """As fio's client names the host in its results."""
        return f"{self.host}:{self.port}"


def parse_hosts(text: str, *, ssh: bool = False) -> tuple[HostAddress, ...]:
    """`stor01,stor02:8766`, with ssh also `root@stor03`. Raises BadInput naming the entry."""
    entries = [entry.strip() for entry in text.split(",")]
    if len(entries) > _MOST:
        raise BadInput(f"{len(entries)} hosts exceed the limit of {_MOST}", hint=_HINT)
    found = tuple(_host(entry, ssh=ssh) for entry in entries)
    keys = [host.key for host in found]
    twice = next((host.name for host in found if keys.count(host.key) > 1), None)
    if twice is not None:
        raise BadInput(f"duplicate host '{twice}'", hint="list each host once")
    return found


def _host(entry: str, *, ssh: bool) -> HostAddress:
    user, at, rest = entry.rpartition("@")
    host, colon, number = rest.partition(":")
    if at and not (ssh and _USER.fullmatch(user)):
        raise BadInput(f"'{entry}': a user name is only valid with --ssh", hint=_HINT)
    if not _HOST.fullmatch(host) or ".." in host:
        raise BadInput(f"invalid host name '{entry}'", hint=_HINT)
    if colon and not (number.isascii() and number.isdigit() and 0 < int(number) < 65536):
        raise BadInput(f"'{entry}': invalid port '{number}'", hint=_HINT)
    return HostAddress(name=entry, host=host, port=int(number) if number else PORT, user=user)


def client_argv(jobs: Sequence[tuple[HostAddress, str]]) -> tuple[str, ...]:
    """The client that sends each host its own job file and waits for all results."""
    words = [fio.PROGRAM, "--output-format=json", "--eta=never"]
    for host, path in jobs:
        words += [f"--client=ip:{host.host},{host.port}", path]
    return tuple(words)


def server_argv(address: str = "127.0.0.1", port: int = PORT) -> tuple[str, ...]:
    """An agent that listens on one address."""
    return (fio.PROGRAM, f"--server=ip:{address},{port}")


def ssh_argv(host: HostAddress, local_port: int) -> tuple[str, ...]:
    """An agent over ssh, reached at `local_port` of this machine's loopback. It ends with the connection (a terminal).

    The remote command is made of constants and a number: ssh hands it to a shell over there.
    """
    user = ("-l", host.user) if host.user else ()
    return (
        "ssh", "-tt", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ExitOnForwardFailure=yes",
        "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", *user,
        "-L", f"127.0.0.1:{local_port}:127.0.0.1:{host.port}", "--", host.host, *server_argv("127.0.0.1", host.port),
    )  # fmt: skip


def for_host(workload: FioWorkload, directory: str, prefix: str) -> FioWorkload:
    """`workload` of `fio.in_files` or `fio.filling` on files of `directory` whose names begin with `prefix`."""
    names = {"filename": fio.REGIONS, "filename_format": fio.FILES}
    sections = tuple(
        (name, tuple((key, f"{prefix}.{value}" if names.get(key) == value else value) for key, value in options))
        for name, options in workload.sections
    )
    place = (("directory", directory.replace("\\", "\\\\").replace(":", "\\:")), ("unique_filename", "0"))
    return replace(workload, common=(*workload.common, *place), sections=sections)


def removing(workload: FioWorkload) -> FioWorkload:
    """Removes the files that `for_host` made: one request each, and they are unlinked (fio(1), unlink)."""
    shared = {key for _, options in workload.sections for key, _ in options} & {"filename"}
    kept = {"directory", "unique_filename"}
    common = (
        ("thread", "1"), ("group_reporting", "1"), ("rw", "read"), ("bs", "4096"), ("ioengine", "psync"),
        ("direct", "0"), ("number_ios", "1"), ("unlink", "1"),
        *((key, value) for key, value in workload.common if key in kept),
    )  # fmt: skip
    sections = tuple(
        (
            "remove",
            tuple(
                (key, "4096" if key == "size" else "1" if key == "numjobs" and shared else value)
                for key, value in options
                if key in ("filename", "filename_format", "size", "numjobs")
            ),
        )
        for _, options in workload.sections
    )
    return FioWorkload(common=common, sections=sections, read_only=False)
