"""`raidtui propose`: the keys of a candidate, constraints, comparison and goals."""

import pytest

from raidtui.cli import main
from raidtui.values.errors import Exit
from tests.cli.commands import document

FIELD = ("--inventory", "e2660")


def test_a_candidate_has_the_keys_that_outsiders_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    candidates = document(capsys, "propose", *FIELD, "--chunk", "256K")["candidates"]
    four = next(each for each in candidates if each["layout"] == "4x(12+2)+4")
    assert {
        "usable_bytes", "seq_read_bytes_per_s", "seq_write_bytes_per_s", "annual_array_loss_probability",
        "annual_sector_loss_probability", "rebuild_hours", "spares", "on_front", "picks",
    } <= set(four)  # fmt: skip
    assert (four["usable_bytes"], four["spares"], four["on_front"]) == (95341066665984, 4, True)


def test_constraints_are_kept_or_said_to_be_impossible(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--usable", "70TiB", "--survive", "2", "--spares", "2", "--max-width", "12", "--level", "raid6")
    found = document(capsys, "propose", *FIELD, *asked)["candidates"]
    assert found
    for each in found:
        assert each["usable_bytes"] >= 70 * 2**40
        assert each["spares"] >= 2
    assert main(["propose", *FIELD, "--usable", "200TiB"]) == Exit.REFUSED
    assert "200" in capsys.readouterr().out


def test_a_layout_can_be_held_against_the_proposals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose", "--inventory", "pod45", "--compare", "(41+2)+2"]) == Exit.DONE
    assert "And (41+2)+2?" in capsys.readouterr().out


def test_a_layout_to_compare_must_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose", "--inventory", "pod45", "--compare", "(4+8)"]) == Exit.USAGE
    assert "layout '(4+8)', column 4: 8 parity disks" in capsys.readouterr().err


def test_a_wish_that_is_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose", *FIELD, "--prefer", "capacity,beauty"]) == Exit.USAGE
    assert "--prefer: 'beauty' is none of capacity, read" in capsys.readouterr().err
