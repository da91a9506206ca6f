"""The page of the field reports is what the commands answer, and no figure got lost."""

from __future__ import annotations

from tests.validation.field_reports import FIELD, REPORTS, outcomes, page


def test_the_committed_page_is_fresh() -> None:
    assert FIELD.read_text(encoding="utf-8") == page(), "run `python -m tests.validation`"


def test_every_report_has_its_figures() -> None:
    assert [(title[:2], len(some)) for title, some in outcomes()] == [("S1", 23), ("S2", 14), ("S3", 174), ("S4", 55)]


def test_the_machine_of_the_survey_answers_within_its_bands() -> None:
    """2.87 and 1.55 GB/s of four LUNs behind one host adapter."""
    survey = dict(outcomes())["S3, LSI E2660, 60 disks, LUNs of 12+2"]
    read, write = survey[:2]
    assert read.low <= 2870 <= read.high and write.low <= 1550 <= write.high
    assert read.inside and write.inside


def test_every_rate_of_the_survey_is_asked_and_lies_in_its_band() -> None:
    rates = [each for _, some in outcomes() for each in some if " regions, " in each.row.question]
    assert len(rates) == 160
    judging = [each for each in rates if each.row.note != "the terms were fitted to it"]
    assert (len(judging), sum(each.inside for each in judging)) == (120, 120)
    assert sum(each.inside for each in rates) >= 150


def test_sizes_that_depend_on_no_unknown_are_equal() -> None:
    exact = {each.row.question for _, some in outcomes() for each in some if not each.banded and each.ratio == 1}
    assert exact >= {
        "XFS on 43+2: agcount", "agsize", "sunit", "swidth", "log", "bitmap chunk",
        "size of RAID5 of four, 64 KiB chunks", "stride with 32 KiB chunks", "stripe width with 32 KiB chunks",
        "imaxpct", "log sunit", "df -h of 43+2, total", "df -h of 43+2, available", "RAID5 of partitions, usable",
        "XFS stripe width over the LUNs", "the same by an md stripe", "blocks of the file system",
        "size of (41+2)+2", "pages of its bitmap", "how many spares for 60 drives",
        "which ratio: data drives of a group", "which ratio: parity drives of a group",
    }  # fmt: skip


def test_every_disk_of_three_is_asked_in_the_order_of_the_inventory() -> None:
    disks = [each for _, some in outcomes() for each in some if ", disk " in each.row.question]
    assert len(disks) == 39
    assert [each.row.question for each in disks if each.banded and not each.inside] == [
        "RAID1, one reader, read, disk 1"
    ]
    assert all(abs(each.ratio - 1) < 0.1 for each in disks if not each.banded)


def test_what_is_refused_has_its_reason_on_the_page() -> None:
    refused = {title[:2]: texts for title, _, texts in REPORTS if texts}
    assert {name: len(texts) for name, texts in refused.items()} == {"S1": 1, "S2": 4, "S3": 4}
    assert all(f"* {text}\n" in page() and ": " in text for texts in refused.values() for text in texts)


def test_the_mount_line_of_the_small_nas_is_understood_whole() -> None:
    (row,) = (each for _, some in outcomes() for each in some if each.row.question == "its mount options")
    assert row.point == 7


def test_the_first_screen_counts_what_was_fitted_beside_what_judges() -> None:
    first = page().split("## S1")[0]
    columns = [line.split(" | ") for line in first.splitlines() if line.startswith("| S")]
    assert [(row[0][2:], int(row[2]), int(row[5])) for row in columns] == [
        ("S1", 0, 9), ("S2", 4, 0), ("S3", 120, 46), ("S4", 19, 0),
    ]  # fmt: skip


def test_mdadm_of_2012_left_room_that_explains_each_member_to_the_chunk() -> None:
    """3 907 029 168 sectors less 2048, 256 and 16 are 7 630 911 chunks of 256 KiB: 43 of them, 41 of them."""
    chunks = (3_907_029_168 - 2048 - 256 - 16) // 512
    assert (chunks, chunks * 43 * 64, chunks * 41 * 256) == (7_630_911, 21_000_267_072, 80_094_041_856)
