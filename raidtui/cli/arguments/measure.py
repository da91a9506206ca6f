"""Options of the verbs that measure: watch, bench, tune, drill and report."""

from __future__ import annotations

import argparse
from typing import Any

from raidtui.cli.arguments.numbers import whole
from raidtui.cli.arguments.shared import add_disk_options, add_speed_up
from raidtui.model.choices import BITMAPS, METADATA, STACKS
from raidtui.model.ranges import MOST_DISKS


def add_measure_verbs(verbs: Any) -> None:
    """Adds watch, bench, tune, drill and report to the subparsers `verbs`."""
    verbs.add_parser(
        "watch",
        help="every disk live: MB/s, IOPS, utilisation, latency, queue; needs no array",
        add_options=_watch,
    )
    verbs.add_parser(
        "bench",
        help="measure a file system and what it stands on with fio; devices are only read",
        description="Measures in a directory of its own on the target, removed afterwards. Devices are only read.",
        add_options=_bench,
    )
    verbs.add_parser(
        "tune",
        help="try chunks and file systems on small arrays, measured and taken back; or settings on a built one",
        description="Before the decision: builds the layout with every chunk and file system on a slice of the disks, "
        "measures your workloads on it, takes it back, proves the disks zero at both ends, and goes on to the next. "
        "With --settings: sweeps stripe cache, read-ahead and parity threads of a built array; then all is as before.",
        add_options=_tune,
    )
    verbs.add_parser(
        "drill",
        help="fail a member of a new, empty array: watch the rebuild, compare it, put all back, check",
        description="Fails one member of an array that raidtui built, watches md rebuild it onto the spare, compares "
        "the rate with the prediction, puts the member back into its place and proves the array by a check. Can be "
        "interrupted at any moment: the same command goes on from what the machine shows.",
        add_options=_drill,
    )
    verbs.add_parser(
        "report",
        help="build and benchmarks as Markdown, JSON and a page to print and sign",
        add_options=_report,
    )


def _watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="DISK|ARRAY", nargs="*", help="only these: name, serial, slot, identity")
    parser.add_argument("--interval", metavar="S", type=float, help="seconds between two ticks (default 1)")
    parser.add_argument("--count", metavar="N", type=int, help="end after N ticks")
    parser.add_argument("--json", action="store_true", help="one JSON object a tick")
    parser.add_argument("--plain", action="store_true", help="a table a tick, no screen")
    parser.add_argument("--record", metavar="FILE", help="keep every tick, to be shown again with --replay")
    parser.add_argument("--replay", metavar="FILE", help="show what was recorded")
    add_disk_options(parser)


def _bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", metavar="TARGET", nargs="?", help="a mounted directory, a plan's .json file, a run, or a layout"
    )
    parser.add_argument("--profile", metavar="NAME|FILE", default="quick", help="what to run (default: quick)")
    parser.add_argument("--list", action="store_true", help="the profiles, and the benchmarks kept on this machine")
    parser.add_argument("--seconds", metavar="S", type=float, help="of each figure; under 30 they are labelled short")
    parser.add_argument("--repeats", metavar="N", type=int, help="of each figure")
    parser.add_argument("--precondition", action="store_true", help="flash: fill most of the room, twice, before")
    parser.add_argument("--during-sync", action="store_true", help="measure while arrays sync, and label it")
    parser.add_argument("--dry-run", action="store_true", help="only what would run, with fio's exact command lines")
    parser.add_argument("--resume", metavar="ID", help="go on with a benchmark that was stopped or killed")
    parser.add_argument("--out", metavar="DIR", help="keep it there instead of with the others")
    parser.add_argument("--yes", action="store_true", help="start without asking")
    parser.add_argument("--hosts", metavar="A,B,...", help="on all of these at once; each runs `fio --server`")
    parser.add_argument("--ssh", action="store_true", help="start their agents over ssh, reached through a tunnel")
    parser.add_argument("--room", metavar="SIZE", help="on each of several hosts, at most (default 8GiB)")
    parser.add_argument("--json", action="store_true", help="everything that happens, one JSON object a line")
    parser.add_argument("--chunk", metavar="SIZE", help="of a layout (default 512K)")
    parser.add_argument("--speed-up", metavar="N", type=float, default=20.0, help="simulated: times as fast")
    add_disk_options(parser)


