"""What becomes of every attribute of a plan in a format."""

from __future__ import annotations

from raidtui.model.choices import ExportFormat
from raidtui.model.export import ATTRIBUTES, Attribute, AttributeCarriage, Way
from raidtui.planner.export.installers.formats import FORMATS
from raidtui.planner.export.installers.plan_view import PlanView
from raidtui.planner.export.installers.planned import planned_values

_OF_THE_SYSTEM: frozenset[Attribute] = frozenset({"spare group", "alert", "tuning"})
"""files of the running system, which a build before the installation does not reach"""
_HAS_THEM: frozenset[ExportFormat] = frozenset({"butane", "ignition", "disko", "linux-system-roles", "systemd"})
"""formats that write these files, or that work on the system that the build wrote them to"""


def carriages(view: PlanView, name: ExportFormat, way: Way) -> tuple[AttributeCarriage, ...]:
    """One for each attribute, without figures."""
    planned = planned_values(view)
    return tuple(_carriage(view, name, way, attribute, planned[attribute]) for attribute in ATTRIBUTES)


def _carriage(view: PlanView, name: ExportFormat, way: Way, attribute: Attribute, planned: str) -> AttributeCarriage:
    if not planned:
        return AttributeCarriage(attribute=attribute, carriage="unused")
    gap = FORMATS[name].gaps.get(attribute)
    if way == "adopt" and (attribute not in _OF_THE_SYSTEM or name in _HAS_THEM):
        gap = None
    if gap is None:
        return AttributeCarriage(attribute=attribute, carriage="carried", planned=planned)
    built = gap.value(view)
    if not built:
        return AttributeCarriage(attribute=attribute, carriage="carried", planned=planned)
    if built == planned:
        return AttributeCarriage(attribute=attribute, carriage="default", planned=planned)
    return AttributeCarriage(attribute=attribute, carriage="lost", planned=planned, built=built, reason=gap.reason)
