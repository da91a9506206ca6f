"""Texts of files for people: read back as written, refused with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.values.notation import BinarySize, ByteRate, DecimalSize, LayoutText, Share
from raidtui.values.units import MOST_RATE, MOST_SIZE


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (BinarySize, "256K", 262_144),
        (BinarySize, "24MiB", 25_165_824),
        (DecimalSize, "2TB", 2_000_000_000_000),
        (DecimalSize, "1.9T", 1_900_000_000_000),
        (DecimalSize, "2000398934016", 2_000_398_934_016),
        (ByteRate, "94MB/s", 94_000_000),
    ],
)
def test_sizes_and_rates(kind: type[BinarySize | DecimalSize | ByteRate], text: str, value: int) -> None:
    assert kind.read(text).count == value


@given(st.integers(0, MOST_SIZE))
def test_a_size_is_read_back(count: int) -> None:
    assert DecimalSize.read(str(DecimalSize(count))) == DecimalSize(count)
    assert BinarySize.read(str(BinarySize(count))) == BinarySize(count)


@given(st.integers(1, MOST_RATE), st.floats(0, 1))
def test_a_rate_and_a_share_are_read_back(count: int, share: float) -> None:
    assert ByteRate.read(str(ByteRate(count))) == ByteRate(count)
    assert Share.read(str(Share(share))) == Share(share)


def test_people_read_them() -> None:
    assert [str(DecimalSize(1_900_000_000_000)), str(BinarySize(262_144)), str(ByteRate(94_000_000))] == [
        "1900GB",
        "256KiB",
        "94MB/s",
    ]


def test_a_layout_is_canonical_and_refused_with_its_column() -> None:
    assert str(LayoutText.read("4 x (12 + 2) + 4")) == "4x(12+2)+4"
    with pytest.raises(ValueError, match=r"layout '4x\(12\+2', column 8: expected '\)'"):
        LayoutText.read("4x(12+2")
