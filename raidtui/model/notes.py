"""Notes on a figure: sentences without a full stop, in the order of their weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raidtui.model.codec_rules import TextValue

_BETWEEN = "; "


@dataclass(frozen=True, slots=True)
class Notes(TextValue):
    """Several notes. In files they are one text, joined by a semicolon; none are an empty text."""

    each: tuple[str, ...] = ()
    """the notes; none is empty"""

    def __str__(self) -> str:
        """All of them in one line."""
        return _BETWEEN.join(self.each)

    def __iter__(self) -> Iterator[str]:
        """One note after the other."""
        return iter(self.each)

    @classmethod
    def of(cls, notes: Iterable[str]) -> Notes:
        """`notes` without the empty ones."""
        return cls(tuple(note for note in notes if note))

    @classmethod
    def read(cls, text: str) -> Notes:
        """The notes of this text."""
        return cls.of(text.split(_BETWEEN))


NO_NOTES = Notes()
