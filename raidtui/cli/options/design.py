"""Options of the verbs that look and design: disks, arrays, propose, model, plan, script and export."""

from __future__ import annotations

from raidtui.cli.options.shared import add_disk_options, add_options, add_speed_up
from raidtui.cli.options.verb_parser import OptionGroup, SafeParser, Verbs, further
from raidtui.values.choices import EXPORT_FORMATS

_PICKS = ("suggested", "most room", "balanced", "fastest", "safest", "quickest rebuild")


def add_design_verbs(verbs: Verbs) -> None:
    """Adds disks, arrays, propose, model, plan, script and export to the subparsers `verbs`."""
    verbs.add_parser("disks", help="list the disks and what is on them; changes nothing", add_options=_disks)
    verbs.add_parser(
        "arrays", help="list the md arrays that exist: members, state, what knows them; changes nothing",
        description="Every md array, also those that raidtui did not make. Only event counts and volume groups need "
        "root; what could not be read is named.",
        add_options=_arrays,
    )  # fmt: skip
    verbs.add_parser(
        "audit", help="say what is wrong, or will be, with the md arrays that exist; changes nothing",
        description="Ends with 1 where it finds an error or a warning, for cron and timers. What could not be checked "
        "is named: run it as root. Every rule: raidtui help rules.",
        add_options=_audit,
    )  # fmt: skip
    verbs.add_parser(
        "replace", help="which disk of an array goes, which fits, what to type; --begin does it",
        description="Shows the disk by slot and serial number and checks the new one. Prints the commands of mdadm in "
        "order, each with what proves it. Redundancy drops as little as it can.",
        add_options=_replace,
    )  # fmt: skip
    verbs.add_parser(
        "extend", help="add spares or arrays, change a bitmap, use larger members; --begin does it",
        description="Shows room, speed and risk before and after. Prints every command in order, with what proves it "
        "and what remains after an interruption. --begin carries it out, and goes on where it is.",
        add_options=_extend,
    )  # fmt: skip
    verbs.add_parser(
        "propose", help="compare all layouts for these disks; show the best with reasons", add_options=_propose
    )
    verbs.add_parser(
        "model", help="predict one layout: capacity to the byte, speed, rebuild time, risk", add_options=_model
    )
    verbs.add_parser("plan", help="show every step of a build with its commands; executes nothing", add_options=_plan)
    verbs.add_parser("script", help="print the plan as a bash script; executes nothing", add_options=_script)
    verbs.add_parser(
        "export", help="write the plan for an installer of systems; name what that loses", add_options=_export
    )