def _tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("layout", metavar="LAYOUT|RUN", nargs="?", help="a layout; with --settings a finished run")
    parser.add_argument(
        "--chunks", metavar="A..B|LIST", default="64K..1M", help="4K..1M, or 64K,256K (default 64K..1M)"
    )
    parser.add_argument("--fs", metavar="LIST", default="xfs", help="file systems: xfs, ext4, or both: xfs,ext4")
    parser.add_argument("--slice", metavar="SIZE", default="2G", help="used of each disk, from its start (default 2G)")
    parser.add_argument(
        "--first-sync", action="store_true", help="wait for the first sync of each instead of leaving it out"
    )
    parser.add_argument(
        "--settings", metavar="LIST", nargs="?", const="", help="stripe_cache_size,read_ahead_kb,group_thread_cnt"
    )
    parser.add_argument("--keep", action="store_true", help="with --settings: the best stays, by a udev rule")
    parser.add_argument("--profile", metavar="NAME|FILE", default="quick", help="workloads (default: quick)")
    parser.add_argument(
        "--seconds", metavar="S", type=float, help="of each measurement; under 30 they are labelled short"
    )
    parser.add_argument("--repeats", metavar="N", type=int, default=3, help="of each (default 3)")
    parser.add_argument("--stack", choices=STACKS, default="lvm", help="how several arrays become one volume")
    parser.add_argument("--metadata", choices=METADATA, default="1.2", help="md superblock version")
    parser.add_argument("--bitmap", choices=BITMAPS, default="auto", help="write-intent bitmap")
    parser.add_argument("--spread", action="store_true", help="spread members over enclosures, controllers, expanders")
    parser.add_argument("--only", metavar="DISK", action="append", help="take only these disks")
    parser.add_argument("--exclude", metavar="DISK", action="append", help="leave these disks out")
    parser.add_argument("--dry-run", action="store_true", help="what would be done, with its digest; writes nothing")
    parser.add_argument("--attach", metavar="ID", help="follow a tuning that was begun, or see what it came to")
    parser.add_argument("--list", action="store_true", help="the tunings of this machine")
    group = parser.add_argument_group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirmed; for trials it counts only with --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="the digest that --dry-run shows; it counts once")
    group.add_argument("--accept-content", metavar="KIND|SERIAL", action="append", help="give up what is on this disk")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("--detach", action="store_true", help="start it and do not follow")
    add_speed_up(parser, "simulated: times as fast")
    add_disk_options(parser)


def _drill(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a finished run (raidtui status)")
    parser.add_argument(
        "--array", metavar="N", type=whole(0, MOST_DISKS), default=0, help="which array of the run, from 0 (default 0)"
    )
    parser.add_argument("--stay-swapped", action="store_true", help="the failed member stays in as the spare")
    parser.add_argument("--profile", metavar="NAME|FILE", help="workloads to run on the file system during the rebuild")
    parser.add_argument("--seconds", metavar="S", type=float, help="of each of them")
    parser.add_argument("--with-data", metavar="WORDS", help="drill although the array holds files; says which words")
    group = parser.add_argument_group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirmed; counts only with --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="the whole digest of the plan; counts only with --yes")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("--detach", action="store_true", help="start it and do not follow")
    add_speed_up(parser, "simulated: times as fast")


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="RUN|BENCH|FILE", nargs="*",
        help="runs, benchmarks, their folders, result or report files (default: the newest run and its benchmarks)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="DIR", help="write there (default: ./raidtui-REPORTID)")
    parser.add_argument("--format", metavar="LIST", help="some of md,json,html (default: all)")
    parser.add_argument(
        "--against", metavar="REPORT|BENCH", help="hold it against an earlier one, or another machine's"
    )
    parser.add_argument("--json", action="store_true", help="the report as JSON; writes files only with --out")
