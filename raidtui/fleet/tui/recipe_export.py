"""Writes the design as a recipe for many hosts: asks for a file and reports what is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.tui.widgets.prompt import TextQuestion, accepts
from raidtui.values.errors import RaidtuiError

if TYPE_CHECKING:
    from raidtui.tui.jobs.session_app import SessionApp


def recipe_question(app: SessionApp) -> TextQuestion | str:
    """The question for a file, or the reason why the design has no recipe."""
    # only when a recipe is written
    from raidtui.fleet.recipe import recipe_of_design, recipe_toml
    from raidtui.machine.arrays.boot import initramfs_tool
    from raidtui.machine.system.files import write_new

    session = app.session
    outcome, decision = session.outcome, session.decision
    try:
        initramfs = initramfs_tool(outcome.inventory)
        made = recipe_of_design(decision, outcome.inventory, outcome.allowed, initramfs=initramfs)
    except RaidtuiError as error:
        return error.with_hint

    def write(file: str) -> None:
        path = write_new(Path(file).expanduser().absolute(), recipe_toml(made.recipe))
        lost = f"; not in it: {'; '.join(made.lost)}" if made.lost else ""
        app.page.say(f"recipe written to {path}{lost}", "warn" if made.lost else "good")

    return TextQuestion(
        label="write recipe to file", answer=f"./{decision.plan_name}-recipe.toml",
        accept=accepts(write, what="a file"),
    )  # fmt: skip
