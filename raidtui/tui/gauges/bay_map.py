"""Slot map with the values of the gauges."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.gauges import Scene
from raidtui.model.inventory import Disk, Place
from raidtui.tui.gauges.picture import Picture
from raidtui.tui.gauges.rows import three_cells
from raidtui.tui.gauges.views import height_mark
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Mark, Span, Tone
from raidtui.tui.widgets.bays import Shelf, shelves
from raidtui.tui.widgets.slot_map import SlotMap, disk_key


class BayMap(SlotMap):
    """The bays of a scene's disks, each with value and height in the present view."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Slots", id=id, boxes=True)
        self.names: dict[str, str] = {}
        """kernel name in the scene by key of the disk; empty if the scene is of another machine"""
        self._bays: tuple[Shelf, ...] = ()

    def set_scene(self, scene: Scene, disks: Sequence[Disk] | None = None) -> None:
        """Shows another scene, if all its disks are among `disks`; without them where the scene places its disks."""
        if disks is None:
            disks = tuple(
                Disk(
                    id=each.id or each.name, kernel_name=each.name, serial=each.serial, size_bytes=each.size_bytes,
                    place=Place(controller=each.controller, enclosure=each.enclosure, slot=each.slot),
                )
                for each in scene.disks
            )  # fmt: skip
        names = {disk.id or disk.name: disk.name for disk in scene.disks}
        ours = names.keys() <= {disk.id for disk in disks if disk.id}
        self.names = {disk_key(disk): names.get(disk.id, "") for disk in disks} if ours else {}
        self._bays = shelves(disks)

    def lines_that_fit(self, width: int, most: int) -> int:
        """Number of lines where `most` lines of `width` cells are free; 0 if not all bays fit, or none is known."""
        lines = self.lines_for(self.inside_for(width, most))
        return lines if self.names and lines <= most else 0

    def show_values(self, picture: Picture) -> None:
        """Shows the newest values; there must be a tick."""
        values, glyphs = picture.history.values(picture.view), self.glyphs
        marks = {key: _mark(name, values.get(name), picture, glyphs) for key, name in self.names.items()}
        self.show(self._bays, marks, {})

    def _cell(self, disk: Disk | None, width: int) -> Sequence[Span]:
        """The level has the tone of bars, of a slow disk that of its number."""
        (shown,) = super()._cell(disk, width)
        words = shown.text.rstrip()
        if disk is None or disk_key(disk) == self.picked or len(words.strip()) < 2:
            return (shown,)
        bar: Tone = "warn" if shown.tone == "warn" else "a"
        return (Span(words[:-1], shown.tone), Span(words[-1], bar), Span(shown.text[len(words) :]))


def _mark(name: str, value: float | None, picture: Picture, glyphs: Glyphs) -> Mark:
    if value is None:
        return Mark(glyphs.failed, "gone", "bad") if name else Mark(glyphs.hole, "", "muted")
    height = height_mark(value, picture.history.height, glyphs.levels)
    tone: Tone = "warn" if name in picture.laggards else "text" if value else "muted"
    return Mark(f"{three_cells(value)}{height}", "", tone)
