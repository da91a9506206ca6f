"""The documents that leave raidtui, by the name `raidtui schema` and `schemas/raidtui.json` know them by."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from raidtui.bench.events import BenchEvent
from raidtui.engine.folders import ControlRequest
from raidtui.values.acts import Extension, Replacement
from raidtui.values.arrays import Audit, ObservedArrays
from raidtui.values.bench import Bench, BenchResult, Profile
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.prediction import Prediction
from raidtui.values.printed import (
    BenchList,
    BenchPreview,
    Findings,
    HelpText,
    ScriptText,
    TuningPreview,
    WatchTick,
)
from raidtui.values.proposal import Proposal
from raidtui.values.report import Report, Section
from raidtui.values.run import RunEvent, RunList, RunStatus
from raidtui.values.saved_design import SavedDesign
from raidtui.values.trials import DrillResult, TuneResult

SCHEMAS: dict[str, type[Any]] = {
    "inventory": Inventory,
    "arrays": ObservedArrays,
    "audit": Audit,
    "replacement": Replacement,
    "extension": Extension,
    "prediction": Prediction,
    "plan": Plan,
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
    "script": ScriptText,
    "help": HelpText,
}
for _satellite in ("fleet", "installers"):
    SCHEMAS |= import_module(f"raidtui.{_satellite}.documents").SCHEMAS
