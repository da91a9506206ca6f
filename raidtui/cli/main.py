"""The command line: the only composition root. Each verb imports what it needs, when it is called.

`raidtui --help` loads neither Textual nor pydantic. Data goes to stdout, narration to stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from raidtui.cli.arguments import parser
from raidtui.model.errors import BadInput, Exit, MachineFailed, RaidtuiError
from raidtui.model.ranges import LONGEST_NUMBER
from raidtui.model.safe import safe

if TYPE_CHECKING:
    from pathlib import Path

    from raidtui.model.assumptions import Assumptions
    from raidtui.model.choices import Initramfs
    from raidtui.model.design import Design
    from raidtui.model.inventory import Disk, Inventory, Smart
    from raidtui.model.plan import Plan
    from raidtui.model.proposal import Constraints

DEMO = "e2660"
T = TypeVar("T")
U = TypeVar("U")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb. Returns its exit code (see `model.errors.Exit`)."""
    options = parser().parse_args(arguments)
    try:
        code = VERBS[options.verb](options)
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
    from raidtui.tui.start import run

    replay = None if options.replay is None else _recorded(options.replay)
    inventory = _spare_disks(options)
    real = inventory.origin == "machine" and options.inventory is None
    return run(
        inventory,
        rescan=(lambda: _inventory(options)) if real else None,
        smart=_health if real else None,
        glyphs=options.glyphs,
        mouse=not options.no_mouse,
        allow_writes=options.allow_writes,
        play=replay,
    )


def _recorded(name: str) -> Path:
    """The folder of a benchmark: one that is named, or that the beginning of an id names."""
    from raidtui.machine.bench import store

    return store.find(store.root(), name)


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
    from raidtui.machine.inventory import shipped as chassis

    print(f"raidtui: {reason}; showing the simulated chassis {DEMO}", file=sys.stderr)
    return chassis.load(DEMO)


def _health(disk: Disk) -> Smart | None:
    """What one drive says of its own health; None when it says nothing."""
    from raidtui.machine.host import SystemHost
    from raidtui.machine.inventory.smart import with_health

    (asked,), _ = with_health(SystemHost(), (disk,))
    return asked.smart


def _may_be_spare(disk: Disk) -> bool:
    """True for a disk that may be chosen, or perhaps could be if its content had been read."""
    idle = not disk.protected and not any(use.active for use in disk.uses)
    return disk.selectable or (idle and bool(disk.id) and disk.state == "unknown")


def _disks(options: argparse.Namespace) -> int:
    from raidtui.model.codec import to_json

    inventory = _inventory(options)
    if options.measure:
        inventory = _measured(inventory)
    if options.json:
        print(to_json(inventory))
    else:
        from raidtui.planner.text.summary import disks_table

        print(disks_table(inventory))
    for note in inventory.unread:
        print(f"raidtui: not read: {safe(note)}", file=sys.stderr)
    return Exit.DONE


def _measured(inventory: Inventory) -> Inventory:
    """Reads every disk that nothing uses, one after the other, and keeps how fast it was."""
    from raidtui.machine.inventory import measured_speeds
    from raidtui.machine.state_paths import speeds_path
    from raidtui.planner.numbers import rate

    if inventory.origin != "machine":
        raise BadInput(f"the disks of {inventory.name} are not attached here", hint="leave --measure out")
    disks = measured_speeds.quiet(inventory.disks)
    spent = len(disks) * 2 * measured_speeds.SECONDS
    print(f"raidtui: reads {len(disks)} disks that nothing uses, one by one, about {spent:.0f} s", file=sys.stderr)
    found = {}
    for disk in disks:
        found[disk.id] = measured_speeds.measure(disk)
        outer, inner = found[disk.id].outer_bytes_per_s, found[disk.id].inner_bytes_per_s
        print(f"raidtui: {safe(disk.kernel_name)}: {rate(outer)} outer, {rate(inner or outer)} inner", file=sys.stderr)
    measured_speeds.keep(speeds_path(), found)
    return measured_speeds.with_measured(inventory, found)


