"""Processor time of a plan's JSON, 60 disks: `python -m tests.benchmarks.bench_json`.

Each way of writing and reading it in this process, the median of the turns, and `raidtui plan --json` in fresh ones.
Prints; judges nothing.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.plan import Plan
from tests.benchmarks.fleet_hosts import write_hosts

TURNS = 15
LAYOUT = "4x(12+2)+4"


def main() -> None:
    """Prints a line for each."""
    with tempfile.TemporaryDirectory() as folder:
        (host,) = write_hosts(Path(folder), 1)
        argv = [sys.executable, "-m", "raidtui", "plan", LAYOUT, "--inventory", f"{folder}/{host}.json", "--json"]
        before = _of_children()
        for _ in range(TURNS):
            text = subprocess.run(argv, check=True, stdout=subprocess.PIPE).stdout
        whole = (_of_children() - before) / TURNS * 1e3
    plan = from_json(Plan, text, source="the plan")
    document = json.loads(text)
    ways: dict[str, Callable[[], object]] = {
        "indented": lambda: to_json(plan),
        "in one line": lambda: to_json(plan, indent=None),
        "its digest": lambda: document_digest(plan),
        "read back": lambda: from_json(Plan, text, source="the plan"),
        "plain values by Python's json, indented": lambda: json.dumps(document, indent=2),
    }
    for name, way in ways.items():
        print(f"{statistics.median(_milliseconds(way) for _ in range(TURNS)):8.1f} ms  {name}")
    print(f"{whole:8.1f} ms  raidtui plan '{LAYOUT}' --json, {len(text) / 1e3:.0f} KB, a fresh process")


def _milliseconds(way: Callable[[], object]) -> float:
    began = time.process_time()
    way()
    return (time.process_time() - began) * 1e3


def _of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()
