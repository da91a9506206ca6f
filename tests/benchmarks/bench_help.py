"""Processor time of `raidtui --help` beside a bare argparse with the same verbs and lines, in turns in one run.

    python -m tests.benchmarks.bench_help

Fresh processes, user and system time, the median of the turns. Prints; judges nothing.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys

from raidtui.cli.options.parser import complete_parser

TURNS = 25
_BARE = """\
import argparse, json, sys
top = argparse.ArgumentParser(prog="raidtui")
verbs = top.add_subparsers()
for name, line in json.loads(sys.argv.pop(1)).items():
    verbs.add_parser(name, help=line)
top.parse_args()
"""


def main() -> None:
    """Prints one line."""
    _, verbs = complete_parser()
    lines = json.dumps({name: (verb.description or "").replace("%", "%%") for name, verb in verbs.items()})
    cases = {
        "bare argparse": [sys.executable, "-c", _BARE, lines, "--help"],
        "raidtui": [sys.executable, "-m", "raidtui", "--help"],
    }
    spent: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(TURNS):
        for name, argv in cases.items():
            spent[name].append(_milliseconds(argv))
    bare, ours = (statistics.median(each) for each in spent.values())
    print(f"{len(verbs)} verbs: bare argparse {bare:.1f} ms, raidtui --help {ours:.1f} ms, ratio {ours / bare:.2f}")


def _milliseconds(argv: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


if __name__ == "__main__":
    main()
