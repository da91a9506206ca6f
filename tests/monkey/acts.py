"""What a monkey does: acts as values that a line of text holds, and how a seed draws them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["type", "drip", "resize", "signal", "stop", "wait", "stall", "phrase"]
Act = tuple[Kind, object]
"""(`type`, bytes): one write. (`drip`, bytes): a byte at a time, as on a slow line. (`resize`, (columns, rows)).

(`signal`, name): to parent and app. (`stop`, (name, how)): stops them as a shell does, and continues them by `fg`, or
by `bg` and then `fg`. (`wait`, seconds). (`stall`, seconds): the terminal takes no output. (`phrase`, None): types the
phrase that the screen asks for.
"""
ENDINGS = ("TERM", "HUP", "INT", "QUIT", "ABRT", "USR1", "USR2", "ALRM", "PIPE", "VTALRM", "PROF", "IO", "XCPU", "SYS")
"""signals that end a session; PIPE does not"""
SIZES = ((80, 24), (80, 23), (132, 43), (200, 60), (60, 18), (59, 18), (60, 17), (28, 12), (110, 32), (195, 60), (1, 1),
         (40, 10), (250, 80), (80, 50), (300, 18), (10, 100))  # fmt: skip
CHASSIS = ("nas4", "e2660", "trio", "nvme24", "jbod84", "pod45")
_ENVIRONS: Sequence[Mapping[str, str]] = (
    {"TERM": "xterm-256color", "LANG": "C.UTF-8"},
    {"TERM": "xterm-256color", "LANG": "C.UTF-8", "SSH_TTY": "/dev/pts/9"},
    {"TERM": "tmux-256color", "LANG": "C.UTF-8", "COLORFGBG": "0;15"},
    {"TERM": "screen", "LANG": "C.UTF-8"},
    {"TERM": "linux", "LANG": "C.UTF-8"},
    {"TERM": "vt220", "LANG": "C"},
    {"TERM": "xterm", "LC_ALL": "C", "NO_COLOR": "1"},
    {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": "40", "LINES": "500"},
    {"TERM": "no-such-terminal", "LANG": "C.UTF-8"},
)
_NAMED = (b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", b"\t", b"\x1b[Z",
          b"\r", b" ", b"\x1b", b"\x7f", b"\x1bOP", b"\x1b[24~", b"\x1b[3~", b"\x1bOA")  # fmt: skip
"""arrows, pages, ends, Tab, Enter, Space, Esc, Backspace, F1, F12, Del, and the arrow of another mode"""
_LETTERS = b"abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789<>+-,.=()"
_OPENING = (b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9", b":", b"/", b"?", b"g", b"e", b"S", b"b", b"i", b"z",
            b"\x1bOP", b"T", b"E", b"C", b"L")  # fmt: skip
_CONTROL = bytes(each for each in range(1, 27) if each not in b"\x11\x1a\t\r")
_TEXTS = (b"4x(12+2)+4", b"raid10(8)", b">=20TB", b"256K", b"A", b"nas4", b"trio", b"theme", b"chunk", b"./out",
          b"d1s02", b"4x8TB", b"spare sda", "µé漢\U0001f600".encode(), b"[red]x[/]", b"x" * 300)  # fmt: skip
_BENCHMARK = b"\x1b\x1b6bstart\r"
_NOISE = (b"\xff\xfe\x80", b"\x1b[", b"\x1b[<0;", b"\x1b[?2026;2$y", b"\x1b[?2048;2$y", b"\x1b[48;24;80;0;0t",
          b"\x1b[48;24;80;384;640t", b"\x1b[97u", b"\x1b[57441;2u", b"\x1b[27;5;13~", b"\x1b]11;rgb:0/0/0\x07",
          b"\x1b[?62;22c", b"\x1b[5;10R", b"\x1b[I", b"\x1b[O", b"\x1b[O\x1b[I", b"\x00", b"\x1b\x1b\x1b", b"\x1bx",
          b"\x1b[200~", b"\x1b[201~")  # fmt: skip
"""half sequences, answers that nobody asked for, focus that comes and goes"""


@dataclass(frozen=True)
class Session:
    """A terminal, and what is done at it."""

    chassis: str = "nas4"
    size: tuple[int, int] = (80, 24)
    environ: Mapping[str, str] = field(default_factory=lambda: _ENVIRONS[0])
    acts: tuple[Act, ...] = ()
    ending: str = ""
    """name of the signal that ends it; empty if it is left by `q`"""


def drawn(seed: str) -> Session:
    """The session of `seed`."""
    dice = random.Random(seed)
    acts = tuple(_act(dice) for _ in range(dice.randrange(8, 40)))
    return Session(
        chassis=dice.choice(CHASSIS), size=dice.choice(SIZES), environ=dice.choice(_ENVIRONS), acts=acts,
        ending=dice.choice(ENDINGS) if dice.random() < 0.2 else "",
    )  # fmt: skip


def _act(dice: random.Random) -> Act:
    chance = dice.random()
    if chance < 0.45:
        return "type", b"".join(_keys(dice) for _ in range(dice.choice((1, 1, 2, 3, 8, 25))))
    if chance < 0.53:
        return "drip", b"".join(_keys(dice) for _ in range(dice.choice((1, 2, 5))))
    if chance < 0.63:
        return "type", b"".join(_mouse(dice) for _ in range(dice.choice((1, 2, 10))))
    if chance < 0.68:
        return "type", b"\x1b[200~" + dice.choice(_TEXTS) + b"\n" * dice.randrange(2) + b"\x1b[201~"
    if chance < 0.73:
        return "type", dice.choice(_NOISE)
    if chance < 0.83:
        return "resize", dice.choice(SIZES)
    if chance < 0.86:
        return "signal", dice.choice(("WINCH", "CONT", "URG", "PIPE", "CHLD"))
    if chance < 0.89:
        return "stop", (dice.choice(("TSTP", "TSTP", "STOP")), dice.choice(("fg", "fg", "bg")))
    if chance < 0.91:
        return "stall", round(dice.random() * 2, 2)
    if chance < 0.93:
        return "phrase", None
    if chance < 0.95:
        return "type", _BENCHMARK
    return "wait", round(dice.choice((0.02, 0.2, 1.0)) * dice.random(), 3)


def _keys(dice: random.Random) -> bytes:
    chance = dice.random()
    if chance < 0.3:
        return dice.choice(_OPENING)
    if chance < 0.6:
        return dice.choice(_NAMED)
    if chance < 0.88:
        return bytes((dice.choice(_LETTERS),))
    if chance < 0.92:
        return bytes((dice.choice(_CONTROL),))
    if chance < 0.93:
        return b"q"
    return dice.choice(_TEXTS) + b"\r" * dice.randrange(2)


def _mouse(dice: random.Random) -> bytes:
    """A click, a movement or the wheel, mostly on the screen."""
    x, y = dice.randrange(1, dice.choice((80, 132, 300))), dice.randrange(1, dice.choice((24, 43, 100)))
    kind = dice.choice(("click", "click", "triple", "drag", "move", "wheel", "right"))
    down, up = b"\x1b[<0;%d;%dM" % (x, y), b"\x1b[<0;%d;%dm" % (x, y)
    match kind:
        case "triple":
            return (down + up) * 3
        case "drag":
            return down + b"\x1b[<32;%d;%dM" % (x + 3, y + 1) + b"\x1b[<0;%d;%dm" % (x + 3, y + 1)
        case "move":
            return b"\x1b[<35;%d;%dM" % (x, y)
        case "wheel":
            return b"\x1b[<%d;%d;%dM" % (dice.choice((64, 65)), x, y)
        case "right":
            return b"\x1b[<2;%d;%dM\x1b[<2;%d;%dm" % (x, y, x, y)
        case _:
            return down + up
