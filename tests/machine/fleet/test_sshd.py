"""A real ssh and a real sshd on a loopback port, with keys of their own."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.fleet.engine import Transport
from raidtui.fleet.look import look_at_hosts
from tests.lab.host import tool
from tests.lab.network import free_port
from tests.machine.fleet.conftest import written

pytestmark = pytest.mark.needs("sshd", "ssh")
DAEMON = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {here}/host
PidFile none
AuthorizedKeysFile {here}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv PATH={here}/bin:/usr/bin:/bin TMPDIR={here}/left
"""
CLIENT = """\
Host good unknown changed stranger
    Port {port}
Host nobody
    Port {closed}
Host stranger
    IdentityFile {here}/stranger
Host good unknown changed
    IdentityFile {here}/user
Host *
    HostName 127.0.0.1
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {here}/known-%n
    GlobalKnownHostsFile none
    StrictHostKeyChecking yes
"""


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Transport]:
    port = free_port()
    for name in ("bin", "left"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin" / "python3").symlink_to(Path(sys.executable).resolve())
    for key in ("host", "user", "stranger", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / key], check=True)
    for name, key in {"good": "host", "stranger": "host", "changed": "other"}.items():
        (tmp_path / f"known-{name}").write_text(f"[127.0.0.1]:{port} {(tmp_path / f'{key}.pub').read_text()}")
    (tmp_path / "sshd_config").write_text(DAEMON.format(here=tmp_path, port=port))
    (tmp_path / "ssh_config").write_text(CLIENT.format(here=tmp_path, port=port, closed=free_port()))
    written(tmp_path / "ssh", f'#!/bin/sh\nexec ssh -F {tmp_path}/ssh_config "$@"\n')
    Path("/run/sshd").mkdir(exist_ok=True)  # its privilege separation, as root only
    argv = [tool("sshd"), "-D", "-e", "-f", str(tmp_path / "sshd_config")]
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as daemon:
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield Transport(ssh=str(tmp_path / "ssh"), timeout_s=60)
        finally:
            daemon.terminate()


@pytest.mark.thorough
def test_looking_over_ssh_at_hosts_without_raidtui(sshd: Transport, tmp_path: Path) -> None:
    hosts = ("good", "nobody", "unknown", "changed", "stranger")
    found = look_at_hosts(hosts, replace(sshd, fanout=2), "missing")
    states = {look.host: look.state for look in found.hosts}
    assert states == {
        "good": "answered", "nobody": "unreachable", "unknown": "key-changed", "changed": "key-changed",
        "stranger": "refused",
    }  # fmt: skip
    good = found.hosts[0]
    assert good.carried and good.inventory is not None and good.inventory.target is not None
    assert list((tmp_path / "left").iterdir()) == []
    for look in found.problems:
        assert look.problem is not None and look.problem.sentence.isprintable() and look.problem.hint
