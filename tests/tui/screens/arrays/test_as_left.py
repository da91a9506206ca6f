"""A simulated chassis is as its newest runs left it, on every screen and for every verb, until they are undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.cli.main import main
from raidtui.values.layout import Layout
from tests.tui.builds import Executors
from tests.tui.robot import Robot, robot
from tests.tui.screens.arrays.test_repair import THREE, built, command, runs, typed_phrase

__all__ = ["runs"]


def states(user: Robot) -> list[str]:
    """What Disks says of each disk."""
    return [" ".join(row.partition("512e")[2].split()) for row in user.lines() if " SIM4000" in row]


IN_ARRAY = "■ in array in use: member of md127…"


async def test_what_was_built_is_in_use_until_it_is_undone(runs: Path) -> None:
    async with built(THREE) as (user, executors):
        await user.press("1")
        await user.eventually(lambda: states(user)[:3] == [IN_ARRAY] * 3)
        assert states(user)[3].startswith("● free")
        await user.press("2")
        assert user.sees("The layout needs 3 disks (3 members), found 1.")
        await user.press("4", "b")
        assert not user.sees("[ Cancel ]")
        assert user.note().startswith("nothing to build: ")
        await user.press("5", "D")
        await user.finds("[ Cancel ]")
        await typed_phrase(user)
        await user.eventually(lambda: executors.started == ["build", "undo"] and not executors.running())
        await user.press("1")
        await user.eventually(lambda: all("free" in each for each in states(user)))
        await user.press("2")
        assert not user.sees("found 1.")


async def test_another_start_finds_what_was_built_and_the_new_disk(runs: Path) -> None:
    async with built(THREE) as (user, _):
        await command(user, "fail b2")
        await command(user, "swap b2")
    async with robot("nas4", launch=Executors(), roots=lambda: (runs,)) as user:
        await user.eventually(lambda: [states(user)[at] for at in (0, 2)] == [IN_ARRAY] * 2)
        assert not user.sees("SIMNAS40002")
        assert user.note() == "4 disks, 15.8 TB raw; 2 chosen  ■ 2 in array  ● 2 free   5, D undoes the run"
        assert [states(user)[at].split()[:2] for at in (1, 3)] == [["●", "free"]] * 2
        await user.eventually(lambda: user.lines()[1] == " bay 2 of data is missing: 9 shows what to do")
        await user.press("9")
        await user.finds("DEGRADED: one more failure loses data")


async def test_a_second_build_is_on_the_machine_that_has_the_first(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with built(Layout.of(level="raid1", members=2)) as (user, executors):
        await user.press("2")
        await user.eventually(lambda: user.sees("2 used, 0 left"))
        await user.press("4", "n")
        await user.answers("other")
        await user.press("b")
        await user.finds("ERASES 2 disks")
        assert user.sees("SIMNAS40003") and user.sees("SIMNAS40004") and not user.sees("SIMNAS40001")
        await typed_phrase(user)
        await user.eventually(lambda: executors.started == ["build", "build"] and not executors.running())
        await user.press("9")
        await user.finds("2 arrays: 2 clean")
        assert len(list(runs.glob("*/machine.json"))) == 1
    assert main(["disks", "--inventory", "nas4"]) == 0
    out = capsys.readouterr()
    assert out.out.count("member of md12") == 4 and " as run " in out.err
    assert main(["arrays", "--inventory", "nas4"]) == 0
    assert "2 arrays" in capsys.readouterr().out
    assert main(["model", "(2+1)", "--inventory", "nas4"]) == 1
    assert "The layout needs 3 disks (3 members), found 0." in capsys.readouterr().out
