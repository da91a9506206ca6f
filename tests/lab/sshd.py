"""sshd in guests that a control host on this machine reaches, with an ssh configuration and keys of one directory.

Nothing of this machine's own ssh is read or written.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from tests.lab.host import require_programs, run_host
from tests.lab.vm import Machine

_SSHD = """\
HostKey /etc/ssh/ssh_host_ed25519_key
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM yes
Subsystem sftp /usr/lib/openssh/sftp-server
"""
_CLIENT = """\
Host *
    HostName 127.0.0.1
    IdentityFile {here}/user
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {here}/known_hosts
    GlobalKnownHostsFile none
    StrictHostKeyChecking yes
    ConnectTimeout 60
"""
ONE_COMMAND = "/usr/local/bin/raidtui fleet-host"
"""all that a user has to be allowed by sudo, as raidtui's own hint says"""


class SshAccess:
    """An admin's ssh configuration for guests, one host name each."""

    def __init__(self, folder: Path) -> None:
        """Make the user's key and an empty configuration in `folder`."""
        require_programs({"ssh": "openssh-client", "ssh-keygen": "openssh-client"})
        self.folder = folder
        self.config = folder / "ssh_config"
        self.config.write_text(_CLIENT.format(here=folder))
        self._keygen("user")
        self.program = folder / "ssh"
        """in place of ssh(1): with this configuration"""
        self.program.write_text(f'#!/bin/sh\nexec ssh -F {self.config} "$@"\n')
        self.program.chmod(0o755)

    def add(self, vm: Machine, name: str, user: str, allowed: str) -> None:
        """Make `vm` the host `name`, with sshd and the login `user` by key.

        `allowed`: what sudo lets another user than root do as root, without a password.
        """
        self._keygen(f"host-{name}")
        port = vm.forward(22)
        vm.put("/etc/hostname", f"{name}\n".encode())
        vm.put("/etc/hosts", f"127.0.0.1 localhost {name}\n".encode())
        vm.put("/etc/machine-id", f"{secrets.token_hex(16)}\n".encode())
        vm.put("/etc/ssh/sshd_config", _SSHD.encode())
        vm.put("/etc/ssh/ssh_host_ed25519_key", (self.folder / f"host-{name}").read_bytes(), 0o600)
        home = "/root" if user == "root" else f"/home/{user}"
        if user != "root":
            vm.check(f"useradd --create-home --shell /bin/bash {user}")
            vm.put(f"/etc/sudoers.d/{user}", f"{user} ALL=(root) NOPASSWD: {allowed}\n".encode(), 0o440)
        vm.put(f"{home}/.ssh/authorized_keys", (self.folder / "user.pub").read_bytes(), 0o600)
        vm.check(
            f"chmod 700 {home}/.ssh && chown -R {user}: {home}/.ssh && hostname {name} && "
            "ln -s /lib/systemd/system/ssh.service /etc/systemd/system/multi-user.target.wants/ && systemctl start ssh"
        )
        host = f"Host {name}\n    User {user}\n    Port {port}\n"
        self.config.write_text(host + self.config.read_text())
        with (self.folder / "known_hosts").open("a") as known:
            known.write(f"[127.0.0.1]:{port} {(self.folder / f'host-{name}.pub').read_text()}")

    def _keygen(self, name: str) -> None:
        assert re.fullmatch(r"[a-z0-9-]+", name)
        run_host(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(self.folder / name)])
