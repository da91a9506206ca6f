"""Options of the verbs that execute a plan: build, resume, undo, status, control and the hidden execute."""

from __future__ import annotations

from raidtui.cli.options.shared import (
    REPEATS,
    SECONDS,
    add_disk_options,
    add_options,
    add_speed_up,
    add_sync_options,
    number,
    whole,
)
from raidtui.cli.options.verb_parser import OptionGroup, SafeParser, Verbs, further
from raidtui.values.units import MOST_DISKS


def add_run_verbs(verbs: Verbs) -> None:
    """Adds build, resume, undo, status, control and execute to the subparsers `verbs`."""
    verbs.add_parser("build", help="execute a plan, or follow a running build", add_options=_build)
    verbs.add_parser("resume", help="continue an interrupted build from the state of the disks", add_options=_resume)
    verbs.add_parser("undo", help="remove what a build created; wiped data is not restored", add_options=_undo)
    verbs.add_parser("status", help="list all jobs and their results, or show one in full", add_options=_status)
    verbs.add_parser("control", help="pause, stop or throttle a job that runs", add_options=_control)
    verbs.add_parser("execute", add_options=_execute)


def _build(parser: SafeParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="a plan's .json file; with --attach a run")
    parser.add_argument("--attach", action="store_true", help="only follow a run that is in progress")
    add_sync_options(parser)
    _add_confirmation(parser, content=True)
    _add_view(parser)
    add_disk_options(parser)


def _resume(parser: SafeParser) -> None:
    parser.add_argument("run", metavar="RUN|PLAN", help="a run (raidtui status), or the plan's .json file")
    add_sync_options(parser)
    _add_confirmation(parser, content=True)
    _add_view(parser)
    add_disk_options(parser)


def _undo(parser: SafeParser) -> None:
    parser.add_argument("run", metavar="RUN|PLAN", help="a run (raidtui status), or the plan's .json file")
    _add_confirmation(parser, content=False).add_argument(
        "--lose-files", metavar="COUNT", help="accept the loss of COUNT files: the number on the page, or 'unknown'"
    )
    _add_view(parser)
    add_disk_options(parser)


def _status(parser: SafeParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="first digits of a job's id (default: list all)")
    parser.add_argument("--json", action="store_true", help="the result as JSON")


def _control(parser: SafeParser) -> None:
    parser.add_argument("run", metavar="RUN", help="first digits of a job's id")
    parser.add_argument(
        "request",
        metavar="REQUEST",
        help="pause, go (on after a pause), stop (after the command that runs); wait-for-sync (before the file "
        "systems), during-sync (do not wait); limit=KIB_PER_S (of a sync; 0: none), or skip=TEST (of a benchmark)",
    )
    parser.add_argument("--json", action="store_true", help="the requests in force as JSON")


def _execute(parser: SafeParser) -> None:
    parser.add_argument("folder")
    parser.add_argument("purpose", choices=("build", "resume", "undo", "tune", "drill", "replace", "extend", "bench"))
    parser.add_argument("digest")
    parser.add_argument("--speed-up", type=number(0, 1e9), default=600.0)


def _add_confirmation(parser: SafeParser, *, content: bool) -> OptionGroup:
    group = parser.group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirm; requires --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="full digest of the plan; requires --yes")
    if content:
        group.add_argument(
            "--accept-content",
            metavar="KIND|SERIAL",
            action="append",
            help="erase the content of this disk, or all of this kind, for example file-system (may be repeated)",
        )
    return group


def _add_view(parser: SafeParser) -> None:
    parser.add_argument("--json", action="store_true", help="journal records as JSON, one object per line")
    parser.add_argument("--plain", action="store_true", help="whole lines only: progress of a sync once a minute")
    parser.add_argument("--detach", action="store_true", help="start and exit; do not follow")
    add_speed_up(parser)


# Options of the verbs that measure: watch, bench, tune, drill and report.


