"""The plots of a report as SVG, drawn by matplotlib (the extra `raidtui[report]`).

The same values give the same bytes with the same matplotlib. Text stays text, searchable and in the page's font;
positions are computed with DejaVu Sans, which is wider, so nothing overlaps.
"""

from __future__ import annotations

import importlib.util
import io
import math
import shlex
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, assert_never

from raidtui.answers.html import PALETTE
from raidtui.answers.report.plots import HeatMap, OverTime, Plot, Ratios, RepeatSpan, Surface
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MISSING = (
    "No plots: matplotlib is not installed. Install it with: "
    f"{shlex.join((sys.executable, '-m', 'pip', 'install', 'matplotlib'))}; "
    "or, with a package of the distribution, apt install python3-matplotlib"
)
_WIDE = 9.6
"""inches; 72 points each"""
_ROWS = 64
"""most disks whose names fit beside a heat map"""
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8.5,
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": PALETTE["quiet"],
    "axes.labelcolor": PALETTE["quiet"],
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "text.color": PALETTE["ink"],
    "xtick.color": PALETTE["quiet"],
    "ytick.color": PALETTE["quiet"],
    "xtick.labelcolor": PALETTE["ink"],
    "ytick.labelcolor": PALETTE["ink"],
    "grid.color": PALETTE["line"],
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "figure.facecolor": PALETTE["paper"],
    "axes.facecolor": PALETTE["paper"],
    "legend.frameon": False,
    "lines.linewidth": 1.3,
}
_MARKS = {
    "ok": ("o", PALETTE["good"]), "low": ("v", PALETTE["bad"]), "high": ("^", PALETTE["warn"]),
    "not comparable": ("X", PALETTE["quiet"]), "not judged": ("s", PALETTE["quiet"]),
}  # fmt: skip


