"""All fields of a design, in form order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raidtui.model.layout import UnequalLayout
from raidtui.tui.fields.assumptions import assumption_fields, placement_field
from raidtui.tui.fields.build import (
    bitmap_field,
    chunk_field,
    file_system_field,
    metadata_field,
    mount_point_field,
    plan_name_field,
    stack_field,
)
from raidtui.tui.fields.field import Field
from raidtui.tui.fields.layout import (
    arrays_field,
    layout_field,
    level_field,
    members_field,
    redundancy_fields,
    spares_field,
    unequal_fields,
)
from raidtui.tui.state.decision import Decision

if TYPE_CHECKING:
    from raidtui.model.speed import DiskSpeed


def _array_fields(decision: Decision, disks: int) -> tuple[Field, ...]:
    """The fields of the arrays' level, number and width."""
    layout = decision.design.layout
    if isinstance(layout, UnequalLayout):
        return unequal_fields(layout)
    return (
        level_field(decision, layout, disks),
        arrays_field(decision, layout, disks),
        members_field(decision, layout, disks),
        *redundancy_fields(decision, layout),
    )


def fields(decision: Decision, disks: int, *, times: str = "x", speed: DiskSpeed | None = None) -> tuple[Field, ...]:
    """All fields of `decision` in form order, with `disks` disks available.

    `speed` is the known speed of the slowest of them.
    """
    return (
        layout_field(decision, disks, times),
        *_array_fields(decision, disks),
        spares_field(decision, disks),
        placement_field(decision),
        chunk_field(decision),
        metadata_field(decision),
        bitmap_field(decision),
        stack_field(decision),
        file_system_field(decision),
        plan_name_field(decision),
        mount_point_field(decision),
        *assumption_fields(decision, speed),
    )
