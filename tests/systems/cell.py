"""One release with one kernel: what is done on it, and whether each act came out as predicted and promised.

Every act ends in one of three words: `exact`, `refused` (raidtui named the reason and wrote nothing), `differs`.
"""

from __future__ import annotations

import datetime
import json
import re
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from raidtui.values.plan import Plan
from tests.lab import quick_initramfs
from tests.lab.agent import GuestCommandError, Result
from tests.lab.disk import lab_disks
from tests.lab.geometry_cases import Case, FileSystem, random_cases, unequal_cases
from tests.lab.geometry_measure import failed, measure, measuring_machine, prepare
from tests.lab.geometry_predicted import QUICK_OPTIMAL, measured, predicted
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import install
from tests.lab.quick import QuickMachine
from tests.lab.test_build import _confirmed, _planned, _taken_back
from tests.lab.test_script import _build, _equals_plan, _put, _there_and_back, _undo
from tests.systems.roots import System, system

MIB = 2**20
SEED = 1
ARRAYS, VOLUMES = 6, 2
"""random layouts of the act `sizes`: single arrays and stacks, and volumes over arrays of unequal width"""
SMALL = [f"LAB{number:04d}" for number in range(1, 6)]
SPARE = "LAB0006"
OLD_MOUNT = "systemd.setenv=LIBMOUNT_FORCE_MOUNT2=always"
"""has mount of util-linux 2.41 and later use mount(2): hostfs below Linux 6.12 does not mount by fsconfig(2)"""
NOT_MOUNTED = "kernel-without-xfs-feature"
"""a finding of a plan whose file system the kernel that runs does not mount"""
SLOW, FAST = 1000, 500_000
"""KiB a second and member of a sync"""
MOUNTED = "for second in $(seq 90); do mount /srv/data 2> /dev/null && break; sleep 1; done; findmnt /srv/data"
"""a quick machine gets its disks after its boot, when systemd mounts no more"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one act."""

    word: str
    """exact, refused or differs"""
    how: str = ""
    """the reason, the difference, or the options that a warning of the plan named and that were used"""


class RefusedError(Exception):
    """raidtui refused an act, with a reason."""


@dataclass(slots=True)
class Cell:
    """A release with a kernel."""

    suite: str
    kernel: str
    """the release that the kernel is of"""
    seed: int = SEED
    versions: dict[str, str] = field(default_factory=dict)
    acts: dict[str, Outcome] = field(default_factory=dict)
    seconds: dict[str, int] = field(default_factory=dict)
    """of wall time that each act took"""
    day: str = ""

    @property
    def name(self) -> str:
        """`trixie/bookworm`: Debian 13 on the kernel of Debian 12."""
        return f"{self.suite}/{self.kernel}"

    @property
    def kernel_words(self) -> tuple[str, ...]:
        """What the kernel's command line has besides."""
        return (OLD_MOUNT,) if self.suite in ("trixie", "sid") and self.kernel in ("bullseye", "bookworm") else ()


def run(cell: Cell, told: Callable[[Cell, str], None] = lambda *_: None, *, only: Collection[str] = ()) -> Cell:
    """Fills the cell: every act, or only these, on machines that are made for it; `told` is called after each."""
    only = only or ("sizes", *ACTS)
    using = system(cell.suite, cell.kernel)
    cell.day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    if "sizes" in only:
        with measuring_machine(using, cell.kernel_words) as vm:
            prepare(vm)
            cell.versions = _versions(vm)
            with _act(cell, "sizes", told):
                sizes(vm, cases(cell.seed))
    if not ACTS.keys().isdisjoint(only):
        with _life_machine(using, cell.kernel_words) as vm:
            cell.versions = _versions(vm)
            for name, act in ACTS.items():
                if name in only:
                    with _act(cell, name, told) as used:
                        used += act(vm)
                    if cell.acts[name].word == "differs":  # the machine is not what the next act begins with
                        break
    return cell


@contextmanager
def _act(cell: Cell, name: str, told: Callable[[Cell, str], None]) -> Iterator[list[str]]:
    """Puts what came of the act into the cell; the list that it yields takes the options that the act used."""
    before = time.monotonic()
    used: list[str] = []
    try:
        yield used
    except RefusedError as refused:
        cell.acts[name] = Outcome("refused", str(refused)[:2000])
    except (AssertionError, GuestCommandError, KeyError, ValueError) as differs:
        where = [frame.line for frame in traceback.extract_tb(differs.__traceback__)][-2:]
        cell.acts[name] = Outcome("differs", f"{type(differs).__name__} in {where}: {differs}"[:4000])
    else:
        cell.acts[name] = Outcome("exact", " ".join(used))
    cell.seconds[name] = round(time.monotonic() - before)
    told(cell, name)


