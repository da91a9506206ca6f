"""Sizes to the byte, and figures people read."""

import pytest

from raidtui.values.units import (
    binary_size,
    decimal_size,
    df_size,
    exact_binary,
    grouped,
    parse_binary_size,
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


def test_a_lone_letter_is_binary_in_options_of_mdadm() -> None:
    assert parse_binary_size("512K") == 524_288
    assert parse_binary_size("1M") == 1_048_576
    assert parse_binary_size("512kB") == 512_000


@pytest.mark.parametrize("written", ["", "two", "-1", "1.0000000000001TB", "5iB", "5Ki", "1e3", "٢TBx"])
def test_what_is_no_size_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"size|'i'|unit|whole"):
        parse_size(written)


def test_figures_for_people() -> None:
    assert decimal_size(2_000_398_934_016) == "2.00 TB"
    assert decimal_size(7_681_501_126_656) == "7.68 TB"
    assert decimal_size(250_059_350_016) == "250 GB"
    assert decimal_size(512) == "512 B"
    assert binary_size(85_899_345_920) == "80.00 GiB"
    assert binary_size(96_010_050_404_352) == "87.32 TiB"
    assert exact_binary(3_145_728) == "3 MiB"
    assert exact_binary(1_441_792) == "1408 KiB"
    assert exact_binary(1000) == "1000 B"
    assert grouped(83_995_443_200) == "83 995 443 200"


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        ("94MB/s", 94_000_000),
        ("750 MB/S", 750_000_000),
        ("100MiB/s", 104_857_600),
        ("1.2GB/s", 1_200_000_000),
        ("94M", 94_000_000),
        ("94000000", 94_000_000),
    ],
)
def test_rates_are_bytes_per_second(written: str, rate: int) -> None:
    assert parse_rate(written) == rate


@pytest.mark.parametrize("written", ["", "/s", "fast", "94Mbit/s", "-94MB/s", "0MB/s", "0.5B/s"])
def test_what_is_no_rate_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="rate"):
        parse_rate(written)


@pytest.mark.parametrize(
    ("text", "share"),
    [("1.5%", 0.015), ("0.015", 0.015), (" 1e-15 ", 1e-15), ("100%", 1.0), ("0", 0.0),
     ("1 in 10 000", 1e-4), ("1in8", 0.125)],
)  # fmt: skip
def test_shares_are_said_in_per_cent_or_as_they_are(text: str, share: float) -> None:
    assert parse_share(text) == pytest.approx(share, rel=1e-12)


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
