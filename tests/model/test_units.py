"""Sizes to the byte, and figures people read."""

import pytest

from raidtui.model.units import binary_size, decimal_size, exact_binary, grouped, parse_binary_size, parse_size


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
