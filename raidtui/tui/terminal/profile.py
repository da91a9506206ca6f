"""Terminal profile, chosen before Textual is imported, since Textual reads its settings on import.

Serial lines get ASCII, no mouse and a low frame rate; the Linux console gets the characters of its usual
fonts; all other terminals get full Unicode.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Literal

TerminalKind = Literal["serial", "console", "ssh", "local"]
Tier = Literal["ascii", "console", "unicode"]
TIERS: tuple[Tier, ...] = ("ascii", "console", "unicode")
_SERIAL_TTYS = ("/dev/ttyS", "/dev/ttyUSB", "/dev/ttyAMA", "/dev/ttyACM", "/dev/hvc")
_SERIAL_TERMS = ("vt100", "vt102", "vt220", "vt320", "ansi")
_FEW_COLOURS = (*_SERIAL_TERMS, "linux", "screen", "xterm", "rxvt", "cons25")
_FRAMES: dict[TerminalKind, int] = {"serial": 5, "console": 10, "ssh": 20, "local": 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalProfile:
    """Capabilities and settings of one terminal."""

    kind: TerminalKind
    """how it is attached"""
    tier: Tier
    """characters that it can show"""
    theme: str
    """name of the initial theme"""
    mouse: bool = True
    """False leaves the mouse to the terminal, so that text can be selected"""

    @property
    def plain(self) -> bool:
        """True for terminals without modern control sequences."""
        return self.kind in ("serial", "console")

    def apply(self, environ: MutableMapping[str, str], size: tuple[int, int] = (80, 24)) -> None:
        """Sets the environment variables that Textual reads on import. `size`: columns and rows of the terminal.

        A serial line reports 0 x 0, for which Textual would draw 25 rows. Variables that are set already are kept, but
        COLUMNS and LINES only there: Textual believes them more than the terminal itself.
        """
        wanted = {
            "TEXTUAL_FPS": str(_FRAMES[self.kind]),
            "TEXTUAL_ANIMATIONS": "none",
            "TEXTUAL_SMOOTH_SCROLL": "0",
        }
        if self.plain:
            wanted |= {"TEXTUAL_DISABLE_KITTY_KEY": "1", "TEXTUAL_COLOR_SYSTEM": "standard"}
        if self.kind == "serial":
            wanted["ESCDELAY"] = "500"
        if 0 in size:
            wanted |= {"COLUMNS": "80", "LINES": "24"}
        else:
            for name in ("COLUMNS", "LINES"):
                environ.pop(name, None)
        for name, value in wanted.items():
            environ.setdefault(name, value)


def choose(
    environ: Mapping[str, str],
    *,
    ttyname: str = "",
    encoding: str = "utf-8",
    override: Tier | None = None,
    mouse: bool = True,
) -> TerminalProfile:
    """The profile of the terminal that `environ` (TERM, SSH_TTY, NO_COLOR, COLORFGBG), device and encoding describe."""
    term = environ.get("TERM", "")
    name = term.partition("-")[0]
    if ttyname.startswith(_SERIAL_TTYS) or name in _SERIAL_TERMS:
        kind: TerminalKind = "serial"
    elif name == "linux":
        kind = "console"
    else:
        kind = "ssh" if environ.get("SSH_TTY") or environ.get("SSH_CONNECTION") else "local"
    if not _utf8(environ, encoding) or kind == "serial":
        tier: Tier = "ascii"
    else:
        tier = "console" if kind == "console" else "unicode"
    many_colours = term not in _FEW_COLOURS and kind != "serial"
    light = environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
    few = "NO_COLOR" in environ or not many_colours
    theme = "raidtui-ansi" if few else "raidtui-light" if light else "raidtui"
    return TerminalProfile(
        kind=kind, tier=override or tier, theme=theme, mouse=mouse and kind not in ("serial", "console")
    )


def _utf8(environ: Mapping[str, str], encoding: str) -> bool:
    """True if output may be UTF-8. Python's own encoding is UTF-8 in the C locale too (PEP 540)."""
    locale = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), encoding)
    return all("utf8" in name.lower().replace("-", "") for name in (locale, encoding))


def refusal(environ: Mapping[str, str], *, isatty: bool) -> str | None:
    """The reason why the app cannot run on this terminal; None if it can."""
    if not isatty:
        return "expected a terminal on stdin and stdout; raidtui --plain and the commands work without one"
    if environ.get("TERM", "dumb") in ("", "dumb"):
        return "TERM is 'dumb': set TERM to your terminal's type (vt220 on a serial line), or use a command"
    return None
