"""Kills the control host of a build at random moments; another one goes on. `python -m tests.faults.fleet_kills 50`.

Three simulated hosts, each with its own directory of runs, built by real processes: the control host and all that it
started directly are killed with SIGKILL, executors are in sessions of their own and live on, as on hosts of their own.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.faults.fleet_scene import SPEED_UP, disks_of, doubled, prepared, records_of, reset, run, sheet_digest

HOSTS = ("node01", "node02", "node03")


class Ended(NamedTuple):
    """What a trial came to."""

    killed_after_s: float
    begun: int
    """hosts that had begun when the control host was killed"""
    stages: tuple[str, ...]
    """of all hosts, as the second control host saw them at last"""
    doubled: int
    """actions that any host began more than once"""
    differ: int
    """hosts whose disks are not as those of a build that was left alone"""


def build(folder: Path, control: str, verb: str, digest: str, *, wait: bool = True) -> subprocess.Popen[str]:
    """`fleet build` or `fleet resume` by a control host."""
    confirmed = ("--yes", "--confirm", digest) if verb == "build" else ()
    return run(
        folder, control, "fleet", verb, "sheet", "--worker", "local:hosts", "--interval", "0.3", "--speed-up", SPEED_UP,
        "--json", *confirmed, wait=wait,
    )  # fmt: skip


def trial(folder: Path, killed_after_s: float, alone: Sequence[Any]) -> Ended:
    """One build whose control host is killed, and goes on from another. `alone`: disks of a build left alone."""
    digest = sheet_digest(folder)
    first = build(folder, "one", "build", digest, wait=False)
    time.sleep(killed_after_s)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    begun = sum(bool(records_of(folder, host)) for host in HOSTS)
    second = build(folder, "two", "resume", digest)
    if second.returncode == 1:  # no host has begun: there is nothing to take over
        second = build(folder, "two", "build", digest)
    document = json.loads(second.communicate()[0])
    return Ended(
        killed_after_s=killed_after_s,
        begun=begun,
        stages=tuple(host["stage"] for host in document["hosts"]),
        doubled=sum(doubled(records_of(folder, host)) for host in HOSTS),
        differ=sum(disks_of(folder, host) != left for host, left in zip(HOSTS, alone, strict=True)),
    )


def undisturbed(folder: Path) -> tuple[float, list[Any]]:
    """Seconds of a build that is left alone, and what it leaves on each host."""
    digest = prepared(folder, HOSTS, "raid5(3+1)")
    start = time.monotonic()
    process = build(folder, "one", "build", digest)
    assert process.returncode == 0, process.communicate()
    seconds = time.monotonic() - start
    return seconds, [disks_of(folder, host) for host in HOSTS]


def is_sound(ended: Ended) -> bool:
    """Every host is built once, as if nothing had happened."""
    return ended.stages == ("built",) * len(HOSTS) and ended.doubled == 0 and ended.differ == 0


def main(trials: int, seed: int) -> int:
    """Runs the trials, a line each. Returns 1 if one is not sound."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds, alone = undisturbed(folder)
        print(f"left alone: {seconds:.1f} s", flush=True)
        failed = 0
        for number in range(1, trials + 1):
            reset(folder, HOSTS)
            ended = trial(folder, chance.uniform(0, seconds), alone)
            failed += not is_sound(ended)
            word = "ok" if is_sound(ended) else "NOT SOUND"
            print(f"{number}: {word} {ended}", flush=True)
    print(f"{trials - failed} of {trials} sound (seed {seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
