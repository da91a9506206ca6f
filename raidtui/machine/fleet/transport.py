"""How hosts are reached: ssh with the admin's own configuration, or local processes that stand in for hosts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.fleet.carrier import Carrier
from raidtui.model.units import MIB

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
