"""What may be written after `raidtui`: verbs, options and their help. Loads nothing but words."""

from __future__ import annotations

import argparse

from raidtui import __version__
from raidtui.cli import bench, drill, report, tune, watch
from raidtui.cli.arguments_numbers import number, whole
from raidtui.cli.arguments_run import add_run_verbs
from raidtui.model.choices import BITMAPS, FILE_SYSTEMS, METADATA, OUTAGES, STACKS, WISHES
from raidtui.model.layout import LEVELS
from raidtui.model.ranges import MOST_DISKS, MOST_THREADS

EXAMPLES = """\
examples:
  raidtui                                              the app: disks, design, compare, commands
  raidtui disks                                        what disks there are, and what is on them
  raidtui propose --disks 60x2TB --restock-days 30     which layouts there are, the few worth having, and why
  raidtui model '4x(12+2)+4' --disks 60x2TB            what a layout will be: room, speed, risk
  raidtui plan '4x(12+2)+4' --chunk 256K --out build   plan, script, undo script and runbook into build/
  raidtui script build/plan.json                       the script again, from the plan
  raidtui watch                                        every disk live, on any machine
  raidtui build build/plan.json                        build it: checks everything, asks, survives the terminal
  raidtui report                                       what was built, proven and measured, to print and sign

A layout is written arrays x (data+parity) + spares: (41+2)+2, raid5(3+1), raid10(8,f2), 6x raid1(2)+1.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `verb` in its answer is the name of a verb."""
    top = argparse.ArgumentParser(
        prog="raidtui",
        description="Design Linux md arrays to the byte, see what they will be, get the exact commands that make them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"raidtui {__version__}")
    _add_disk_options(top, top=True)
    top.add_argument("--glyphs", choices=("ascii", "console", "unicode"), help="characters the terminal can show")
    top.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    top.add_argument("--replay", metavar="FOLDER", help="the app plays a recorded benchmark back")
    top.add_argument("--allow-writes", action="store_true", help="the app may build on this machine, as root")
    top.set_defaults(verb="app")
    verbs = top.add_subparsers(title="verbs", metavar="VERB", prog="raidtui")

    disks = verbs.add_parser("disks", help="list the disks and what is on them; changes nothing")
    _add_disk_options(disks)
    disks.add_argument("--smart", action="store_true", help="ask every drive for its health too (slow, wakes none)")
    disks.add_argument(
        "--measure", action="store_true", help="read every unused disk for 4 s and keep its speed for the planner"
    )
    disks.add_argument("--record", metavar="FILE", help="also keep everything that was read, for a bug report")
    disks.add_argument("--json", action="store_true", help="the inventory as JSON")
    disks.set_defaults(verb="disks")

    propose = verbs.add_parser("propose", help="every layout worth a look on these disks, the best by name, and why")
    _add_constraints(propose)
    _add_build_options(propose)
    _add_disk_options(propose)
    _add_assumptions(propose)
    propose.add_argument("--json", action="store_true", help="the answer as JSON")
    propose.set_defaults(verb="propose")

    model = verbs.add_parser("model", help="what a layout will be: room to the byte, speed, rebuild, risk")
    _add_layout_options(model, "the layout, for example 4x(12+2)+4")
    _add_assumptions(model)
    model.add_argument("--json", action="store_true", help="the answer as JSON")
    model.set_defaults(verb="model")

    plan = verbs.add_parser("plan", help="every step with its commands; executes nothing")
    _add_layout_options(plan, "the layout, or a plan's .json file")
    _add_plan_options(plan)
    plan.add_argument("--out", metavar="DIR", help="write plan.json, build.sh, undo.sh and runbook.md there")
    plan.add_argument("--json", action="store_true", help="the plan as JSON")
    plan.set_defaults(verb="plan")

    script = verbs.add_parser("script", help="the plan as a bash script; executes nothing")
    _add_layout_options(script, "a plan's .json file, or a layout")
    _add_plan_options(script)
    form = script.add_mutually_exclusive_group()
    form.add_argument("--undo", action="store_true", help="the script that takes the plan back")
    form.add_argument("--runbook", action="store_true", help="the plan as a Markdown document")
    script.set_defaults(verb="script")

    add_run_verbs(verbs, _add_disk_options)
    watch.add_verb(verbs, _add_disk_options)
    bench.add_verb(verbs, _add_disk_options)
    tune.add_verb(verbs, _add_disk_options)
    drill.add_verb(verbs, _add_disk_options)
    report.add_verb(verbs, _add_disk_options)

    schema = verbs.add_parser("schema", help="the JSON Schema of a document")
    schema.add_argument(
        "value",
        choices=(
            "inventory",
            "prediction",
            "plan",
            "proposal",
            "profile",
            "bench",
            "bench-result",
            "report",
            "report-section",
            "run",
            "runs",
            "run-event",
            "tune-result",
            "settings-result",
            "drill-result",
        ),
    )
    schema.set_defaults(verb="schema")
    return top


def _add_disk_options(parser: argparse.ArgumentParser, *, top: bool = False) -> None:
    """Options that may stand before the verb or after it; only the top parser holds their defaults."""
    unset = argparse.SUPPRESS

    def default(value: object) -> object:
        return value if top else unset

    group = parser.add_argument_group("disks (default: this machine's)")
    source = group.add_mutually_exclusive_group()
    source.add_argument(
        "--inventory", metavar="FILE|NAME", default=default(None), help="an inventory file, or a shipped chassis"
    )
    source.add_argument(
        "--disks", metavar="LIST", default=default(None), help="a purchase not made yet: 60x2TB or 2x1TB,1x250GB"
    )
    kind = group.add_mutually_exclusive_group()
    kind.add_argument(
        "--rotational", dest="rotational", action="store_true", default=default(True), help="with --disks: spinning"
    )
    kind.add_argument(
        "--ssd", dest="rotational", action="store_false", default=default(True), help="with --disks: flash"
    )
    group.add_argument("--sector", metavar="BYTES", default=default("512"), help="with --disks: 512 or 4096")


def _add_layout_options(parser: argparse.ArgumentParser, layout_help: str) -> None:
    parser.add_argument("layout", metavar="LAYOUT", help=layout_help)
    parser.add_argument("--metadata", choices=METADATA, default="1.2", help="md superblock version")
    parser.add_argument("--bitmap", choices=BITMAPS, default="auto", help="write-intent bitmap")
    parser.add_argument("--consistency-policy", choices=("ppl",), help="ppl: partial parity log (RAID5)")
    parser.add_argument(
        "--spread", action="store_true", help="spread members and spares over enclosures, controllers, expanders"
    )
    _add_build_options(parser)
    _add_disk_options(parser)


def _add_build_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chunk", metavar="SIZE", help="chunk, for example 256K (default 512K)")
    parser.add_argument("--stack", choices=STACKS, default="lvm", help="how several arrays become one volume")
    parser.add_argument("--fs", choices=FILE_SYSTEMS, default="xfs", help="file system")
    parser.add_argument(
        "--only", metavar="DISK", action="append", help="take only these disks (identity, serial, slot or name)"
    )
    parser.add_argument("--exclude", metavar="DISK", action="append", help="leave these disks out")


def _add_constraints(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what it must do")
    group.add_argument("--usable", metavar="SIZE", help="at least this much room, for example 800TB")
    group.add_argument(
        "--survive", metavar="N", type=whole(0, MOST_DISKS), default=0, help="any N disks of each array may fail"
    )
    group.add_argument("--spares", metavar="N", type=whole(0, MOST_DISKS), default=0, help="at least N hot spares")
    group.add_argument("--max-width", metavar="N", type=whole(1, MOST_DISKS), help="at most N members in an array")
    group.add_argument("--level", choices=LEVELS, action="append", help="only this level (may be repeated)")
    group.add_argument("--survive-loss-of", choices=OUTAGES, help="data outlives the loss of any one of these")
    group.add_argument("--max-loss", metavar="P", help="at most this chance of loss in a year, for example 0.01%%")
    group = parser.add_argument_group("what matters")
    group.add_argument("--prefer", metavar="LIST", help=f"first things first, out of {','.join(WISHES)}")
    group.add_argument(
        "--price", metavar="MONEY", type=number(0, 1e12), help="of one disk: fewer disks are then worth a look"
    )
    group.add_argument("--compare", metavar="LAYOUT", action="append", help="hold this layout against the proposals")
    group.add_argument("--every", action="store_true", help="every layout that fits, not just the front")


def _add_assumptions(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is known of disks and use")
    group.add_argument("--disk-speed", metavar="RATE", help="sequential, outer zone: 94MB/s (default: what is known)")
    group.add_argument(
        "--disk-iops", metavar="N", type=whole(1, 100_000_000), help="random operations per second of a disk"
    )
    group.add_argument("--link-ceiling", metavar="RATE", help="one link that all members share: 750MB/s")
    group.add_argument("--afr", metavar="P", help="failures per disk and year (default 1.5%%)")
    group.add_argument("--ure", metavar="P", help="unreadable sectors per bit read (default 1e-15)")
    group.add_argument("--restock-days", metavar="N", type=float, help="until a new disk is in the bay (default 30)")
    group.add_argument("--enclosure-afr", metavar="P", help="outages per enclosure and year (default 1%%, judgement)")
    group.add_argument("--sync-max", metavar="RATE", help="sync_speed_max of a member (default 204.8MB/s)")
    group.add_argument(
        "--parity-threads", metavar="N", type=whole(0, MOST_THREADS), help="group_thread_cnt (default 0: one thread)"
    )
    group.add_argument("--no-monitor", action="store_true", help="mdadm --monitor will not run: no spare moves")
    group.add_argument(
        "--rebuild-share", metavar="P", help="share of disk time for a rebuild under load (default 50%%)"
    )


def _add_plan_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="data", help="base name of arrays, volume group and labels (default: data)")
    parser.add_argument("--mount", metavar="DIR", help="where the file system is mounted (default: /srv/NAME)")
    parser.add_argument("--host", help="host the arrays belong to (default: the inventory's)")
    parser.add_argument(
        "--initramfs", choices=("debian", "dracut"), help="how the host rebuilds its initramfs (default: as here)"
    )
