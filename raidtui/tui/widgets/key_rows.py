"""Keys and their meanings from bindings: the one table behind the `?` dialog and `raidtui help keys`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from textual.binding import Binding

from raidtui.tui.widgets.bars import key_name

_MOVING = ("move", "page", "jump", "pane")
_NOT_OURS = ("screen.copy_text",)
"""bindings that Textual adds itself"""


class KeyRow(NamedTuple):
    """One action of the app."""

    keys: tuple[str, ...]
    """as they are printed on a keyboard"""
    words: str
    """what they do"""


def key_rows(bindings: Iterable[Binding]) -> tuple[KeyRow, ...]:
    """A row for each action of `bindings` that has a description, movement last; of one key each."""
    found: dict[str, tuple[list[str], str]] = {}
    for binding in bindings:
        if not binding.description or binding.system or binding.action in _NOT_OURS:
            continue
        keys, _ = found.setdefault(binding.action, ([], binding.tooltip or binding.description))
        if key_name(binding) not in keys:
            keys.append(key_name(binding))
    ranked = sorted(found.items(), key=lambda item: item[0].partition("(")[0] in _MOVING)
    return tuple(KeyRow(tuple(keys), words) for _, (keys, words) in ranked)
