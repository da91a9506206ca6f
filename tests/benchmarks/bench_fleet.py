"""Cost of a look at many hosts, and of their plans: `python -m tests.benchmarks.bench_fleet [COUNT ...]`; see FLEET.md.

Each host is a process of this machine that answers with the inventory of 60 disks, so the hosts' processor time is this
machine's too; it is counted apart. The second look is compared with the stored first one. Plans are made of the
inventories of the first look, written to a directory with their sheet: no host is asked for them.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.fleet_hosts import write_hosts

COUNTS = (50, 200, 1000)
HEAD = (
    "| hosts | command | wall | control host's processor | a host | peak memory | hosts' processor |\n"
    "| ---: | --- | ---: | ---: | ---: | ---: | ---: |"
)


RECIPE = 'layout = "4x(12+2)+3"\nchunk = "256KiB"\ndiffers = "skip"\n'


def measured(folder: Path, *words: str) -> dict[str, float]:
    """One command, in a process of its own, which counts itself and its children apart."""
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name if __spec__ else __file__, "--one", *words],
        stdout=subprocess.PIPE, env={**os.environ, "XDG_STATE_HOME": str(folder / "state")}, check=True,
    )  # fmt: skip
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    assert figures["code"] == 0
    return figures


def one(*words: str) -> None:
    from raidtui.cli import main

    began = time.monotonic()
    code = main(list(words))
    own, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    figures = {
        "code": code,
        "wall": time.monotonic() - began,
        "own": own.ru_utime + own.ru_stime,
        "hosts": theirs.ru_utime + theirs.ru_stime,
        "memory": own.ru_maxrss / 1024,
    }
    print(json.dumps(figures))


def stored_looks(folder: Path, hosts: Sequence[str]) -> Path:
    """A file of inventories as `raidtui fleet disks --json` writes it."""
    look = {"asked_at": "2026-01-31T12:00:00Z", "answered_in_s": 1.0}
    found = [{"host": host, **look, "inventory": json.loads((folder / f"{host}.json").read_text())} for host in hosts]
    document = {"schema": "raidtui/fleet-inventory/1", "taken_at": "2026-01-31T12:00:00Z", "hosts": found}
    path = folder / "looks"
    path.write_text(json.dumps(document))
    return path


def main(counts: tuple[int, ...]) -> None:
    print(HEAD)
    for count in counts:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            hosts = write_hosts(folder, count)
            looked = ["fleet", "disks", "-w", f"node[0001-{count:04}]", "--worker", f"local:{folder}"]
            (folder / "recipe.toml").write_text(RECIPE)
            stored = stored_looks(folder, hosts)
            planned = [
                "fleet",
                "plan",
                str(folder / "recipe.toml"),
                "--from",
                str(stored),
                "--out",
                str(folder / "out"),
            ]
            for name, words in (("first look", looked), ("second look", looked), ("plans and sheet", planned)):
                found = measured(folder, *words)
                print(
                    f"| {count} | {name} | {found['wall']:.1f} s | {found['own']:.1f} s "
                    f"| {found['own'] / count * 1000:.0f} ms | {found['memory']:.0f} MiB | {found['hosts']:.0f} s |",
                    flush=True,
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
    else:
        main(tuple(map(int, sys.argv[1:])) or COUNTS)