def _versions(vm: Guest) -> dict[str, str]:
    """What the guest says that it runs."""
    asked = {
        "kernel": "uname -r", "mdadm": "mdadm --version 2>&1 | sed 's/^mdadm - v//; s/ .*//'",
        "lvm2": "lvm version | sed -n 's/ *LVM version: *//p' | cut -d'(' -f1",
        "xfsprogs": "mkfs.xfs -V | cut -d' ' -f3", "e2fsprogs": "mkfs.ext4 -V 2>&1 | sed -n '1p' | cut -d' ' -f2",
        "util-linux": "lsblk --version | sed 's/.* //'", "systemd": "systemctl --version | sed -n '1p' | cut -d' ' -f2",
        "python": "/usr/bin/python3 -V | cut -d' ' -f2",
        "initramfs": "ls /usr/sbin/update-initramfs /usr/bin/dracut 2>/dev/null | xargs -n1 basename | xargs",
    }  # fmt: skip
    return {name: vm.run(line).stdout.strip() for name, line in asked.items()}


def cases(seed: int) -> tuple[Case, ...]:
    """The layouts of the act `sizes`."""
    return (*random_cases(seed, ARRAYS), *unequal_cases(seed, VOLUMES))


def sizes(vm: QuickMachine, of: Sequence[Case]) -> None:
    """Arrays and volumes without a file system: what mdadm and LVM make is what is predicted."""
    for case in of:
        bare = replace(case, fs=FileSystem("none"))
        record = measure(vm, bare)
        assert failed(record) is None, failed(record)
        said = predicted(bare, QUICK_OPTIMAL)
        found = measured(record, said)
        assert found == said, f"{record['command']}: predicted {_unlike(said, found)}, made {_unlike(found, said)}"


