"""In the guest: a robot user at the app on the real machine, who designs, confirms and builds, or takes back.

python3 -m tests.lab.guest_pilot build LAYOUT    from the Disks screen to a finished build; prints the last screens
python3 -m tests.lab.guest_pilot undo            the newest run, from the Build screen
python3 -m tests.lab.guest_pilot r DISK          replaces what the only array lacks by DISK, from the Arrays screen
python3 -m tests.lab.guest_pilot E WORDS         extends it
"""

from __future__ import annotations

import asyncio
import platform
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from raidtui.machine.inventory.probe import probe
from raidtui.machine.system.host import SystemHost
from raidtui.tui.start import make
from tests.tui.robot import Robot, profile_of

_PATIENCE = 1800.0
_LOOKS = 2.0


@asynccontextmanager
async def _at_the_console() -> AsyncIterator[Robot]:
    """The app as root starts it with --allow-writes, on a terminal of 80x24."""
    inventory = probe(SystemHost())
    app = make(inventory, profile_of(), rescan=lambda: probe(SystemHost()), allow_writes=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield Robot(app, pilot)


async def _sees(user: Robot, text: str) -> None:
    """Waits until `text` stands on the screen; says what stands there instead when it never does."""
    until = time.monotonic() + _PATIENCE
    while not user.sees(text):
        if time.monotonic() > until or any(user.sees(word) for word in ("FAILED", "failed", "refused")):
            raise SystemExit("\n".join([f"'{text}' is not to be seen", *user.lines()]))
        await asyncio.sleep(_LOOKS)
        await user.pilot.pause()


async def _confirms(user: Robot, *ends: str) -> None:
    """Reads the phrase off the sheet and types it."""
    await _sees(user, "[ Cancel ]")
    said = next(row for row in user.lines() if "type the phrase: " in row)
    print("\n".join(user.lines()))
    await user.press(*ends)
    for words in said.partition("type the phrase: ")[2].partition(" ]")[0].split(", then: "):
        await user.answers(words)
        await user.pilot.pause()


async def build(layout: str) -> None:
    """Design, Commands, confirmation, Build."""
    async with _at_the_console() as user:
        await user.press("2", "slash")
        await user.answers(layout)
        print("\n".join(user.lines()))
        await user.press("4", "b")
        await _confirms(user, "end", "enter")
        await _sees(user, "Log, times in UTC")
        await _sees(user, "Finished: every step is done and verified")
        print("\n".join(user.lines()))


async def undo() -> None:
    """The Build screen finds the newest run by itself."""
    async with _at_the_console() as user:
        await user.press("5")
        await _sees(user, f" on {platform.node()} finished")
        await user.press("D")
        await _confirms(user, "end", "enter")
        await _sees(user, "no signature or line of the plan is left")
        print("\n".join(user.lines()))


async def change(key: str, words: str) -> None:
    """The Arrays screen, the question of `key`, the phrase, then Build to the end."""
    async with _at_the_console() as user:
        await user.press("9")
        await _sees(user, "chunk")
        await user.press(key)
        await _sees(user, "new disk in" if key == "r" else "extend md")
        await user.answers(words)
        await _confirms(user, "end", "enter")
        await _sees(user, "Finished: every step is done and read back")
        print("\n".join(user.lines()))
        await user.press("9")
        await _sees(user, "clean")
        print("\n".join(user.lines()))


if __name__ == "__main__":
    match sys.argv[1]:
        case "build":
            asyncio.run(build(sys.argv[2]))
        case "undo":
            asyncio.run(undo())
        case key:
            asyncio.run(change(key, sys.argv[2]))
