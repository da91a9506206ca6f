"""`raidtui disks --json` beside `lsblk -J -O`, on sixty disks of the virtual machine, in turns in one run.

    python -m tests.benchmarks.bench_disks

Both are timed in the guest, start of the process to its end; the ratio of each pair counts, so a busy host
weighs on both. The first pair warms the caches and does not count.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.vm import Machine

ROUNDS = 9
DISKS = 60
STARTED = "/usr/local/bin/raidtui-started"
"""raidtui as pip writes its command"""
_START = b"""#!/usr/bin/python3
import sys
from raidtui.cli import main
sys.exit(main())
"""
_TURNS = """
import json, subprocess, sys, time
programs = json.loads(sys.argv[1])
times = {name: [] for name in programs}
for _ in range(int(sys.argv[2])):
    for name, argv in programs.items():
        start = time.monotonic()
        done = subprocess.run(argv, capture_output=True)
        times[name].append(time.monotonic() - start)
        assert done.returncode in (0, 1) and done.stdout, done  # 1: an audit that found something
print(json.dumps(times))
"""


def in_turns(vm: Machine, programs: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each program in each of `rounds`; one more comes first, which warms the caches."""
    vm.put(STARTED, _START, mode=0o755)
    vm.put("/opt/turns.py", _TURNS.encode())
    vm.check("udevadm settle")
    asked = ["python3", "/opt/turns.py", json.dumps(dict(programs)), str(rounds + 1)]
    times = json.loads(vm.check(asked, timeout=1200).stdout)
    return {name: taken[1:] for name, taken in times.items()}


def main() -> None:
    """Prints seconds of both and the ratios."""
    with Machine(disks=lab_disks(DISKS, controllers=2)) as vm:
        install(vm)
        times = in_turns(vm, {"lsblk": ["lsblk", "-J", "-O"], "raidtui": [STARTED, "disks", "--json"]}, ROUNDS)
    pairs = list(zip(times["lsblk"], times["raidtui"], strict=True))
    ratios = sorted(ours / theirs for theirs, ours in pairs)
    print(f"{DISKS} disks, {len(pairs)} turns, slow emulated processor")
    print(f"lsblk -J -O          median {statistics.median(theirs for theirs, _ in pairs):.3f} s")
    print(f"raidtui disks --json median {statistics.median(ours for _, ours in pairs):.3f} s")
    print(f"ratio                median {statistics.median(ratios):.2f}  from {ratios[0]:.2f} to {ratios[-1]:.2f}")


if __name__ == "__main__":
    main()
