"""Values of the options that several verbs share: disks, assumptions, a design."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from raidtui.answers.disks import disk_figures, link_figures
from raidtui.cli.output import narrate
from raidtui.engine.folders import RUNS
from raidtui.machine.inventory import measure_disks
from raidtui.machine.inventory.measure import MachineMeasurement, MeasureProgress
from raidtui.machine.system.files import is_named
from raidtui.machine.system.places import REAL_LOCK, lock_is_free, run_roots, simulated_root, speeds_path
from raidtui.predict.options import UNDECIDED, with_value
from raidtui.predict.speed.tunables import tuned
from raidtui.predict.stated_disks import choose_disks
from raidtui.values.assumptions import Assumptions, defaults_for
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.errors import BadInput, Locked
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.notation import parse
from raidtui.values.options import ASSUMPTIONS, PLANNED, ROW, TUNED, Option
from raidtui.values.safe import safe
from raidtui.values.target import TargetVersions, merged
from raidtui.values.units import LONGEST_NUMBER, counted

if TYPE_CHECKING:
    from raidtui.machine.inventory.capture import MachineCapture
    from raidtui.machine.system.ports import Host
    from raidtui.values.plan import Plan


S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")


def pool(inventory: Inventory, options: argparse.Namespace) -> tuple[Disk, ...]:
    """Disks that a layout may use, in the order of the inventory."""
    return choose_disks(inventory, only=tuple(options.only or ()), exclude=tuple(options.exclude or ()))


def chosen(inventory: Inventory, options: argparse.Namespace, decision: Decision) -> tuple[Disk, ...]:
    """Disks that a layout may use, in the order that it uses them."""
    disks = pool(inventory, options)
    if not decision.spread:
        return disks
    from raidtui.predict.placement.place import disks_for  # verbs without a layout start faster without it

    return disks_for(decision.design, disks)


def assumptions(options: argparse.Namespace, disks: Sequence[Disk]) -> Assumptions:
    """Assumptions about `disks`: the defaults, replaced by what the options give, also of what the kernel is told."""
    made = decided(options, (*ASSUMPTIONS, *TUNED), replace(UNDECIDED, assumptions=defaults_for(disks)))
    return tuned(made.assumptions, made.design)


def decision_of(options: argparse.Namespace) -> Decision:
    """The decision that a layout and its options describe, with the defaults of the models."""
    for row in (ROW.partition_size, ROW.leave):
        if getattr(options, row.key, None) is not None and options.members == "disks":
            raise BadInput(f"{row.flag} needs partitions", hint="leave out --members disks")
    return decided(options, PLANNED, Decision(design=Design(layout=parse(options.layout))))


def decided(options: argparse.Namespace, rows: Iterable[Option], decision: Decision = UNDECIDED) -> Decision:
    """`decision` with what `options` give of these rows of the table. Raises BadInput that names the option."""
    for row in rows:
        value = option_value(options, row)
        if value is not None:
            decision = read_option(options, row.flag, value, partial(with_value, row, decision), decision)
    return decision


def option_value(options: argparse.Namespace, row: Option) -> Any:
    """What `options` give of a row of the table; None if nothing. Raises BadInput that names the option."""
    said = getattr(options, row.key, None)
    said = ",".join(said) if isinstance(said, list) else said
    return read_option(options, row.flag, said, row.read, None) if isinstance(said, str) else said


def for_machine(decision: Decision, inventory: Inventory) -> Decision:
    """`decision` with the versions that it states, and of those that it does not those found in `inventory`."""
    design = decision.design
    return replace(decision, design=replace(design, target=merged(design.target or TargetVersions(), inventory.target)))


def read_option(
    options: argparse.Namespace, option: str, text: S | None, read: Callable[[S], T], otherwise: U
) -> T | U:
    """The value of `text`, `otherwise` when the option is not given. Raises BadInput that names the option."""
    if text is None:
        return otherwise
    try:
        return read(text)
    except ValueError as problem:
        verb = " ".join(filter(None, (getattr(options, "verb", ""), getattr(options, "fleet_verb", ""))))
        raise BadInput(f"{option}: {problem}", hint=f"raidtui help {verb} describes {option}") from problem


# Inventory that a verb works on: a file, a shipped chassis, disks that are not bought yet, or this machine.


def load_inventory(
    options: argparse.Namespace, capture: MachineCapture | None = None, *, as_left: bool = True
) -> Inventory:
    """The inventory that --inventory or --disks name, else this machine's; `capture` records what is read of it.

    A chassis is as the simulated runs of this user left it, which is told; unless `as_left`, as it ships.

    --bind-by-path names disks without names, --no-measured drops what was measured, --lun states geometries of LUNs.
    """
    found = _load(options, capture.host if capture is not None else None)
    found = _as_left(found) if as_left and found.origin == "chassis" else found
    if getattr(options, "bind_by_path", False):
        from raidtui.machine.inventory.block_tree import bound_by_path  # only where it is asked for

        found = bound_by_path(found)
    if not getattr(options, "measured", True):
        found = found.unmeasured
    if options.lun is None:
        return found
    from raidtui.predict.stated_disks import with_luns  # only where LUNs are stated

    return with_luns(found, options.lun)


def _as_left(shipped: Inventory) -> Inventory:
    if not simulated_root().is_dir():
        return shipped
    from raidtui.engine.site import left_on  # most verbs are asked before any run

    left = left_on(shipped)
    if left is None:
        return shipped
    run = left.plan.run_id[:8]
    narrate(f"{shipped.name} is as run {run} left it; raidtui undo {run} makes its disks blank again", simulated=True)
    return left.inventory(shipped.name)


def _load(options: argparse.Namespace, host: Host | None) -> Inventory:
    if options.inventory is not None and options.disks is not None:  # one before the verb, one behind it
        raise BadInput("--inventory cannot be combined with --disks", hint="remove one of them")
    if options.inventory is not None:
        from raidtui.machine.inventory import shipped  # only where this source is asked for

        name = options.inventory
        is_file = name not in shipped.names() and ("/" in name or os.path.lexists(name))
        return shipped.load_file(name) if is_file else shipped.load(name)
    if options.disks is not None:
        from raidtui.predict.stated_disks import (
            nvme_link,
            purchase,  # only where this source is asked for
        )

        return purchase(
            options.disks,
            rotational=options.rotational,
            sector=_sector(options.sector),
            nvme_bits_per_s=nvme_link(options.nvme) if options.nvme is not None else None,
        )
    return _this_machine(smart=getattr(options, "smart", False), host=host)


def named_inventory(options: argparse.Namespace) -> Inventory | None:
    """The inventory that --inventory or --disks name; None where neither is given."""
    return load_inventory(options) if names_disks(options) else None


def names_disks(options: argparse.Namespace) -> bool:
    """True when --inventory or --disks is given."""
    return options.inventory is not None or options.disks is not None


def capture_of(options: argparse.Namespace) -> MachineCapture | None:
    """What --record saves; None without it. Raises BadInput where another machine than this one is named."""
    if options.record is None:
        if options.mask:
            raise BadInput("--mask is about what --record saves", hint="add --record FILE")
        return None
    if names_disks(options) or getattr(options, "run", None) is not None:
        raise BadInput(
            "--record saves what is read from this machine", hint="remove --record, or RUN, --inventory and --disks"
        )
    from raidtui.machine.inventory.capture import MachineCapture  # only to record
    from raidtui.machine.system.host import SystemHost  # only to record
    from raidtui.machine.system.runner import SystemReader  # only to record

    return MachineCapture(SystemHost(), SystemReader())


def save_capture(capture: MachineCapture, options: argparse.Namespace, inventory: Inventory) -> str:
    """Writes the file of --record, which must be new; returns what to tell."""
    from pathlib import Path

    from raidtui.machine.system.files import write_new  # only to record

    write_new(Path(options.record), capture.text(inventory, mask=options.mask))
    return f"wrote {Path(options.record).absolute()}"


def _this_machine(*, smart: bool, host: Host | None) -> Inventory:
    """The disks of this machine with the speeds that were measured before; without them where `host` records."""
    if host is not None:
        from raidtui.machine.inventory.probe import probe  # beside the host

        return probe(host, smart=smart)
    from raidtui.machine.inventory.probe import (
        this_machine,
        with_stored_speeds,  # only for this source
    )

    return with_stored_speeds(this_machine(smart=smart))


def _sector(text: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise BadInput(
            f"--sector {text[:LONGEST_NUMBER]} is not a number of bytes", hint="use --sector 512 or --sector 4096"
        )
    return int(text)


# Runs and plans as a user names them, and the directories of the runs that this user may read.


_SHOWN = 5


def run_folders() -> tuple[Path, ...]:
    """Directories of all runs, real ones first; prints a line for each place that cannot be read."""
    return RUNS.all_folders(run_roots(), narrate)


def run_folder(name: str) -> Path:
    """The directory of the run whose id starts with `name`. Raises BadInput that lists the runs there are."""
    try:
        if name.removeprefix("/dev/").startswith("md"):
            hint = "without a name raidtui arrays and audit show every array; raidtui status lists runs"
            raise BadInput(f"{name} is the name of an array, not of a run, which is the build of a plan", hint=hint)
        return RUNS.find(run_roots(), name)
    except BadInput as problem:
        ids = [folder.name[:8] for folder in RUNS.all_folders(run_roots())]
        there = ", ".join(ids[:_SHOWN]) + ", ..." * (len(ids) > _SHOWN) if ids else "none"
        raise BadInput(str(problem), hint=f"{problem.hint}; runs here: {there}") from problem


def names_plan(name: str) -> bool:
    """True for a file, or a directory with a plan in it."""
    return is_named(name) or is_named(f"{name}/plan.json")


def named_plan(name: str) -> Plan:
    """The plan in the file `name`. Raises BadInput, which names the plan in a directory."""
    if not is_named(name) and names_plan(name):
        raise BadInput(f"{name} is a directory", hint=f"name the plan in it: {Path(name, 'plan.json')}")
    from raidtui.engine.runs import read_plan  # with all that a plan is written as: audit starts without it

    return read_plan(Path(name))


# `raidtui disks --measure`: says how long it takes, measures, stores, and keeps what was measured on Ctrl-C.


def measure(inventory: Inventory) -> Inventory:
    """The inventory with new figures of its free disks and of the machine, which are stored.

    Raises Locked while another process measures or a run writes.
    """
    path = speeds_path()
    with measure_disks.only_measurement(path):
        if not lock_is_free(REAL_LOCK):
            raise Locked("a run uses the disks", hint="raidtui status shows it; measure when it has ended")
        session = MachineMeasurement(inventory, measure_disks.quiet(inventory.disks))
        groups = len(session.groups)
        _say(
            f"reading {counted(len(session.quiet), 'free disk')} one by one, then those of "
            f"{counted(groups, 'shared link')} at once, then memory: about {session.seconds:.0f} s; writes nothing"
        )
        try:
            for progress in session.run():
                _tell(session, progress)
        except KeyboardInterrupt:
            _say(f"interrupted: what was measured of {len(session.found)} disks is kept")
            raise
        finally:
            if session.found or session.figures.memory:
                measure_disks.keep(path, session.found, session.figures)
    everything = measure_disks.stored(path)
    kernel = os.uname().release
    return measure_disks.with_measured(inventory, dict(everything.disks), everything.machine, kernel=kernel)


def _tell(session: MachineMeasurement, progress: MeasureProgress) -> None:
    if progress.problem:
        _say(safe(progress.problem))
        return
    for disk in progress.disks:
        _say(f"{safe(disk.kernel_name)}: {disk_figures(session.found[disk.id])}")
    for link in progress.links:
        _say(f"{safe(str(link.limit))}: {link_figures(link)}")


def _say(text: str) -> None:
    print(f"raidtui: {text}", file=sys.stderr, flush=True)
