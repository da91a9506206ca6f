"""How the report's page looks: one style sheet for screen, telephone and paper, light and dark."""

from __future__ import annotations

from importlib.resources import files

PALETTE = {
    "paper": "#ffffff", "ink": "#1c2127", "quiet": "#5b6672", "line": "#d9dee3", "accent": "#0b5a9c",
    "good": "#1a6e35", "warn": "#8a5a00", "bad": "#b3261e",
}  # fmt: skip
"""the colours by day, as `style.css` has them; a plot drawn in these follows the page at night"""


def style_sheet() -> str:
    """The text of `style.css`."""
    return (files("raidtui.planner.report") / "style.css").read_text("ascii")
