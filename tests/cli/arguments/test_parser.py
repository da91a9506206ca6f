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
        (["model", "(12+3)", "--disks", "15x2TB"], "column 5: 3 parity disks: md supports 1 (RAID5) and 2 (RAID6)"),
        (["model", "(3+1)", "--disks", "4x2XB"], "'4x2XB'"),
        (["model", "(3+1)", "--chunk", "lots", "--disks", "4x2TB"], "--chunk: invalid size 'lots'"),
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
            ["modle"],
            "there is no verb 'modle' (did you mean model?): disks, arrays, audit, replace, extend, "
            "propose, model, plan, script, export, "
            "build, resume, undo, status, control, watch, bench, tune, drill, report, fleet, schema, help",
            "raidtui --help",
        ),
        (
            ["plan", "(3+1)", "--chnk", "64K"],
            "unknown option --chnk (did you mean --chunk?)", "raidtui help plan",
        ),
        (
            ["fleet", "chek", "sheet"],
            "there is no verb 'chek' (did you mean check?): disks, recipe, plan, check, build, resume, "
            "status, show, undo",
            "raidtui help fleet",
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
        (["model", "(3+1)", "--chunk"], "--chunk: expects SIZE", "raidtui help model"),
        (["bench", "/srv", "--raw"], "--raw: expects read, write", "raidtui help bench"),
        (
            ["extend", "md0", "spar", "sdx"],
            "there is no KIND 'spar' (did you mean spare?): spare, bitmap, grow, shelf, reshape", "raidtui help extend",
        ),
        (["plan", "(3+1)", "--out", ""], "--out: the value is empty", "raidtui help plan"),
        (["report", ""], "RUN|BENCH|FILE: the value is empty", "raidtui help report"),
        (["disks", "--json=1"], "--json: ignored explicit argument '1'", "raidtui help disks"),
        (["watch", "--interval", "x"], "--interval: 'x' is not a number", "raidtui help watch"),
        (
            ["model", "(3+1)", "--disks", "4x1TB", "--inventory", "trio"],
            "--inventory: not allowed with argument --disks", "raidtui help model",
        ),
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
        (["fleet"], "fleet expects VERB", "for example: raidtui fleet disks -w node[01-60]"),
    ],
)
def test_an_operand_that_is_missing_is_named_with_an_example(
    words: list[str], mistake: str, way_out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"raidtui: {mistake}\n         {way_out}\n"
