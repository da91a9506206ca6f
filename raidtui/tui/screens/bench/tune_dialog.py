"""Dialog of trials: their progress, and the table of results at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType

from raidtui.machine.run.launch import Launched
from raidtui.machine.trials import tuning
from raidtui.model.errors import RaidtuiError
from raidtui.model.safe import safe
from raidtui.planner.text.tune import result_lines
from raidtui.tui.jobs.run_control import change
from raidtui.tui.terminal.text import line, wrapped
from raidtui.tui.widgets.text_dialog import TextDialog

_LOOK_SECONDS = 0.5
_WORKLOAD, _FIGURE = 14, 21
"""cells of the table's first column, and of each other"""


class TuneDialog(TextDialog):
    """Follows the trials in a directory; closing it does not stop them."""

    CSS_PATH = "../../widgets/text_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "stop", "stop", tooltip="stop the trials", show=False)]

    def __init__(self, folder: Path, started: Launched | None) -> None:
        super().__init__("Trials", ())
        self.folder, self.started = folder, started
        self.pane.aside = "x stops, Esc closes, T shows them again"

    def on_mount(self) -> None:
        """Looks at once, then as time passes."""
        self.look()
        self.set_interval(_LOOK_SECONDS, self.look)
        super().on_mount()

    def look(self) -> None:
        """Shows progress while trials run, the result after."""
        width = self.app.size.width - 4
        try:
            rows = self._rows(width)
        except RaidtuiError as error:
            rows = [error.with_hint]
        self.text = [line(part) for row in rows for part in (wrapped(row, width) if len(row) > width else [row])]
        self.pane.put(lambda _: self.text)
        self.fit()

    def _rows(self, width: int) -> Sequence[str]:
        result = tuning.load(self.folder)
        if result.outcome != "running" and (self.started is None or not self.started.running()):
            self.pane.aside = "Esc closes"
            return result_lines(result, max((width - _WORKLOAD) // _FIGURE, 1))
        return [
            f"{each.time[11:19]} {f'trial {each.variant}: ' if each.variant else ''}{safe(each.text, longest=400)}"
            for each in tuning.progress_lines(self.folder, 0)
        ]

    def action_stop(self) -> None:
        """Asks the executor to stop; what stands is undone first."""
        change(self.folder, lambda wish: replace(wish, stop=True))
        self.pane.aside = "stopping: what stands is undone first"
