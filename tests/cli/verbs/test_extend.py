"""`raidtui extend`: of a simulated run, shown and carried out."""

import json

import pytest

from raidtui.cli import main
from tests.cli.commands import built

pytestmark = pytest.mark.process
FAST = "--speed-up=1e9"


@pytest.fixture
def run() -> str:
    return built("2x(2+1)+2")[0]


def spares(run: str, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    assert main(["arrays", run, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["arrays"]
    return [[each["device"] for each in array["members"] if each["state"] == "spare"] for array in found]


def test_a_spare_is_added_and_moved(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["extend", "md127", "spare", "sdx", "--run", run]
    assert main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [step["title"] for step in shown["steps"]] == ["Add the disk as a spare"]
    assert main([*words, "--begin"]) == 1
    assert "confirmation needs a terminal; nothing was written" in capsys.readouterr().err
    assert main([*words, "--begin", "--yes", "--confirm", "0" * 64]) == 1
    assert f"its digest is {shown['digest']}" in capsys.readouterr().err
    assert main([*words, "--yes", "--confirm", shown["digest"]]) == 2
    assert "belong to --begin" in capsys.readouterr().err
    before = spares(run, capsys)
    assert main([*words, "--begin", "--yes", "--confirm", shown["digest"], FAST]) == 0
    assert "SIMULATED  raidtui: md127 is as asked" in capsys.readouterr().err
    added = spares(run, capsys)
    assert sum(len(each) for each in added) == sum(len(each) for each in before) + 1
    words[1] = "md126"
    assert main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [step["title"] for step in shown["steps"]] == [
        "Take the spare out of md127", "Erase its superblock of md127", "Add the disk as a spare",
    ]  # fmt: skip
    assert [each["code"] for each in shown["findings"]] == ["spare-moved"]
    assert main([*words, "--begin", "--yes", "--confirm", shown["digest"], FAST]) == 0
    capsys.readouterr()
    moved = spares(run, capsys)
    assert [len(each) for each in moved] == [len(each) for each in reversed(added)]


def test_a_reshape_is_printed_alone(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["extend", "md127", "reshape", "(3+1)", "--run", run]
    assert main(words) == 0
    assert "mdadm --grow /dev/md127 --raid-devices=4\n" in capsys.readouterr().out
    assert main([*words, "--begin"]) == 1
    assert "raidtui carries no reshape out; nothing was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["md0", "grow", "now"], "grow takes no further word"),
        (["md0", "spare"], "spare takes further words"),
        (["md0", "bitmap", "some"], "some"),
        (["md0", "spare", "sda"], "md0 is not an array on this machine"),
    ],
)
def test_what_is_no_question(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extend", *words, "--disks", "5x2TB"]) == 2
    assert text in capsys.readouterr().err


def test_the_hint_names_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extend", "md0", "grow", "now", "--disks", "5x2TB"]) == 2
    hint = capsys.readouterr().err
    assert "spare sdx; bitmap none, internal or 256M; grow; shelf md1 md2; reshape '(14+2)'" in hint
