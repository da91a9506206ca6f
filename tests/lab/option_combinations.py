"""Random plans that raidtui accepts, made by the real tools: nothing may fail after a disk was wiped.

    python -m tests.lab.option_combinations [CASES] [SEED]

A case is a command line of `raidtui plan` with a random layout and random options; what raidtui refuses is counted. Of
an accepted plan the guest runs each command that makes partitions, arrays, volumes and file systems, as the plan has
it, and mounts with the options of its line in fstab.
"""

from __future__ import annotations

import random
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidtui.values.codec import from_json, to_json
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Command, Plan, WriteFile
from tests.cli.commands import called
from tests.lab.disk import Disk, lab_disks
from tests.lab.geometry_measure import CLEAN, prepare
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import install
from tests.lab.quick import QuickMachine

MIB, GIB = 2**20, 2**30
_MADE = ("partition", "create", "spare", "volume", "format")
"""stages whose commands write to disks, arrays and volumes"""


@dataclass(frozen=True)
class Outcome:
    """What a command line came to."""

    words: tuple[str, ...]
    accepted: bool
    failed: str = ""
    """what the tool that failed wrote; empty where all were done"""


def pool() -> list[Disk]:
    """Large and small disks, of both sector sizes."""
    return [
        *lab_disks(9, prefix="BIG", bytes=256 * GIB),
        *lab_disks(6, prefix="MID", bytes=20 * GIB),
        *lab_disks(6, prefix="LOW", bytes=520 * MIB),
        *(
            Disk(f"{name}{number}", bytes=size, logical_block=4096, physical_block=4096)
            for name, size in (("WIDE", 256 * GIB), ("THIN", 600 * MIB))
            for number in range(6)
        ),
    ]


def words(draw: random.Random, groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A command line of `raidtui plan`; `groups`: serial numbers of the disks of each kind."""
    group = draw.choice(groups)
    layout, disks = _layout(draw, len(group))
    chosen = draw.sample(group, disks)
    file_system = draw.choice(("xfs", "xfs", "ext4", "ext4", "none"))
    found: list[str] = [layout, "--no-spread", *(word for serial in sorted(chosen) for word in ("--only", serial))]
    for chance, option, values in _OPTIONS:
        if draw.random() < chance:
            found += [option, draw.choice(values)]
    found += ["--fs", file_system, *_of_file_system(draw, file_system)]
    return tuple(found)


_OPTIONS: tuple[tuple[float, str, tuple[str, ...]], ...] = (
    (0.7, "--chunk", ("4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M")),
    (0.3, "--metadata", ("1.2", "1.0", "0.90")),
    (0.4, "--bitmap", ("internal", "none")),
    (0.2, "--bitmap-chunk", ("4K", "64K", "1M", "64M", "256M", "1G")),
    (0.25, "--data-offset", ("64K", "256K", "1M", "3000K", "8M", "129M", "256M")),
    (0.15, "--consistency-policy", ("ppl",)),
    (0.2, "--members", ("partitions",)),
    (0.1, "--partition-size", ("400M", "510M", "18G", "200G")),
    (0.15, "--member-size", ("500M", "19GB", "250GB")),
    (0.4, "--stack", ("lvm", "md", "separate")),
    (0.2, "--name", ("data", "a", "x" * 12, "srv-1", "UPPER_9")),
    (0.2, "--read-ahead", ("128K", "1M", "64M")),
)
_MOUNTS = {
    "xfs": (
        "pquota", "uquota", "gquota", "largeio", "swalloc", "inode64", "noquota", "filestreams", "logbsize=256k",
        "logbufs=8", "allocsize=64k", "nouuid", "norecovery", "ro", "discard", "sunit=128", "wsync", "noatime",
    ),
    "ext4": (
        "usrquota", "grpquota", "prjquota", "commit=30", "data=ordered", "data=journal", "data=writeback", "discard",
        "nodelalloc", "journal_async_commit", "errors=remount-ro", "ro", "noload", "dax", "stripe=16", "nobarrier",
        "noauto_da_alloc", "max_batch_time=1000", "inode_readahead_blks=64", "delalloc", "bsddf", "noinit_itable",
    ),
}  # fmt: skip
_MKFS = {
    "xfs": ("reflink=0", "reflink=1", "rmapbt=1", "bigtime=0", "bigtime=1"),
    "ext4": (
        "block=1K", "block=2K", "block=4K", "reserved=0%", "reserved=5%", "reserved=2.5%", "inode_ratio=4K",
        "inode_ratio=16K", "inode_ratio=1M", "quota=user", "quota=user:group", "quota=user:group:project",
        "lazy_itable_init=1", "lazy_journal_init=1",
    ),
}  # fmt: skip


def _of_file_system(draw: random.Random, kind: str) -> Iterator[str]:
    for option, values in (("--mkfs", _MKFS.get(kind, ())), ("--mount-options", _MOUNTS.get(kind, ()))):
        if values and draw.random() < 0.6:
            some = draw.sample(values, draw.randint(1, 3))
            names = [each.partition("=")[0] for each in some]
            yield from (option, ",".join(each for at, each in enumerate(some) if names.index(names[at]) == at))


def _layout(draw: random.Random, most: int) -> tuple[str, int]:
    """A layout in raidtui's notation, and how many disks it takes, at most `most`."""
    while True:
        spares, arrays = draw.choice((0, 0, 0, 1)), draw.choice((1, 1, 1, 2, 3))
        kind = draw.choice(("raid0", "raid1", "raid4", "raid5", "raid5", "raid6", "raid6", "raid10", "raid10", "disk"))
        parity = {"raid4": 1, "raid5": 1, "raid6": 2}.get(kind, 0)
        low, high = {"raid6": (4, 8), "raid1": (2, 4), "raid0": (2, 6), "disk": (1, 1)}.get(kind, (3, 7))
        members = draw.randint(low, high)
        each = {
            "disk": "disk",
            "raid10": f"raid10({members}{draw.choice(('', ',f2', ',o2', ',n3'))})",
        }.get(kind, f"{kind}({members - parity}+{parity})" if parity else f"{kind}({members})")
        spares = 0 if kind in ("raid0", "disk") else spares
        disks = arrays * members + spares
        if disks <= most:
            times = f"{arrays}x " if arrays > 1 else ""
            return f"{times}{each}{f'+{spares}' if spares else ''}", disks


def commands(plan: Plan) -> Iterator[str]:
    """What the guest runs, a shell word list each."""
    for step in plan.steps:
        if step.stage in _MADE:
            yield from (_fed(command) for command in step.commands)
    for action in (action for step in plan.steps for action in step.actions):
        if isinstance(action, WriteFile) and action.path == "/etc/fstab":
            for line in action.text.splitlines():
                if line.split()[:1] and not line.startswith("#"):
                    source, _, kind, options, *_ = line.split()
                    yield "udevadm settle"
                    yield shlex.join(["mount", "-t", kind, "-o", options, source, "/mnt/m"])
                    yield "umount /mnt/m"


def _fed(command: Command) -> str:
    """The command with its standard input."""
    stdin = "/dev/null" if command.stdin is None else f"<(printf %s {shlex.quote(command.stdin)})"
    return f"{shlex.join(command.argv)} < {stdin}"


def outcomes(vm: Guest, inventory: Inventory, count: int, seed: int) -> Iterator[Outcome]:
    """Draws command lines until `count` were accepted; each of those is made in the guest."""
    draw = random.Random(seed)
    kinds = ("BIG", "MID", "LOW", "WIDE", "THIN")
    groups = [[serial for serial in vm.serials if serial.startswith(kind)] for kind in kinds]
    accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "machine.json")
        file.write_text(to_json(inventory))
        while accepted < count:
            line = words(draw, groups)
            planned = called("plan", *line, "--inventory", str(file), "--json")
            if planned.returncode:
                yield Outcome(line, accepted=False)
                continue
            accepted += 1
            plan = from_json(Plan, planned.stdout, source="raidtui plan")
            yield Outcome(line, accepted=True, failed=_made(vm, plan))


