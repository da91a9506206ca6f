"""Sizes to the byte, and figures people read."""

import pytest

from raidtui.values.units import (
    df_size,
    parse_rate,
    parse_share,
    parse_size,
)


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("2TB", 2_000_000_000_000),
        ("2 tb", 2_000_000_000_000),
        ("1.5TiB", 1_649_267_441_664),
        ("7.68TB", 7_680_000_000_000),
        ("250G", 250_000_000_000),
        ("2000398934016", 2_000_398_934_016),
        ("512 B", 512),
    ],
)
def test_sizes_on_labels_are_decimal(written: str, count: int) -> None:
    assert parse_size(written) == count


@pytest.mark.parametrize("written", ["", "two", "-1", "1.0000000000001TB", "5iB", "5Ki", "1e3", "٢TBx"])
def test_what_is_no_size_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"size|'i'|unit|whole"):
        parse_size(written)


@pytest.mark.parametrize("written", ["", "/s", "fast", "94Mbit/s", "-94MB/s", "0MB/s", "0.5B/s"])
def test_what_is_no_rate_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="rate"):
        parse_rate(written)


@pytest.mark.parametrize("text", ["", "%", "2", "101%", "-1%", "nan", "often", "1 in", "1 in 0", "2 in 3", "1 in 0.5"])
def test_what_is_no_share_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"write for example|expected 0 to 1"):
        parse_share(text)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (512, "512B"), (1023, "1023B"), (1024, "1.0K"), (10 * 1024, "10K"), (10 * 1024 + 1, "11K"),
        (1_900_000_000_000, "1.8T"), (10_995_116_277_760, "10T"), (10_885_165_114_983, "10T"),
        (10_885_165_114_982, "9.9T"), (1_099_511_627_775, "1.0T"), (86_009_196_838_912, "79T"),
        (81_988_000_000_000, "75T"), (1023 * 1024**3 + 1, "1.0T"),
    ],
)  # fmt: skip
def test_a_size_as_df_h_prints_it(count: int, shown: str) -> None:
    """What `numfmt --to=iec --round=up` prints."""
    assert df_size(count) == shown
