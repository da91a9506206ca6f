"""Options of every verb: where they may be, and what wrong ones print."""

import pytest

from raidtui.cli import main
from tests.cli.commands import answer


def test_options_of_disks_stand_before_or_after_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    before = answer(capsys, "--inventory", "trio", "disks")
    assert before == answer(capsys, "disks", "--inventory", "trio")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["model", "(3+1)", "--disks", "4x2TB", "--sector", "520"], "invalid sector size 520"),
        (["disks", "--inventory", "no-such"], "no-such"),
        (["script", "/no/such/plan.json"], "/no/such/plan.json cannot be read: No such file"),
    ],
)
def test_wrong_usage_names_the_place_and_the_way_out(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 2, "a sentence and a way out"


@pytest.mark.parametrize(
    ("words", "mistake", "way_out"),
    [
        (
            ["plan", "(3+1)", "--chnk", "64K"],
            "unknown option --chnk (did you mean --chunk?)", "raidtui help plan",
        ),
        (["--theme", "dark"], "unknown option --theme", "raidtui --help"),
        (["--glyps", "ascii"], "unknown option --glyps (did you mean --glyphs?)", "raidtui --help"),
        (
            ["model", "(3+1)", "--color", "blue"],
            "--color cannot be 'blue': auto, always, never", "raidtui help model",
        ),
        (["status", "one", "two"], "one word too many: two", "raidtui help status"),
        (["model", "-1x(3+1)"], "unknown option -1x(3+1)", "raidtui help model"),
        (["model", "--chnk", "64K"], "unknown option --chnk (did you mean --chunk?)", "raidtui help model"),
        (["model", "--required"], "unknown option --required", "raidtui help model"),
        (["bench", "/srv", "--raw"], "--raw: expects read, write", "raidtui help bench"),
        (["plan", "(3+1)", "--out", ""], "--out: the value is empty", "raidtui help plan"),
        (["report", ""], "RUN|BENCH|FILE: the value is empty", "raidtui help report"),
        (["disks", "--json=1"], "--json: ignored explicit argument '1'", "raidtui help disks"),
        (["watch", "--interval", "x"], "--interval: 'x' is not a number", "raidtui help watch"),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_in_two_lines(
    words: list[str], mistake: str, way_out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"raidtui: {mistake}\n         {way_out} lists what it takes\n"


@pytest.mark.parametrize(
    ("words", "mistake", "way_out"),
    [
        (["--", "plan"], "plan expects LAYOUT", "for example: raidtui plan '(6+2)+1' --out new"),
        (["control", "3f2a"], "control expects REQUEST", "for example: raidtui control 3f2a pause"),
        (["fleet"], "fleet expects COMMAND", "for example: raidtui fleet disks -w node[01-60]"),
    ],
)
def test_an_operand_that_is_missing_is_named_with_an_example(
    words: list[str], mistake: str, way_out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"raidtui: {mistake}\n         {way_out}\n"
