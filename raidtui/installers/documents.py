"""The document of an export, by the name `raidtui schema` knows it by."""

from __future__ import annotations

from typing import Any

from raidtui.installers.exported import Export

SCHEMAS: dict[str, type[Any]] = {
    "export": Export,
}
