"""Cost of a look at many hosts: `python -m tests.benchmarks.bench_fleet [COUNT ...]`; FLEET.md holds its output.

Each host is a process of this machine that answers with the inventory of 60 disks, so the hosts' processor time is this
machine's too; it is counted apart. The second look is compared with the stored first one.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.fleet_hosts import write_hosts

COUNTS = (50, 200, 1000)
HEAD = (
    "| hosts | look | wall | control host's processor | a host | peak memory | hosts' processor |\n"
    "| ---: | --- | ---: | ---: | ---: | ---: | ---: |"
)


def look(hosts: str, folder: Path) -> dict[str, float]:
    """One `raidtui fleet disks`, in a process of its own, which counts itself and its children apart."""
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name if __spec__ else __file__, "--one", hosts, str(folder)],
        stdout=subprocess.PIPE, env={**os.environ, "XDG_STATE_HOME": str(folder / "state")}, check=True,
    )  # fmt: skip
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def one(hosts: str, folder: str) -> None:
    from raidtui.cli import main

    began = time.monotonic()
    code = main(["fleet", "disks", "-w", hosts, "--worker", f"local:{folder}"])
    own, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    figures = {
        "code": code,
        "wall": time.monotonic() - began,
        "own": own.ru_utime + own.ru_stime,
        "hosts": theirs.ru_utime + theirs.ru_stime,
        "memory": own.ru_maxrss / 1024,
    }
    print(json.dumps(figures))


def main(counts: tuple[int, ...]) -> None:
    print(HEAD)
    for count in counts:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_hosts(folder, count)
            for name in ("first", "second"):
                found = look(f"node[0001-{count:04}]", folder)
                assert found["code"] == 0
                print(
                    f"| {count} | {name} | {found['wall']:.1f} s | {found['own']:.1f} s "
                    f"| {found['own'] / count * 1000:.0f} ms | {found['memory']:.0f} MiB | {found['hosts']:.0f} s |",
                    flush=True,
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:4])
    else:
        main(tuple(map(int, sys.argv[1:])) or COUNTS)
