"""Small chances and long times as formulas write them."""

import pytest

from raidtui.predict.risk.durability import chance, mean_time


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (0.0, "none"), (0.000015, "1.5e-5"), (1.4910552e-6, "1.5e-6"), (9.96e-10, "1.0e-9"), (0.0012, "1.2e-3"),
        (0.00996, "0.010"), (0.152, "0.15"), (0.84, "0.84"), (12.3, "12"),
    ],
)  # fmt: skip
def test_two_digits(probability: float, text: str) -> None:
    assert chance(probability) == text


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (1e30, "over 10^6 years"),
        (8760e6, "1 000 000 years"),
        (58_333, "6.7 years"),
        (481.2, "20 days"),
        (7.1e9, "810 000 years"),
    ],
)
def test_mean_times(hours: float, text: str) -> None:
    assert mean_time(hours) == text
