"""What kind of terminal it is, from what the environment says."""

from __future__ import annotations

import subprocess
import sys

import pytest

from raidtui.tui.terminal.profile import TerminalProfile, choose, refusal


@pytest.mark.parametrize(
    ("environ", "ttyname", "encoding", "kind", "tier", "theme"),
    [
        ({"TERM": "xterm-256color"}, "/dev/pts/0", "utf-8", "local", "unicode", "raidtui"),
        ({"TERM": "xterm-256color", "SSH_TTY": "/dev/pts/0"}, "/dev/pts/0", "UTF-8", "ssh", "unicode", "raidtui"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "/dev/pts/0", "utf8", "local", "unicode", "raidtui-ansi"),
        ({"TERM": "xterm-256color"}, "/dev/pts/0", "iso8859-1", "local", "ascii", "raidtui"),
        # Python's own encoding is UTF-8 in the C locale too
        ({"TERM": "xterm-256color", "LC_ALL": "C"}, "/dev/pts/0", "utf-8", "local", "ascii", "raidtui"),
        (
            {"TERM": "xterm-256color", "LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"},
            "",
            "utf-8",
            "local",
            "ascii",
            "raidtui",
        ),
        ({"TERM": "xterm-256color", "LC_ALL": "", "LANG": "en_US"}, "/dev/pts/0", "utf-8", "local", "ascii", "raidtui"),
        ({"TERM": "xterm-256color", "LC_CTYPE": "C.UTF-8", "LANG": "C"}, "", "utf-8", "local", "unicode", "raidtui"),
        ({"TERM": "xterm-256color", "LANG": "de_DE.utf8@euro"}, "", "utf-8", "local", "unicode", "raidtui"),
        ({"TERM": "linux"}, "/dev/tty1", "utf-8", "console", "console", "raidtui-ansi"),
        ({"TERM": "linux"}, "/dev/tty1", "ascii", "console", "ascii", "raidtui-ansi"),
        ({"TERM": "vt220"}, "/dev/ttyS0", "utf-8", "serial", "ascii", "raidtui-ansi"),
        ({"TERM": "xterm-256color"}, "/dev/ttyUSB0", "utf-8", "serial", "ascii", "raidtui-ansi"),
        ({"TERM": "vt100"}, "/dev/pts/3", "utf-8", "serial", "ascii", "raidtui-ansi"),
        ({"TERM": "xterm"}, "/dev/pts/3", "utf-8", "local", "unicode", "raidtui-ansi"),
    ],
)
def test_the_profile_follows_the_terminal(
    environ: dict[str, str], ttyname: str, encoding: str, kind: str, tier: str, theme: str
) -> None:
    profile = choose(environ, ttyname=ttyname, encoding=encoding)
    assert (profile.kind, profile.tier, profile.theme) == (kind, tier, theme)


def test_the_admin_has_the_last_word_on_characters_and_mouse() -> None:
    assert choose({"TERM": "linux"}, override="ascii").tier == "ascii"
    assert choose({"TERM": "xterm-256color"}).mouse
    assert not choose({"TERM": "xterm-256color"}, mouse=False).mouse
    assert not choose({"TERM": "linux"}).mouse


def test_a_serial_line_gets_few_frames_time_for_escape_and_a_size() -> None:
    environ: dict[str, str] = {}
    TerminalProfile(kind="serial", tier="ascii", theme="raidtui-ansi").apply(environ, (0, 0))
    assert environ == {
        "TEXTUAL_FPS": "5", "TEXTUAL_ANIMATIONS": "none", "TEXTUAL_SMOOTH_SCROLL": "0",
        "TEXTUAL_DISABLE_KITTY_KEY": "1",
        "TEXTUAL_COLOR_SYSTEM": "standard", "ESCDELAY": "500", "COLUMNS": "80", "LINES": "24",
    }  # fmt: skip


def test_what_the_admin_has_set_stays() -> None:
    environ = {"TEXTUAL_FPS": "60"}
    TerminalProfile(kind="local", tier="unicode", theme="raidtui").apply(environ, (200, 60))
    assert environ == {"TEXTUAL_FPS": "60", "TEXTUAL_ANIMATIONS": "none", "TEXTUAL_SMOOTH_SCROLL": "0"}


def test_no_terminal_and_a_dumb_one_are_refused_with_the_reason() -> None:
    assert refusal({"TERM": "xterm"}, isatty=True) is None
    assert "expected a terminal on stdin" in (refusal({"TERM": "xterm"}, isatty=False) or "")
    assert "TERM is 'dumb'" in (refusal({"TERM": "dumb"}, isatty=True) or "")
    assert "TERM is 'dumb'" in (refusal({}, isatty=True) or "")


@pytest.mark.process
def test_choosing_the_profile_and_starting_load_no_textual() -> None:
    code = "import sys, raidtui.tui.start; sys.exit('textual' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