def _propose(options: argparse.Namespace) -> int:
    from raidtui.model.codec import to_json
    from raidtui.model.finding import refused
    from raidtui.planner.search.propose import propose
    from raidtui.planner.text.proposal import proposal_text

    inventory = _inventory(options)
    disks = _pool(inventory, options)
    constraints, assumptions = _constraints(options), _assumptions(options, disks)
    proposal = propose(inventory, disks, constraints, assumptions, every=options.every)
    print(to_json(proposal) if options.json else proposal_text(proposal))
    return Exit.REFUSED if refused(proposal.findings) else Exit.DONE


def _model(options: argparse.Namespace) -> int:
    from raidtui.model.codec import to_json
    from raidtui.model.finding import refused
    from raidtui.planner.design.assess import assessed
    from raidtui.planner.design.predict import predict
    from raidtui.planner.text.summary import prediction_text

    design, inventory = _design(options), _inventory(options)
    disks = _chosen(inventory, options, design)
    prediction = assessed(
        design, disks, predict(design, disks), inventory, _assumptions(options, disks), spread=options.spread
    )
    print(to_json(prediction) if options.json else prediction_text(prediction))
    return Exit.REFUSED if refused(prediction.findings) else Exit.DONE


def _plan(options: argparse.Namespace) -> int:
    from raidtui.model.codec import to_json
    from raidtui.planner.text.summary import plan_text

    plan = _planned(options)
    if options.out is not None:
        from pathlib import Path

        from raidtui.machine.run.plan_files import write_plan

        for path in write_plan(plan, Path(options.out)):
            print(f"raidtui: wrote {safe(str(path))}", file=sys.stderr)
        if not options.json:
            return Exit.DONE
    print(to_json(plan) if options.json else plan_text(plan))
    return Exit.DONE


def _script(options: argparse.Namespace) -> int:
    plan = _planned(options)
    if options.undo:
        from raidtui.planner.export.undo_script import undo_script

        print(undo_script(plan), end="")
    elif options.runbook:
        from raidtui.planner.export.runbook import runbook

        print(runbook(plan), end="")
    else:
        from raidtui.planner.export.bash_script import script

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
        from raidtui.machine.inventory import shipped as chassis

        shipped = options.inventory in chassis.names()
        return chassis.load(options.inventory) if shipped else chassis.load_file(options.inventory)
    if options.disks is not None:
        from raidtui.planner.design.purchase import purchase

        return purchase(options.disks, rotational=options.rotational, sector=_sector(options.sector))
    from raidtui.machine.host import SystemHost
    from raidtui.tools import lsblk

    host = SystemHost()
    host.begin(lsblk.ARGV)  # it runs while Python loads the rest
    from raidtui.machine.inventory.probe import probe

    smart = bool(getattr(options, "smart", False))
    record = getattr(options, "record", None)
    if record is None:
        return _with_speeds(probe(host, smart=smart))
    from pathlib import Path

    from raidtui.machine.inventory.capture import RecordingHost
    from raidtui.machine.run.plan_files import write_new

    recording = RecordingHost(host)
    inventory = probe(recording, smart=smart)
    write_new(Path(record), recording.capture_json())
    return inventory


def _with_speeds(inventory: Inventory) -> Inventory:
    """With what was measured of these disks before, where anything was."""
    from raidtui.machine.state_paths import speeds_path

    if not speeds_path().exists():
        return inventory
    from raidtui.machine.inventory import measured_speeds

    return measured_speeds.with_measured(inventory, measured_speeds.kept(speeds_path()))


