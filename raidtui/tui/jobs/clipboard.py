"""Copies text to the terminal's clipboard, or to a file if there is none."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.private_places import private_directory
from raidtui.machine.system.state_paths import user_state
from raidtui.model.errors import RaidtuiError

if TYPE_CHECKING:
    from raidtui.tui.terminal.app_base import TerminalApp

LONGEST = 74_994
"""maximum length in bytes of an OSC 52 sequence that terminals accept"""
COPY_FILE = "copied.txt"
"""the only file of copied text, in the user's state directory: each copy replaces the one before"""


def copy_out(app: TerminalApp, text: str, what: str, *, otherwise: str = "; e writes files") -> str:
    """Copies `text`; returns a message with the destination. OSC 52 is not acknowledged, so success is not claimed.

    `otherwise`: another way to get it.
    """
    payload = text.encode()
    sequence = len(base64.b64encode(payload)) + len("\x1b]52;c;\a")
    if not app.profile.plain and sequence <= LONGEST:
        app.copy_to_clipboard(text)
        return f"{what}: {len(payload)} bytes sent to the terminal's clipboard (OSC 52){otherwise}"
    reason = "this terminal has no clipboard" if app.profile.plain else "too long for a terminal's clipboard"
    path = user_state() / COPY_FILE
    try:
        private_directory(path.parent)
        with failures(path, "make room there"):
            write_durably(path, text, mode=0o600)
    except RaidtuiError as problem:
        return f"{what}: not copied: {reason}, and {problem}"
    return f"{what}: {len(payload)} bytes written to {path} ({reason})"
