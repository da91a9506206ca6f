"""Options of `raidtui fleet` and of the hidden `fleet-host`."""

from __future__ import annotations

from functools import partial

from raidtui.cli.options.shared import add_sync_options, number, whole
from raidtui.cli.options.verb_parser import AddOptions, SafeParser, Verbs, further
from raidtui.values.choices import CARRY


def add_fleet_verbs(verbs: Verbs, recipe: AddOptions) -> None:
    """Adds fleet and fleet-host to the subparsers `verbs`; `recipe` adds the options of fleet recipe."""
    verbs.add_parser(
        "fleet",
        help="many hosts at once: their disks, one recipe, a plan for each, checks",
        add_options=partial(_fleet, recipe=recipe),
    )
    verbs.add_parser("fleet-host", add_options=_fleet_host)


def _fleet(parser: SafeParser, recipe: AddOptions) -> None:
    verbs = parser.add_verbs("commands of the fleet", "fleet_verb")
    verbs.add_parser("disks", help="disks and versions of all hosts, folded to distinct machines", add_options=_disks)
    verbs.add_parser("recipe", help="write what every host gets into a file, without disks", add_options=recipe)
    verbs.add_parser(
        "plan", help="plans of a recipe for all hosts, and one sheet to sign; executes nothing", add_options=_plan
    )
    verbs.add_parser(
        "check", help="every host of a sheet checks its own plan on its own disks; writes nothing", add_options=_check
    )
    verbs.add_parser("build", help="build the hosts of a sheet: the first alone, then in waves", add_options=_build)
    verbs.add_parser("resume", help="go on with a build, from this or another control host", add_options=_resume)
    verbs.add_parser("status", help="how far every host of a sheet is; changes nothing", add_options=_status)
    verbs.add_parser("show", help="all hosts on one screen, asked again and again; changes nothing", add_options=_show)
    verbs.add_parser("undo", help="remove what a build created, host by host", add_options=_undo)


def _disks(parser: SafeParser) -> None:
    add_hosts(parser)
    _add_carry(parser)
    parser.add_argument("--json", action="store_true", help="the whole answer as JSON (raidtui schema fleet-look)")


def _plan(parser: SafeParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help="recipe file, TOML or JSON (raidtui fleet recipe writes one)")
    parser.add_argument("--out", metavar="DIR", help="write HOST/plan.json, sheet.json and SHEET.md there; DIR is new")
    parser.add_argument(
        "--from", dest="stored", metavar="FILE",
        help="inventories of raidtui fleet disks --json, in place of asking the hosts; -w then chooses some of them",
    )  # fmt: skip
    parser.add_argument(
        "--sheet", metavar="FILE", help="an earlier sheet.json: hosts with the same disks and recipe get the same plan"
    )
    parser.add_argument("--json", action="store_true", help="the sheet as JSON (raidtui schema fleet-sheet)")
    order = further(parser, "order of the build, signed with the sheet")
    order.add_argument(
        "--first", metavar="HOST", help="host that is built first and alone (default: the sheet's first)"
    )
    order.add_argument(
        "--wave", metavar="N", type=whole(1, 1024), default=8, help="hosts that build at a time after it (default 8)"
    )
    order.add_argument(
        "--stop-after", metavar="K", type=whole(1, 65536), default=1,
        help="start no further host when K ended badly (default 1)",
    )  # fmt: skip
    add_hosts(parser)
    _add_carry(parser)


def _check(parser: SafeParser) -> None:
    parser.add_argument("sheet", metavar="DIR", help="directory that raidtui fleet plan wrote")
    parser.add_argument("--json", action="store_true", help="every answer as JSON (raidtui schema fleet-check)")
    add_hosts(parser)


def _build(parser: SafeParser) -> None:
    _of_a_sheet(parser)
    _starting(parser)
    _confirming(parser)


def _resume(parser: SafeParser) -> None:
    _of_a_sheet(parser)
    _starting(parser)


