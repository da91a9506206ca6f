"""Layouts of equal arrays for tests, by their notation."""

from __future__ import annotations

from raidtui.values.layout import Layout
from raidtui.values.notation import parse


def equal(text: str) -> Layout:
    """The layout `text`, whose arrays are equal."""
    layout = parse(text)
    assert isinstance(layout, Layout)
    return layout
