"""Random sequences of all bound keys, typed at once, in pieces and slowly, and where each of these ends.

python -m tests.tui.key_sequences SEED NUMBER          NUMBER sequences; prints those that end in different ways
python -m tests.tui.key_sequences SEED NUMBER --pty    on a terminal too, in one write, against the headless app
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from raidtui.machine.inventory.shipped import load
from tests.tui.robot import Robot, key_event, robot
from tests.tui.small_terminal import SmallTerminal
from tests.tui.terminal.on_pty import PATIENCE, on_pty

Pace = Literal["at once", "in pieces", "slowly"]
PACES: tuple[Pace, ...] = ("at once", "in pieces", "slowly")
CROSSING = (*"123456789", "colon", "slash", "question_mark", "f1", *"geSbiCLdwTn")
"""keys that show a screen, or open a dialog or question"""
MOVING = ("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "tab", "shift+tab", "j", "k", "h", "l")
ACTING = (
    "enter", "space", "escape", "less_than_sign", "greater_than_sign", "plus", "minus", "u", "U", "s", "o", "v", "V",
    "z", "a", "m", "f", "F", "y", "Y", "comma", "full_stop", "x", "p", "r", "R", "D", "E", "O", "t", "G", "ctrl+l",
    "c", "backspace", "q",
)  # fmt: skip
WORDS = ("undo", "chunk", "raid6", "256K", "A", "d1s02", ">=20TB", "wide", "nas4", "theme")
"""texts for questions and the palette"""
PLACES = (("e2660", (80, 24)), ("nas4", (80, 24)), ("nas4", (132, 43)), ("trio", (60, 18)))
"""chassis and sizes"""
_LIVE = ("Watch", "Build")
"""screens whose picture depends on the clock"""


@dataclass(frozen=True)
class End:
    """Where a sequence ended."""

    left: bool
    decision: object
    undo: int
    """decisions that can be undone"""
    dialogs: tuple[str, ...]
    page: str
    focus: str
    picture: tuple[str, ...]


def sequence(dice: random.Random) -> tuple[str, ...]:
    """Some keys, of which every third shows another screen or opens something."""
    keys: list[str] = []
    for _ in range(dice.randrange(3, 25)):
        kind = dice.random()
        if kind < 0.35:
            keys.append(dice.choice(CROSSING))
        elif kind < 0.55:
            keys.append(dice.choice(MOVING))
        elif kind < 0.9:
            keys.append(dice.choice(ACTING))
        else:
            keys += [key_of(char) for char in dice.choice(WORDS)]
    return tuple(keys)


def key_of(char: str) -> str:
    """The name of the key with this character."""
    return {">": "greater_than_sign", "=": "equals_sign", " ": "space"}.get(char, char)


async def typed(keys: Sequence[str], pace: Pace, dice: random.Random, chassis: str, size: tuple[int, int]) -> End:
    """Types `keys` into a new app in an empty home."""
    with _home():
        more: dict[str, Any] = {
            "designs": Path("designs"),
            "bench_root": Path("benches"),
            "roots": lambda: (Path("runs"),),
        }
        async with robot(load(chassis), width=size[0], height=size[1], **more) as user:
            await user.settle()
            match pace:
                case "at once":
                    await user.writes(*keys)
                case "slowly":
                    for key in keys:
                        if user.app._exit:
                            break
                        await user.writes(key)
                        await user.settle()
                case "in pieces":
                    for key in keys:
                        user.app.post_message(key_event(key))
                        if dice.random() < 0.3:
                            await asyncio.sleep(dice.random() * 0.03)
            return await _end(user)


async def _end(user: Robot) -> End:
    app = user.app
    if not app._exit:
        await user.pilot.pause()
        await user.settle()
        await user.pilot.pause()
    left = app._exit
    decision, undo = app.session.decision, len(app.session.history.past)
    if left:
        return End(True, decision, undo, (), "", "", ())
    dialogs = tuple(type(screen).__name__ for screen in app.screen_stack)
    focused = app.focused
    live = app.page.page_name in _LIVE or app.bench_follower.seen is not None
    focus = (focused.id or type(focused).__name__) if focused is not None else ""
    return End(False, decision, undo, dialogs, app.page.page_name, focus, () if live else tuple(user.lines()))


@contextlib.contextmanager
def _home() -> Iterator[Path]:
    """An empty directory of always the same name, as the place to write to, with the home below it."""
    with tempfile.TemporaryDirectory() as outside:
        place = Path(outside).with_name(f"raidtui-typed-{os.getpid()}")
        (place / "runs").mkdir(parents=True)
        names = {name: str(place / name) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        try:
            with contextlib.chdir(place), patch.dict(os.environ, names):
                yield place
        finally:
            shutil.rmtree(place)


def ends(seed: str) -> tuple[tuple[str, ...], dict[Pace, End]]:
    """The sequence of `seed`, and its end at each pace."""
    dice = random.Random(seed)
    keys = sequence(dice)
    chassis, size = dice.choice(PLACES)
    return keys, {pace: asyncio.run(typed(keys, pace, random.Random(seed), chassis, size)) for pace in PACES}


BYTES = {
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "pageup": "\x1b[5~", "pagedown": "\x1b[6~",
    "home": "\x1b[H", "end": "\x1b[F", "tab": "\t", "shift+tab": "\x1b[Z", "enter": "\r", "space": " ", "f1": "\x1bOP",
    "backspace": "\x7f", "ctrl+l": "\x0c", "colon": ":", "slash": "/", "question_mark": "?", "less_than_sign": "<",
    "greater_than_sign": ">", "plus": "+", "minus": "-", "comma": ",", "full_stop": ".", "equals_sign": "=",
    "escape": "\x1b[27u",  # as a terminal with this protocol tells it from the beginning of a sequence
}  # fmt: skip
"""what a terminal sends for a key"""


def on_terminal(seed: str) -> tuple[End, tuple[str, ...]]:
    """The end of the sequence of `seed` in the headless app, and the picture of the program that got it at once."""
    dice = random.Random(seed)
    keys = [key for key in sequence(dice) if key != "q"]
    chassis, size = dice.choice(PLACES)
    end = asyncio.run(typed(keys, "slowly", dice, chassis, size))
    environ = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
    begun = time.monotonic()
    with _home() as home, on_pty(("--inventory", chassis), home, environ, size=size) as terminal:
        terminal.finds(b"usable")
        os.write(terminal.near, "".join(BYTES.get(key, key) for key in keys).encode())
        while True:
            terminal.read()
            picture = SmallTerminal(*size)
            os.write(terminal.near, b"\x0c")
            picture.feed(terminal.read().decode("utf-8"))
            lines = _same_run(line.rstrip() for line in picture.lines())
            if lines == _same_run(end.picture) or time.monotonic() > begun + PATIENCE:
                return replace(end, picture=_same_run(end.picture)), lines


def _same_run(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines without what is drawn anew for each run of the program: its run id, and digests over it."""
    return tuple(re.sub(r"\b[0-9a-f]{8,64}\b", lambda found: "#" * len(found[0]), line) for line in lines)