def add_measure_verbs(verbs: Verbs) -> None:
    """Adds watch, bench, tune, drill and report to the subparsers `verbs`."""
    verbs.add_parser(
        "watch",
        help="show live MB/s, IOPS, utilisation, latency and queue of every disk; needs no array",
        add_options=_watch,
    )
    verbs.add_parser(
        "bench",
        help="measure a file system and the devices below it with fio",
        description="Measures in a temporary directory on the target and removes it afterwards. "
        "Devices are only read, unless --raw write is given.",
        add_options=_bench,
    )
    verbs.add_parser(
        "tune",
        help="measure chunk sizes and file systems on small temporary arrays",
        description="Builds the layout with each chunk size and file system on a slice of the disks. Measures the "
        "workloads with each set of options and removes the layout. Verifies that the disks are zero at both ends.",
        add_options=_tune,
    )
    verbs.add_parser(
        "drill",
        help="fail a member of an empty array, measure the rebuild, restore the member, check",
        description="Fails one member of an array that raidtui built and measures the rebuild onto the spare. "
        "Compares the rate with the prediction. Restores the member to its role and runs a check of the array. After "
        "an "
        "interruption the same command continues from the state of the array.",
        add_options=_drill,
    )
    verbs.add_parser(
        "report",
        help="report a build and its benchmarks as Markdown, JSON and HTML, to print and sign",
        add_options=_report,
    )


def _watch(parser: SafeParser) -> None:
    parser.add_argument("names", metavar="DISK|ARRAY", nargs="*", help="only these: name, serial, slot, identity")
    parser.add_argument("--interval", metavar="S", type=number(0.05, 86400), help="seconds between ticks (default 1)")
    parser.add_argument("--count", metavar="N", type=whole(1, 10**9), help="end after N ticks")
    parser.add_argument("--json", action="store_true", help="one JSON object per tick")
    parser.add_argument("--plain", action="store_true", help="one table per tick instead of the screen")
    parser.add_argument(
        "--ask",
        metavar="WORK",
        help="the present workload, as raidtui model --ask has it: shows what it makes members move",
    )
    add_disk_options(parser)


def _bench(parser: SafeParser) -> None:
    from raidtui.values.options import ROW  # the parser of all verbs starts without the table

    parser.add_argument(
        "target", metavar="TARGET", nargs="?", help="a mounted directory, a plan's .json file, a run, or a layout"
    )
    parser.add_argument(
        "--profile", metavar="NAME|FILE", help="benchmark profile (default: quick; with --raw the profile raw)"
    )
    parser.add_argument("--tree", metavar="TAR|DIR", help="unpack or copy this tree, list, read, check and delete it")
    parser.add_argument(
        "--raw",
        choices=("read", "write"),
        help="with a plan or a run: measure its blank disks, or its arrays without a file system, as block devices; "
        "write: write zeros to them too, confirmed like a build",
    )
    parser.add_argument("--list", action="store_true", help="list the profiles; raidtui status lists benchmarks")
    parser.add_argument(
        "--seconds", metavar="S", type=SECONDS, help="seconds per measurement; below 30 it is labelled short"
    )
    parser.add_argument("--repeats", metavar="N", type=REPEATS, help="repeats of each measurement")
    parser.add_argument("--precondition", action="store_true", help="for SSDs: fill most of the free space twice first")
    parser.add_argument("--during-sync", action="store_true", help="measure although arrays sync; results are labelled")
    parser.add_argument("--dry-run", action="store_true", help="show the exact fio commands; runs nothing")
    parser.add_argument("--attach", metavar="ID", help="follow a running benchmark, or show the result of another")
    parser.add_argument("--resume", metavar="ID", help="continue a stopped or killed benchmark")
    parser.add_argument("--out", metavar="DIR", help="store the results in DIR, which is new or empty")
    parser.add_argument("--yes", action="store_true", help="start without confirmation; --raw write needs --confirm")
    parser.add_argument("--confirm", metavar="DIGEST", help="with --raw write and --yes: full digest of the plan")
    parser.add_argument("--json", action="store_true", help="events as JSON, one object per line")
    parser.add_argument("--detach", action="store_true", help="start and exit; do not follow")
    add_options(further(parser, "with a layout"), (ROW.chunk,))
    further(parser, "simulated disks").add_argument(
        "--speed-up",
        metavar="N",
        type=number(0, 1e6),
        default=20.0,
        help="run N times as fast as real time (default 20)",
    )
    add_disk_options(parser)


