"""Options of every verb: where they may be, and what wrong ones print."""

import pytest

from raidtui.cli import main
from raidtui.cli.arguments.parser import parser
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
            "raidtui: there is no verb 'modle' (did you mean model?): disks, arrays, audit, replace, extend, "
            "propose, model, plan, script, export, "
            "build, resume, undo, status, control, watch, bench, tune, drill, report, fleet, schema, help",
            "raidtui --help",
        ),
        (
            ["plan", "(3+1)", "--chnk", "64K"],
            "raidtui plan: unknown option --chnk (did you mean --chunk?)", "raidtui help plan",
        ),
        (
            ["fleet", "chek", "sheet"],
            "raidtui fleet: there is no verb 'chek' (did you mean check?): disks, recipe, plan, check, build, resume, "
            "status, show, watch, undo, bench",
            "raidtui help fleet",
        ),
        (["--theme", "dark"], "raidtui: unknown option --theme", "raidtui --help"),
        (["--glyps", "ascii"], "raidtui: unknown option --glyps (did you mean --glyphs?)", "raidtui --help"),
        (["plan"], "raidtui plan: the following arguments are required: LAYOUT", "raidtui help plan"),
        (
            ["model", "(3+1)", "--color", "blue"],
            "raidtui model: --color cannot be 'blue': auto, always, never", "raidtui help model",
        ),
        (["status", "one", "two"], "raidtui status: one word too many: two", "raidtui help status"),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_in_two_lines(
    words: list[str], mistake: str, way_out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"{mistake}\n         {way_out} lists what it takes\n"
