"""`raidtui fleet show`: the Fleet screen, live over the hosts or over stored answers. It writes nothing anywhere."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from raidtui.fleet.cli.rollout import named_hosts, names_hosts, transport_of
from raidtui.fleet.look import fleet_look, fleet_root, last_looks
from raidtui.fleet.roll_out import INTERVAL_S
from raidtui.fleet.sheet import Sheet
from raidtui.fleet.sheet_files import read_fleet_inventory, sheet_in
from raidtui.fleet.ssh import fold_nodeset
from raidtui.fleet.survey import FleetSurvey
from raidtui.fleet.values import FleetInventory, FleetOverview, HostLook
from raidtui.values.errors import BadInput


def show(options: argparse.Namespace) -> int:
    """Shows the hosts until it is left. Raises BadInput without hosts or without a terminal."""
    survey = _survey(options)
    from raidtui.fleet.tui.app import run_fleet  # wrong options are refused before Textual loads

    interval = INTERVAL_S if options.interval is None else options.interval
    return run_fleet(survey, interval=interval, glyphs=options.glyphs, mouse=not options.no_mouse)


def _survey(options: argparse.Namespace) -> FleetSurvey:
    folder = Path(options.sheet) if options.sheet is not None else None
    sheet = sheet_in(folder) if folder is not None else None
    if options.stored is not None and options.last:
        raise BadInput("--from and --last", hint="name one of them")
    transport = transport_of(options)
    simulated = transport.simulated is not None
    last = last_looks(fleet_root(simulated=simulated))
    stored = _stored(options, last)
    hosts = _hosts(options, sheet, stored)
    if stored is None:
        overview = FleetOverview(hosts=hosts, sheet=sheet, simulated=simulated)
        return FleetSurvey(overview=overview, transport=transport, carry=options.carry, folder=folder, last=last)
    known = set(hosts)
    found = FleetInventory(taken_at=stored.taken_at, hosts=tuple(each for each in stored.hosts if each.host in known))
    simulated = simulated or any(each.simulated for each in found.inventories.values())
    overview = FleetOverview(hosts=hosts, look=fleet_look(found, {}), sheet=sheet, simulated=simulated)
    return FleetSurvey(overview=overview, folder=folder)


def _stored(options: argparse.Namespace, last: Mapping[str, HostLook]) -> FleetInventory | None:
    """The inventories that are shown without asking; None where the hosts are asked."""
    if options.stored is not None:
        return read_fleet_inventory(Path(options.stored))
    if not options.last:
        return None
    if not last:
        raise BadInput("no look at hosts is stored", hint="raidtui fleet disks -w NODESET stores one")
    return FleetInventory(taken_at=max(each.asked_at for each in last.values()), hosts=tuple(last.values()))


def _hosts(options: argparse.Namespace, sheet: Sheet | None, stored: FleetInventory | None) -> tuple[str, ...]:
    """The hosts that are named; else those of the sheet, else those of the stored inventories."""
    known = tuple(each.host for each in sheet.hosts) if sheet is not None else ()
    if not names_hosts(options):
        if sheet is None and stored is not None:
            return tuple(each.host for each in stored.hosts)
        return known or named_hosts(options)
    hosts = named_hosts(options)
    unknown = [host for host in hosts if host not in known] if sheet is not None else []
    if unknown:
        raise BadInput(f"{fold_nodeset(unknown)} are not in the sheet", hint="leave them out, or plan the fleet again")
    return hosts
