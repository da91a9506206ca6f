"""The documents that leave raidtui, by the name `raidtui schema` and `schemas/raidtui.json` know them by."""

from __future__ import annotations

from typing import Any

from raidtui.machine.bench.events import BenchEvent
from raidtui.machine.run.requests import ControlRequest
from raidtui.model.arrays import ObservedArrays
from raidtui.model.audit import Audit
from raidtui.model.bench import Bench, BenchResult, Profile
from raidtui.model.drill import DrillResult
from raidtui.model.export import Export
from raidtui.model.extension import Extension
from raidtui.model.fleet.check import FleetCheck, HostCheck
from raidtui.model.fleet.exchange import HostAnswer, HostRequest
from raidtui.model.fleet.fold import FleetLook
from raidtui.model.fleet.hosts import FleetInventory
from raidtui.model.fleet.orders import BuildOrder, HostRun, RunOrder
from raidtui.model.fleet.recipe import Recipe
from raidtui.model.fleet.rollout import FleetRun
from raidtui.model.fleet.sheet import Sheet
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.model.previews import BenchList, BenchPreview, TuningList, TuningPreview
from raidtui.model.printed import Findings, HelpText, ScriptText, WatchTick
from raidtui.model.proposal import Proposal
from raidtui.model.replacement import Replacement
from raidtui.model.report import Report, Section
from raidtui.model.run import RunEvent, RunList, RunStatus
from raidtui.model.saved_design import SavedDesign
from raidtui.model.tune import TuneResult

SCHEMAS: dict[str, type[Any]] = {
    "inventory": Inventory,
    "arrays": ObservedArrays,
    "audit": Audit,
    "replacement": Replacement,
    "extension": Extension,
    "prediction": Prediction,
    "plan": Plan,
    "export": Export,
    "proposal": Proposal,
    "profile": Profile,
    "bench": Bench,
    "bench-result": BenchResult,
    "bench-event": BenchEvent,
    "watch-tick": WatchTick,
    "report": Report,
    "report-section": Section,
    "run": RunStatus,
    "runs": RunList,
    "run-event": RunEvent,
    "tune-result": TuneResult,
    "drill-result": DrillResult,
    "saved-design": SavedDesign,
    "control": ControlRequest,
    "findings": Findings,
    "bench-preview": BenchPreview,
    "bench-list": BenchList,
    "tuning-preview": TuningPreview,
    "tuning-list": TuningList,
    "fleet-inventory": FleetInventory,
    "fleet-look": FleetLook,
    "fleet-run": FleetRun,
    "build-order": BuildOrder,
    "run-order": RunOrder,
    "host-run": HostRun,
    "host-request": HostRequest,
    "host-answer": HostAnswer,
    "script": ScriptText,
    "help": HelpText,
    "recipe": Recipe,
    "fleet-sheet": Sheet,
    "fleet-check": FleetCheck,
    "host-check": HostCheck,
}
