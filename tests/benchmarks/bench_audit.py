"""`raidtui audit` beside `lsblk -O -J` and `mdadm --detail`, on four arrays of sixty disks of the virtual machine.

    python -m tests.benchmarks.bench_audit

The three are timed in turns in the guest, as `bench_disks` does; what came of it is kept in audit_times.json.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.bench_disks import DISKS, STARTED, in_turns
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.vm import Machine

FILE = Path(__file__).with_name("audit_times.json")
ROUNDS = 5
ARRAYS, MEMBERS = 4, 15
"""each of fourteen and a spare: all sixty disks"""


@dataclass(frozen=True)
class Timed:
    """Seconds that one program takes, from its start to its end."""

    program: str
    least: float
    median: float
    most: float
    runs: int
    day: str


def main() -> None:
    """Prints seconds of each program, and keeps them."""
    with Machine(disks=lab_disks(DISKS, controllers=2)) as vm:
        install(vm)
        members = list(vm.disk_paths(vm.serials).values())
        for number in range(ARRAYS):
            own = " ".join(members[number * MEMBERS : (number + 1) * MEMBERS])
            vm.check(
                f"mdadm --create /dev/md/data-{number} --level=6 --raid-devices={MEMBERS - 1} --spare-devices=1 "
                f"--assume-clean --bitmap=internal --run {own}",
                timeout=120,
            )
        vm.check("mdadm --detail --scan > /etc/mdadm/mdadm.conf; udevadm settle")
        detail = ["mdadm", "--detail", *(f"/dev/md/data-{number}" for number in range(ARRAYS))]
        times = in_turns(vm, {"lsblk -O -J": ["lsblk", "-O", "-J"], "mdadm --detail": detail,
                              "raidtui audit": [STARTED, "audit"]}, ROUNDS)  # fmt: skip
    day = datetime.now(UTC).date().isoformat()
    found = [
        Timed(name, min(taken), statistics.median(taken), max(taken), len(taken), day) for name, taken in times.items()
    ]
    for each in found:
        print(f"{each.program:<16} median {each.median:.2f} s, {each.least:.2f} to {each.most:.2f} s")
    FILE.write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n")


def recorded() -> list[Timed]:
    """What was measured last."""
    return [Timed(**each) for each in json.loads(FILE.read_text())]


if __name__ == "__main__":
    main()
