"""A fleet of three virtual machines with sshd: two alike, one with a disk missing and other firmware.

The control host is this machine: real ssh with an admin's own configuration, real sshd, sudo, systemd units and md.
node01 is reached as a user who may run `raidtui fleet-host` by sudo and nothing else, node02 as one who may run
everything, node03 as root.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from raidtui.engine.runs import read_plan
from raidtui.fleet.engine import Transport
from raidtui.fleet.look import HostReply, ask, new_request
from raidtui.fleet.values import BuildOrder, Claim, HostProblem, Rollout
from raidtui.values.codec import to_json
from tests.lab.fleet import (
    HOSTS,
    ROOT,
    Fleet,
    bystanders,
    digest_of,
    disks_of,
    planned,
    require_blank,
    require_built,
    run_of,
    undone,
)  # fmt: skip
from tests.lab.guest_raidtui import install
from tests.lab.host import seconds
from tests.lab.image import Image
from tests.lab.sshd import ONE_COMMAND, SshAccess
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

USERS = {"node01": ("admin", ONE_COMMAND), "node02": ("deploy", "ALL"), "node03": ("root", "")}
LOGOUT_KILLS = b"[Login]\nKillUserProcesses=yes\nUserStopDelaySec=0\n"
PLAY = Path(__file__).with_name("fleet_play.yml")


@pytest.fixture(scope="module")
def fleet(lab_image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    folder = tmp_path_factory.mktemp("fleet")
    ssh = SshAccess(folder)
    with ExitStack() as running:
        guests = {}
        for name in HOSTS:
            vm = running.enter_context(Machine(disks_of(name), using=lab_image, sync_limit_kib=None))
            guests[name] = vm
            install(vm)
            _skip_initramfs(vm)
            vm.put("/etc/systemd/logind.conf.d/lab.conf", LOGOUT_KILLS)
            vm.check("systemctl restart systemd-logind")
            ssh.add(vm, name, *USERS[name])
            (theirs,) = (vm.disk_path(serial) for serial in vm.serials if serial.startswith("B"))
            vm.check(f"mkfs.ext4 -q {theirs} && mount {theirs} /mnt && cp -r /etc /mnt && umount /mnt && sync")
        yield Fleet(guests, ssh, folder)


def test_three_hosts_are_looked_at_planned_and_checked(fleet: Fleet) -> None:
    """What an admin asks before a build, over ssh and sudo; no disk of any host is written."""
    disks = {name: vm.hash_disks() for name, vm in fleet.guests.items()}
    shown = fleet.answer("disks", "-w", "node[01-03]").splitlines()
    assert shown[0].startswith("3 of 3 hosts answered, the slowest in "), shown
    assert shown[1].startswith("node[01-02]: 6 x 268 MB RAIDTUI-LAB firmware 0001, "), shown
    assert shown[1].endswith(", alike"), shown
    assert shown[2].startswith("node03: pci-0000:00:04.0-scsi-0:0:5:0 empty (268 MB RAIDTUI RAIDTUI-LAB elsewhere); ")
    assert "firmware 0002 in place of 0001" in shown[2]
    assert shown[3:5] == ["node[01-02]: 5 of 9 disks free", "node03: 4 of 8 disks free"]

    sheet = planned(fleet, "sheet")
    document = json.loads((sheet / "sheet.json").read_text())
    assert [(kind["layout"], kind["hosts"]) for kind in document["kinds"]] == [
        ("(3+1)+1", ["node01", "node02"]),
        ("(3+1)", ["node03"]),
    ]
    (other,) = (host["differs"] for host in document["hosts"] if host["differs"])
    assert other == (
        "4 disks can be used, 5 on most hosts; "
        "pci-0000:00:04.0-scsi-0:0:5:0 empty (268 MB RAIDTUI RAIDTUI-LAB elsewhere)"
    )
    checked = fleet.answer("check", str(sheet)).splitlines()
    assert checked[0] == "node[01-03]: ready, with warnings: no-alarm"
    assert checked[1].endswith(" 3 hosts: 3 ready; nothing was written")
    assert {name: vm.hash_disks() for name, vm in fleet.guests.items()} == disks
    for vm in fleet.guests.values():
        assert vm.run("ls /var/lib/raidtui").exit == 2


def test_from_a_recipe_to_arrays_and_back(fleet: Fleet) -> None:
    others = bystanders(fleet)
    sheet = planned(fleet, "line")
    digest = digest_of(sheet)
    built = fleet.raidtui("build", str(sheet), "--interval", "30", "--yes", "--confirm", digest)
    assert built.returncode == 0, built
    assert [line for line in built.stderr.splitlines() if "starting" in line] == [
        "raidtui: starting node01",
        "raidtui: starting node[02-03]",
    ]
    assert fleet.answer("status", str(sheet)) == "node[01-03]: built\n"
    for name, vm in fleet.guests.items():
        require_built(vm, name)
    undone(fleet, sheet)
    assert bystanders(fleet) == others


def test_a_control_host_and_a_building_host_are_lost_and_another_goes_on(fleet: Fleet) -> None:
    """SIGKILL to the control host, a power cut of the host whose array syncs; a second control host takes over."""
    others = bystanders(fleet)
    sheet = planned(fleet, "lost")
    first = fleet.guests["node01"]
    first.check("echo 400 > /proc/sys/dev/raid/speed_limit_min; echo 400 > /proc/sys/dev/raid/speed_limit_max")
    words = ("build", str(sheet), "--interval", "30", "--yes", "--confirm", digest_of(sheet))
    with fleet.started(*words) as one:
        waiting = f"grep -aqs 'waits until the arrays are in sync' /var/lib/raidtui/{run_of(sheet, 'node01')}/journal"
        first.check(f"for second in $(seq 600); do {waiting} && break; sleep 1; done; {waiting}", timeout=900)
        os.killpg(one.pid, signal.SIGKILL)
    first.check("sleep 5; pgrep -f 'raidtui execute'")  # the login is gone, the executor is not

    refused = fleet.raidtui(*words, control="two")
    assert refused.returncode == 1, refused
    assert re.search(
        r"^raidtui: node01: control host \S+ follows its build since 2\S+; the builds go on", refused.stderr
    )
    assert claimed(fleet, sheet, "node01").state == "claimed"
    running = fleet.answer("status", str(sheet), control="two").splitlines()
    assert running[0].startswith("node01: building: ") and running[1:] == ["node[02-03]: not started"], running

    assert "recovery = " in first.check("sync; cat /proc/mdstat").stdout
    first.power_cut()
    first.start(permute=5)
    lost = fleet.answer("status", str(sheet), control="two", code=3).splitlines()
    assert lost[0] == "node[02-03]: not started" and lost[1].startswith("node01: interrupted: "), lost
    resumed = fleet.raidtui("resume", str(sheet), "--interval", "30", control="two")
    assert (resumed.returncode, resumed.stdout) == (0, "node[01-03]: built\n"), resumed
    assert "raidtui: taking over node01" in resumed.stderr
    for name, vm in fleet.guests.items():
        require_built(vm, name)
    undone(fleet, sheet)
    assert bystanders(fleet) == others


def test_ansible_builds_once_and_check_mode_says_the_same(fleet: Fleet) -> None:
    """Once without `become`, by the one command that sudo allows; with `become` where it allows all; as root."""
    others = bystanders(fleet)
    sheet = planned(fleet, "play")
    hosts = {
        "node01": {"raidtui_command": ["sudo", "-n", "raidtui", "fleet-host"]},
        "node02": {"ansible_become": True},
        "node03": {},
    }
    given = {
        "ansible_ssh_common_args": f"-F {fleet.ssh.config}",
        "ansible_python_interpreter": "/usr/bin/python3",
        "raidtui_command": ["raidtui", "fleet-host"],
        "sheet": str(sheet),
    }
    (fleet.folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": given}}))
    collections = str(fleet.folder / "collections")
    subprocess.run([sys.executable, "-m", "raidtui", "export", "ansible", collections], cwd=ROOT, check=True)

    before = {name: vm.hash_disks() for name, vm in fleet.guests.items()}
    assert played(fleet, "--check", "--diff", "--tags", "all,look") == dict.fromkeys(HOSTS, (3, 1))
    assert {name: vm.hash_disks() for name, vm in fleet.guests.items()} == before
    assert played(fleet) == dict.fromkeys(HOSTS, (1, 1))
    for name, vm in fleet.guests.items():
        require_built(vm, name)
    assert played(fleet) == dict.fromkeys(HOSTS, (1, 0))
    assert played(fleet, "--check") == dict.fromkeys(HOSTS, (1, 0))
    assert played(fleet, "--extra-vars", "wanted=absent", "--check") == dict.fromkeys(HOSTS, (1, 1))
    assert played(fleet, "--extra-vars", "wanted=absent") == dict.fromkeys(HOSTS, (1, 1))
    for name, vm in fleet.guests.items():
        require_blank(vm, name)
    assert bystanders(fleet) == others


def played(fleet: Fleet, *options: str) -> dict[str, tuple[int, int]]:
    """The play against all three hosts, which must not fail: tasks that were ok and that changed something, by host."""
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", str(fleet.folder / "hosts.json"), *options, str(PLAY)]
    surroundings = {
        "ANSIBLE_COLLECTIONS_PATH": str(fleet.folder / "collections"),
        "ANSIBLE_TIMEOUT": "300",
        "HOME": str(fleet.folder),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        argv, env={**os.environ, **surroundings}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=seconds(2400),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    recap = re.findall(r"^(node\d+) +: ok=(\d+) +changed=(\d+) +unreachable=0 +failed=0 ", done.stdout, re.MULTILINE)
    return {host: (int(ok), int(changed)) for host, ok, changed in recap}


def claimed(fleet: Fleet, sheet: Path, host: str) -> HostProblem:
    """How the host itself answers the build order of a control host that does not follow its run."""
    plan = read_plan(sheet / host / "plan.json")
    rollout = Rollout(sheet_digest=digest_of(sheet), hosts=(host,), canary=host, wave_size=1, stop_after=1)
    claim = Claim(control="somebody@elsewhere", token="0" * 32, since="2026-01-31T12:00:00Z", rollout=rollout)
    order = to_json(BuildOrder(plan=plan, claim=claim), indent=None)
    replies: list[HostReply] = []
    transport = Transport(ssh=str(fleet.ssh.program), sudo=True, timeout_s=600)
    ask({host: new_request("build", host, order)}, transport, replies.append)
    (reply,) = replies
    assert isinstance(reply.answer, HostProblem), reply
    return reply.answer
