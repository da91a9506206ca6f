"""All fields of a design, in form order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raidtui.session.fields.design import (
    assumption_fields,
    assumptions_line,
    bitmap_field,
    chunk_field,
    mount_point_field,
    option_fields,
    options_line,
    plan_name_field,
    purpose_field,
    stack_field,
)
from raidtui.session.fields.field import PAGES, Field, FieldPage, option_field
from raidtui.session.fields.layout import (
    arrays_field,
    given_fields,
    layout_field,
    level_field,
    members_field,
    redundancy_fields,
    spares_field,
)
from raidtui.values.decision import Decision
from raidtui.values.notation import show
from raidtui.values.options import ROW

if TYPE_CHECKING:
    from raidtui.values.speed import DiskSpeed
    from raidtui.values.target import TargetVersions


def _array_fields(decision: Decision, disks: int) -> tuple[Field, ...]:
    """The fields of the arrays' level, number and width."""
    layout = decision.design.layout
    if layout.equal is None:
        return given_fields(layout)
    return (
        level_field(decision, layout, disks),
        arrays_field(decision, layout, disks),
        members_field(decision, layout, disks),
        *redundancy_fields(decision, layout),
    )


def page_of(
    page: FieldPage,
    decision: Decision,
    disks: int,
    *,
    times: str = "x",
    speed: DiskSpeed | None = None,
    found: TargetVersions | None = None,
) -> tuple[Field, ...]:
    """The fields of `decision` on a page, in form order, with `disks` disks available.

    `speed` is the known speed of the slowest of them, `found` the versions of the machine.
    """
    match page:
        case "layout":
            return (
                layout_field(decision, disks, times),
                *_array_fields(decision, disks),
                spares_field(decision, disks),
                option_field(decision, ROW.spread),
                purpose_field(decision),
                chunk_field(decision),
                option_field(decision, ROW.metadata),
                bitmap_field(decision),
                stack_field(decision),
                option_field(decision, ROW.fs),
                plan_name_field(decision),
                mount_point_field(decision),
                options_line(decision),
                assumptions_line(decision),
            )
        case "options":
            return (_back(decision, times), *option_fields(decision, found))
        case "assumptions":
            return (_back(decision, times), *assumption_fields(decision, speed))


def _back(decision: Decision, times: str) -> Field:
    return Field(
        key="back", title="Layout", shown=show(decision.design.layout, times=times), aside="back", opens="layout",
        about="The first page of the form: arrays, chunk, file system and names.",
    )  # fmt: skip


def fields(decision: Decision, disks: int, *, speed: DiskSpeed | None = None) -> tuple[Field, ...]:
    """The fields of all pages, without the lines that lead back to the first."""
    found = (field for page in PAGES for field in page_of(page, decision, disks, speed=speed))
    return tuple(field for field in found if field.opens != "layout")
