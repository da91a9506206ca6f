"""A fleet of three virtual machines with sshd: two alike, one with a disk missing and other firmware.

The control host is this machine: real ssh with an admin's own configuration, real sshd, sudo, systemd units and md.
Two hosts are reached as a user who may run `raidtui fleet-host` by sudo and nothing else, the third as root.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

import raidtui
from raidtui.machine.fleet.ask import HostReply, ask, new_request
from raidtui.machine.fleet.transport import Transport
from raidtui.machine.run.plan_files import read_plan
from raidtui.model.codec import to_json
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.fleet.orders import BuildOrder, Claim
from raidtui.model.fleet.rollout import Rollout
from raidtui.model.units import MIB
from tests.lab.disk import Disk, lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.host import seconds
from tests.lab.image import Image
from tests.lab.sshd import SshAccess
from tests.lab.test_script import END, _skip_initramfs
from tests.lab.vm import Machine

pytestmark = pytest.mark.lab

ROOT = Path(raidtui.__file__).parents[1]
SIZE = 256 * MIB
HOSTS = ("node01", "node02", "node03")
USERS = {"node01": "admin", "node02": "admin", "node03": "root"}
TARGETS = {"node01": 5, "node02": 5, "node03": 4}
LOGOUT_KILLS = b"[Login]\nKillUserProcesses=yes\nUserStopDelaySec=0\n"


@dataclass(frozen=True)
class Fleet:
    """Three guests and the control host that reaches them."""

    guests: Mapping[str, Machine]
    ssh: SshAccess
    folder: Path

    def raidtui(self, *words: str, control: str = "control") -> subprocess.CompletedProcess[str]:
        """A verb of the fleet as the admin at the control host `control` runs it, to its end."""
        with self.started(*words, control=control) as process:
            out, err = process.communicate(timeout=seconds(1800))
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def started(self, *words: str, control: str = "control") -> subprocess.Popen[str]:
        """The same, still running."""
        return self._process(control, *words, "--ssh", str(self.ssh.program), "--sudo", "--timeout", "600")

    def here(self, *words: str) -> None:
        """A verb that asks no host, successfully."""
        with self._process("control", *words) as process:
            out, err = process.communicate(timeout=seconds(120))
        assert process.returncode == 0, (words, out, err)

    def _process(self, control: str, *words: str) -> subprocess.Popen[str]:
        (self.folder / control).mkdir(mode=0o700, exist_ok=True)
        argv = [sys.executable, "-m", "tests.lab.control_host", str(self.folder / control), "fleet", *words]
        return subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def answer(self, *words: str, control: str = "control", code: int = 0) -> str:
        """Standard output of a verb that exits with `code`."""
        done = self.raidtui(*words, control=control)
        assert done.returncode == code, f"{words} exited {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def disks_of(name: str) -> list[Disk]:
    """Disks to build on and one that somebody uses; node03 lacks the last bay and has other firmware."""
    number = HOSTS.index(name)
    firmware = "0002" if name == "node03" else "0001"
    targets = lab_disks(5, prefix=f"A{number}T", bytes=SIZE, firmware=firmware)
    return [*lab_disks(1, prefix=f"B{number}Y", bytes=SIZE, firmware=firmware), *targets[: TARGETS[name]]]


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
            ssh.add(vm, name, USERS[name])
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


@pytest.mark.full
def test_from_a_recipe_to_arrays_and_back(fleet: Fleet) -> None:
    others = bystanders(fleet)
    sheet = planned(fleet, "line")
    digest = digest_of(sheet)
    built = fleet.raidtui("build", str(sheet), "--wave", "2", "--interval", "30", "--yes", "--confirm", digest)
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


@pytest.mark.full
def test_a_control_host_and_a_building_host_are_lost_and_another_goes_on(fleet: Fleet) -> None:
    """SIGKILL to the control host, a power cut of the host whose array syncs; a second control host takes over."""
    others = bystanders(fleet)
    sheet = planned(fleet, "lost")
    first = fleet.guests["node01"]
    first.check("echo 1000 > /proc/sys/dev/raid/speed_limit_min; echo 1000 > /proc/sys/dev/raid/speed_limit_max")
    words = ("build", str(sheet), "--wave", "2", "--interval", "30", "--yes", "--confirm", digest_of(sheet))
    with fleet.started(*words) as one:
        waiting = f"grep -aqs 'waits until the arrays are in sync' /var/lib/raidtui/{run_of(sheet, 'node01')}/journal"
        first.check(f"for second in $(seq 600); do {waiting} && break; sleep 1; done; {waiting}", timeout=900)
        os.killpg(one.pid, signal.SIGKILL)
    first.check("sleep 5; pgrep -f 'raidtui execute'")  # the login is gone, the executor is not

    refused = fleet.raidtui(*words, control="two")
    assert refused.returncode == 1, refused
    assert "node01: the build of this sheet has begun; nothing was started" in refused.stderr
    assert claimed(fleet, sheet, "node01").state == "claimed"
    assert fleet.answer("status", str(sheet), control="two").splitlines() == [
        "node01: building: 3 of 10 steps done",
        "node[02-03]: not started",
    ]

    first.check("sync")
    first.power_cut()
    first.start(permute=5)
    lost = fleet.answer("status", str(sheet), control="two", code=3).splitlines()
    assert lost[0].startswith("node01: interrupted: ") or lost[1].startswith("node01: interrupted: "), lost
    resumed = fleet.raidtui("resume", str(sheet), "--interval", "30", control="two")
    assert (resumed.returncode, resumed.stdout) == (0, "node[01-03]: built\n"), resumed
    assert "raidtui: taking over node01" in resumed.stderr
    for name, vm in fleet.guests.items():
        require_built(vm, name)
    undone(fleet, sheet)
    assert bystanders(fleet) == others


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


def run_of(sheet: Path, host: str) -> str:
    return read_plan(sheet / host / "plan.json").run_id


def planned(fleet: Fleet, name: str) -> Path:
    """A recipe that gives hosts which differ a layout of their own, and its sheet for the three hosts."""
    recipe, sheet = fleet.folder / f"{name}.toml", fleet.folder / name
    wanted = ("--chunk", "64K", "--differs", "fit", "--survive", "1", "--level", "raid5")
    fleet.here("recipe", "(3+1)+1", *wanted, "--out", str(recipe))
    fleet.answer("plan", str(recipe), "-w", "node[01-03]", "--out", str(sheet))
    return sheet


def digest_of(sheet: Path) -> str:
    digest: str = json.loads((sheet / "sheet.json").read_text())["digest"]
    return digest


def require_built(vm: Machine, name: str) -> None:
    """The array as the kernel has it: members and spare of its plan, in sync, mounted."""
    status = vm.check(["cat", "/proc/mdstat"]).stdout
    assert status.count(" active raid5 ") == 1 and "[4/4] [UUUU]" in status, (name, status)
    assert status.count("(S)") == TARGETS[name] - 4, (name, status)
    assert vm.check(["findmnt", "-no", "FSTYPE", "/srv/data"]).stdout == "xfs\n"


def undone(fleet: Fleet, sheet: Path) -> None:
    """Undoes the build of a sheet, and proves that no array, mount or signature of it is left."""
    ended = fleet.raidtui("undo", str(sheet), "--interval", "30", "--yes", "--confirm", digest_of(sheet))
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "node[01-03]: undone"), ended
    for name, vm in fleet.guests.items():
        require_blank(vm, name)


def require_blank(vm: Machine, name: str) -> None:
    """Nothing of a build is left on a guest; its disks are then made blank for the next test."""
    vm.check("sync; udevadm settle")
    assert " active " not in vm.check(["cat", "/proc/mdstat"]).stdout, name
    assert vm.run("findmnt /srv/data").exit == 1 and vm.run("ls /dev/md/data").exit == 2, name
    assert vm.run("grep -r raidtui /etc/fstab /etc/mdadm /etc/udev/rules.d").exit == 1, name
    targets = [serial for serial in vm.serials if serial.startswith("A")]
    for serial in targets:
        assert vm.backing(serial).is_blank(0, END) and vm.backing(serial).is_blank(SIZE - END), (name, serial)
    vm.erase_disks(targets)


def bystanders(fleet: Fleet) -> dict[str, dict[str, str]]:
    """Digests of the disks that belong to somebody, of each host."""
    return {
        name: vm.hash_disks([serial for serial in vm.serials if serial.startswith("B")])
        for name, vm in fleet.guests.items()
    }
