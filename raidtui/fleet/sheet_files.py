"""A sheet and its plans as files: DIR/HOST/plan.json, DIR/sheet.json, DIR/SHEET.md; all of them or none."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from raidtui.engine.runs import read_plan
from raidtui.fleet.engine import Transport
from raidtui.fleet.look import HostReply, ask_each, document_in
from raidtui.fleet.sheet import Sheet, SheetHost
from raidtui.fleet.ssh import host_name
from raidtui.fleet.texts import sheet_markdown
from raidtui.fleet.values import (
    LOOK_SCHEMA,
    CheckedHost,
    CheckVerdict,
    FleetCheck,
    FleetInventory,
    FleetLook,
    HostCheck,
    HostProblem,
)
from raidtui.machine.inventory.shipped import require_inventory_ranges
from raidtui.machine.system.files import FLEET_INVENTORY, SHEET, read_named, sync_folder, write_new
from raidtui.machine.system.places import failures, private_directory
from raidtui.steps.preflight import STALE
from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.errors import BadInput, Refused
from raidtui.values.findings import errors, first_of
from raidtui.values.plan import Plan

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


# Has every host of a sheet check its own plan. The plans are read from the sheet's directory, some at a time.


_REFUSALS = frozenset({"refused", "other-machine", "claimed"})
"""states of hosts that answered, but would not check"""
_AT_ONCE = 100
"""hosts whose plans are in memory at the same time: a plan of sixty disks has half a megabyte"""


def check_hosts(sheet: Sheet, folder: Path, hosts: Sequence[SheetHost], transport: Transport) -> FleetCheck:
    """The answers of `hosts`, planned ones of `sheet` with their plans in `folder`.

    Raises BadInput for a plan that is not the sheet's.
    """
    found: dict[str, CheckedHost] = {}
    planned = {each.host: each for each in hosts}

    def replied(reply: HostReply) -> None:
        found[reply.host] = _checked(reply)

    for part in _parts(planned):
        ask_each("check", part, lambda host: plan_of(folder, planned[host]), transport, replied)
    return FleetCheck(sheet_digest=sheet.digest, hosts=tuple(found[host.host] for host in hosts))


def _parts(hosts: Iterable[str]) -> Iterator[list[str]]:
    left = iter(hosts)
    while part := list(islice(left, _AT_ONCE)):
        yield part


def _checked(reply: HostReply) -> CheckedHost:
    check = document_in(HostCheck, reply)
    if isinstance(check, HostProblem):
        return _unanswered(reply.host, check)
    if check.begun:
        return CheckedHost(
            host=reply.host, verdict="begun", sentence="a build of this plan was started there",
            hint="look with raidtui fleet status",
        )  # fmt: skip
    wrong = errors(check.findings)
    if not wrong:
        return CheckedHost(host=reply.host, verdict="ready", findings=check.findings)
    verdict: CheckVerdict = "stale" if any(finding.code in STALE for finding in wrong) else "refused"
    return CheckedHost(
        host=reply.host, verdict=verdict, sentence=first_of(wrong), hint=wrong[0].way_out, findings=check.findings
    )


def _unanswered(host: str, problem: HostProblem) -> CheckedHost:
    verdict: CheckVerdict = "refused" if problem.state in _REFUSALS else "no answer"
    return CheckedHost(host=host, verdict=verdict, sentence=problem.sentence, hint=problem.hint)
