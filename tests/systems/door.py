"""`python -m tests.systems.door`: arrays that a kernel made or wrote, then assembled by another; about five minutes.

Linux 6.19 and later store the logical block size in the superblock of an array that they create, in bytes that earlier
kernels require to be zero.
The release is Debian 12, whose audit is asked before and after the newer kernel wrote.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.quick import QuickMachine
from tests.systems.roots import SUITES, system

FILE = Path(__file__).with_name("door.jsonl")
RELEASE = "bookworm"
OLDER = "trixie"
NEWER = "sid"
_ALONE = "ln -sf /dev/null /etc/udev/rules.d/64-md-raid-assembly.rules; udevadm control --reload; modprobe raid1"
"""from then on nothing assembles an array but what is asked here"""
_WRITE = "echo kept | dd of=/dev/md/{0} conv=sync bs=4096 status=none; sync; mdadm --stop /dev/md/{0}"


@dataclass(frozen=True, slots=True)
class Try:
    """An array that was made and perhaps written on kernels, then assembled on another."""

    made: str
    written: str
    """the kernel that wrote it last"""
    then: str
    starts: bool
    said: str
    """by the kernel, where it does not start"""
    audit: str
    """the consequence that `kernel-door` names where the array runs and the boot menu has both kernels"""
    day: str


def run(told: Callable[[str], None] = print) -> list[Try]:
    """Makes two arrays on the older kernel and one on the newer, which writes to one of them; each kernel tries all."""
    disks = lab_disks(6, bytes=64 << 20)
    found: list[Try] = []
    with QuickMachine(disks, using=system(RELEASE, OLDER), sync_limit_kib=None) as vm:
        install(vm, python=system(RELEASE, OLDER).python)
        paths = list(vm.disk_paths().values())
        names = ("old", "old-written", "new")
        members = {name: " ".join(paths[2 * n : 2 * n + 2]) for n, name in enumerate(names)}
        older = _booted(vm, "")
        for name in names[:2]:
            _make(vm, name, members[name])
        newer = _booted(vm, NEWER)
        vm.check(f"touch /boot/vmlinuz-{older} /boot/vmlinuz-{newer}")
        _make(vm, "new", members["new"])
        vm.check(f"mdadm --assemble /dev/md/old-written {members['old-written']} && {_WRITE.format('old-written')}")
        kernels = {"old": (older, older), "old-written": (older, newer), "new": (newer, newer)}
        for then in (NEWER, *(each for each in reversed(SUITES) if each != NEWER)):
            if then != NEWER:
                _booted(vm, then)
            for name, (made, written) in kernels.items():
                found.append(_tried(vm, name, made, written, members[name]))
                told(str(found[-1]))
    FILE.write_text("".join(f"{json.dumps(asdict(each))}\n" for each in found))
    return found


def recorded() -> list[Try]:
    """What the last run found."""
    return [Try(**json.loads(line)) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def _make(vm: QuickMachine, name: str, members: str) -> None:
    vm.check(
        f"mdadm --create /dev/md/{name} -l1 -n2 --metadata=1.2 --assume-clean --bitmap=none --run {members}; "
        + _WRITE.format(name)
    )


def _booted(vm: QuickMachine, kernel: str) -> str:
    """The release of the kernel that the machine runs after it; without a word it goes on as it is."""
    if kernel:
        vm.power_off()
        vm.start(using=system(RELEASE, kernel))
    vm.check(_ALONE)
    return vm.check("uname -r").stdout.strip()


def _tried(vm: QuickMachine, name: str, made: str, written: str, members: str) -> Try:
    vm.check("dmesg --clear")
    done = vm.run(f"mdadm --assemble --readonly /dev/md/{name} {members}")
    assert "busy" not in done.stderr, done.stderr
    log = vm.run("dmesg | sed 's/^[^]]*] //' | grep -i superblock | sed 's/vd[a-z]/DISK/' | sort -u").stdout.strip()
    starts = done.exit == 0 and vm.run(f"grep -ac kept /dev/md/{name}").stdout == "1\n"
    audit = _audit(vm) if starts else ""
    vm.run(f"mdadm --stop /dev/md/{name}")
    then = vm.check("uname -r").stdout.strip()
    day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return Try(made, written, then, starts, "" if starts else log, audit, day)


def _audit(vm: QuickMachine) -> str:
    found = json.loads(vm.run("raidtui audit --json", timeout=120).stdout)["findings"]
    return " ".join(each["consequence"] for each in found if each["code"] == "kernel-door")


if __name__ == "__main__":
    run()
