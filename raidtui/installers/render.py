"""One function from a plan to an export."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raidtui.installers import autoinstall, ignition, kickstart, nixos, system_roles
from raidtui.installers.consequences import PlanPool, with_figures
from raidtui.installers.exported import ATTRIBUTES, Attribute, AttributeCarriage, Export, ExportFile, Way
from raidtui.installers.formats import FORMATS, Format
from raidtui.installers.plan_view import PlanView, planned_values, view_of
from raidtui.installers.text import heading, made_by
from raidtui.values.choices import ExportFormat
from raidtui.values.errors import Refused
from raidtui.values.plan import Plan

_Render = Callable[[PlanView], str]
_ONE_FILE: Mapping[ExportFormat, Mapping[Way, _Render]] = {
    "kickstart": {"native": kickstart.native, "adopt": kickstart.adopted},
    "autoinstall": {"native": autoinstall.native, "adopt": autoinstall.adopted},
    "butane": {"native": ignition.butane, "adopt": ignition.butane_adopted},
    "ignition": {"native": ignition.ignition, "adopt": ignition.ignition_adopted},
    "disko": {"native": nixos.native, "adopt": nixos.adopted},
    "linux-system-roles": {"native": system_roles.native, "adopt": system_roles.adopted},
}
_OF_THE_SYSTEM: frozenset[Attribute] = frozenset({"spare group", "alert", "tuning"})
"""files of the running system, which a build before the installation does not reach"""
_HAS_THEM: frozenset[ExportFormat] = frozenset({"butane", "ignition", "disko", "linux-system-roles", "systemd"})
"""formats that write these files, or that work on the system that the build wrote them to"""


def export(plan: Plan, name: ExportFormat, way: Way, pool: PlanPool | None) -> Export:
    """`plan` for the installer of format `name`, with what it loses; figures only with the disks in `pool`.

    Raises Refused where the installer cannot build the plan, or would not know its disks.
    """
    facts, view = FORMATS[name], view_of(plan)
    if way == "native":
        _check(facts, view, name)
    attributes = carriages(view, name, way)
    if name != "systemd":  # it builds nothing whose figures could differ
        attributes = with_figures(plan, attributes, pool)
    note = facts.native_note if way == "native" else facts.adopt_note
    notes = tuple(each for each in (note, _other_way(attributes, name, way)) if each)
    title = heading(plan, facts.title, way, attributes, notes, facts.checked_by)
    return Export(
        format=name,
        way=way,
        digest=plan.digest,
        run_id=plan.run_id,
        simulated=plan.simulated,
        files=_files(view, name, way, title),
        attributes=attributes,
        checked_by=facts.checked_by,
        notes=notes,
    )


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
    built = gap.value(view) if gap is not None else ""
    if gap is None or not built:
        return AttributeCarriage(attribute=attribute, carriage="carried", planned=planned)
    if built == planned:
        return AttributeCarriage(attribute=attribute, carriage="default", planned=planned)
    return AttributeCarriage(attribute=attribute, carriage="lost", planned=planned, built=built, reason=gap.reason)


def _check(facts: Format, view: PlanView, name: ExportFormat) -> None:
    reason = next((found for check in facts.refused.values() if (found := check(view))), "")
    if reason:
        raise Refused(
            f"{facts.installer} cannot build this plan: {reason}",
            hint=f"build first, then: raidtui export {name} --adopt PLAN",
        )


def _other_way(attributes: tuple[AttributeCarriage, ...], name: ExportFormat, way: Way) -> str:
    if way == "adopt" or not any(each.carriage == "lost" for each in attributes):
        return ""
    return f"To lose none of what is listed: build first, then raidtui export {name} --adopt PLAN."


def _files(view: PlanView, name: ExportFormat, way: Way, title: str) -> tuple[ExportFile, ...]:
    if name == "systemd":
        found = ignition.native(view) if way == "native" else ignition.adopted(view)
        return tuple(
            ExportFile(name=each.name, text=made_by(view.plan, FORMATS[name].title) + each.text) for each in found
        )
    text = _ONE_FILE[name][way](view)
    first = "#cloud-config\n" if name == "autoinstall" else ""
    before = "" if name == "ignition" else first + title
    return (ExportFile(name=FORMATS[name].file, text=before + text),)
