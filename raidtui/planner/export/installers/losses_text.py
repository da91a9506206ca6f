"""Lines that say what an export carries and loses, as the command line prints them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from raidtui.model.export import Export
from raidtui.planner.export.installers.figures_text import lost_text
from raidtui.planner.text.shell_quote import ascii_text


def losses_lines(made: Export, width: int) -> list[str]:
    """Counts, each loss with its figures, and the notes, in lines of at most `width` characters."""
    carried, same, lost = (made.count(each) for each in ("carried", "default", "lost"))
    lines = [
        f"{made.format} ({made.way}): {carried} attributes carried, {same} as the installer's default, {lost} lost, "
        f"{made.count('unused')} unused"
    ]
    for each in made.attributes:
        if each.carriage == "lost":
            lines += _wrapped(f"lost: {lost_text(each)}", width)
    for note in made.notes:
        lines += _wrapped(note, width)
    return lines


def _wrapped(text: str, width: int) -> Iterator[str]:
    yield from textwrap.wrap(ascii_text(text), width, initial_indent="  ", subsequent_indent="    ")
