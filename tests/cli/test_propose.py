"""What `model` and `propose` say of speed and risk on the command line, and which inputs they take."""

import json
from typing import Any

import pytest

from raidtui.cli import main
from raidtui.model.errors import Exit

FIELD = ("--inventory", "e2660")


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == Exit.DONE
    return json.loads(capsys.readouterr().out)


def test_a_candidate_has_the_keys_that_outsiders_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    candidates = answer(capsys, "propose", *FIELD, "--chunk", "256K")["candidates"]
    four = next(each for each in candidates if each["layout"] == "4x(12+2)+4")
    assert {
        "usable_bytes", "seq_read_bytes_per_s", "seq_write_bytes_per_s", "annual_array_loss_probability",
        "annual_sector_loss_probability", "rebuild_hours", "spares", "on_front", "picks",
    } <= set(four)  # fmt: skip
    assert (four["usable_bytes"], four["spares"], four["on_front"]) == (95341066665984, 4, True)


def test_a_model_has_throughput_and_durability(capsys: pytest.CaptureFixture[str]) -> None:
    model = answer(capsys, "model", "4x(12+2)+4", *FIELD, "--chunk", "256K")
    speed, risk = model["throughput"], model["durability"]
    assert {"seq_read", "seq_read_one_stream", "seq_write", "rand_read", "rand_write"} <= set(speed)
    assert {"bytes_per_s", "low", "high", "bottleneck", "ceilings"} <= set(speed["seq_read"])
    assert {"iops", "low", "high"} <= set(speed["rand_write"])
    assert speed["seq_read"]["ceilings"]["members"] == 6_240_000_000
    assert {"annual_array_loss_probability", "annual_sector_loss_probability", "mttdl_hours"} <= set(risk)
    assert 5.8 < risk["rebuild_hours"] / 2 < 5.9


def test_what_is_said_of_disks_and_links_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    said = ("--disk-speed", "94MB/s", "--disk-iops", "120", "--link-ceiling", "750MB/s")
    speed = answer(capsys, "model", "raid0(8)", "--disks", "8x2TB", *said)["throughput"]
    assert speed["disk"]["source"] == "said"
    assert (speed["seq_read"]["ceilings"]["members"], speed["seq_read"]["ceilings"]["said link"]) == (
        752_000_000,
        750_000_000,
    )
    assert speed["seq_read"]["bottleneck"] == "said link"
    assert speed["rand_read"]["ceilings"]["members"] == 960


def test_more_failures_mean_more_loss(capsys: pytest.CaptureFixture[str]) -> None:
    layout = ("model", "4x(12+2)+4", *FIELD)
    usual = answer(capsys, *layout)["durability"]["any_loss_1y"]
    assert answer(capsys, *layout, "--afr", "4%")["durability"]["any_loss_1y"] > usual
    assert answer(capsys, *layout, "--restock-days", "365")["durability"]["any_loss_1y"] > usual
    assert answer(capsys, *layout, "--no-monitor")["durability"]["spares_counted"] == 1


def test_spread_takes_the_disks_so_that_an_expander_may_go(capsys: pytest.CaptureFixture[str]) -> None:
    placed = answer(capsys, "model", "4x(12+2)+4", *FIELD, "--spread")["placement"]["certificates"]
    assert {each["verdict"] for each in placed if each["kind"] == "expander"} == {"degraded"}
    as_they_come = answer(capsys, "model", "4x(12+2)+4", *FIELD)["placement"]["certificates"]
    assert "lost" in {each["verdict"] for each in as_they_come if each["kind"] == "expander"}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--afr", "often", "--afr: invalid share 'often'"),
        ("--afr", "80%", "afr 0.8 is out of range"),
        ("--disk-speed", "fast", "--disk-speed: invalid rate 'fast'"),
        ("--restock-days", "0", "restock_days 0 is out of range"),
        ("--ure", "1", "ure_per_bit 1 is out of range"),
    ],
)
def test_what_cannot_be_is_named(capsys: pytest.CaptureFixture[str], option: str, value: str, message: str) -> None:
    assert main(["model", "(3+1)", "--disks", "4x2TB", option, value]) == Exit.USAGE
    assert message in capsys.readouterr().err


def test_constraints_are_kept_or_said_to_be_impossible(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--usable", "70TiB", "--survive", "2", "--spares", "2", "--max-width", "12", "--level", "raid6")
    found = answer(capsys, "propose", *FIELD, *asked)["candidates"]
    assert found
    for each in found:
        assert each["usable_bytes"] >= 70 * 2**40
        assert each["spares"] >= 2
    assert main(["propose", *FIELD, "--usable", "200TiB"]) == Exit.REFUSED
    assert "200" in capsys.readouterr().out


def test_a_layout_can_be_held_against_the_proposals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose", "--inventory", "pod45", "--compare", "(41+2)+2"]) == Exit.DONE
    assert "And (41+2)+2?" in capsys.readouterr().out


def test_a_wish_that_is_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose", *FIELD, "--prefer", "capacity,beauty"]) == Exit.USAGE
    assert "unknown goal 'beauty'" in capsys.readouterr().err
