"""Sizes of LUKS2 by real cryptsetup and dm-crypt, recorded in `crypt_sizes.jsonl`: sixty devices of random sizes.

The guest formats a device, 128 MiB of a disk and then nothing but zeroes, with the largest sectors that cryptsetup
takes, at the first full stripe that is not before its own default of 16 MiB, opens it, and reads what header and kernel
say. Then stacks, in `crypt_stacks.jsonl`: real md over the starts of sparse members, LUKS2 on each array, a
physical volume in each, one striped volume of all that LVM gives, and what mkfs.xfs would make of it.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.lab.guest import Guest

FILE = Path(__file__).with_name("crypt_sizes.jsonl")
_GUEST = """
import json, subprocess, sys
run = lambda *argv: subprocess.run(argv, check=False, capture_output=True, text=True)
open("/run/key", "w").write("x" * 64)
disk, kept, device = sys.argv[1], 262144, "/dev/mapper/large"
for size, unit, width in json.load(sys.stdin):
    first = min(kept, size // 512)
    rest = f"{first} {size // 512 - first} zero" if size // 512 > first else ""
    table = f"0 {first} linear {disk} 0\\n{rest}\\n"
    subprocess.run(["dmsetup", "create", "large"], input=table, text=True, check=True)
    stripe, offset = unit * width // 512, 32768
    while stripe and offset % stripe:
        offset += 8
    for sector in (4096, 512):
        made = run("cryptsetup", "luksFormat", "-q", "--type=luks2", "--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000",
            f"--sector-size={sector}", f"--offset={offset}", "--key-file=/run/key", device)
        if made.returncode == 0:
            break
    head = json.loads(run("cryptsetup", "luksDump", "--dump-json-metadata", device).stdout)["segments"]["0"]
    opened = run("cryptsetup", "open", "--key-file=/run/key", device, "sizes")
    shown = run("blockdev", "--getsize64", "--getss", "/dev/mapper/sizes").stdout.split() or ["0", "0"]
    run("cryptsetup", "close", "sizes")
    run("wipefs", "-aq", device)
    run("dmsetup", "remove", "--retry", "large")
    print(json.dumps({"device": size, "unit": unit, "width": width, "offset": int(head["offset"]),
        "sector": head["sector_size"], "opened": int(shown[0])}), flush=True)
"""


def cases() -> list[tuple[int, int, int]]:
    """(bytes of the device, bytes of a stripe unit, units in a full stripe), the same sixty each time."""
    source = random.Random(20)
    found = []
    for _ in range(60):
        unit = source.choice((0, 4, 16, 64, 128, 512, 1024)) * 1024
        width = source.randint(1, 30) if unit else 0
        size = source.randint(64 << 20, 15 << 40) // 512 * 512
        step = source.choice((512, 1024, 4096, 65536, 1 << 20))
        found.append((size // step * step, unit, width))
    return found


def read(vm: Guest, serial: str) -> list[str]:
    """A line of JSON for each case; the disk with this serial number is overwritten."""
    return vm.check(
        ["python3", "-c", _GUEST, vm.disk_path(serial)], stdin=json.dumps(cases()).encode(), timeout=600
    ).stdout.splitlines()


STACKS = Path(__file__).with_name("crypt_stacks.jsonl")
_STACK = """
import json, math, re, subprocess, sys
run = lambda *argv: subprocess.run(argv, check=False, capture_output=True, text=True)
def must(*argv):
    ran = run(*argv)
    assert ran.returncode == 0, (argv, ran.stdout, ran.stderr)
    return ran.stdout
open("/run/key", "w").write("x" * 64)
disk, kept, key = sys.argv[1], 393216, ("--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000", "--key-file=/run/key")
for rules in ("64-md-raid-assembly.rules", "69-dm-lvm.rules"):
    run("ln", "-sf", "/dev/null", f"/run/udev/rules.d/{rules}")
run("udevadm", "control", "--reload")
for case in json.load(sys.stdin):
    level, chunk, at = case["level"], case["chunk"], 0
    arrays, stripes, members = [], [], []
    for number, count in enumerate(case["members"]):
        mine = []
        for _ in range(count):
            name, sectors = f"m{at}", case["bytes"] // 512
            table = f"0 {kept} linear {disk} {at * kept}\\n{kept} {sectors - kept} zero\\n"
            subprocess.run(["dmsetup", "create", name], input=table, text=True, check=True)
            run("wipefs", "-aq", f"/dev/mapper/{name}")
            mine.append(f"/dev/mapper/{name}")
            at += 1
        how = () if level == "raid1" else (f"--chunk={chunk // 1024}",)
        how += () if level == "raid0" else ("--bitmap=none", "--assume-clean")
        must("mdadm", "--create", f"/dev/md{70 + number}", "--run", "--metadata=1.2", f"--level={level[4:]}",
            f"--raid-devices={count}", *how, *mine)
        arrays.append(f"/dev/md{70 + number}")
        members += mine
        data = {"raid0": count, "raid5": count - 1, "raid6": count - 2, "raid10": 0, "raid1": 0}[level]
        stripes.append(chunk * data if data else chunk * count // 2 if level == "raid10" else chunk)
    sizes = [int(must("blockdev", "--getsize64", each)) for each in arrays]
    sector = 512 if any(size % 4096 for size in sizes) else 4096
    opened, offsets = [], []
    for number, (array, stripe) in enumerate(zip(arrays, stripes)):
        offset = 32768
        while offset * 512 % math.lcm(stripe, 4096):
            offset += 8
        must("cryptsetup", "luksFormat", "-q", "--type=luks2", *key[:2], f"--sector-size={sector}",
            f"--offset={offset}", key[2], array)
        must("cryptsetup", "open", key[2], array, f"c{number}")
        opened.append(f"/dev/mapper/c{number}")
        offsets.append(offset * 512)
    step = math.lcm(*stripes, 128 * 1024)
    extent = -(-1024 * 1024 // step) * step
    for each in opened:
        must("pvcreate", "-q", f"--dataalignment={extent // 1024}k", each)
    must("vgcreate", f"--physicalextentsize={extent // 1024}k", "stacked", *opened)
    must("lvcreate", "--yes", "--zero=n", "--wipesignatures=n", "-an", f"--stripes={len(opened)}",
        f"--stripesize={chunk // 1024}k", "--extents=100%FREE", "--name=lv", "stacked")
    starts = {int(word) for word in must("pvs", "--noheadings", "--nosuffix", "--units=b", "-opv_name,pe_start").split()
        if word.isdigit()}
    facts = must("lvs", "--noheadings", "--nosuffix", "--units=b", "-oseg_size_pe,lv_size", "stacked/lv").split()
    must("lvchange", "-ay", "stacked/lv")
    made = must("mkfs.xfs", "-N", "-f", "-d", f"su={chunk},sw={case['width']}", "-s", f"size={max(sector, 512)}",
        "/dev/mapper/stacked-lv")
    blocks = int(re.search(r"data +=.*blocks=(\\d+)", made)[1])
    print(json.dumps({**case, "arrays": sizes, "offsets": offsets, "sector": sector,
        "opened": [int(must("blockdev", "--getsize64", each)) for each in opened], "start": sorted(starts),
        "extents": int(facts[0]), "volume": int(facts[1]), "blocks": blocks}), flush=True)
    must("vgremove", "-fy", "stacked")
    for each in opened:
        run("pvremove", "-ffy", each)
        must("cryptsetup", "close", each.rpartition("/")[2])
    for each in arrays:
        run("wipefs", "-aq", each)
        must("mdadm", "--stop", each)
    for each in members:
        run("mdadm", "--zero-superblock", each)
        must("dmsetup", "remove", "--retry", each.rpartition("/")[2])
"""


def stacks() -> list[dict[str, Any]]:
    """Layouts with LUKS2 on each array below one LVM stripe, the same each time. `members`: of each array;
    `width`: stripe units that mkfs is told."""
    source = random.Random(40)
    found = []
    for _ in range(9):
        level = source.choice(("raid5", "raid5", "raid6", "raid6", "raid1", "raid10", "raid0"))
        least, most = {"raid5": (3, 7), "raid6": (4, 8), "raid1": (2, 3), "raid10": (2, 3), "raid0": (2, 4)}[level]
        arrays, members = source.randint(2, 3), source.randint(least, most) * (2 if level == "raid10" else 1)
        data = {"raid5": members - 1, "raid6": members - 2, "raid1": 1, "raid10": members // 2, "raid0": members}[level]
        step = source.choice((512, 4096, 1 << 20))
        found.append({
            "level": level, "members": [members] * arrays, "width": arrays * data,
            "chunk": source.choice((16, 64, 128, 256, 512, 1024)) * 1024,
            "bytes": source.randint(8 << 30, 12 << 40) // step * step,
        })  # fmt: skip
    return found


def read_stacks(vm: Guest, serial: str) -> list[str]:
    """A line of JSON for each stack; the disk with this serial number is overwritten."""
    return vm.check(
        ["python3", "-c", _STACK, vm.disk_path(serial)], stdin=json.dumps(stacks()).encode(), timeout=1200
    ).stdout.splitlines()
