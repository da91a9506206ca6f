"""The command line: the only composition root. Each verb imports what it needs, when it is called.

`raidtui --help` loads neither Textual nor pydantic. Data goes to stdout, narration to stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from raidtui import __version__
from raidtui.model.choices import BITMAPS, FILE_SYSTEMS, METADATA, STACKS
from raidtui.model.errors import BadInput, Exit, MachineFailed, RaidtuiError
from raidtui.model.safe import safe

if TYPE_CHECKING:
    from raidtui.model.design import Design
    from raidtui.model.inventory import Disk, Inventory, Smart
    from raidtui.model.plan import Plan

EXAMPLES = """\
examples:
  raidtui                                              the app: disks, design, commands
  raidtui disks                                        what disks there are, and what is on them
  raidtui model '4x(12+2)+4' --disks 60x2TB            what a layout will be, to the byte
  raidtui plan '4x(12+2)+4' --chunk 256K --out build   plan, script, undo script and runbook into build/
  raidtui script build/plan.json                       the script again, from the plan

A layout is written arrays x (data+parity) + spares: (41+2)+2, raid5(3+1), raid10(8,f2), 6x raid1(2)+1.
"""
DEMO = "e2660"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb. Returns its exit code (see `model.errors.Exit`)."""
    options = _parser().parse_args(arguments)
    verb: Callable[[argparse.Namespace], int] = options.verb
    try:
        code = verb(options)
        sys.stdout.flush()
        return code
    except RaidtuiError as error:
        print(f"raidtui: {safe(str(error))}", file=sys.stderr)
        if error.hint:
            print(f"         {safe(error.hint)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _app(options: argparse.Namespace) -> int:
    from raidtui.tui.run import run

    inventory = _spare_disks(options)
    real = inventory.origin == "machine" and options.inventory is None
    return run(
        inventory,
        rescan=(lambda: _inventory(options)) if real else None,
        smart=_health if real else None,
        glyphs=options.glyphs,
        mouse=not options.no_mouse,
    )


def _spare_disks(options: argparse.Namespace) -> Inventory:
    """What the app opens on: what was asked for, else this machine, else a simulated chassis to try it on."""
    asked = options.inventory is not None or options.disks is not None
    try:
        inventory = _inventory(options)
        if asked or any(_may_be_spare(disk) for disk in inventory.disks):
            return inventory
        reason = "no spare disks here"
    except MachineFailed as problem:
        if asked:
            raise
        reason = safe(str(problem))
    from raidtui.machine import chassis

    print(f"raidtui: {reason}; showing the simulated chassis {DEMO}", file=sys.stderr)
    return chassis.load(DEMO)


def _health(disk: Disk) -> Smart | None:
    """What one drive says of its own health; None when it says nothing."""
    from raidtui.machine.health import with_health
    from raidtui.machine.host import SystemHost

    (asked,), _ = with_health(SystemHost(), (disk,))
    return asked.smart


def _may_be_spare(disk: Disk) -> bool:
    """True for a disk that may be chosen, or perhaps could be if its content had been read."""
    idle = not disk.protected and not any(use.active for use in disk.uses)
    return disk.selectable or (idle and bool(disk.id) and disk.state == "unknown")


def _disks(options: argparse.Namespace) -> int:
    from raidtui.model.codec import to_json

    inventory = _inventory(options)
    if options.json:
        print(to_json(inventory))
    else:
        from raidtui.planner.summarise import disks_table

        print(disks_table(inventory))
    for note in inventory.unread:
        print(f"raidtui: not read: {safe(note)}", file=sys.stderr)
    return Exit.DONE


def _model(options: argparse.Namespace) -> int:
    from raidtui.model.codec import to_json
    from raidtui.model.finding import refused
    from raidtui.planner.predict import predict
    from raidtui.planner.summarise import prediction_text

    prediction = predict(_design(options), _chosen(_inventory(options), options))
    print(to_json(prediction) if options.json else prediction_text(prediction))
    return Exit.REFUSED if refused(prediction.findings) else Exit.DONE


def _plan(options: argparse.Namespace) -> int:
    from raidtui.model.codec import to_json
    from raidtui.planner.summarise import plan_text

    plan = _planned(options)
    if options.out is not None:
        from pathlib import Path

        from raidtui.machine.export import write_plan

        for path in write_plan(plan, Path(options.out)):
            print(f"raidtui: wrote {safe(str(path))}", file=sys.stderr)
        if not options.json:
            return Exit.DONE
    print(to_json(plan) if options.json else plan_text(plan))
    return Exit.DONE


def _script(options: argparse.Namespace) -> int:
    plan = _planned(options)
    if options.undo:
        from raidtui.planner.export_undo import undo_script

        print(undo_script(plan), end="")
    elif options.runbook:
        from raidtui.planner.export_markdown import runbook

        print(runbook(plan), end="")
    else:
        from raidtui.planner.export_bash import script

        print(script(plan), end="")
    return Exit.DONE


def _schema(options: argparse.Namespace) -> int:
    import json

    from raidtui.model.codec import schema
    from raidtui.model.schemas import SCHEMAS

    print(json.dumps(schema(SCHEMAS[options.value]), indent=2))
    return Exit.DONE


def _inventory(options: argparse.Namespace) -> Inventory:
    """Where the disks come from: a file or chassis, a purchase, or this machine."""
    if options.inventory is not None:
        from raidtui.machine import chassis

        shipped = options.inventory in chassis.names()
        return chassis.load(options.inventory) if shipped else chassis.load_file(options.inventory)
    if options.disks is not None:
        from raidtui.planner.purchase import purchase

        return purchase(options.disks, rotational=options.rotational, sector=_sector(options.sector))
    from raidtui.machine.host import SystemHost
    from raidtui.tools import lsblk

    host = SystemHost()
    host.begin(lsblk.ARGV)  # it runs while Python loads the rest
    from raidtui.machine.probe import probe

    smart = bool(getattr(options, "smart", False))
    record = getattr(options, "record", None)
    if record is None:
        return probe(host, smart=smart)
    from pathlib import Path

    from raidtui.machine.export import write_new
    from raidtui.machine.recorded import RecordingHost

    recording = RecordingHost(host)
    inventory = probe(recording, smart=smart)
    write_new(Path(record), recording.capture_json())
    return inventory


def _sector(text: str) -> int:
    if not text.isdecimal():
        raise BadInput(f"--sector {text} is no number of bytes", hint="use --sector 512 or --sector 4096")
    return int(text)


def _chosen(inventory: Inventory, options: argparse.Namespace) -> tuple[Disk, ...]:
    """Disks that the layout may take, in the order of the inventory."""
    from raidtui.planner.choose import choose

    return choose(inventory, only=tuple(options.only or ()), exclude=tuple(options.exclude or ()))


def _design(options: argparse.Namespace) -> Design:
    from raidtui.model.design import DEFAULT_CHUNK, Design
    from raidtui.model.notation import parse
    from raidtui.model.units import parse_binary_size

    try:
        chunk = parse_binary_size(options.chunk) if options.chunk is not None else DEFAULT_CHUNK
    except ValueError as problem:
        raise BadInput(f"--chunk: {problem}", hint="write for example --chunk 256K") from problem
    return Design(
        layout=parse(options.layout),
        chunk_bytes=chunk,
        metadata=options.metadata,
        bitmap=options.bitmap,
        ppl=options.consistency_policy == "ppl",
        stack=options.stack,
        fs=options.fs,
    )


def _planned(options: argparse.Namespace) -> Plan:
    """The plan in the file that was named, or a new one for the layout that was written."""
    if options.layout.endswith(".json"):
        from pathlib import Path

        from raidtui.machine.export import read_plan

        return read_plan(Path(options.layout))
    import secrets

    from raidtui.planner.compile import compile_plan
    from raidtui.planner.predict import predict

    design = _design(options)
    inventory = _inventory(options)
    disks = _chosen(inventory, options)
    return compile_plan(
        design,
        inventory,
        disks,
        predict(design, disks),
        run_id=secrets.token_hex(16),
        name=options.name,
        mount_point=options.mount or f"/srv/{options.name}",
        host=options.host or inventory.name,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="raidtui",
        description="Design Linux md arrays to the byte, see what they will be, get the exact commands that make them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"raidtui {__version__}")
    _add_disk_options(parser, top=True)
    parser.add_argument("--glyphs", choices=("ascii", "console", "unicode"), help="characters the terminal can show")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    parser.set_defaults(verb=_app)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", prog="raidtui")

    disks = verbs.add_parser("disks", help="list the disks and what is on them; changes nothing")
    _add_disk_options(disks)
    disks.add_argument("--smart", action="store_true", help="ask every drive for its health too (slow, wakes none)")
    disks.add_argument("--record", metavar="FILE", help="also keep everything that was read, for a bug report")
    disks.add_argument("--json", action="store_true", help="the inventory as JSON")
    disks.set_defaults(verb=_disks)

    model = verbs.add_parser("model", help="what a layout will be, to the byte")
    _add_layout_options(model, "the layout, for example 4x(12+2)+4")
    model.add_argument("--json", action="store_true", help="the answer as JSON")
    model.set_defaults(verb=_model)

    plan = verbs.add_parser("plan", help="every step with its commands; executes nothing")
    _add_layout_options(plan, "the layout, or a plan's .json file")
    _add_plan_options(plan)
    plan.add_argument("--out", metavar="DIR", help="write plan.json, build.sh, undo.sh and runbook.md there")
    plan.add_argument("--json", action="store_true", help="the plan as JSON")
    plan.set_defaults(verb=_plan)

    script = verbs.add_parser("script", help="the plan as a bash script; executes nothing")
    _add_layout_options(script, "a plan's .json file, or a layout")
    _add_plan_options(script)
    form = script.add_mutually_exclusive_group()
    form.add_argument("--undo", action="store_true", help="the script that takes the plan back")
    form.add_argument("--runbook", action="store_true", help="the plan as a Markdown document")
    script.set_defaults(verb=_script)

    schema = verbs.add_parser("schema", help="the JSON Schema of a document")
    schema.add_argument("value", choices=("inventory", "prediction", "plan"))
    schema.set_defaults(verb=_schema)
    return parser


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
    parser.add_argument("--chunk", metavar="SIZE", help="chunk, for example 256K (default 512K)")
    parser.add_argument("--metadata", choices=METADATA, default="1.2", help="md superblock version")
    parser.add_argument("--bitmap", choices=BITMAPS, default="auto", help="write-intent bitmap")
    parser.add_argument("--consistency-policy", choices=("ppl",), help="ppl: partial parity log (RAID5)")
    parser.add_argument("--stack", choices=STACKS, default="lvm", help="how several arrays become one volume")
    parser.add_argument("--fs", choices=FILE_SYSTEMS, default="xfs", help="file system")
    _add_disk_options(parser)
    parser.add_argument(
        "--only", metavar="DISK", action="append", help="take only these disks (identity, serial, slot or name)"
    )
    parser.add_argument("--exclude", metavar="DISK", action="append", help="leave these disks out")


def _add_plan_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="data", help="base name of arrays, volume group and labels (default: data)")
    parser.add_argument("--mount", metavar="DIR", help="where the file system is mounted (default: /srv/NAME)")
    parser.add_argument("--host", help="host the arrays belong to (default: the inventory's)")
