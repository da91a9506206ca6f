"""A stated size of members, and disks of no standard size."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import called

TWO_TB = 2_000_398_934_016


def findings(*words: str) -> dict[str, str]:
    """Text of each finding by its code."""
    answer = json.loads(called("model", *words, "--json").stdout)
    return {each["code"]: each["message"] for each in answer["findings"]}


def component(*words: str) -> int:
    """Bytes that md uses of each member."""
    size: int = json.loads(called("model", *words, "--json").stdout)["arrays"][0]["component_bytes"]
    return size


def test_md_uses_no_more_than_stated() -> None:
    """1.99 TB are 3 886 718 750 sectors; without 264192 for metadata and down to 512 KiB: 1 943 226 880 KiB. Of 2 TB it
    is 1 952 992 768 KiB."""
    assert component("(4+2)", "--disks", "6x2TB", "--member-size", "1.99TB") == 1_943_226_880 * 1024
    assert component("(4+2)", "--disks", "6x2TB", "--member-size", "2TB") == 1_952_992_768 * 1024


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("(4+2)", "--member-size", "2.1TB"), "member-size-too-large"),
        (("(4+2)", "--member-size", "1MB"), "member-size-too-small"),
        (("raid0(4)", "--member-size", "1TB"), "member-size-unused"),
        (("4x disk", "--member-size", "1TB"), "member-size-unused"),
        (("(4+2)", "--member-size", "1TB", "--members", "partitions"), "member-size-unused"),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], code: str) -> None:
    assert code in findings(*words, "--disks", "6x2TB")


def test_a_disk_of_no_standard_size_is_named() -> None:
    text = findings("(2+2)", "--inventory", "nas4")["replacement-too-small"]
    assert text.startswith("sda has 3 960 778 588 160 bytes, no standard size (SFF-8447)")
    assert "replacement-too-small" not in findings("(2+2)", "--inventory", "nas4", "--member-size", "3.94TB")


@pytest.mark.parametrize("chassis", ["e2660", "pod45", "jbod84", "nvme24"])
def test_disks_of_a_standard_size_are_not_named(chassis: str) -> None:
    assert "replacement-too-small" not in findings("(4+2)", "--inventory", chassis)
