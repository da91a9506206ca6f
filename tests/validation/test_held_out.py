"""Published rates that nothing was fitted to: every row has its address, and what is claimed of them holds."""

from __future__ import annotations

from collections import Counter

from tests.validation.held_out import CLASSES, found, sync_hours
from tests.validation.rows import measured_table


def test_every_row_names_its_source_and_is_asked_as_it_is_written() -> None:
    rows = measured_table("held_out.csv")
    assert len(rows) == 41
    assert all(row["url"].startswith("http") and row["author"] and row["machine"] for row in rows)
    assert Counter(row["class"] for row in rows) == {
        "rebuild, check": 9, "first sync, resync": 4, "one stream, disks unstated": 9, "disks stated by model": 7,
        "random": 9, "direct parity writes": 3,
    }  # fmt: skip
    assert {each.kind for each in found()} == set(CLASSES)


def test_no_row_is_one_that_the_model_was_fitted_to() -> None:
    told = {row["source"] for name in ("throughput.csv", "rebuild.csv") for row in measured_table(name)}
    assert not any(row["url"] in source for row in measured_table("held_out.csv") for source in told)


def test_a_sync_is_compared_as_hours_of_the_whole() -> None:
    """2 929 890 816 / 3 KiB at 173 727 KiB/s are 94 min; a hard disk takes a third more, being slower further in."""
    (row,) = (each for each in measured_table("held_out.csv") if each["id"] == "1")
    assert 1.9 < sync_hours(row) < 2.2
    (flash,) = (each for each in measured_table("held_out.csv") if each["id"] == "13")
    assert round(sync_hours(flash), 2) == 20.05


def test_a_first_sync_of_mirrors_at_the_default_limit_is_exact_to_a_quarter() -> None:
    """20.05 h of eight NVMe drives: md counts the array's sectors, not a member's."""
    (mirrors,) = (each for each in found() if each.number == 13)
    assert mirrors.inside
