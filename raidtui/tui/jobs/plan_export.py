"""Export of the plan: asks for a directory and reports the files written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.model.errors import RaidtuiError
from raidtui.tui.widgets.question import TextQuestion, accepts

if TYPE_CHECKING:
    from raidtui.tui.jobs.desk import Desk


def export_question(desk: Desk) -> TextQuestion | str:
    """The question for a directory, or the reason why there is nothing to export."""
    from raidtui.machine.run.plan_writing import write_plan  # only when something is written

    try:
        plan = desk.session.plan()
    except RaidtuiError as error:
        return f"nothing to export: {error}"

    def write(directory: str) -> None:
        paths = write_plan(plan, Path(directory).expanduser().absolute())
        desk.session.kept = desk.session.decision
        names = ", ".join(path.name for path in paths)
        desk.page.say(f"written to {paths[0].parent}: {names}; nothing was executed", "good")

    return TextQuestion(
        label="export into directory", answer=f"./raidtui-{plan.name}", accept=accepts(write, what="a directory")
    )