def available() -> bool:
    """True if matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def drawn(plots: Sequence[Plot]) -> dict[str, str]:
    """SVG of each plot by its name."""
    import matplotlib

    found = {}
    for plot in plots:
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(_SETTINGS)
            matplotlib.rcParams["svg.hashsalt"] = f"raidtui-{plot.name}"
            found[plot.name] = _svg(_figure(plot))
    return found


def _svg(figure: Figure) -> str:
    file = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the reader's font shows it, DejaVu only measures
        figure.savefig(file, format="svg", metadata=nothing)
    return file.getvalue()


def _figure(plot: Plot) -> Figure:
    match plot:
        case OverTime():
            return _over_time(plot)
        case HeatMap():
            return _heat_map(plot)
        case Surface():
            return _surface(plot)
        case Ratios():
            return _ratios(plot)
        case _:
            assert_never(plot)


def _new(height: float, columns: int = 1, *, simulated: bool) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDE, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)[0]
    if simulated:
        figure.suptitle("SIMULATED", color=PALETTE["warn"], fontsize=8.5, x=0.995, ha="right", fontweight="bold")
    return figure, list(axes)


def _over_time(plot: OverTime) -> Figure:
    figure, (axes,) = _new(3.1, simulated=plot.simulated)
    history = plot.history
    scale, unit = _time_unit(history.seconds * len(history.read_bytes_per_s))
    edges = [number * history.seconds / scale for number in range(len(history.read_bytes_per_s) + 1)]
    most = max((value for value in (*history.read_bytes_per_s, *history.write_bytes_per_s) if value), default=0)
    size, name = (1e9, "GB/s") if most >= 999.5e6 else (1e6, "MB/s")
    _shade(axes, plot.spans, scale, edges[-1])
    for values, word, colour, style in (
        (history.read_bytes_per_s, "read", PALETTE["accent"], "-"),
        (history.write_bytes_per_s, "written", PALETTE["warn"], "--"),
    ):
        heights = [math.nan if value is None else value / size for value in values]
        axes.stairs(heights, edges, baseline=None, color=colour, label=word, linewidth=1.3, linestyle=style)
    axes.set(xlim=(0, edges[-1]), ylim=(0, max(most / size * 1.12, 1e-3)), xlabel=f"time, {unit}", ylabel=name)
    axes.grid(axis="y")
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.17), ncols=2, borderaxespad=0)
    return figure


def _shade(axes: Axes, spans: Sequence[RepeatSpan], scale: float, width: float) -> None:
    """A grey area for each repeat, with the number of its test above the first if it fits."""
    last, free = 0, -math.inf
    for span in sorted(spans, key=lambda each: each.began):
        left, right = max(span.began / scale, 0.0), min(span.ended / scale, width)
        if right <= left:
            continue
        axes.axvspan(left, right, color=PALETTE["line"], alpha=0.45, linewidth=0, zorder=0)
        if span.task != last and left >= free:
            axes.annotate(
                str(span.task), (left, 1), xycoords=("data", "axes fraction"), xytext=(1.5, 2),
                textcoords="offset points", fontsize=7.5, color=PALETTE["quiet"],
            )  # fmt: skip
            free = left + width * 0.022
        last = span.task


def _heat_map(plot: HeatMap) -> Figure:
    import numpy

    history = plot.history
    rows = len(history.disks)
    figure, (axes,) = _new(min(max(rows * 0.155 + 0.9, 1.9), 11.0), simulated=plot.simulated)
    scale, unit = _time_unit(history.seconds * len(history.read_bytes_per_s))
    width = history.seconds * len(history.read_bytes_per_s) / scale
    values = numpy.array(
        [[math.nan if value is None else value / 1e6 for value in disk.bytes_per_s] for disk in history.disks]
    )
    top = float(numpy.nanmax(values)) if numpy.isfinite(values).any() else 1.0
    image = axes.imshow(
        values, aspect="auto", interpolation="none", cmap="cividis", vmin=0, vmax=top or 1.0,
        extent=(0, width, rows - 0.5, -0.5),
    )  # fmt: skip
    bar = figure.colorbar(image, ax=axes, pad=0.012, fraction=0.03)
    bar.set_label("MB/s, read and written")
    bar.outline.set_visible(False)
    step = max(1, math.ceil(rows / _ROWS))
    shown = [number for number in range(rows) if number % step == 0 or plot.slow[number]]
    labels = [safe(plot.labels[number], longest=36) + (" SLOW" if plot.slow[number] else "") for number in shown]
    axes.set_yticks(shown, labels, fontsize=7)
    for number, label in zip(shown, axes.get_yticklabels(), strict=True):
        if plot.slow[number]:
            label.set(color=PALETTE["bad"], fontweight="bold")
    axes.set_xlabel(f"time, {unit}")
    axes.tick_params(axis="y", length=0)
    axes.spines[:].set_visible(False)
    return figure


def _surface(plot: Surface) -> Figure:
    import numpy

    rows, columns = len(plot.regions), len(plot.threads)
    figure, (axes,) = _new(rows * 0.36 + 1.1, simulated=plot.simulated)
    known = [value for row in plot.values for value in row if value is not None]
    size, unit = (1e9, "GB/s") if max(known, default=0) >= 999.5e6 else (1e6, "MB/s")
    values = numpy.array([[math.nan if value is None else value / size for value in row] for row in plot.values])
    image = axes.pcolormesh(values, cmap="cividis", vmin=0, vmax=max(known, default=1.0) / size, edgecolor="none")
    middle = max(known, default=1.0) / size * 0.55
    for row in range(rows):
        for column in range(columns):
            value = values[row][column]
            if math.isnan(value):
                continue
            text = f"{value:.2f}" if size == 1e9 else f"{value:.0f}"
            colour = "#0a0a0a" if value > middle else "#fafafa"
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8, color=colour)
    axes.set_xticks([number + 0.5 for number in range(columns)], [str(each) for each in plot.threads])
    axes.set_yticks([number + 0.5 for number in range(rows)], [str(each) for each in plot.regions])
    axes.invert_yaxis()
    axes.set(xlabel="threads (thr)", ylabel="concurrent regions (crg)")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, pad=0.012, fraction=0.03)
    bar.set_label(f"{unit}, {safe(plot.pattern)}")
    bar.outline.set_visible(False)
    return figure


def _ratios(plot: Ratios) -> Figure:
    figure, (axes,) = _new(len(plot.rows) * 0.27 + 0.75, simulated=plot.simulated)
    seen = [
        value
        for row in plot.rows
        for value in (row.low, row.high, *(at for at, _ in row.ratios), *row.repeats)
        if value > 0
    ]
    low, high = min([0.5, *seen]) / 1.08, max([1.6, *seen]) * 1.08
    axes.axvline(1, color=PALETTE["quiet"], linewidth=0.8, zorder=1)
    for place, row in enumerate(plot.rows):
        axes.plot(
            [row.low, row.high], [place, place], color=PALETTE["line"], linewidth=8, solid_capstyle="butt", zorder=0
        )
        ticks = [value for value in row.repeats if value > 0]
        axes.plot(ticks, [place] * len(ticks), linestyle="none", marker="|", markersize=7, color=PALETTE["quiet"])
        size = 6 if len(row.ratios) == 1 else 4.5
        for at, verdict in row.ratios:
            mark, colour = _MARKS.get(verdict, ("o", PALETTE["quiet"]))
            if at > 0:
                axes.plot([at], [place], linestyle="none", marker=mark, markersize=size, color=colour, zorder=3)
    axes.set_xscale("log")
    ticks = [tick for tick in (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10) if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set(xlim=(low, high), ylim=(len(plot.rows) - 0.4, -0.6), xlabel="measured / predicted")
    words = [
        safe(row.label, longest=62) + (f"  {row.verdict.upper()}" if row.verdict == "low" else "") for row in plot.rows
    ]
    axes.set_yticks(range(len(words)), words, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    return figure


def _time_unit(seconds: float) -> tuple[float, str]:
    """Seconds in a unit, and its name."""
    if seconds < 240:
        return 1.0, "seconds"
    return (60.0, "minutes") if seconds < 4 * 3600 else (3600.0, "hours")
