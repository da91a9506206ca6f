"""Steps pane of a run: it follows the running step until the cursor is moved."""

from __future__ import annotations

from raidtui.tui.jobs.run_view import RunView
from raidtui.tui.screens.build.lines import run_step_mark, taken_back
from raidtui.tui.widgets.pane import Pane, nothing
from raidtui.tui.widgets.step_lines import step_line


class BuildStepsPane(Pane):
    """State, number, title, commands done, time."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Steps", pickable=True, id=id)
        self.at_work = 0
        """the running step at the last update"""

    def show(self, seen: RunView | None) -> None:
        """Updates the steps."""
        if seen is None:
            self.aside = ""
            self.renew(nothing)
            return
        steps, run, glyphs = seen.act.steps, seen.run, self.glyphs
        undone = taken_back(seen.records)
        number = len(str(len(steps)))
        done = sum(progress.state == "done" for progress in run.steps)
        self.renew(
            lambda width: [
                step_line(
                    step,
                    progress,
                    run_step_mark(progress, seen, glyphs, undone=step.number in undone),
                    width,
                    number,
                    glyphs,
                )
                for step, progress in zip(steps, run.steps, strict=True)
            ],
            aside=f"{done} of {len(steps)} done",
        )
        self._follow(next((each.number for each in run.steps if each.state in ("running", "failed")), done))

    def _follow(self, now: int) -> None:
        if now and now != self.at_work and self.cursor + 1 in (self.at_work, 1):
            self.move_to(now - 1)
        self.at_work = now
