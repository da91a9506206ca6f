"""Copies text to the terminal's clipboard, or to a file if there is none."""

from __future__ import annotations

import base64
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from raidtui.tui.jobs.desk import Desk

LONGEST = 74_994
"""maximum length in bytes of an OSC 52 sequence that terminals accept"""


def copy_out(desk: Desk, text: str, what: str) -> str:
    """Copies `text`; returns a message with the destination. OSC 52 is not acknowledged, so success is not claimed."""
    payload = text.encode()
    sequence = len(base64.b64encode(payload)) + len("\x1b]52;c;\a")
    if not desk.profile.plain and sequence <= LONGEST:
        desk.copy_to_clipboard(text)
        return f"{what}: {len(payload)} bytes sent to the terminal's clipboard (OSC 52); e writes files"
    descriptor, path = tempfile.mkstemp(prefix="raidtui-", suffix=".txt")
    with os.fdopen(descriptor, "wb") as file:
        file.write(payload)
    reason = "this terminal has no clipboard" if desk.profile.plain else "too long for a terminal's clipboard"
    return f"{what}: {len(payload)} bytes written to {path} ({reason})"
