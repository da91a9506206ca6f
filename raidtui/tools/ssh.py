"""ssh(1) and sudo(8): why a connection or a command failed, by what they print. ssh prints English in every locale."""

from __future__ import annotations

import re
from typing import Literal

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
