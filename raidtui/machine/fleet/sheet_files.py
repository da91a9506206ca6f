"""A sheet and its plans as files: DIR/HOST/plan.json, DIR/sheet.json, DIR/SHEET.md; all of them or none."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Iterable
from pathlib import Path

from raidtui.machine.inventory.shipped import require_inventory_ranges
from raidtui.machine.run.plan_files import read_plan
from raidtui.machine.system.durable_files import sync_folder, write_new
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import FLEET_INVENTORY, SHEET, read_named
from raidtui.machine.system.private_places import private_directory
from raidtui.model.codec import document_digest, from_json, to_json
from raidtui.model.errors import BadInput, Refused
from raidtui.model.fleet.fold import LOOK_SCHEMA, FleetLook
from raidtui.model.fleet.hosts import FleetInventory
from raidtui.model.fleet.sheet import Sheet, SheetHost
from raidtui.model.plan import Plan
from raidtui.planner.fleet.sheet_text import sheet_markdown
from raidtui.tools.nodeset import host_name

_SHEET = "sheet.json"
_PAGE = "SHEET.md"
_PLAN = "plan.json"
_HEAD = 200
"""bytes of a document in which its schema stands"""
_NEW = "name a directory that does not exist"


class SheetFolder:
    """Writes the plans of a fleet one by one beside their final place; `finish` puts all of them there at once."""

    def __init__(self, path: Path) -> None:
        """Raises Refused if `path` exists, MachineFailed if nothing can be written beside it."""
        self.path = path
        self._require_new()
        self._staged = path.with_name(f".{path.name}.{os.getpid()}")
        if os.path.lexists(self._staged):
            raise Refused(f"{self._staged} exists", hint="remove it: it is what an interrupted fleet plan left")
        private_directory(self._staged)

    def keep(self, host: str, plan: Plan) -> None:
        """Writes the plan of `host`. Raises BadInput for a name that is none, MachineFailed if it cannot be written."""
        folder = self._staged / host_name(host)
        private_directory(folder)
        write_new(folder / _PLAN, to_json(plan, indent=None) + "\n")

    def finish(self, sheet: Sheet) -> None:
        """Writes the sheet, and moves everything to its place. Raises Refused if that exists now."""
        write_new(self._staged / _SHEET, to_json(sheet) + "\n")
        write_new(self._staged / _PAGE, sheet_markdown(sheet))
        self._require_new()
        with failures(self.path, _NEW):
            self._staged.rename(self.path)
            sync_folder(self.path.parent)

    def discard(self) -> None:
        """Removes what was not moved to its place."""
        shutil.rmtree(self._staged, ignore_errors=True)

    def _require_new(self) -> None:
        if os.path.lexists(self.path):
            raise Refused(f"{self.path} exists already", hint=_NEW)


def read_sheet(path: Path) -> Sheet:
    """The sheet in the file `path`. Raises BadInput if it is none, or was changed."""
    sheet = from_json(Sheet, read_named(path, SHEET), source=str(path), hint=SHEET.way_out)
    if document_digest(sheet) != sheet.digest:
        raise BadInput(f"{path} was changed after it was written: its digest does not match", hint=SHEET.way_out)
    for host in sheet.hosts:
        host_name(host.host)
    return sheet


def sheet_in(folder: Path) -> Sheet:
    """The sheet of a directory of `SheetFolder`. Raises BadInput."""
    return read_sheet(folder / _SHEET)


def plan_of(folder: Path, host: SheetHost) -> Plan:
    """The plan of a planned host in the directory of its sheet. Raises BadInput if it is not the one of the sheet."""
    path = folder / host_name(host.host) / _PLAN
    plan = read_plan(path)
    if plan.digest != host.digest:
        raise BadInput(f"{path} is not the plan of the sheet: their digests differ", hint="plan the fleet again")
    return plan


class ConfirmedPlans:
    """The plans of a sheet as they were before its confirmation, whatever becomes of their files; some 20 KB each."""

    def __init__(self, folder: Path, hosts: Iterable[SheetHost]) -> None:
        """Raises BadInput as `plan_of`."""
        self._texts = {host.host: _packed(plan_of(folder, host)) for host in hosts}

    def of(self, host: str) -> Plan:
        """The plan of a host."""
        return from_json(Plan, zlib.decompress(self._texts[host]), source=f"the plan of {host}")


def _packed(plan: Plan) -> bytes:
    return zlib.compress(to_json(plan, indent=None).encode("ascii"), 1)


def read_fleet_inventory(path: Path) -> FleetInventory:
    """The inventories in a file of `raidtui fleet disks --json`, or in a fleet inventory. Raises BadInput."""
    text, hint = read_named(path, FLEET_INVENTORY), FLEET_INVENTORY.way_out
    if LOOK_SCHEMA.encode() in text[:_HEAD]:
        found = from_json(FleetLook, text, source=str(path), hint=hint).inventory
    else:
        found = from_json(FleetInventory, text, source=str(path), hint=hint)
    names = [host_name(look.host) for look in found.hosts]
    if len(set(names)) != len(names):
        raise BadInput(f"{path}: a host is there twice", hint=hint)
    for host, inventory in found.inventories.items():
        require_inventory_ranges(inventory, f"{path}: {host}")
    return found
