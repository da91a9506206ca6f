"""`raidtui tune RUN --settings` on a finished run of simulated disks."""

from __future__ import annotations

import json

import pytest

from raidtui.cli import main
from raidtui.model.errors import Exit
from tests.cli.commands import built


def test_a_run_that_is_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "abcdef12", "--settings"]) == Exit.USAGE
    assert "no run starts with" in capsys.readouterr().err


@pytest.mark.process
def test_a_setting_is_measured_and_restored(capsys: pytest.CaptureFixture[str]) -> None:
    run, _ = built()
    assert main(["tune", run, "--settings", "group_thread_cnt", "--seconds", "1", "--json"]) == Exit.DONE
    swept = json.loads(capsys.readouterr().out)
    assert (swept["outcome"], swept["put_back"], swept["simulated"]) == ("finished", True, True)
