"""What ssh and sudo print when they fail: OpenSSH 9.2 (Debian 12), sudo 1.9.13."""

import pytest

from raidtui.fleet.ssh import SshFailure, ssh_failure, sudo_failure

CHANGED = """\
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!
Host key for [127.0.0.1]:2222 has changed and you have requested strict checking.
Host key verification failed.
"""


@pytest.mark.parametrize(
    ("stderr", "failure"),
    [
        (CHANGED, "key-changed"),
        ("No ED25519 host key is known for node1 and you have requested strict checking.\r\n"
         "Host key verification failed.\r\n", "key-unknown"),
        ("root@node1: Permission denied (publickey,password).\r\n", "refused"),
        ("ssh: connect to host node1 port 22: Connection refused\r\n", "unreachable"),
        ("ssh: connect to host node1 port 22: No route to host\r\n", "unreachable"),
        ("ssh: Could not resolve hostname nohost: Name or service not known\r\n", "unreachable"),
        ("Connection closed by 127.0.0.1 port 22\r\n", "unreachable"),
        ("client_loop: send disconnect: Broken pipe\r\n", "cut-off"),
        ("Read from remote host node1: Connection reset by peer\r\nclient_loop: send disconnect: Broken pipe\r\n",
         "cut-off"),
        ("Connection to node1 closed by remote host.\r\n", "cut-off"),
        ("Timeout, server node1 not responding.\r\n", "cut-off"),
        ("cp: Permission denied\r\nConnection to node1 closed by remote host.\r\n", "cut-off"),
        ("kex_exchange_identification: Connection closed by remote host\r\nConnection closed by 10.0.0.1 port 22\r\n",
         "unreachable"),
        ("", None),
    ],
)  # fmt: skip
def test_why_ssh_failed(stderr: str, failure: SshFailure | None) -> None:
    assert ssh_failure(stderr) == failure


@pytest.mark.parametrize(
    ("stderr", "failure"),
    [
        ("sudo: a password is required\n", "no-sudo"),
        ("sudo: raidtui: command not found\n", "not-installed"),
        ("Sorry, user a is not allowed to execute 'raidtui fleet-host' as root on b.\n", None),
        ("raidtui: sudo: a password is required\n", None),
    ],
)
def test_why_sudo_did_not_start_it(stderr: str, failure: SshFailure | None) -> None:
    assert sudo_failure(stderr) == failure
