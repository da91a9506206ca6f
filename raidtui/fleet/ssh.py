"""ssh(1) and sudo(8): why a connection or a command failed, by what they print. ssh prints English in every locale."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable
from typing import Any, Literal

from raidtui.values.errors import BadInput, MachineFailed
from raidtui.values.safe import safe

SshFailure = Literal["cut-off", "key-changed", "key-unknown", "refused", "unreachable", "no-sudo", "not-installed"]
"""`cut-off`: the connection ended after it was open, so the command may have run; otherwise it has not"""
OWN_FAILURE = 255
"""exit code of ssh itself when it fails"""
_SIGNS: tuple[tuple[str, SshFailure], ...] = (
    ("remote host identification has changed", "key-changed"),
    ("host key verification failed", "key-unknown"),
    ("permission denied", "refused"),
    ("too many authentication failures", "refused"),
    ("no supported authentication methods", "refused"),
    ("could not resolve hostname", "unreachable"),
    ("connection refused", "unreachable"),
    ("connection timed out", "unreachable"),
    ("operation timed out", "unreachable"),
    ("no route to host", "unreachable"),
    ("network is unreachable", "unreachable"),
    ("connection closed", "unreachable"),
    ("connection reset", "unreachable"),
    ("kex_exchange_identification", "unreachable"),
    ("bad owner or permissions", "refused"),
)
"""what OpenSSH 8 to 10 prints, in lower case; the first that is found counts"""
_CUT_OFF = re.compile(
    r"^(?:client_loop: |timeout, server |read from remote host |connection to \S+ closed|ssh_packet|packet_write|"
    r"ssh_dispatch_run_fatal: |mux_client_)",
    re.MULTILINE,
)
"""what it prints when an open connection ends"""


def ssh_failure(stderr: str) -> SshFailure | None:
    """Why ssh exited with 255, by its standard error; None where it prints nothing that is known."""
    text = stderr.lower()
    if _CUT_OFF.search(text) is not None:
        return "cut-off"
    return next((failure for sign, failure in _SIGNS if sign in text), None)


def sudo_failure(stderr: str) -> SshFailure | None:
    """Why `sudo -n` did not start the program; None where it did."""
    lines = [line.lower() for line in stderr.splitlines() if line.startswith("sudo:")]
    if any("command not found" in line for line in lines):
        return "not-installed"
    return "no-sudo" if any("password is required" in line or "not allowed" in line for line in lines) else None


# Node sets, `node[01-60,62]`: parsed and folded by ClusterShell (extra `raidtui[fleet]`), imported on first use.


ENGINE = ("ClusterShell>=1.9", "PyYAML>=6")
"""what pip installs as the extra `fleet`, by names that it knows from any checkout or installation"""
MOST_HOSTS = 10_000
"""hosts in one node set"""
_NAME = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}@)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}", re.ASCII)
_RANGE = re.compile(r"(\d{1,18})\s*-\s*(\d{1,18})", re.ASCII)
_LONG_NUMBER = re.compile(r"\d{19}", re.ASCII)
_WRITE = "write for example node[01-60], node[01-57,59] or @GROUP of ClusterShell's configuration"


def require_engine() -> None:
    """Raises MachineFailed if ClusterShell is not installed."""
    try:
        import ClusterShell  # noqa: F401 - an extra, for these verbs only
    except ImportError as problem:
        raise MachineFailed(
            "ClusterShell is not installed",
            hint=f"{shlex.join((sys.executable, '-m', 'pip', 'install', *ENGINE))}; or, with a package of the "
            "distribution, apt install python3-clustershell",
        ) from problem


def parse_nodeset(text: str, *, resolver: Any = None) -> tuple[str, ...]:
    """Hosts of a node set, each once, in its order. `resolver`: ClusterShell's for groups; without it, @ is refused.

    Raises BadInput for text that is no node set, more than MOST_HOSTS hosts or a name that is no host name.
    """
    require_engine()
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException  # an extra, see above
    from ClusterShell.NodeUtils import GroupResolverError, GroupSourceError  # an extra, see above

    _require_few(text)
    try:
        nodes = NodeSet(text, resolver=resolver or RESOLVER_NOGROUP)
        count = len(nodes)
        if count > MOST_HOSTS:
            raise BadInput(f"{_quoted(text)} has {count} hosts, more than {MOST_HOSTS}", hint="ask a part of them")
        return tuple(host_name(host) for host in nodes)
    except (NodeSetException, GroupResolverError, GroupSourceError, OverflowError) as problem:
        raise BadInput(f"invalid node set {_quoted(text)}: {safe(str(problem), longest=200)}", hint=_WRITE) from problem


def fold_nodeset(hosts: Iterable[str]) -> str:
    """The hosts as one node set: `node[01-57,59]`."""
    require_engine()
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet  # an extra, see above

    return str(NodeSet.fromlist(list(hosts), resolver=RESOLVER_NOGROUP))


def host_name(text: str) -> str:
    """`text` if it is a host name or USER@HOST. Raises BadInput: ssh would take `-o...` for an option."""
    if _NAME.fullmatch(text) is None:
        raise BadInput(
            f"{_quoted(text)} is not a host name",
            hint="use letters, digits, '.', '-' and '_'; give an IPv6 address a name in ~/.ssh/config",
        )
    return text


def _require_few(text: str) -> None:
    """Raises BadInput for a range too long to expand: ClusterShell makes every number of it."""
    for found in _RANGE.finditer(text):
        if int(found[2]) - int(found[1]) >= MOST_HOSTS:
            raise BadInput(f"{_quoted(text)} has more than {MOST_HOSTS} hosts", hint="ask a part of them")
    if _LONG_NUMBER.search(text) is not None:
        raise BadInput(f"{_quoted(text)} contains a number of more than 18 digits", hint=_WRITE)


def _quoted(text: str) -> str:
    return f"'{safe(text, longest=60)}'"
