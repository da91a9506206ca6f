"""Every benchmark, one after the other: `python -m tests.benchmarks [NAME ...]`.

They print figures and ratios; none of them can fail a check. The table with the time of each comes first. Some need
root, and the virtual machine or programs to compare with, which root installs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.lab.host import LabError, require_programs


@dataclass(frozen=True)
class Part:
    """A benchmark: the arguments of its module, how long it takes on two cores, and what it compares."""

    argv: tuple[str, ...]
    time: str
    what: str
    package_of: Mapping[str, str]


def _part(time: str, what: str, *argv: str, **package_of: str) -> Part:
    return Part(argv, time, what, package_of)


PARTS = {
    "help": _part("20 seconds", "raidtui --help beside a bare argparse", "bench_help"),
    "json": _part("20 seconds", "a plan of 60 disks as JSON", "bench_json"),
    "search": _part("1 minute", "a search of 60 to 1,000 disks", "bench_search"),
    "tui": _part("5 minutes", "the app beside an empty Textual app", "bench_tui"),
    "fleet": _part("5 minutes", "a look at 50 to 1,000 hosts, and their plans", "bench_fleet"),
    "gauges": _part(
        "8 minutes", "raidtui watch --json beside iostat; root", "bench_gauges", iostat="sysstat", fio="fio"
    ),
    "watch": _part("12 minutes", "the Watch screen beside btop; root", "bench_watch", iostat="sysstat", btop="btop"),
    "disks": _part("3 minutes", "raidtui disks beside lsblk, 60 disks; virtual machine", "bench_disks"),
    "audit": _part(
        "20 minutes", "raidtui audit beside lsblk and mdadm, four arrays of 60 disks; virtual machine", "bench_audit"
    ),
    "build": _part("4 minutes", "a build beside its bare script, 14 disks; virtual machine", "bench_build"),
    "sixty": _part("15 minutes", "the same with 60 disks; virtual machine", "bench_build", "sixty"),
}


def main(names: Sequence[str]) -> int:
    """Exit code: 1 where a benchmark did not come to its end, 2 where none has such a name."""
    if unknown := set(names) - PARTS.keys():
        print(f"no benchmark is named {', '.join(sorted(unknown))}: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    chosen = {name: PARTS[name] for name in names or PARTS}
    for name, part in chosen.items():
        print(f"{part.time:>12}  {name:<8}{part.what}", flush=True)
    failed = [name for name, part in chosen.items() if not _ran(name, part)]
    if failed:
        print(f"\nnot measured: {', '.join(failed)}; the reason stands above")
    return 1 if failed else 0


def _ran(name: str, part: Part) -> bool:
    print(f"\n== {name}: {part.what}", flush=True)
    try:
        require_programs(part.package_of)
    except LabError as missing:
        print(missing)
        return False
    module, *words = part.argv
    return subprocess.run([sys.executable, "-m", f"tests.benchmarks.{module}", *words], check=False).returncode == 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
