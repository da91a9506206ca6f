"""An array that has failed is called that on every screen, and what may still be saved comes before all else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.advice.arrays.repair import repairs
from raidtui.cli.main import main
from raidtui.engine.runs import plan_in
from raidtui.session.jobs import fail_disk
from raidtui.tui.screens.arrays import repair_lines
from raidtui.tui.terminal.glyphs import UNICODE
from raidtui.values.arrays import ArrayState
from raidtui.values.design import Design
from tests.planner.arrays.test_repair import GROWS, LOST
from tests.tui.builds import Executors
from tests.tui.robot import robot
from tests.tui.screens.arrays.test_repair import THREE, built, command, runs, typed_phrase
from tests.tui.stills import stills

__all__ = ["runs"]


@pytest.mark.parametrize(("state", "green"), [("degraded", True), ("failed", False)])
def test_nothing_of_an_array_that_has_failed_is_green(state: ArrayState, green: bool) -> None:
    rows = repair_lines(repairs((replace(LOST, states=(state, "clean")),)), 80, UNICODE)
    assert ("good" in {span.tone for row in rows for span in row}) is green


def test_nothing_is_replaced_in_an_array_that_is_reshaped() -> None:
    rows = ["".join(span.text for span in row).rstrip() for row in repair_lines(repairs((GROWS,)), 80, UNICODE)]
    assert rows == [
        "md126 data-1  RESHAPING: survives 2 more",
        " ▸ RESHAPES 4 to 5 members, up to 1 MiB of the array",
        " ● 4 of 5 members in sync",
    ]
    assert "r  replace" in "".join(span.text for row in repair_lines(repairs((LOST,)), 80, UNICODE) for span in row)


async def test_every_screen_says_failed(runs: Path) -> None:
    with stills():
        async with built(THREE) as (user, _):
            await command(user, "fail b2")
            await command(user, "fail b1")
            for digit in "12345678":
                await user.press(digit)
                await user.eventually(
                    lambda: user.lines()[1] == " data has failed, 2 members missing: 9 shows what to do"
                )
            await user.finds("✗ FAILED")
            await user.press("5")
            await user.finds("A data  ✗✗●  ✗ FAILED: 2 of 3 members missing")
            await user.press("9")
            await user.settle()
            assert user.lines()[2:7] == [
                "── To repair ───────────────────────────────────────────────────────────────────",
                " md127 data  FAILED: 2 of 3 members missing",
                "  ✗ FAILED   bay 2               sdb    SIMNAS40002     faulty",
                "  ✗ FAILED   bay 1               sda    SIMNAS40001     faulty",
                "  ● leave its disks where they are, write nothing to them  r  what may be saved",
            ]
            await user.press("r")
            await user.settle()
            page = user.lines()
            first = next(at for at, row in enumerate(page) if "error: md127 is failed" in row)
            assert not any("h idle" in row or "PULL" in row for row in page)
            order = " ".join(row.strip(" │─") for row in page[first:])
            assert "first bay 2, sdb (serial SIMNAS40002), then bay 1, sda (serial SIMNAS40001)" in order
            assert order.index("error: md127") < order.index("first bay 2") < order.index("misses only the last writes")
            assert user.sees("5 Build, then D undoes the run")


async def test_no_benchmark_of_what_has_failed_and_a_degraded_one_says_so(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with built(THREE) as (user, _):
        (folder,) = (each for each in runs.iterdir() if (each / "plan.json").exists())
        await command(user, "fail b2")
        await user.press("6")
        await user.finds(f"run {folder.name[:8]} degraded")
    assert main(["bench", folder.name[:8], "--dry-run"]) == 0
    assert "compared with that of a degraded array" in " ".join(
        capsys.readouterr().err.replace("SIMULATED", "").split()
    )
    fail_disk(folder, plan_in(folder), "b1")
    assert main(["bench", folder.name[:8]]) == 1
    assert "md127 is failed (2 of 3 members missing" in capsys.readouterr().err
    async with robot("nas4", roots=lambda: (runs,)) as user:
        await user.finds("data has failed")
        await user.press("6")
        await user.finds("✗ md127 is failed (2 of 3 members missing, more than it survives)")


async def test_a_first_sync_is_no_repair(runs: Path) -> None:
    executors = Executors()
    async with robot("nas4", launch=executors, design=Design(layout=THREE)) as user:
        executors.holds_in_sync = True
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await typed_phrase(user)
        await user.finds("waits until the arrays are in sync")
        await user.press("9")
        await user.finds("── First sync ──")
        row = next(row for row in user.lines() if "FIRST SYNC" in row)
        assert " h left: no redundancy until its end" in row and "%" in row
        assert "first sync" in next(row for row in user.lines() if "raid5 of 3" in row)
        assert not user.sees("To repair") and not user.sees("r  replace:")
        executors.release()


async def test_enter_after_quick_typing_runs_what_was_typed(runs: Path) -> None:
    async with built(THREE) as (user, executors):
        await user.press("9", "colon")
        await user.writes(*"fail", "space", *"b2", "enter")
        await user.settle()
        assert user.app.screen is user.app.page and executors.started == ["build"]
        assert user.lines()[1] == " bay 2 of data is missing: 9 shows what to do"
        await user.press("colon")
        await user.types("practise")
        assert user.sees("or type here: swap b2")