def _unlike(one: object, other: object) -> object:
    """What of the first is not in the second, as short as it gets."""
    match one, other:
        case dict(), dict():
            return {key: _unlike(one[key], other.get(key)) for key in one if one[key] != other.get(key)}
        case list(), list() if len(one) == len(other):
            return [_unlike(*pair) for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
        case _:
            return one


@contextmanager
def _life_machine(using: System, kernel_words: Sequence[str]) -> Iterator[QuickMachine]:
    disks = [
        *lab_disks(6, bytes=288 * MIB),
        *lab_disks(6, prefix="NAS", bytes=2_000_398_934_016),
        *lab_disks(1, prefix="BY", bytes=256 * MIB),
    ]
    with QuickMachine(disks, using=using, sync_limit_kib=SLOW, kernel_words=kernel_words) as vm:
        install(vm, python=using.python)
        if using.python.program != "/usr/bin/python3":
            vm.put("/usr/local/bin/python3", f'#!/bin/sh\nexec {using.python.program} "$@"\n'.encode(), 0o755)
        for program in ("update-initramfs", "dracut"):
            if found := vm.run(f"command -v {program}").stdout.strip():
                vm.put(found, quick_initramfs.UPDATE, 0o755)
        bystander = vm.disk_path("BY0001")
        vm.check(f"mkfs.ext4 -q {bystander}; mount {bystander} /mnt && cp -r /etc /mnt && umount /mnt")
        vm.bystander = vm.hash_disks(["BY0001"])  # type: ignore[attr-defined]
        yield vm


def _script(vm: QuickMachine) -> list[str]:
    """`build.sh` on disks of 2 TB, read back with its file system, taken back by `undo.sh`.

    User-mode Linux 7.2 has the zero page outside of the memory that the storage daemon sees, which then serves the disk
    no more. mkfs.ext4 has the kernel write that page; md hands it on to disks of a mirror, and copies it for parity.
    """
    serials = [serial for serial in vm.serials if serial.startswith("NAS")]
    plan, used = _advised(vm, "2x(2+1)", serials)
    for done in (_put, _build, _equals_plan, _undo):
        done(vm, plan)
    zero_page_shared = int(vm.check("uname -r").stdout.split(".")[0]) < 7
    _there_and_back(vm, "raid10(4)" if zero_page_shared else "(3+1)", serials[:4], fs="ext4", stack="separate")
    _bystander(vm)
    return used


def _cut(vm: QuickMachine) -> list[str]:
    """A build whose power goes while it waits for the first sync: resumed to its end, then taken back."""
    vm.limit_sync(SLOW)
    plan, used = _advised(vm)
    journal = f"/var/lib/raidtui/{plan.run_id}/journal"
    waits = f"grep -ac 'waits until the arrays are in sync' {journal}"
    begun = _confirmed(vm, "build /root/plan/plan.json --wait-for-sync --detach", plan)
    _accepted(vm, begun)
    seen = vm.run(f'until [ "$({waits})" = 1 ]; do sleep 0.2; done; sync', timeout=600)
    assert seen.exit == 0, _tail(vm, seen.stderr)
    vm.power_cut()
    vm.start(permute=3)
    vm.limit_sync(FAST)
    resumed = vm.run(f"raidtui resume {plan.run_id[:8]}", timeout=600)
    assert resumed.exit == 0, _tail(vm, resumed.stderr)
    _equals_plan(vm, plan)
    _taken_back(vm, plan)
    _bystander(vm)
    return used


def _degraded(vm: QuickMachine) -> list[str]:
    """A member is missing at the start: mounted all the same, named by `arrays` and `audit`, replaced, whole again."""
    vm.limit_sync(FAST)
    plan, used = _advised(vm)
    built = _confirmed(vm, "build /root/plan/plan.json --wait-for-sync", plan)
    _accepted(vm, built)
    vm.check("head -c 64M /dev/urandom > /srv/data/f; sha256sum /srv/data/f > /root/sum; sync")
    vm.unplug(SMALL[1])
    vm.power_off()
    vm.start(permute=5)
    vm.limit_sync(FAST)
    vm.check(MOUNTED, timeout=240)
    vm.check("sha256sum --check --quiet /root/sum")
    shown = json.loads(vm.check("raidtui arrays --json").stdout)["arrays"]
    assert [(each["lacks"], "degraded" in each["states"]) for each in shown] == [(1, True)], shown
    found = json.loads(vm.run("raidtui audit --json", timeout=120).stdout)
    assert ("array-degraded", "error") in {(each["code"], each["severity"]) for each in found["findings"]}, found
    asked = json.loads(vm.check(f"raidtui replace data --with {SPARE} --json").stdout)
    assert asked["way"] == "rebuild", asked
    begun = vm.run(f"raidtui replace data --with {SPARE} --begin --yes --confirm {asked['digest']}", timeout=300)
    assert begun.exit == 0, begun.stderr
    vm.check("mdadm --wait /dev/md/data; true", timeout=200)
    assert vm.check("cat /sys/block/$(basename $(readlink -f /dev/md/data))/md/degraded").stdout == "0\n"
    vm.check("umount /srv/data; mount /srv/data; sha256sum --check --quiet /root/sum")
    _bystander(vm)
    return used


ACTS: dict[str, Callable[[QuickMachine], list[str]]] = {"script": _script, "cut": _cut, "degraded": _degraded}
"""those on the machine of small disks, in order; `sizes` comes before them"""


def _advised(vm: QuickMachine, layout: str = "(3+1)", serials: Sequence[str] = SMALL[:4]) -> tuple[Plan, list[str]]:
    """A plan of the guest's; where this kernel does not mount what mkfs makes, one with the option that it names."""
    plan = _planned(vm, layout, list(serials))
    ways = [each.way_out for each in plan.findings if each.code == NOT_MOUNTED]
    used = [words[1] for words in (re.search(r"(--\S+ \S+)$", way) for way in ways) if words]
    return (_planned(vm, layout, list(serials), " ".join(used)), used) if used else (plan, used)


def _accepted(vm: Guest, built: Result) -> None:
    """A plan that is refused says why; of a build that fails the output of its last command is kept."""
    if built.exit == 1:
        raise RefusedError(built.stderr)
    assert built.exit == 0, _tail(vm, built.stderr)


def _bystander(vm: Guest) -> None:
    assert vm.hash_disks(["BY0001"]) == vm.bystander, "bytes changed on a disk outside of the plan"  # type: ignore[attr-defined]


def _tail(vm: Guest, text: str) -> str:
    log = "tail -n5 /var/lib/raidtui/*/executor; ls -t /var/lib/raidtui/*/output/* | head -1 | xargs cat"
    return f"{text[-1500:]}\n{vm.run(log).stdout[-1500:]}"