def _tune(parser: SafeParser) -> None:
    # the parser of all verbs starts without the table
    from raidtui.values.options import MEMBERS, ROW, SPREAD, STACK

    parser.add_argument("layout", metavar="LAYOUT", nargs="?", help="the layout to try")
    parser.add_argument("--chunks", metavar="A..B|LIST", help="chunk sizes: 4K..1M, or 64K,256K (default 64K..1M)")
    parser.add_argument("--fs", metavar="LIST", help="file systems: xfs (default), ext4, or xfs,ext4")
    parser.add_argument("--slice", metavar="SIZE", help="space used on each disk, from its start (default 2G)")
    trial = further(parser, "each trial")
    for row in (ROW.mkfs, ROW.mount_options):
        meaning = row.meaning.replace("%", "%%")
        trial.add_argument(
            row.flag, metavar="SET;SET", help=f"{meaning}; each set between ';' is tried (default: {row.otherwise})"
        )
    trial.add_argument(
        "--first-sync", action="store_true", help="wait for the initial sync of each array instead of skipping it"
    )
    parser.add_argument("--profile", metavar="NAME|FILE", help="workloads (default: quick)")
    trial.add_argument(
        "--seconds", metavar="S", type=SECONDS, help="seconds per measurement; below 30 it is labelled short"
    )
    trial.add_argument("--repeats", metavar="N", type=REPEATS, help="repeats of each measurement (default 3)")
    add_options(further(parser, "members and placement"), (STACK, *MEMBERS[:2], SPREAD))
    parser.add_argument("--only", metavar="DISK", action="append", help="use only this disk (may be repeated)")
    parser.add_argument("--exclude", metavar="DISK", action="append", help="do not use this disk (may be repeated)")
    parser.add_argument("--dry-run", action="store_true", help="show all commands and the digest; writes nothing")
    parser.add_argument("--attach", metavar="ID", help="follow a running tuning, or show the result of a finished one")
    group = parser.group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirm; trials also require --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="digest that --dry-run shows; valid once")
    group.add_argument(
        "--accept-content",
        metavar="KIND|SERIAL",
        action="append",
        help="erase the content of this disk, or all of this kind (may be repeated)",
    )
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("--detach", action="store_true", help="start and exit; do not follow")
    add_speed_up(parser)
    add_disk_options(parser)


def _drill(parser: SafeParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a finished run (raidtui status)")
    parser.add_argument(
        "--array", metavar="N", type=whole(0, MOST_DISKS), default=0, help="which array of the run, from 0 (default 0)"
    )
    parser.add_argument(
        "--stay-swapped", action="store_true", help="do not swap back: the failed member becomes the spare"
    )
    parser.add_argument("--profile", metavar="NAME|FILE", help="workloads to run on the file system during the rebuild")
    parser.add_argument("--seconds", metavar="S", type=SECONDS, help="seconds per workload")
    parser.add_argument(
        "--with-data", metavar="WORDS", help="drill although the array holds files; any value shows the required words"
    )
    group = parser.group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirm; requires --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="full digest of the plan; requires --yes")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("--detach", action="store_true", help="start and exit; do not follow")
    add_speed_up(parser)


def _report(parser: SafeParser) -> None:
    parser.add_argument(
        "names", metavar="RUN|BENCH|FILE", nargs="*",
        help="runs (each with its benchmarks unless some are named), benchmarks, their folders, result or report files "
        "(default: the newest run)",
    )  # fmt: skip
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write to DIR, or to one FILE.html, .md or .json; over files of the same report only "
        "(default: ./raidtui-REPORTID)",
    )
    parser.add_argument("--format", metavar="LIST", help="any of md,json,html (default: all)")
    parser.add_argument(
        "--against", metavar="REPORT|BENCH", help="compare with an earlier report, or another machine's"
    )
    parser.add_argument("--json", action="store_true", help="the report as JSON; writes files only with --out")