def _arrays(parser: SafeParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a run (raidtui status): of a simulated one its machine")
    parser.add_argument("--json", action="store_true", help="the arrays as JSON")
    add_disk_options(parser)


def _audit(parser: SafeParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a run (raidtui status): of a simulated one its machine")
    parser.add_argument(
        "--baseline", metavar="FILE", help="show only what this earlier output of raidtui audit --json does not have"
    )
    parser.add_argument(
        "--metrics", metavar="FILE", help="write metrics for the node exporter's text file collector (FILE.prom)"
    )
    parser.add_argument("--smart", action="store_true", help="also read SMART data of every drive (slow; wakes none)")
    _add_record(parser)
    parser.add_argument("--json", action="store_true", help="the findings as JSON")
    add_disk_options(parser)


def _replace(parser: SafeParser) -> None:
    parser.add_argument("array", metavar="ARRAY", help="md0, /dev/md/data, the name in its superblock, or its UUID")
    parser.add_argument("run", metavar="RUN", nargs="?", help="a run (raidtui status): of a simulated one its machine")
    parser.add_argument(
        "--member",
        metavar="DISK",
        help="the one that goes: kernel name, serial number or slot (default: the missing one)",
    )
    parser.add_argument(
        "--with", dest="new", metavar="DISK", help="the one that comes (default: the only blank disk that fits)"
    )
    _add_begin(parser)
    add_disk_options(parser)


def _extend(parser: SafeParser) -> None:
    parser.add_argument("array", metavar="ARRAY", help="md0, /dev/md/data, the name in its superblock, or its UUID")
    parser.add_argument(
        "kind", metavar="KIND", choices=("spare", "bitmap", "grow", "shelf", "reshape"),
        help="spare: one more; bitmap: another; grow: larger members; shelf: further arrays for the volume; reshape: "
        "another layout (commands are printed)",
    )  # fmt: skip
    parser.add_argument(
        "what", metavar="WHAT", nargs="*",
        help="spare: the disk, blank or a spare of another array; bitmap: none, internal, or the bytes of a bit; "
        "shelf: arrays that hold nothing; reshape: a layout and a chunk",
    )  # fmt: skip
    parser.add_argument("--run", metavar="RUN", help="a run (raidtui status): of a simulated one its machine")
    _add_begin(parser)
    add_disk_options(parser)


def _add_begin(parser: SafeParser) -> None:
    parser.add_argument("--begin", action="store_true", help="carry it out, after a typed phrase; goes on where it is")
    parser.add_argument("--yes", action="store_true", help="with --confirm: in place of the phrase")
    parser.add_argument("--confirm", metavar="DIGEST", help="of what is shown (--json has it)")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    add_speed_up(parser)


def _disks(parser: SafeParser) -> None:
    add_disk_options(parser)
    parser.add_argument(
        "--smart", action="store_true", help="also read SMART data of every drive (slow; wakes no drive)"
    )
    parser.add_argument(
        "--measure",
        action="store_true",
        help="read every free disk (zones, random reads, shared links) and test memory, some 10 s a disk; writes "
        "nothing to disks; the planner then uses what was measured",
    )
    _add_record(parser)
    parser.add_argument("--json", action="store_true", help="the inventory as JSON")


def _add_record(parser: SafeParser) -> None:
    parser.add_argument(
        "--record", metavar="FILE", help="save everything that was read to the new FILE, for a bug report"
    )
    parser.add_argument(
        "--mask", action="store_true", help="with --record: other serial numbers, names and mail addresses"
    )


def _propose(parser: SafeParser) -> None:
    _add_constraints(parser)
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    add_disk_options(parser)
    built = further(parser, "what is built")
    _add_build_options(parser, built)
    from raidtui.values.options import TUNED  # the parser of all verbs starts without the table

    add_options(built, TUNED)
    _add_assumptions(parser)


def _model(parser: SafeParser) -> None:
    _add_layout_options(parser, "the layout, for example 4x(12+2)+4")
    parser.add_argument(
        "--ask",
        metavar="WORK",
        action="append",
        help="also predict this workload; read, write or mixed,read=70 (70 %% reads); then any of random, streams=8, "
        "size=128K, depth=1, degraded, rebuilding, with commas and no blanks (may be repeated)",
    )
    _add_assumptions(parser)
    parser.add_argument("--json", action="store_true", help="the result as JSON")


def _plan(parser: SafeParser) -> None:
    _add_layout_options(parser, "the layout, or a plan's .json file")
    _add_plan_options(parser)
    parser.add_argument(
        "--out", metavar="DIR", help="write plan.json, build.sh, undo.sh and runbook.md to DIR, over no file"
    )
    parser.add_argument("--json", action="store_true", help="the plan as JSON")


def _script(parser: SafeParser) -> None:
    _add_layout_options(parser, "a plan's .json file, or a layout")
    _add_plan_options(parser)
    form = parser.exclusive()
    form.add_argument("--undo", action="store_true", help="print the undo script")
    form.add_argument("--runbook", action="store_true", help="print two pages in Markdown for who builds it")
    parser.add_argument("--json", action="store_true", help="the text as JSON, with the digest of the plan")


def _export(parser: SafeParser) -> None:
    parser.add_argument(
        "format", metavar="FORMAT", choices=(*EXPORT_FORMATS, "ansible"),
        help=f"one of {', '.join(EXPORT_FORMATS)}, or ansible: a collection of modules, in a new directory",
    )  # fmt: skip
    _add_layout_options(
        parser, "a plan's .json file, or a layout; for ansible the directory",
        metavar="PLAN", chief=further(parser, "what is built, for a layout"),
    )  # fmt: skip
    _add_plan_options(parser)
    _add_assumptions(parser)
    parser.add_argument("--adopt", action="store_true", help="the arrays exist; the installer only mounts them")
    parser.add_argument("--out", metavar="FILE", help="write to this new file (systemd: new directory)")
    parser.add_argument("--json", action="store_true", help="files, attributes and figures as JSON")


def add_recipe_options(parser: SafeParser) -> None:
    """Options of `raidtui fleet recipe`: those of plan and propose that name no disk and no host."""
    from raidtui.values import options  # the parser of all verbs starts without the table

    parser.add_argument("layout", metavar="LAYOUT", nargs="?", help="the layout; without it the constraints choose one")
    parser.add_argument("--out", metavar="FILE", help="write the recipe there (default: print it)")
    parser.add_argument("--json", action="store_true", help="as JSON in place of TOML (raidtui schema recipe)")
    parser.add_argument(
        "--differs", choices=("refuse", "fit", "skip"), default="refuse",
        help="hosts that are not like most; refuse (default): plan nothing; skip: leave them out by name; fit: a "
        "layout of their own",
    )  # fmt: skip
    _add_format(parser, parser)
    add_options(further(parser, "members and placement"), (*options.MEMBERS, options.SPREAD))
    add_options(further(parser, "names, mount and alerts"), options.NAMES)
    add_options(further(parser, "disks and initramfs of the host"), (*options.DISKS, options.INITRAMFS_OF_HOSTS))
    group = further(parser, "disks: the free ones of each host that fit every rule")
    group.add_argument("--disk-kind", choices=("rotational", "flash"), help="only hard disks, or only flash")
    group.add_argument("--disk-at-least", metavar="SIZE", help="smallest disk that is used, for example 1.9TB")
    group.add_argument("--disk-at-most", metavar="SIZE", help="largest disk that is used")
    group.add_argument("--disk-model", metavar="PATTERN", help="model with * and ?, for example 'HUS724020*'")
    group.add_argument("--disk-transport", metavar="NAME", help="sas, sata, nvme, ...")
    group.add_argument("--lun", metavar="D+P,CHUNK[,RATE]", help="the disks are LUNs of a hardware controller")
    group.add_argument(
        "--no-measured", dest="measured", action="store_false", help="ignore what was measured on the hosts"
    )
    group = further(parser, "constraints, where no layout is given, and for --differs fit")
    _add_limits(group, group)
    group.add_argument(
        "--pick", metavar="PICK", choices=_PICKS,
        help=f"which of the named proposals is built: {', '.join(_PICKS)} (default: suggested)",
    )  # fmt: skip
    _add_assumptions(parser)


def _add_layout_options(
    parser: SafeParser,
    layout_help: str,
    metavar: str = "LAYOUT",
    chief: SafeParser | OptionGroup | None = None,
) -> None:
    from raidtui.values import options  # the parser of all verbs starts without the table

    parser.add_argument("layout", metavar=metavar, help=layout_help)
    _add_build_options(parser, chief or parser)
    add_disk_options(parser)
    add_options(further(parser, "members and placement"), (*options.MEMBERS, options.SPREAD))
    add_options(further(parser, "versions on the server that builds"), options.TARGET)


def _add_build_options(parser: SafeParser, chief: SafeParser | OptionGroup) -> None:
    """`chief` gets those that most people need."""
    _add_format(parser, chief)
    chief.add_argument(
        "--only",
        metavar="DISK",
        action="append",
        help="use only this disk: identity, serial, slot or name (may be repeated)",
    )
    chief.add_argument("--exclude", metavar="DISK", action="append", help="do not use this disk (may be repeated)")


def _add_format(parser: SafeParser, chief: SafeParser | OptionGroup) -> None:
    from raidtui.values.options import FORMAT  # the parser of all verbs starts without the table

    usual = [row for row in FORMAT if row.key in ("chunk", "stack", "fs")]
    add_options(chief, usual)
    add_options(further(parser, "options of the file system"), [row for row in FORMAT if row not in usual])


def _add_constraints(parser: SafeParser) -> None:
    from raidtui.values.options import ROW  # the parser of all verbs starts without the table

    _add_limits(parser, further(parser, "further constraints"))
    parser.add_argument(
        "--compare", metavar="LAYOUT", action="append", help="compare this layout with the proposals (may be repeated)"
    )
    add_options(parser, (ROW.price,))
    parser.add_argument("--every", action="store_true", help="list every valid layout, not only the Pareto front")


def _add_limits(chief: SafeParser | OptionGroup, others: SafeParser | OptionGroup) -> None:
    from raidtui.values.options import ROW  # the parser of all verbs starts without the table

    add_options(chief, (ROW.usable, ROW.survive, ROW.spares))
    chief.add_argument(
        "--level", dest="levels", choices=ROW.levels.choices, action="append",
        help=f"{ROW.levels.sentence}, may be repeated (default: {ROW.levels.otherwise})",
    )  # fmt: skip
    add_options(chief, (ROW.prefer,))
    add_options(others, (ROW.max_width, ROW.survive_loss_of, ROW.max_loss))


def _add_assumptions(parser: SafeParser) -> None:
    from raidtui.values.options import ASSUMPTIONS  # the parser of all verbs starts without the table

    add_options(further(parser, "assumptions about disks and use"), ASSUMPTIONS)


def _add_plan_options(parser: SafeParser) -> None:
    from raidtui.values.options import (
        DISKS,
        HOST,
        NAMES,  # the parser of all verbs starts without the table
    )

    add_options(parser, NAMES[:2])
    add_options(further(parser, "alerts, disks and initramfs of the host"), (*NAMES[2:], *DISKS, *HOST))