def _made(vm: Guest, plan: Plan) -> str:
    """Makes what a plan makes, then takes it down; what the first tool wrote that failed."""
    script = "\n".join(["set -e", *commands(plan)])
    done = vm.run(script, timeout=300)
    volumes = f"vgchange -qq -an {shlex.quote(plan.name)} 2>/dev/null"
    parts = "\n".join(f"partx -d {shlex.quote(disk.path)} 2>/dev/null" for disk in plan.disks if disk.table)
    vm.check(
        f"umount /mnt/m 2>/dev/null\n{volumes}\n{CLEAN}\nresult=$?\n{parts}\nudevadm settle\nexit $result", timeout=120
    )
    vm.erase_disks([disk.serial or "" for disk in plan.disks])
    return "" if done.exit == 0 else f"{done.stderr[-1500:]}{done.stdout[-500:]}"


def machine() -> QuickMachine:
    """A machine with the pool; call `inventory_of` in its `with` block."""
    return QuickMachine(pool())


def inventory_of(vm: Guest) -> Inventory:
    """The guest's disks as raidtui sees them; afterwards udev assembles nothing by itself."""
    install(vm)
    found = from_json(Inventory, vm.check("raidtui disks --json", timeout=120).stdout, source="the guest")
    prepare(vm)
    vm.check("rm /etc/lvm/lvmlocal.conf")  # LVM may use disks without md too
    return found


def main(count: int, seed: int) -> int:
    """Prints what failed, then the counts."""
    refused, late = 0, 0
    with machine() as vm:
        for number, outcome in enumerate(outcomes(vm, inventory_of(vm), count, seed), start=1):
            refused += not outcome.accepted
            if outcome.failed:
                late += 1
                print(f"LATE: raidtui plan {shlex.join(outcome.words)}\n{outcome.failed}\n", flush=True)
            if number % 100 == 0:
                print(f"{number} drawn, {refused} refused, {late} late", file=sys.stderr, flush=True)
    print(f"{count} accepted plans of {count + refused} made by the real tools, {late} failed late (seed {seed})")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 22))
