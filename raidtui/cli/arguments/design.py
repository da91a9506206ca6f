"""Options of the verbs that design an array: disks, propose, model, plan and script."""

from __future__ import annotations

import argparse
from typing import Any

from raidtui.cli.arguments.numbers import number, whole
from raidtui.cli.arguments.shared import add_disk_options
from raidtui.model.choices import BITMAPS, FILE_SYSTEMS, LEVELS, METADATA, OUTAGES, STACKS, WISHES
from raidtui.model.ranges import MOST_DISKS, MOST_THREADS


def add_design_verbs(verbs: Any) -> None:
    """Adds disks, propose, model, plan and script to the subparsers `verbs`."""
    verbs.add_parser("disks", help="list the disks and what is on them; changes nothing", add_options=_disks)
    verbs.add_parser(
        "propose", help="every layout worth a look on these disks, the best by name, and why", add_options=_propose
    )
    verbs.add_parser("model", help="what a layout will be: room to the byte, speed, rebuild, risk", add_options=_model)
    verbs.add_parser("plan", help="every step with its commands; executes nothing", add_options=_plan)
    verbs.add_parser("script", help="the plan as a bash script; executes nothing", add_options=_script)


def _disks(parser: argparse.ArgumentParser) -> None:
    add_disk_options(parser)
    parser.add_argument("--smart", action="store_true", help="ask every drive for its health too (slow, wakes none)")
    parser.add_argument(
        "--measure", action="store_true", help="read every unused disk for 4 s and keep its speed for the planner"
    )
    parser.add_argument("--record", metavar="FILE", help="also keep everything that was read, for a bug report")
    parser.add_argument("--json", action="store_true", help="the inventory as JSON")


def _propose(parser: argparse.ArgumentParser) -> None:
    _add_constraints(parser)
    _add_build_options(parser)
    add_disk_options(parser)
    _add_assumptions(parser)
    parser.add_argument("--json", action="store_true", help="the result as JSON")


def _model(parser: argparse.ArgumentParser) -> None:
    _add_layout_options(parser, "the layout, for example 4x(12+2)+4")
    _add_assumptions(parser)
    parser.add_argument("--json", action="store_true", help="the result as JSON")


def _plan(parser: argparse.ArgumentParser) -> None:
    _add_layout_options(parser, "the layout, or a plan's .json file")
    _add_plan_options(parser)
    parser.add_argument("--out", metavar="DIR", help="write plan.json, build.sh, undo.sh and runbook.md there")
    parser.add_argument("--json", action="store_true", help="the plan as JSON")


def _script(parser: argparse.ArgumentParser) -> None:
    _add_layout_options(parser, "a plan's .json file, or a layout")
    _add_plan_options(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--undo", action="store_true", help="the script that takes the plan back")
    form.add_argument("--runbook", action="store_true", help="the plan as a Markdown document")


def _add_layout_options(parser: argparse.ArgumentParser, layout_help: str) -> None:
    parser.add_argument("layout", metavar="LAYOUT", help=layout_help)
    parser.add_argument("--metadata", choices=METADATA, default="1.2", help="md superblock version")
    parser.add_argument("--bitmap", choices=BITMAPS, default="auto", help="write-intent bitmap")
    parser.add_argument("--consistency-policy", choices=("ppl",), help="ppl: partial parity log (RAID5)")
    parser.add_argument(
        "--spread", action="store_true", help="spread members and spares over enclosures, controllers, expanders"
    )
    _add_build_options(parser)
    add_disk_options(parser)


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
