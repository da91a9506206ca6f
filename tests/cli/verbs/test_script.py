"""`raidtui script`: the same text as the files of a plan."""

import json
from pathlib import Path

import pytest

from raidtui.cli import main
from tests.cli.commands import answer

RAID60 = ["4x(12+2)+4", "--chunk", "256K", "--inventory", "e2660"]


def test_the_script_comes_again_from_the_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["plan", *RAID60, "--out", str(tmp_path)])
    capsys.readouterr()
    plan = str(tmp_path / "plan.json")
    assert answer(capsys, "script", plan) == (tmp_path / "build.sh").read_text()
    assert answer(capsys, "script", plan, "--undo") == (tmp_path / "undo.sh").read_text()
    assert answer(capsys, "script", plan, "--runbook") == (tmp_path / "runbook.md").read_text()


def test_a_plan_that_was_changed_is_not_believed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["plan", *RAID60, "--out", str(tmp_path)])
    file = tmp_path / "plan.json"
    file.write_text(file.read_text().replace("--level=6", "--level=0", 1))
    assert main(["script", str(file)]) == 2
    assert "its digest does not match" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "form"), [((), "build"), (("--undo",), "undo"), (("--runbook",), "runbook")])
def test_a_script_for_programs_is_the_script(
    options: tuple[str, ...], form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["plan", "raid1(2)", "--disks", "2x2TB", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["script", str(tmp_path / "plan.json"), *options]) == 0
    text = capsys.readouterr().out
    assert main(["script", str(tmp_path / "plan.json"), *options, "--json"]) == 0
    digest = json.loads((tmp_path / "plan.json").read_text())["digest"]
    assert json.loads(capsys.readouterr().out) == {
        "schema": "raidtui/script/1", "form": form, "plan_digest": digest, "text": text,
    }  # fmt: skip
