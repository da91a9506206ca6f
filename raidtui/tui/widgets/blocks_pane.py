"""The one widget that shows an answer: blocks as lines, groups that open, and a cursor on what can be picked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.tui.terminal.text import Line
from raidtui.tui.widgets.dialogs import TextDialog
from raidtui.tui.widgets.lines import BlockLine, block_lines, laid_out
from raidtui.tui.widgets.pane import Pane
from raidtui.values.blocks import Block, FigureRow, Group, Item

_READABLE = 76
"""most cells of a line of a dialog's text"""


class BlocksPane(Pane):
    """Blocks under a heading. The cursor moves over groups, items with details, figures and keys; else it scrolls.

    Enter opens and closes a group, shows an item's details, and posts `Opened` for all else.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", tooltip="open or close the group, or show all of what the cursor is on",
                id="blocks.open", priority=True),
    ]  # fmt: skip

    @dataclass
    class Opened(Message):
        """Enter was pressed on a figure or on a row with a key."""

        pane: BlocksPane
        picks: FigureRow | str

        @property
        def control(self) -> BlocksPane:
            """The pane, for `@on` selectors."""
            return self.pane

    def __init__(self, heading: str, *, id: str | None = None) -> None:
        super().__init__(heading, id=id)
        self.keeps_mark = False
        self.fills = False
        """True: groups are open from the first on, as far as all of them fit"""
        self.blocks: Sequence[Block] = ()
        self.opened: dict[str, bool] = {}
        """groups that were opened or closed here, by title"""
        self._laid: Sequence[BlockLine] = ()
        self._at = ""
        """name of what the cursor is on"""
        self._starts: Sequence[int] = ()
        """lines on which the cursor rests"""
        self.most = sys.maxsize
        """most cells of a line"""

    def show(self, blocks: Sequence[Block], *, aside: str = "") -> None:
        """Replaces the blocks; the cursor of a pane with the focus stays on what it is on, if that is still there."""
        if not self.has_focus:
            self._at = ""
        self.blocks = blocks
        self.renew(self._lay, aside=aside)

    def _lay(self, width: int) -> Sequence[Line]:
        width = min(width, self.most)
        self._laid = laid_out(self.blocks, width, self.glyphs, self._opened_in(width, self.room()))
        self._starts = [
            at for at, each in enumerate(self._laid)
            if each.picks is not None and (at == 0 or self._laid[at - 1].picks is not each.picks)
        ]  # fmt: skip
        self.pickable = bool(self._starts)
        if self._starts:
            before = max((at for at in self._starts if at <= self.cursor), default=self._starts[0])
            named = (at for at in self._starts if self._laid[at].name == self._at)
            self.cursor = next(named, before) if self._at else before
        return [each.spans for each in self._laid]

    def lines_in(self, width: int, most: int) -> int:
        """Lines of its blocks in `width` cells, with as many groups open as `most` lines have room for."""
        return len(laid_out(self.blocks, width, self.glyphs, self._opened_in(width, most)))

    def _opened_in(self, width: int, room: int) -> dict[str, bool]:
        """Which groups are open: as somebody left them, else the first ones that fit."""
        opened = dict(self.opened)
        groups = [each for each in self.blocks if isinstance(each, Group) and each.key not in opened]
        for group in groups if self.fills else ():
            with_it = {**opened, group.key: True}
            if len(laid_out(self.blocks, width, self.glyphs, with_it)) > room:
                break
            opened = with_it
        return opened

    @property
    def picked(self) -> Group | Item | FigureRow | str | None:
        """What the cursor is on; None where there is nothing to pick."""
        self._made()
        return self._laid[self.cursor].picks if self.cursor < len(self._laid) else None

    @property
    def name_at_cursor(self) -> str:
        """Name of what the cursor is on: of a figure with the one that it belongs to; empty for none."""
        self._made()
        return self._laid[self.cursor].name if self.pickable and self.cursor < len(self._laid) else ""

    @property
    def number(self) -> int:
        """Number of what the cursor is on among all that it can be on, from 0."""
        return max((number for number, start in enumerate(self._starts) if start <= self.cursor), default=0)

    def move_to(self, index: int) -> None:
        """Puts the cursor on the first line of what line `index` belongs to; without a cursor scrolls there."""
        self._made()
        starts = self._starts
        if not starts:
            super().move_to(index)
            return
        start = next((start for start in reversed(starts) if start <= index), starts[0])
        self._at = self._laid[start].name
        super().move_to(start)

    def move_to_name(self, name: str) -> None:
        """Puts the cursor on the row, item, group or figure of that name, or scrolls to that heading."""
        self._made()
        self.move_to(next((at for at, each in enumerate(self._laid) if each.name == name), 0))

    def action_move(self, by: int) -> None:
        """Moves to the first thing that starts `by` lines away or beyond."""
        if not self.pickable:
            super().action_move(by)
            return
        index = self.cursor + by
        self.move_to(next((start for start in self._starts if start >= index), self._starts[-1]) if by > 0 else index)

    def keep_in_view(self) -> None:
        """Also shows the title above the first thing, and the last line of what the cursor is on, where it fits."""
        super().keep_in_view()
        if not self._starts or not self.size:
            return
        after = (*self._starts, self.line_count())[self.number + 1]
        if after > self.top + self.room():
            self.top = min(after - self.room(), self.cursor)
        if self.cursor == self._starts[0] < self.room():
            self.top = 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leaves Enter to the screen where there is nothing to open."""
        return self.pickable if action == "open" else super().check_action(action, parameters)

    def action_open(self) -> None:
        """Opens or closes a group, shows the details of an item, or posts `Opened`."""
        match self.picked:
            case Group() as group:
                opened = self._opened_in(self.inner_width(), self.room())
                self.opened[group.key] = not opened.get(group.key, group.opens)
                self.show(self.blocks, aside=self.aside)
                self.post_message(self.Moved(self, self.cursor))
            case None:
                pass
            case Item() as item:
                width = min(self.app.size.width - 6, _READABLE)
                self.app.push_screen(TextDialog(item.mark, block_lines(item.details, width, self.glyphs)))
            case FigureRow() | str() as picks:
                self.post_message(self.Opened(self, picks))

    def _position(self) -> str:
        if not self.pickable:
            return super()._position()
        return f"{self.number + 1} of {len(self._starts)}" if self.line_count() > self.room() else ""
