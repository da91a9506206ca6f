"""Disk table that draws only the visible rows, so that a thousand disks cost as much as ten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from raidtui.model.inventory import Disk
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit, why
from raidtui.tui.widgets.disk_columns import DiskColumn, first_columns, matching, ordered, shown_columns, widths
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.slot_map import disk_key

_STATE = 8
"""cells for the longest state"""
_ROLE = 8
"""cells for `array A` beside it"""
_WHY = 24
"""least cells of a reason on wide screens"""


class DiskTable(Pane):
    """Rows of disks, filtered and sorted; the cursor stays on its disk."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Disks", pickable=True, id=id)
        self.disks: Sequence[Disk] = ()
        self.branch: frozenset[str] | None = None
        """keys of the disks below the picked branch; None for all"""
        self.marks: Mapping[str, Mark] = {}
        self.roles: Mapping[str, str] = {}
        self.words = ""
        self.sort: DiskColumn | None = None
        self.down = False
        self.rows: list[Disk] = []
        self._needs: Sequence[int] = ()
        self._needs_of: Sequence[Disk] | None = None
        self._longest_reason = 0
        self._aside = 0
        self.empty = "no disk matches the filter; Esc in the filter clears it"

    @property
    def disk(self) -> Disk | None:
        """The disk under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, disks: Sequence[Disk], marks: Mapping[str, Mark], roles: Mapping[str, str]) -> None:
        """Replaces the disks, their states and roles."""
        self.disks, self.marks, self.roles = disks, marks, roles
        if self._needs_of is not disks:
            self._needs, self._needs_of = widths(disks), disks
            self._longest_reason = max((len(why(disk)) for disk in disks), default=0)
        self._aside = max(self._longest_reason, *(len(role) for role in roles.values()), 0)
        self.rearrange()

    def rearrange(self) -> None:
        """Applies filter and sort order; the cursor stays on its disk if that is still shown."""
        before = self.disk
        inside = [disk for disk in self.disks if self.branch is None or disk_key(disk) in self.branch]
        found = matching(inside, self.words, lambda disk: self.marks[disk_key(disk)].word)
        self.rows = ordered(found, self.sort, down=self.down)
        key = disk_key(before) if before is not None else ""
        self.cursor = next((place for place, disk in enumerate(self.rows) if disk_key(disk) == key), self.cursor)
        parts = [f"{len(self.rows)} of {len(self.disks)}"] if len(self.rows) != len(self.disks) else []
        parts += [f"filter: {self.words}"] if self.words else []
        parts += [f"by {self.sort.title}{' down' if self.down else ''}"] if self.sort else []
        self.aside = "  ".join(parts)
        self.keep_in_view()
        self.refresh()

    def pick(self, disk: Disk) -> None:
        """Puts the cursor on `disk` if it is shown."""
        key = disk_key(disk)
        for place, row in enumerate(self.rows):
            if disk_key(row) == key:
                self.move_to(place)

    def line_count(self) -> int:
        """Number of matching rows."""
        return len(self.rows)

    def fixed_lines(self, width: int) -> Sequence[Line]:
        """Column titles."""
        titles = (fit(column.title, cells, self.glyphs, right=column.right) for column, cells in self._columns(width))
        gap = " " * self._gap(width)
        return ((*(Span(f"{title}{gap}", "muted") for title in titles), Span("  state", "muted")),)

    def title_clicked(self, number: int) -> None:
        """Sorts by the clicked column; clicked again, the other way round."""
        columns = [column for column, _ in self._columns(self.inner_width())]
        if 0 <= number < len(columns):
            self.down = self.sort is columns[number] and not self.down
            self.sort = columns[number]
            self.rearrange()
            self.post_message(self.Moved(self, self.cursor))

    def line_at(self, index: int, width: int) -> Line:
        """The row of one disk."""
        disk = self.rows[index]
        mark = self.marks[disk_key(disk)]
        dim: Tone = "text" if disk.selectable else "muted"
        gap = " " * self._gap(width)
        spans = [
            Span(fit(column.text(disk), cells, self.glyphs, right=column.right) + gap, dim)
            for column, cells in self._columns(width)
        ]
        spans.append(Span(f"{mark.glyph} {mark.word:<{_STATE}}", mark.tone))
        role = self.roles.get(disk.id, "")
        reason = why(disk)
        spans.append(Span(f" {reason or role}", "muted"))
        return tuple(spans)

    def _columns(self, width: int) -> Sequence[tuple[DiskColumn, int]]:
        return shown_columns(self._needs, width, self._keep(width)) if self._needs else ()

    def _keep(self, width: int) -> int:
        """Cells for state and reason: as many as the longest reason needs, before columns that are less important."""
        state = 2 + _STATE + 1
        least = _WHY if width >= 100 else _ROLE
        return state + max(least, min(self._aside, width - state - first_columns(self._needs)))

    def _gap(self, width: int) -> int:
        """Blanks between columns: two where there is room."""
        columns = self._columns(width)
        used = sum(cells + 1 for _, cells in columns)
        return 2 if width - self._keep(width) - used >= len(columns) else 1


def state_counts(marks: Mapping[str, Mark]) -> list[Span]:
    """How many disks are in each state, for a note line; `marks`: state of each disk."""
    counts = Counter(marks.values())
    texts = [(Span("  "), Span(f"{state.glyph} {count} {state.word}", state.tone)) for state, count in counts.items()]
    return [span for text in texts for span in text]
