"""Sizes of LUKS2 by real cryptsetup and dm-crypt, recorded in `crypt_sizes.jsonl`: sixty devices of random sizes.

The guest formats a device, 128 MiB of a disk and then nothing but zeroes, with the largest sectors that cryptsetup
takes, at the first full stripe that is not before its own default of 16 MiB, opens it, and reads what header and kernel
say.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

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