def _sector(text: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise BadInput(
            f"--sector {text[:LONGEST_NUMBER]} is no number of bytes", hint="use --sector 512 or --sector 4096"
        )
    return int(text)


def _pool(inventory: Inventory, options: argparse.Namespace) -> tuple[Disk, ...]:
    """Disks that a layout may take, in the order of the inventory."""
    from raidtui.planner.design.choose_disks import choose

    return choose(inventory, only=tuple(options.only or ()), exclude=tuple(options.exclude or ()))


def _chosen(inventory: Inventory, options: argparse.Namespace, design: Design) -> tuple[Disk, ...]:
    """The pool in the order that the layout takes it."""
    pool = _pool(inventory, options)
    if not options.spread:
        return pool
    from raidtui.planner.design.assess import spread_out

    return spread_out(design.layout, pool)


def _constraints(options: argparse.Namespace) -> Constraints:
    from raidtui.model.choices import WISHES
    from raidtui.model.notation import parse, show
    from raidtui.model.proposal import Constraints
    from raidtui.model.units import parse_share, parse_size

    wishes = tuple(wish.strip() for wish in options.prefer.split(",")) if options.prefer else ()
    for wish in wishes:
        if wish not in WISHES:
            raise BadInput(f"--prefer: '{wish}' is none of them", hint=f"write some of {','.join(WISHES)}")
    return Constraints(
        usable_bytes=_read("--usable", options.usable, parse_size, 0),
        survive=options.survive,
        spares=options.spares,
        max_width=options.max_width,
        survive_domain=options.survive_loss_of,
        levels=tuple(options.level or ()),
        max_annual_loss=_read("--max-loss", options.max_loss, parse_share, None),
        price_per_disk=options.price,
        wishes=wishes,
        compare=tuple(show(parse(layout)) for layout in options.compare or ()),
        chunk_bytes=_chunk(options),
        stack=options.stack,
        fs=options.fs,
    )


def _assumptions(options: argparse.Namespace, disks: Sequence[Disk]) -> Assumptions:
    """What is taken for granted of `disks`, but for what was said."""
    from dataclasses import replace

    from raidtui.model.assumptions import defaults_for, out_of_range
    from raidtui.model.units import parse_rate, parse_share

    said = {
        "disk_bytes_per_s": _read("--disk-speed", options.disk_speed, parse_rate, None),
        "disk_iops": options.disk_iops,
        "link_bytes_per_s": _read("--link-ceiling", options.link_ceiling, parse_rate, None),
        "afr": _read("--afr", options.afr, parse_share, None),
        "ure_per_bit": _read("--ure", options.ure, parse_share, None),
        "restock_days": options.restock_days,
        "enclosure_afr": _read("--enclosure-afr", options.enclosure_afr, parse_share, None),
        "sync_max_bytes_per_s": _read("--sync-max", options.sync_max, parse_rate, None),
        "parity_threads": options.parity_threads,
        "monitor": False if options.no_monitor else None,
        "rebuild_share": _read("--rebuild-share", options.rebuild_share, parse_share, None),
    }
    assumptions = replace(defaults_for(disks), **{name: value for name, value in said.items() if value is not None})
    wrong = out_of_range(assumptions)
    if wrong:
        name, least, most = wrong
        raise BadInput(f"{name} {getattr(assumptions, name):g} is out of range", hint=f"write {least:g} to {most:g}")
    return assumptions


def _read(option: str, text: str | None, read: Callable[[str], T], otherwise: U) -> T | U:
    """What `text` means, `otherwise` when the option was not given. Raises BadInput that names the option."""
    if text is None:
        return otherwise
    try:
        return read(text)
    except ValueError as problem:
        raise BadInput(f"{option}: {problem}", hint=f"see raidtui {option} in --help") from problem


def _chunk(options: argparse.Namespace) -> int:
    from raidtui.model.design import DEFAULT_CHUNK
    from raidtui.model.units import parse_binary_size

    return _read("--chunk", options.chunk, parse_binary_size, DEFAULT_CHUNK)


def _design(options: argparse.Namespace) -> Design:
    from raidtui.model.design import Design
    from raidtui.model.notation import parse

    return Design(
        layout=parse(options.layout),
        chunk_bytes=_chunk(options),
        metadata=options.metadata,
        bitmap=options.bitmap,
        ppl=options.consistency_policy == "ppl",
        stack=options.stack,
        fs=options.fs,
    )


def _initramfs(inventory: Inventory) -> Initramfs:
    """How the host of the plan rebuilds its initramfs: as this machine does, if it is this machine's."""
    if inventory.origin != "machine":
        return "debian"
    from raidtui.machine.host import installed

    return "dracut" if installed("dracut") and not installed("update-initramfs") else "debian"


def _planned(options: argparse.Namespace) -> Plan:
    """The plan in the file that was named, or a new one for the layout that was written."""
    if options.layout.endswith(".json"):
        from pathlib import Path

        from raidtui.machine.run.plan_files import read_plan

        return read_plan(Path(options.layout))
    import secrets

    from raidtui.planner.compile.plan import compile_plan
    from raidtui.planner.design.predict import predict

    design = _design(options)
    inventory = _inventory(options)
    disks = _chosen(inventory, options, design)
    return compile_plan(
        design,
        inventory,
        disks,
        predict(design, disks),
        run_id=secrets.token_hex(16),
        name=options.name,
        mount_point=options.mount or f"/srv/{options.name}",
        host=options.host or inventory.name,
        initramfs=options.initramfs or _initramfs(inventory),
    )


def _build(options: argparse.Namespace) -> int:
    from raidtui.cli.run import build

    return build(options, _simulated_disks(options))


def _resume(options: argparse.Namespace) -> int:
    from raidtui.cli.run import resume

    return resume(options, _simulated_disks(options))


def _undo(options: argparse.Namespace) -> int:
    from raidtui.cli.run import undo

    return undo(options, _simulated_disks(options))


def _status(options: argparse.Namespace) -> int:
    from raidtui.cli.run import status

    return status(options)


def _wish(options: argparse.Namespace) -> int:
    from raidtui.cli.run import wish

    return wish(options)


def _tune(options: argparse.Namespace) -> int:
    from raidtui.cli.tune import tune

    return tune(options, lambda: _inventory(options), _chosen, _initramfs)


def _drill(options: argparse.Namespace) -> int:
    from raidtui.cli.drill import drill

    return drill(options)


def _execute(options: argparse.Namespace) -> int:
    if options.purpose in ("tune", "settings", "drill"):
        from pathlib import Path

        folder, how = Path(options.folder), {"simulated": options.simulated, "speed_up": options.speed_up}
        if options.purpose == "drill":
            from raidtui.cli.drill import execute

            return execute(folder, options.digest, **how)
        from raidtui.cli.tune import execute as tune_execute

        return tune_execute(folder, options.purpose, options.digest, **how)
    from raidtui.cli.run import executor

    return executor(options)


def _simulated_disks(options: argparse.Namespace) -> Inventory | None:
    """The disks that a simulated plan was made on, where they are named; none for a plan on real ones."""
    return _inventory(options) if options.inventory is not None or options.disks is not None else None


def _watch(options: argparse.Namespace) -> int:
    from raidtui.cli.watch import watch

    return watch(options, lambda: _inventory(options))


def _bench(options: argparse.Namespace) -> int:
    from raidtui.cli.bench import bench

    return bench(options, lambda: _inventory(options))


def _report(options: argparse.Namespace) -> int:
    from raidtui.cli.report import report

    return report(options)


VERBS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "app": _app,
    "disks": _disks,
    "propose": _propose,
    "model": _model,
    "plan": _plan,
    "script": _script,
    "build": _build,
    "resume": _resume,
    "undo": _undo,
    "status": _status,
    "wish": _wish,
    "execute": _execute,
    "tune": _tune,
    "drill": _drill,
    "watch": _watch,
    "bench": _bench,
    "report": _report,
    "schema": _schema,
}
