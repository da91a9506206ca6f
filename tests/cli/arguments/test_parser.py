"""Options of every verb: where they may be, and what wrong ones print."""

import pytest

from raidtui.cli import main


@pytest.mark.parametrize(
    ("words", "mistake", "way_out"),
    [
        (["modle"], "there is no command 'modle' (did you mean model?)", "raidtui --help"),
        (
            ["plan", "(3+1)", "--chnk", "64K"],
            "unknown option --chnk (did you mean --chunk?)", "raidtui help plan",
        ),
        (["fleet", "chek", "sheet"], "there is no command 'chek' (did you mean check?)", "raidtui help fleet"),
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