def _status(parser: SafeParser) -> None:
    _of_a_sheet(parser)
    parser.set_defaults(accept_content=None, during_sync=False, wait_for_sync=False)


def _show(parser: SafeParser) -> None:
    parser.add_argument(
        "sheet", metavar="DIR", nargs="?",
        help="directory that raidtui fleet plan wrote: shows checks and builds too; -w then chooses some of its hosts",
    )  # fmt: skip
    parser.add_argument(
        "--from", dest="stored", metavar="FILE",
        help="inventories of raidtui fleet disks --json, in place of asking the hosts",
    )  # fmt: skip
    parser.add_argument("--last", action="store_true", help="the last looks at the hosts, in place of asking them")
    parser.add_argument(
        "--interval", metavar="SECONDS", type=number(1, 3600),
        help="between two questions how far a build is (default 10); disks are asked for every 5 minutes",
    )  # fmt: skip
    add_hosts(parser)
    _add_carry(parser)


def _undo(parser: SafeParser) -> None:
    _of_a_sheet(parser)
    _confirming(parser)
    parser.set_defaults(accept_content=None, during_sync=False, wait_for_sync=False)


def _of_a_sheet(parser: SafeParser) -> None:
    parser.add_argument("sheet", metavar="DIR", help="directory that raidtui fleet plan wrote")
    add_hosts(parser)
    parser.add_argument("--json", action="store_true", help="the state of all hosts as JSON (raidtui schema fleet-run)")
    parser.add_argument(
        "--interval", metavar="SECONDS", type=number(0.1, 3600),
        help="between two questions to a host (default 10)",
    )  # fmt: skip
    parser.add_argument(
        "--speed-up", metavar="N", type=number(1, 1e9), help="simulated hosts: run N times as fast as real time"
    )


def _starting(parser: SafeParser) -> None:
    add_sync_options(parser)
    parser.add_argument(
        "--accept-content", metavar="KIND|SERIAL", action="append",
        help="erase the content of this disk, or all of this kind, for example file-system (may be repeated)",
    )  # fmt: skip


def _confirming(parser: SafeParser) -> None:
    group = parser.group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirm; requires --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="full digest of the sheet; requires --yes")


def add_hosts(parser: SafeParser) -> None:
    """Options that name hosts and say how they are reached."""
    group = parser.group("hosts")
    group.add_argument(
        "-w", dest="nodes", metavar="NODESET", action="append", default=[],
        help="hosts as ClusterShell writes them: node[01-60], node[01-60]!node17, @GROUP (may be repeated)",
    )  # fmt: skip
    group.add_argument("--host", metavar="NAME", action="append", default=[], help="one host (may be repeated)")
    group.add_argument(
        "--hosts-file", metavar="FILE", help="file with a host or node set on each line, # begins a comment"
    )
    how = further(parser, "how hosts are reached")
    how.add_argument("--sudo", action="store_true", help="run raidtui on the hosts by sudo -n")
    how.add_argument("--ssh", metavar="PROGRAM", default="ssh", help="the ssh program (default: ssh)")
    how.add_argument(
        "--fanout", metavar="N", type=whole(1, 1024),
        help="hosts at once (default: that of ClusterShell's configuration, 64 without one; with local:DIR as many as "
        "this machine has processors)",
    )  # fmt: skip
    how.add_argument(
        "--timeout", metavar="SECONDS", type=number(1, 86400), default=120.0, help="for each host (default 120)"
    )
    how.add_argument(
        "--worker", metavar="ssh|local:DIR", default="ssh",
        help="local:DIR stands in for the hosts: each answers with the inventory in DIR/HOST.json",
    )  # fmt: skip


def _add_carry(parser: SafeParser) -> None:
    parser.add_argument(
        "--carry", choices=CARRY, default=CARRY[0],
        help="carry what a look needs to hosts without raidtui, and remove it there again (default: missing)",
    )  # fmt: skip


def _fleet_host(parser: SafeParser) -> None:
    parser.add_argument("--simulated", metavar="FILE")
