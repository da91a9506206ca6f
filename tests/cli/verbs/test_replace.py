"""`raidtui replace`: of a simulated run, shown and carried out."""

import json

import pytest

from raidtui.cli import main
from tests.cli.commands import built

pytestmark = pytest.mark.process
FAST = "--speed-up=1e9"


@pytest.fixture
def run() -> str:
    return built("(2+1)")[0]


def test_shown_refused_and_carried_out(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["replace", "md127", run, "--member", "sdb", "--with", "sdd"]
    assert main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [step["stage"] for step in shown["steps"]] == [*["exchange"] * 5, "scrub", "pull"]
    assert main([*words, "--begin"]) == 1
    assert "confirmation needs a terminal; nothing was written" in capsys.readouterr().err
    assert main([*words, "--begin", "--yes"]) == 2
    assert main([*words, "--begin", "--yes", "--confirm", "0" * 64]) == 1
    assert f"its digest is {shown['digest']}" in capsys.readouterr().err
    assert main([*words, "--yes", "--confirm", shown["digest"]]) == 2
    assert "belong to --begin" in capsys.readouterr().err
    assert main(["replace", "md127", run, "--member", "sda", "--with", "sdb", "--begin"]) == 1
    assert main([*words, "--begin", "--yes", "--confirm", shown["digest"], FAST]) == 0
    assert "SIMULATED  raidtui: md127 is whole, and is being checked" in capsys.readouterr().err
    assert main([*words, "--begin", "--yes", "--confirm", "0" * 64]) == 0  # nothing is left to confirm
    assert "SIMULATED  raidtui: md127 is whole" in capsys.readouterr().err
    assert main(["status", "--json"]) == 0
    (job,) = json.loads(capsys.readouterr().out)["jobs"]
    assert (job["kind"], job["name"], job["outcome"], job["done"], job["of"]) == ("replace", "md127", "finished", 7, 7)
    assert main(["status", job["id"]]) == 0
    assert "replace of md127: finished, 7 of 7 steps" in capsys.readouterr().out
    assert main(["arrays", run, "--json"]) == 0
    (array,) = json.loads(capsys.readouterr().out)["arrays"]
    assert [member["device"] for member in array["members"] if member["state"] == "in-sync"] == ["sda", "sdd", "sdc"]


def test_disks_to_buy_have_no_array(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replace", "md0", "--disks", "5x2TB"]) == 2
    assert "md0 is not an array on this machine" in capsys.readouterr().err
