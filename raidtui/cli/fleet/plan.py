"""`raidtui fleet plan`: the plans of a recipe for all hosts, and one sheet. It executes nothing on any host."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

from raidtui.cli.fleet.hosts import named_hosts, names_hosts, transport_of
from raidtui.cli.output import narrate, working
from raidtui.machine.fleet.look import look_at_hosts
from raidtui.machine.fleet.sheet_files import SheetFolder, read_fleet_inventory, read_sheet
from raidtui.machine.system.input_files import RECIPE, read_named
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import BadInput, Exit, Refused
from raidtui.model.fleet.hosts import FleetInventory
from raidtui.model.fleet.sheet import Sheet, SheetOrder
from raidtui.model.plan import Plan
from raidtui.model.safe import safe
from raidtui.planner.fleet.apply_recipe import plan_fleet
from raidtui.planner.fleet.recipe_file import read_recipe
from raidtui.planner.fleet.sheet_text import left_out_lines, sheet_text
from raidtui.tools.nodeset import fold_nodeset


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
                order=SheetOrder(first=options.first, wave_size=options.wave, stop_after=options.stop_after),
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
