"""`raidtui fleet plan`: the plans of a recipe for all hosts, and one sheet. It executes nothing on any host."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

from raidtui.cli.output import narrate, show, working, wrapped_findings
from raidtui.fleet.apply import plan_fleet
from raidtui.fleet.cli.rollout import chosen_hosts, named_hosts, names_hosts, transport_of
from raidtui.fleet.look import fleet_look, fleet_root, keep_looks, look_at_hosts
from raidtui.fleet.recipe import read_recipe
from raidtui.fleet.sheet import Sheet, SheetOrder
from raidtui.fleet.sheet_files import SheetFolder, check_hosts, read_fleet_inventory, read_sheet
from raidtui.fleet.ssh import fold_nodeset
from raidtui.fleet.texts import check_text, left_out_lines, look_lines, sheet_text
from raidtui.fleet.values import FleetCheck, FleetInventory, HostLook
from raidtui.machine.system.files import RECIPE, read_named
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, RaidtuiError, Refused
from raidtui.values.plan import Plan
from raidtui.values.safe import safe
from raidtui.values.units import counted


def plan(options: argparse.Namespace) -> int:
    """Prints the sheet, or writes it with every host's plan; REFUSED where the recipe refuses a host."""
    recipe = read_recipe(read_named(Path(options.recipe), RECIPE), source=options.recipe)
    mint = secrets.token_hex(16) if options.sheet is None else read_sheet(Path(options.sheet)).mint
    folder = SheetFolder(Path(options.out)) if options.out is not None else None
    found, unanswered = _inventories(options)
    with working(f"planning {counted(len(found.inventories), 'host')}"):
        try:
            sheet = plan_fleet(
                recipe, found.inventories, mint=mint, keep=folder.keep if folder else _drop, unanswered=unanswered,
                order=SheetOrder(first=options.first or "", wave_size=options.wave, stop_after=options.stop_after),
            )  # fmt: skip
            _require_first(sheet)
            if folder is not None:
                _refuse_unready(sheet, options)
                folder.finish(sheet)
        finally:
            if folder is not None:
                folder.discard()
    if folder is not None:
        narrate(f"wrote {folder.path.absolute()}: {counted(sheet.sums.planned, 'plan')}, sheet.json, SHEET.md")
        for line in left_out_lines(sheet):
            narrate(f"left out: {line}")
    if options.json or folder is None:
        print(to_json(sheet) if options.json else sheet_text(sheet))
    return Exit.REFUSED if _refused(sheet) else Exit.DONE


def _drop(_host: str, _plan: Plan) -> None:
    """Without --out only the sheet is kept."""


def _inventories(options: argparse.Namespace) -> tuple[FleetInventory, dict[str, str]]:
    """The hosts that are named, or those of the file; with it, the reason of each without an inventory."""
    if options.stored is None:
        hosts = named_hosts(options)
        with working(f"asking {counted(len(hosts), 'host')}"):
            found = look_at_hosts(hosts, transport_of(options), options.carry)
        missing: tuple[str, ...] = ()
    else:
        found = read_fleet_inventory(Path(options.stored))
        known = {look.host for look in found.hosts}
        wanted = named_hosts(options) if names_hosts(options) else tuple(look.host for look in found.hosts)
        missing = tuple(host for host in wanted if host not in known)
        found = FleetInventory(
            taken_at=found.taken_at, hosts=tuple(look for look in found.hosts if look.host in set(wanted))
        )
    unanswered = {look.host: look.problem.sentence for look in found.problems if look.problem is not None}
    return found, unanswered | dict.fromkeys(missing, f"not in {options.stored}")


def _require_first(sheet: Sheet) -> None:
    """Raises BadInput if the host that is to be built first has no plan."""
    planned = [host.host for host in sheet.hosts if host.state == "planned"]
    if planned and sheet.order.first not in planned:
        raise BadInput(
            f"--first {safe(sheet.order.first, longest=100)}: this host has no plan",
            hint=f"one of {fold_nodeset(planned)}",
        )


def _refused(sheet: Sheet) -> bool:
    return sheet.sums.refused > 0 or sheet.sums.planned == 0


def _refuse_unready(sheet: Sheet, options: argparse.Namespace) -> None:
    """Shows the sheet and raises Refused where a host is refused: then no plan is written."""
    if not _refused(sheet):
        return
    print(to_json(sheet) if options.json else sheet_text(sheet))
    if sheet.sums.refused == 0:
        raise Refused("no host has a plan; nothing was written", hint="the sheet names the reason of each host")
    raise Refused(
        f"{counted(sheet.sums.refused, 'host')} refused; nothing was written",
        hint='the sheet names each reason; name other hosts, or write differs = "skip" or "fit" in the recipe',
    )


# `raidtui fleet check`: every host of a sheet checks its own plan on its own disks. It writes nothing on any host.


def check(options: argparse.Namespace) -> int:
    """Prints the answers, folded: REFUSED or STALE where a host refuses, MACHINE where one does not answer."""
    chosen = chosen_hosts(options)
    with working(f"{counted(len(chosen.hosts), 'host')} check their plans"):
        found = check_hosts(chosen.sheet, chosen.folder, chosen.hosts, chosen.transport)
    print(to_json(found) if options.json else check_text(found))
    return _exit(found)


def _exit(found: FleetCheck) -> Exit:
    verdicts = {host.verdict for host in found.hosts}
    if verdicts & {"refused", "begun"}:
        return Exit.REFUSED
    if "stale" in verdicts:
        return Exit.STALE
    return Exit.DONE if found.ready else Exit.MACHINE


# `raidtui fleet disks`: disks and versions of all hosts, folded to distinct machines, compared with the last look.


def disks(options: argparse.Namespace) -> int:
    """Prints what the hosts have; MACHINE where one of them did not answer."""
    hosts = named_hosts(options)
    transport = transport_of(options)
    simulated = transport.simulated is not None
    with working(f"asking {len(hosts)} hosts"):
        found = look_at_hosts(hosts, transport, options.carry)
        look = fleet_look(found, _kept(found, simulated=simulated))
    if options.json:
        print(to_json(look, indent=None))
    else:
        show(look_lines(look), sys.stdout, simulated=simulated)
        show(wrapped_findings(look.findings, sys.stderr, simulated=simulated), sys.stderr, simulated=simulated)
    return Exit.MACHINE if found.problems else Exit.DONE


def _kept(found: FleetInventory, *, simulated: bool) -> Mapping[str, HostLook]:
    """What was known before; a look that cannot be stored is still shown."""
    try:
        return keep_looks(fleet_root(simulated=simulated), found)
    except RaidtuiError as problem:
        narrate(f"this look is not stored: {problem.with_hint}", simulated=simulated)
        return {}
