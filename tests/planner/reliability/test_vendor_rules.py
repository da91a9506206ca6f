"""What each rule makes of some disks, held against the sources' own words in tests/measured/spare_rules.csv."""

import csv
from pathlib import Path

import pytest

from raidtui.predict.risk.spares import spares_wanted, vendor_sentences
from raidtui.values.assumptions import DEFAULTS, Assumptions

MEASURED = Path(__file__).resolve().parents[2] / "measured"


@pytest.mark.parametrize(
    ("disks", "afr", "days", "spares"),
    [
        (60, 0.015, 30, 1),
        (60, 0.015, 90, 2),
        (60, 0.015, 365, 3),
        (60, 0.04, 365, 6),
        (8, 0.015, 30, 1),
        (4, 0.015, 30, 0),
    ],
)
def test_the_computed_number(disks: int, afr: float, days: float, spares: int) -> None:
    assert spares_wanted(disks, Assumptions(afr=afr, restock_days=days)) == spares


def test_sixty_disks() -> None:
    sentences = vendor_sentences(60, True, DEFAULTS)
    assert sentences[0] == (
        "Computed: 1 spare for 60 disks, the fewest with which at most 1 year in 10 has a failure that finds no spare"
        " (AFR 1.5 %, 30 days to restock). Failures that find no spare: all with 0 spares (1 in 1.7 years),"
        " 1 in 14 with 1 (1 in 16 years), 1 in 380 with 2 (1 in 430 years)."
    )
    assert "IBM DS3500 (redbook): one spare per 18 to 20 disks, not all in one enclosure: 3 to 4 spares." in sentences
    assert "Veritas Volume Manager (guide): one spare per 10 disks: 6 spares." in sentences
    assert "NetApp ONTAP (documentation): at least 2 spares for hard disks, regardless of their number." in sentences


def test_flash_has_its_own_rules() -> None:
    sentences = vendor_sentences(24, False, DEFAULTS)
    assert "NetApp ONTAP (documentation): at least 1 spare for flash, regardless of their number." in sentences
    assert any("20 to 28 disks per group" in sentence for sentence in sentences)


def test_every_spare_rule_that_was_read_is_told_and_no_other() -> None:
    with (MEASURED / "spare_rules.csv").open(encoding="utf-8", newline="") as file:
        rules = [row for row in csv.DictReader(file) if row["kind"] == "spare"]
    told = " ".join(vendor_sentences(60, True, DEFAULTS))
    known = {
        "IBM DS3500": "DS3500",
        "Veritas": "Veritas",
        "NetApp": "NetApp",
        "Dell ME4": "Dell ME4",
        "EqualLogic": "EqualLogic",
        "KIPAC": "KIPAC",
    }
    for name, word in known.items():
        assert any(row["vendor_or_source"].startswith(name) and row["status"] == "read" for row in rules)
        assert word in told
    assert "EMC" not in told
