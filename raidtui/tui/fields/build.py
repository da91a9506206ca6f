"""Fields beside the layout: chunk, metadata, bitmap, stack, file system, names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from raidtui.model.choices import BITMAPS, PURPOSES, Purpose
from raidtui.model.decision import Decision
from raidtui.model.layout import HybridLayout
from raidtui.model.options.option import Option
from raidtui.model.options.table import ROW
from raidtui.model.units import KIB, MIB, exact_binary, parse_binary_size
from raidtui.planner.compile.names import check_mount_point, check_name
from raidtui.planner.design.chunk_advice import MEASURE, advised_chunk
from raidtui.planner.design.options import value_of, with_value
from raidtui.tui.fields.field import Field, named, with_design
from raidtui.tui.fields.option_field import option_field

CHUNKS = tuple(4 * KIB << power for power in range(13))
"""4 KiB to 16 MiB: chunks offered by the arrow keys; any power of two from 4 KiB can be typed"""
_LARGEST_CHUNK = 1024 * MIB


def chunk_field(decision: Decision) -> Field:
    """The field of the chunk size."""
    value = decision.design.chunk_bytes
    layout = decision.design.layout
    advice = advised_chunk(decision.purpose)
    advised = exact_binary(advice.chunk_bytes)
    about = (
        f"{ROW.chunk.about} Advised for {PURPOSE_WORDS[decision.purpose]}: {advised}, because "
        f"{advice.reason}. To know instead: {MEASURE}."
    )
    if layout.plain and layout.arrays == 1:
        return Field(key="chunk", title="Chunk", shown="none", aside="disk", about="A disk without md has no chunk.")
    if layout.level == "raid1" and layout.arrays == 1:
        return Field(key="chunk", title="Chunk", shown="none", aside="mirror", about="A mirror has no chunk.")

    def read(text: str) -> Decision:
        size = parse_binary_size(text)
        if size & (size - 1) or not 4 * KIB <= size <= _LARGEST_CHUNK:
            raise ValueError(f"chunk {text.strip()}: expected a power of two from 4 KiB to 1 GiB")
        return with_design(decision, chunk_bytes=size)

    choices = tuple(sorted({*CHUNKS, value}))
    return Field(
        key="chunk", title="Chunk", shown=exact_binary(value), typed=exact_binary(value), about=about,
        aside="" if value == advice.chunk_bytes else f"{advised}?".replace(" ", ""),  # 7 cells at 80 columns
        choices=choices, at=choices.index(value),
        change=lambda size: with_design(decision, chunk_bytes=size), read=read, stop="larger chunks can be typed",
    )  # fmt: skip


PURPOSE_WORDS: dict[Purpose, str] = {
    "streams": "big files",
    "small": "small files",
    "databases": "databases",
    "backup": "backup",
}


def purpose_field(decision: Decision) -> Field:
    """The field of what the file system is for, which only the advised chunk follows."""
    return named(
        "purpose", "Use", decision.purpose, PURPOSES, shown=PURPOSE_WORDS[decision.purpose],
        change=lambda value: replace(decision, purpose=value),
        about="What the file system is for. It changes nothing by itself: the chunk that suits it is advised beside "
        "the chunk.",
    )  # fmt: skip


def bitmap_field(decision: Decision) -> Field:
    """The field of the write-intent bitmap or partial parity log."""
    design = decision.design
    if design.layout.plain:
        return Field(key="bitmap", title="Bitmap", shown="none", aside="disk", about="Without md there is no bitmap.")
    if design.layout.level == "raid0":
        return Field(key="bitmap", title="Bitmap", shown="none", aside="raid0", about="RAID0 has nothing to resync.")
    choices = (*BITMAPS, "ppl") if design.layout.level == "raid5" else BITMAPS

    def change(value: Any) -> Decision:
        ppl = value == "ppl"
        changed = with_value(ROW.consistency_policy, decision, "ppl" if ppl else None)
        return with_value(ROW.bitmap, changed, "none" if ppl else value)

    return named(
        "bitmap", "Bitmap", "ppl" if design.ppl else design.bitmap, choices, change=change,
        about=ROW.bitmap.about,
    )  # fmt: skip


def stack_field(decision: Decision) -> Field:
    """The field that chooses how several arrays are joined."""
    about = ROW.stack.about
    if isinstance(decision.design.layout, HybridLayout):
        return Field(key="stack", title="Stack", shown="lvm", aside="linear", about=about)
    if decision.design.layout.arrays == 1:
        return Field(key="stack", title="Stack", shown="none", aside="one array", about=about)
    return option_field(decision, ROW.stack)


def plan_name_field(decision: Decision) -> Field:
    """The field of the base name."""
    return _checked(decision, ROW.name, check_name)


def mount_point_field(decision: Decision) -> Field:
    """The field of the mount point."""
    return _checked(decision, ROW.mount, check_mount_point)


def _checked(decision: Decision, option: Option, check: Callable[[str], None]) -> Field:
    """The field of a text that plans refuse unless it passes `check`."""

    def read(text: str) -> Decision:
        value = option.read(text)
        check(value)
        return with_value(option, decision, value)

    now = value_of(option, decision)
    return replace(option_field(decision, option), shown=now, typed=now, read=read)
