"""A disk of a simulated machine fails: it is named on every screen, and replaced from Arrays until the array is whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from raidtui.model.design import Design
from raidtui.model.layout import Layout
from tests.tui.builds import Executors
from tests.tui.robot import Robot, robot


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulated runs of a test are in a directory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "raidtui" / "simulated"


@asynccontextmanager
async def built(layout: Layout) -> AsyncIterator[tuple[Robot, Executors]]:
    """A person whose array was built and synced on the four disks of nas4."""
    executors = Executors()
    async with robot("nas4", launch=executors, design=Design(layout=layout)) as user:
        executors.holds_in_sync = True
        await user.press("4", "b")
        await user.finds("[ Cancel ]")
        await typed_phrase(user)
        await user.finds("waits until the arrays are in sync")
        executors.release()
        await user.finds("Finished: every step is done and verified.")
        yield user, executors
        executors.release()


async def typed_phrase(user: Robot) -> str:
    """Types the phrase that the sheet asks for; returns it."""
    said = next(row for row in user.lines() if "type the phrase: " in row)
    words = said.partition("type the phrase: ")[2].partition(" ]")[0]
    await user.press("end", "enter")
    await user.answers(words)
    return words


async def command(user: Robot, text: str) -> None:
    """Types a command after the colon."""
    await user.press("colon")
    await user.types(text)
    await user.press("enter")
    await user.settle()


THREE = Layout(level="raid5", members=3)


async def test_a_disk_fails_and_is_replaced_until_the_array_is_whole(runs: Path) -> None:
    async with built(THREE) as (user, executors):
        await command(user, "fail bay 2")
        for digit in "12345678":
            await user.press(digit)
            await user.eventually(lambda: user.lines()[1] == " data lacks bay 2: 9 shows what to do")
            assert "!9" in user.lines()[0]
        await user.press("1")
        assert next(row for row in user.lines() if "SIMNAS40002" in row).split()[-3:] == ["faulty", "A", "data"]

        await user.press("9")
        await user.settle()
        assert user.lines()[2:6] == [
            "── To repair ───────────────────────────────────────────────────────────────────",
            " md127 data  DEGRADED: one more failure loses data",
            "  ✗ PULL     bay 2               sdb    SIMNAS40002     faulty",
            "  ● 2 of 3 members in sync     r  replace: steps, phrase, light of the slot",
        ]
        await user.press("r")
        await user.finds("[ Cancel ]")
        assert user.sees("SIMULATED  Replace a member of md127: it stays in use meanwhile")
        executors.hold()
        assert await typed_phrase(user) == "replace in md127 by SIMNAS40004"
        await user.finds("fills b4 SIMNAS40004 in md127")
        assert user.sees("REPLACING") or user.sees("*5Build")
        assert executors.started == ["build", "replace"]
        executors.release()
        await user.finds("Finished: every step is done and read back. 9 shows the array.")
        assert user.sees("6 of 6 done")
        assert user.sees("Now pull bay 2, serial SIMNAS40002.")

        await user.press("9")
        await user.settle()
        assert "9 shows what to do" not in user.lines()[1]
        assert not user.sees("To repair")
        assert user.sees("raid5 of 3  clean")
        (folder,) = (runs / "changes").iterdir()
        assert folder.name.startswith("replace-") and (folder / "act.json").exists()
        await user.press("5")
        await user.finds("Finished: every step is done and verified.")
