"""A process that has a disk open without O_EXCL, as QEMU has a raw disk: found on real disks, and nothing is built."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from raidtui.values.units import MIB
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.test_build import _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _skip_initramfs
from tests.lab.vm import Machine

pytestmark = [pytest.mark.lab, pytest.mark.long]

SERIALS = ["LAB0001", "LAB0002", "LAB0003", "LAB0004"]
_WRITER = b"""import os, sys, time
disk = os.open(sys.argv[1], os.O_RDWR)
while True:
    os.pwrite(disk, bytes(4096), 100 << 20)
    time.sleep(0.05)
"""
_ASK = """import json, sys
from raidtui.machine.system.runner import SystemReader
users = SystemReader().users(tuple(sys.argv[1:]))
print(json.dumps([[user.path, user.by, user.writing] for user in users]))
"""


@pytest.fixture(scope="module")
def small(lab_image: Image) -> Iterator[Machine]:
    with Machine(lab_disks(4, bytes=512 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        vm.put("/root/writer.py", _WRITER)
        vm.put("/root/ask.py", _ASK.encode())
        yield vm


def test_bytes_between_zero_ends_are_content_and_have_to_be_given_up(small: Machine) -> None:
    vm = small
    path = vm.disk_path("LAB0004")
    vm.check(f"printf old | dd of={path} bs=1 seek={256 * MIB} conv=fsync,notrunc")  # the middle of 512 MiB
    disk = _disk(vm, "LAB0004")
    assert (disk["state"], disk["sampled"]) == ("content", {"places": 107, "not_zero": 1, "first_offset": 268435456})
    shown = vm.check(["raidtui", "disks"]).stdout
    assert "1 of 107 places not zero, the first at offset 268 435 456" in shown
    plan = _planned(vm, "(2+1)", SERIALS[1:])
    refused = vm.run(f"raidtui build /root/plan/plan.json --yes --confirm {plan.digest}", timeout=300)
    assert refused.exit != 0, refused
    assert "serial number LAB0004 holds data bytes between" in refused.stdout + refused.stderr, refused
    vm.check(f"printf '\\0\\0\\0' | dd of={path} bs=1 seek={256 * MIB} conv=fsync,notrunc")
    assert _disk(vm, "LAB0004")["state"] == "blank"


def test_a_writer_without_o_excl_is_named_and_nothing_is_built_until_it_ends(small: Machine) -> None:
    vm = small
    _skip_initramfs(vm)
    paths = vm.disk_paths(SERIALS)
    plan = _planned(vm, "(2+1)", SERIALS[:3])
    held = paths["LAB0002"]
    vm.check(["systemd-run", "--quiet", "--unit=writer", "python3", "/root/writer.py", held])
    pid = _pid(vm, "writer")
    named = f"python3 (pid {pid})"
    before = vm.hash_disks(SERIALS)

    disk = _disk(vm, "LAB0002")
    assert disk["uses"] == [{"kind": "open", "where": named, "active": True}]
    assert disk["not_selectable"] == f"in use: open for writing by {named}"
    assert (disk["opened_by"][0]["process"], disk["opened_by"][0]["writing"]) == (int(pid), True)
    assert _disk(vm, "LAB0001")["uses"] == []
    assert _users(vm, *paths.values()) == [[held, named, True]]
    refused = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert refused.exit != 0, refused
    assert f"serial LAB0002): in use: open for writing by {named}" in refused.stdout + refused.stderr, refused
    assert vm.hash_disks(SERIALS) == before

    vm.check(["systemctl", "stop", "writer"])
    _in_a_container(vm, paths["LAB0002"])
    _by_sg_and_loop(vm, paths["LAB0003"])
    assert vm.hash_disks(SERIALS) == before
    assert _users(vm, *paths.values()) == []

    built = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert built.exit == 0, _why(vm, built)
    opener = "import os, time; disk = os.open('/dev/data/data', os.O_RDWR); time.sleep(9999)"
    vm.check(["systemd-run", "--quiet", "--unit=above", "python3", "-c", opener])
    above = [user for user in _users(vm, paths["LAB0001"], paths["LAB0004"]) if user[2]]  # mdadm reads now and then
    assert above == [[paths["LAB0001"], f"python3 (pid {_pid(vm, 'above')})", True]]
    vm.check(["systemctl", "stop", "above"])
    _taken_back(vm, plan)


def _in_a_container(vm: Machine, path: str) -> None:
    """A process in a mount and a pid namespace of its own, by a node of its own, which is then removed."""
    numbers = vm.check(f"lsblk -ndo MAJ:MIN {path}").stdout.split()[0].replace(":", " ")
    inner = f"mount -t tmpfs none /mnt && mknod /mnt/odd b {numbers} && exec python3 /root/writer.py /mnt/odd"
    outer = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", inner]
    vm.check(["systemd-run", "--quiet", "--unit=inside", *outer])
    vm.check("for i in $(seq 100); do pgrep -f '^python3 /root/writer.py /mnt/odd' && break; sleep 0.1; done")
    pid = vm.check("pgrep -f '^python3 /root/writer.py /mnt/odd'").stdout.strip()
    assert _users(vm, path) == [[path, f"python3 (pid {pid}, in a container)", True]]
    assert _disk(vm, "LAB0002")["not_selectable"] == f"in use: open for writing by python3 (pid {pid}, in a container)"
    vm.check(["systemctl", "stop", "inside"])


def _by_sg_and_loop(vm: Machine, path: str) -> None:
    """A process that has the disk's sg device open, and a loop device over a part of the disk."""
    vm.check("modprobe sg; udevadm settle")
    name = vm.check(f"readlink -f {path}").stdout.strip().rpartition("/")[2]
    generic = vm.check(f"ls /sys/block/{name}/device/scsi_generic").stdout.strip()
    opener = f"import os, time; disk = os.open('/dev/{generic}', os.O_RDWR); time.sleep(9999)"
    vm.check(["systemd-run", "--quiet", "--unit=passes", "python3", "-c", opener])
    assert _users(vm, path) == [[path, f"python3 (pid {_pid(vm, 'passes')})", True]]
    vm.check(["systemctl", "stop", "passes"])
    vm.check(f"modprobe loop; losetup --offset {16 * MIB} /dev/loop0 {path}")
    assert _users(vm, path) == [[path, "the loop device loop0", True]]
    vm.check("losetup --detach /dev/loop0; udevadm settle")


def _pid(vm: Machine, unit: str) -> str:
    """Of the process of a unit, once it has opened what it opens."""
    pid = vm.check(["systemctl", "show", "--property=MainPID", "--value", f"{unit}.service"]).stdout.strip()
    opened = f"ls -l /proc/{pid}/fd | grep -qE '/dev/(sd|sg|dm-|mapper|data)'"
    vm.check(f"for i in $(seq 100); do {opened} && break; sleep 0.1; done; {opened}")
    return pid


def _users(vm: Machine, *paths: str) -> list[list[Any]]:
    """What `Runner.users` returns in the guest, sorted."""
    vm.check("udevadm settle")
    found: list[list[Any]] = json.loads(vm.check(["python3", "/root/ask.py", *paths]).stdout)
    return sorted(found)


def _disk(vm: Machine, serial: str) -> dict[str, Any]:
    """The disk as `raidtui disks --json` prints it, with the fields that are left out where they are empty."""
    vm.check("udevadm settle")
    disks = json.loads(vm.check("raidtui disks --json").stdout)["disks"]
    found: dict[str, Any] = next(disk for disk in disks if disk["serial"] == serial)
    return {"uses": [], "opened_by": [], "not_selectable": None, **found}
