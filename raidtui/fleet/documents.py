"""The documents of a fleet that leave raidtui, by the name `raidtui schema` knows them by."""

from __future__ import annotations

from typing import Any

from raidtui.fleet.recipe import Recipe
from raidtui.fleet.sheet import Sheet
from raidtui.fleet.values import (
    BuildOrder,
    FleetCheck,
    FleetInventory,
    FleetLook,
    FleetRun,
    HostAnswer,
    HostCheck,
    HostRequest,
    HostRun,
    RunOrder,
)

SCHEMAS: dict[str, type[Any]] = {
    "fleet-inventory": FleetInventory,
    "fleet-look": FleetLook,
    "fleet-run": FleetRun,
    "build-order": BuildOrder,
    "run-order": RunOrder,
    "host-run": HostRun,
    "host-request": HostRequest,
    "host-answer": HostAnswer,
    "recipe": Recipe,
    "fleet-sheet": Sheet,
    "fleet-check": FleetCheck,
    "host-check": HostCheck,
}
