"""The figures beside a plot: round, and each as far from the next."""

from __future__ import annotations

import pytest

from raidtui.tui.widgets.axes import axis


@pytest.mark.parametrize(
    ("values", "ticks", "figures"),
    [
        ((1 / 9300, 1 / 2.3), 3, (0.001, 0.01, 0.1)),
        ((1 / 9500, 1 / 170), 3, (0.0002, 0.002)),
        ((1e-8, 0.5), 3, (1e-8, 1e-5, 0.01)),
        ((1.2, 9.0), 3, (2.0, 5.0)),
        ((240, 320), 5, (240.0, 260.0, 280.0, 300.0, 320.0)),
    ],
)
def test_a_logarithmic_axis_has_figures_at_even_distances(
    values: tuple[float, float], ticks: int, figures: tuple[float, ...]
) -> None:
    assert axis(values, log=True, ticks=ticks).ticks == pytest.approx(figures)
