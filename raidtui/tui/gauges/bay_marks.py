"""Values of the gauges as marks of the slot map. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.gauges import Scene
from raidtui.model.inventory import Disk
from raidtui.tui.gauges.picture import Picture
from raidtui.tui.gauges.rows import three_cells
from raidtui.tui.gauges.views import KINDS, level
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Mark, Tone
from raidtui.tui.widgets.slot_map import disk_key


def placed(scene: Scene, disks: Sequence[Disk]) -> list[tuple[Disk, str]]:
    """Each of `disks` with its kernel name in `scene`; none if `scene` has other disks: it is of another machine."""
    names = {disk.id: disk.name for disk in scene.disks}
    known = {disk.id for disk in disks if disk.id}
    return [(disk, names.get(disk.id, "")) for disk in disks] if names.keys() <= known else []


def bay_marks(disks: Sequence[tuple[Disk, str]], picture: Picture, glyphs: Glyphs) -> dict[str, Mark]:
    """Value and height of each disk in the present view, by its key; `disks`: see `placed`."""
    values, levels = picture.history.values(picture.view), glyphs.levels
    marks = {}
    for disk, name in disks:
        value = values.get(name)
        if value is None:
            marks[disk_key(disk)] = Mark(glyphs.failed, "gone", "bad") if name else Mark(glyphs.hole, "", "muted")
            continue
        height = levels[level(value, picture.history.height, len(levels))]
        tone: Tone = "warn" if name in picture.laggards else "text" if value else "muted"
        marks[disk_key(disk)] = Mark(f"{three_cells(value)}{height}", KINDS[picture.view].words, tone)
    return marks
