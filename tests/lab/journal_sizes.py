"""Sizes of arrays with a write journal by real mdadm and md, recorded in `journal_sizes.jsonl`: twenty-four of them.

The guest makes each array on some of its disks, with the journal on one disk or on a mirror of two, reads what mdadm
and the kernel say of the array, of its first member and of the journal, and takes both apart again.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.lab.disk import Disk, lab_disks
from tests.lab.guest import Guest

FILE = Path(__file__).with_name("journal_sizes.jsonl")
MEMBERS = (2_000_398_934_016, 250_059_350_016, 4_000_787_030_016, 8_589_934_592)
JOURNALS = (1_600_321_314_816, 240_057_409_536, 34_359_738_368, 536_870_912)
_EACH = 4
_GUEST = r"""
import json, os, re, subprocess, sys
def run(*argv):
    done = subprocess.run(argv, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        print(argv, done, file=sys.stderr)
    return done.stdout + done.stderr
def shown(text, *keys):
    return [next(iter(re.findall(rf"^ *{key} : (.*?) *$", text, re.M)), None) for key in keys]
def size(device):
    return int(open(f"/sys/block/{os.path.basename(os.path.realpath(device))}/size").read()) * 512
for case in json.load(sys.stdin):
    devices, logs = case.pop("devices"), case.pop("logs")
    found, log = {}, logs[0]
    if len(logs) > 1:
        log = "/dev/md/log"
        run("mdadm", "--create", log, "--level=1", "--raid-devices=2", "--metadata=1.2", "--assume-clean", "--run",
            f"--bitmap={case['log_bitmap']}", *logs)
        found["log_bytes"] = size(log)
        found["log_offset"] = shown(run("mdadm", "--examine", logs[0]), "Data Offset")[0]
    run("mdadm", "--create", "/dev/md/a", f"--level={case['level'][4:]}", f"--raid-devices={len(devices)}",
        f"--chunk={case['chunk']}K", "--metadata=1.2", "--bitmap=none", "--run",
        *(["--assume-clean"] if case["clean"] else []), *devices, "--write-journal", log)
    detail, first = run("mdadm", "--detail", "/dev/md/a"), run("mdadm", "--examine", devices[0])
    journal = run("mdadm", "--examine", log)
    found["bytes"] = size("/dev/md/a")
    found["detail"] = shown(detail, "Working Devices", "Consistency Policy", "Used Dev Size", "State")
    found["last"] = shown(run("mdadm", "--examine", devices[-1]), "Device Role", "Data Offset")
    found["member"] = shown(first, "Device Role", "Data Offset", "Feature Map")
    found["log"] = shown(journal, "Device Role", "Data Offset", "Avail Dev Size", "Used Dev Size")
    name = os.path.basename(os.path.realpath("/dev/md/a"))
    kernel = lambda path: open(f"/sys/block/{name}/{path}").read().strip()
    found["kernel"] = [kernel("md/consistency_policy"), int(kernel("md/component_size")),
        int(kernel("queue/minimum_io_size")), int(kernel("queue/optimal_io_size")), int(kernel("queue/read_ahead_kb"))]
    run("mdadm", "--stop", "/dev/md/a")
    if len(logs) > 1:
        run("mdadm", "--zero-superblock", log)
        run("mdadm", "--stop", log)
    run("mdadm", "--zero-superblock", *devices, *logs)
    run("wipefs", "-aq", *devices, *logs)
    print(json.dumps({**case, **found}), flush=True)
"""


def pool() -> list[Disk]:
    """The disks of the machine: four of each size for members, two for journals."""
    members = [disk for at, size in enumerate(MEMBERS) for disk in lab_disks(_EACH, bytes=size, prefix=f"M{at}")]
    return [*members, *(disk for at, size in enumerate(JOURNALS) for disk in lab_disks(2, bytes=size, prefix=f"J{at}"))]


def cases() -> list[dict[str, Any]]:
    """Level, chunk, serial numbers of members and of the journal of each, the same in each call."""
    source, disks = random.Random(7), pool()
    found = []
    for number in range(24):
        level = source.choice(("raid4", "raid5", "raid6"))
        count = source.randint(4 if level == "raid6" else 3, 9)
        members = source.sample([disk.serial for disk in disks[: len(MEMBERS) * _EACH]], count)
        size = source.randrange(len(JOURNALS))
        logs = [disk.serial for disk in disks if disk.serial.startswith(f"J{size}")][: 1 + number % 2]
        found.append(
            {
                "level": level, "chunk": source.choice((4, 64, 512, 1024)), "clean": source.random() < 0.5,
                "members": members, "journal": logs,
                "log_bitmap": source.choice(("internal", "none")),
            }
        )  # fmt: skip
    return found


def read(vm: Guest) -> list[str]:
    """A line of JSON for each case; the disks are overwritten."""
    asked = [
        {**case, "devices": list(map(vm.disk_path, case["members"])), "logs": list(map(vm.disk_path, case["journal"]))}
        for case in cases()
    ]
    return vm.check(["python3", "-c", _GUEST], stdin=json.dumps(asked).encode(), timeout=600).stdout.splitlines()