def differences(found: dict[Pace, End]) -> list[str]:
    """What differs from the end of those that were typed slowly, in words."""
    slow = asdict(found["slowly"])
    told = []
    for pace, end in found.items():
        for name, value in asdict(end).items():
            if value != slow[name]:
                if name == "picture":
                    lines = [f"  {a!r}\n  {b!r}" for a, b in zip(value, slow[name], strict=False) if a != b]
                    told.append(f"{pace}: picture\n" + "\n".join(lines))
                else:
                    told.append(f"{pace}: {name}: {value} != {slow[name]}")
    return told


def main(seed: str, number: int, *, pty: bool = False) -> int:
    """The number of sequences whose ends differ."""
    wrong = 0
    for at in range(number):
        if pty:
            end, picture = on_terminal(f"{seed} {at}")
            if end.picture and picture != end.picture:
                wrong += 1
                lines = [f"  {a!r}\n  {b!r}" for a, b in zip(picture, end.picture, strict=True) if a != b]
                print(f"seed {seed} {at}", *lines, sep="\n", flush=True)
            continue
        keys, found = ends(f"{seed} {at}")
        if told := differences(found):
            wrong += 1
            print(f"seed {seed} {at}: {' '.join(keys)}", *told, sep="\n", flush=True)
    where = "in one write on a terminal, and slowly without one" if pty else f"each at {len(PACES)} paces"
    print(f"{number} sequences of seed {seed}, {where}; {wrong} end in different ways")
    return wrong


if __name__ == "__main__":
    raise SystemExit(min(main(sys.argv[1], int(sys.argv[2]), pty="--pty" in sys.argv), 1))
