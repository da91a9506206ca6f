"""A benchmark as plain text for a mail or a ticket: the table and its findings."""

from __future__ import annotations

from raidtui.model.safe import safe
from raidtui.tui.jobs.bench_view import BenchView
from raidtui.tui.screens.bench.findings import finding_lines
from raidtui.tui.screens.bench.now import ending
from raidtui.tui.screens.bench.table import row_lines, title_line
from raidtui.tui.terminal.glyphs import ASCII
from raidtui.tui.terminal.text import Line

_WIDTH = 130


def bench_text(seen: BenchView) -> str:
    """The text; ASCII, except for names."""
    bench = seen.bench
    told = "SIMULATED: results of the model, no disk was used\n" if bench.simulated else ""
    of = f" of {bench.layout}" if bench.layout else ""
    head = f"{told}{bench.profile}{of} on {safe(bench.host)}, {bench.started}"
    lines = [ending(seen), (), title_line(_WIDTH), *row_lines(seen.rows(), _WIDTH, ASCII)]
    lines += [(), *finding_lines(seen, _WIDTH, ASCII)]
    return "\n".join([head, *(_plain(line) for line in lines)]) + "\n"


def _plain(line: Line) -> str:
    return safe("".join(span.text for span in line).rstrip())
