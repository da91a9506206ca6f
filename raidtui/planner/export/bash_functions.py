"""The bash functions that all scripts share; the files are in the folder `bash` beside this module."""

from __future__ import annotations

from importlib.resources import files


def bash_text(*names: str) -> str:
    """The text of these files, in order, a blank line between them."""
    folder = files("raidtui.planner.export") / "bash"
    return "\n".join((folder / f"{name}.sh").read_text("ascii") for name in names)
