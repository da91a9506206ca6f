"""`raidtui fleet recipe`: options become a file that reads back, and errors name the key."""

from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.fleet.recipe import read_recipe
from raidtui.values.errors import Exit
from tests.cli.commands import answer


def test_what_is_said_is_what_the_file_holds(capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(
        capsys, "fleet", "recipe", "4x(12+2)+4", "--chunk", "256K", "--differs", "fit", "--survive", "2", "--level",
        "raid6", "--prefer", "capacity,risk", "--disk-kind", "rotational", "--disk-at-least", "1.9TB", "--mail",
        "storage@example.org", "--mkfs", "rmapbt=1", "--afr", "2%", "--no-monitor", "--no-spread", "--no-measured",
    )  # fmt: skip
    assert text.splitlines()[1:] == [
        'schema = "raidtui/recipe/1"',
        'layout = "4x(12+2)+4"',
        'differs = "fit"',
        'chunk = "256KiB"',
        'mkfs = "rmapbt=1"',
        'mail = "storage@example.org"',
        "spread = false",
        "measured = false",
        "",
        "[constraints]",
        "survive = 2",
        'levels = ["raid6"]',
        'prefer = ["capacity", "risk"]',
        "",
        "[disks]",
        "rotational = true",
        'at_least = "1900GB"',
        "",
        "[assumptions]",
        "monitor = false",
        'afr = "0.02"',
    ]
    read_recipe(text.encode(), source="recipe")


def test_json_reads_back_too(capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, "fleet", "recipe", "raid5(3+1)", "--json")
    assert read_recipe(text.encode(), source="recipe") == read_recipe(b'layout = "raid5(3+1)"', source="recipe")


def test_a_file_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rack.toml"
    assert main(["fleet", "recipe", "raid5(3+1)", "--out", str(out)]) == Exit.DONE
    before = out.read_bytes()
    assert main(["fleet", "recipe", "raid6(2+2)", "--out", str(out)]) == Exit.REFUSED
    assert out.read_bytes() == before
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "layout: neither a layout nor constraints"),
        (["raid5(3+1)", "--chunk", "256Q"], "--chunk: invalid size '256Q'"),
        (["raid5(3+1)", "--survive", "1"], "constraints: the layout is given already"),
        (["raid5(3+1)", "--prefer", "beauty", "--differs", "fit"], "--prefer: 'beauty' is none of capacity"),
        (["raid5(3+1)", "--lun", "sdb=12+2,256K"], "lun: "),
    ],
)
def test_an_error_names_the_key(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "recipe", *words]) == Exit.USAGE
    assert said in capsys.readouterr().err
