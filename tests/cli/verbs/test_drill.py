"""`raidtui drill` on a finished run of simulated disks."""

from __future__ import annotations

import json

import pytest

from raidtui.cli import main
from raidtui.values.errors import Exit
from tests.cli.commands import built


def test_a_run_that_is_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "abcdef12"]) == Exit.USAGE
    assert "no run starts with" in capsys.readouterr().err
    assert main(["drill", "/dev/md9"]) == Exit.USAGE
    assert "/dev/md9 is the name of an array, not of a run, which is the build of a plan" in capsys.readouterr().err


@pytest.mark.process
def test_a_member_fails_and_is_restored(capsys: pytest.CaptureFixture[str]) -> None:
    run, sure = built()
    assert main(["drill", "md9"]) == Exit.USAGE
    assert f"raidtui status lists runs; runs here: {run[:8]}\n" in capsys.readouterr().err
    assert main(["drill", run, "--array", "1", *sure]) == Exit.USAGE
    assert main(["drill", run, "--with-data", "yes", *sure]) == Exit.USAGE
    assert "I know that the array holds data" in capsys.readouterr().err
    assert main(["drill", run, *sure, "--speed-up", "100000", "--json"]) == Exit.DONE
    drilled = json.loads(capsys.readouterr().out)
    assert (drilled["outcome"], drilled["restored"], drilled["mismatches"]) == ("finished", True, 0)
