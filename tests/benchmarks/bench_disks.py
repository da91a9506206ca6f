"""`raidtui disks --json` beside `lsblk -J -O`, on sixty disks of the virtual machine, in turns in one run.

    python -m tests.benchmarks.bench_disks

Both are timed in the guest, start of the process to its end; the ratio of each pair counts, so a busy host
weighs on both. The first pair warms the caches and does not count.
"""

from __future__ import annotations

import json
import statistics

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.vm import Machine

ROUNDS = 9
DISKS = 60
_STARTED = "/usr/local/bin/raidtui-started"
_START = b"""#!/usr/bin/python3
import sys
from raidtui.cli import main
sys.exit(main())
"""
_TURNS = """
import json, subprocess, time
programs = {
    "lsblk": ["lsblk", "-J", "-O"],
    "raidtui": ["%s", "disks", "--json"],
}
times = {name: [] for name in programs}
for _ in range(%d):
    for name, argv in programs.items():
        start = time.monotonic()
        done = subprocess.run(argv, capture_output=True, check=True)
        times[name].append(time.monotonic() - start)
        assert json.loads(done.stdout)
print(json.dumps(times))
"""


def main() -> None:
    """Prints seconds of both and the ratios."""
    with Machine(disks=lab_disks(DISKS, controllers=2)) as vm:
        install(vm)
        vm.put(_STARTED, _START, mode=0o755)  # as pip writes it
        vm.check("udevadm settle")
        vm.put("/opt/turns.py", (_TURNS % (_STARTED, ROUNDS + 1)).encode())
        times = json.loads(vm.check(["python3", "/opt/turns.py"], timeout=600).stdout)
    pairs = list(zip(times["lsblk"], times["raidtui"], strict=True))[1:]
    ratios = sorted(ours / theirs for theirs, ours in pairs)
    print(f"{DISKS} disks, {len(pairs)} turns, slow emulated processor")
    print(f"lsblk -J -O          median {statistics.median(theirs for theirs, _ in pairs):.3f} s")
    print(f"raidtui disks --json median {statistics.median(ours for _, ours in pairs):.3f} s")
    print(f"ratio                median {statistics.median(ratios):.2f}  from {ratios[0]:.2f} to {ratios[-1]:.2f}")


if __name__ == "__main__":
    main()
