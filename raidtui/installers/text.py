"""Texts that several formats share: the comment at the top of a file, JSON, what a shell checks before an adoption."""

from __future__ import annotations

import json
from collections.abc import Sequence

from raidtui.installers.consequences import lost_text
from raidtui.installers.exported import AttributeCarriage, Way
from raidtui.installers.plan_view import PlanView
from raidtui.programs.shell_quote import comment, quote
from raidtui.values.plan import Plan


def as_json(document: object) -> str:
    """JSON of `document`, which is YAML too; ASCII only, so that no parser finds a line end inside a text."""
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def heading(
    plan: Plan, title: str, way: Way, attributes: Sequence[AttributeCarriage], notes: Sequence[str], checked_by: str
) -> str:
    """Comment lines that begin with `#`: what the file is, what it loses, what to do about it."""
    made = f"{title} Made by raidtui for {plan.host}, plan {plan.name}, run {plan.run_id}."
    parts = [comment(made), comment(f"Digest of the plan: {plan.digest}."), "#"]
    if plan.simulated:
        parts.append(
            comment("SIMULATED: the disks of this plan are attached nowhere; an installer will not find them.")
        )
    lost = [each for each in attributes if each.carriage == "lost"]
    parts += [_item(note) for note in notes]
    if way == "native" and lost:
        parts.append(comment(f"{len(lost)} attributes of the plan are lost; the file cannot state them:"))
        parts += [_item(lost_text(each)) for each in lost]
    parts.append(comment(f"Format checked by: {checked_by}"))
    return "\n".join(parts) + "\n"


def made_by(plan: Plan, title: str) -> str:
    """The first comment lines: what the file is, and of which plan."""
    parts = [f"{title} Made by raidtui for {plan.host}, plan {plan.name}, run {plan.run_id}."]
    parts.append(f"Digest of the plan: {plan.digest}.")
    if plan.simulated:
        parts.append("SIMULATED: the disks of this plan are attached nowhere; an installer will not find them.")
    return "".join(f"{comment(part)}\n" for part in parts)


def _item(text: str) -> str:
    first, *rest = comment(text).split("\n")
    return "\n".join([f"# - {first[2:]}", *(f"#   {line[2:]}" for line in rest)])


def blank_check(view: PlanView, *, serials: bool) -> str:
    """Shell lines that end with exit code 1 unless every disk is there, and without a signature if it was blank.

    With `serials` also where two disks of the machine have the serial number of one of the plan. They write nothing.
    """
    lines = [
        'end() { echo "$1" >&2; exit 1; }',
        'here() { [ -b "$1" ] || end "$1 is not on this machine"; }',
        'blank() { local found; found=$(wipefs --noheadings "$1") || end "$1 cannot be read"',
        '  [ -z "$found" ] || end "$1 was blank when it was planned; it holds: $found"; }',
    ]
    if serials:
        lines.append(
            'single() { [ "$(lsblk --nodeps --noheadings --raw --output SERIAL | grep -Fxc -- "$1")" = 1 ] || '
            'end "not one disk has the serial number $1"; }'
        )
    for member in view.disks:
        disk = member.disk
        lines.append(f"here {quote(disk.path)}")
        if serials and disk.serial:
            lines.append(f"single {quote(disk.serial)}")
        if not disk.content:
            lines.append(f"blank {quote(disk.path)}")
    return "\n".join(lines) + "\n"


def adoption_check(view: PlanView) -> str:
    """Shell lines that end with exit code 1 unless the plan's arrays and file systems are there, by their UUIDs.

    It starts arrays that are not running and writes nothing.
    """
    lines = [
        "mdadm --assemble --scan --no-degraded || :",
        "udevadm settle --timeout=60 || :",
        'is() { [ "$2" = "$3" ] || { echo "$1: expected $2, found ${3:-nothing}" >&2; exit 1; }; }',
    ]
    for array in (*view.arrays, *((view.outer,) if view.outer else ())):
        found = f"$(mdadm --detail --export {quote(array.device)} | sed -n s/^MD_UUID=//p)"
        lines.append(f'is {quote(array.device)} {quote(array.uuid)} "{found}"')
    if view.volume is not None:
        lines.append(f"vgchange --activate y {quote(view.name)}")
    for made in view.filesystems:
        found = f"$(blkid --probe --match-tag UUID --output value {quote(made.device)})"
        lines.append(f'is {quote(made.device)} {quote(made.uuid)} "{found}"')
    return "\n".join(lines) + "\n"
