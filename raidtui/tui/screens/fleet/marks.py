"""Facts about hosts as marks: glyph, word and tone."""

from __future__ import annotations

from raidtui.planner.fleet.host_facts import Concern, Fact
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Mark


def fact_mark(fact: Fact, glyphs: Glyphs) -> Mark:
    """The mark of one fact."""
    return concern_mark(fact.concern, fact.text, glyphs)


def concern_mark(concern: Concern, word: str, glyphs: Glyphs) -> Mark:
    """`word` with the glyph and the tone of its concern."""
    match concern:
        case "bad":
            return Mark(glyphs.failed, word, "bad")
        case "silent":
            return Mark(glyphs.unknown, word, "bad")
        case "warn":
            return Mark(glyphs.alert, word, "warn")
        case "busy":
            return Mark(glyphs.shut, word, "title")
        case "unknown":
            return Mark(glyphs.hole, word, "muted")
        case "good":
            return Mark(glyphs.good, word, "good")
        case "off":
            return Mark(glyphs.out, word, "muted")
        case "plain":
            return Mark(glyphs.disk, word, "good")
        case "none":
            return Mark(" ", word, "muted")
