"""Where raidtui keeps what it knows of this machine."""

from __future__ import annotations

import os
from pathlib import Path


def speeds_path() -> Path:
    """Measured speeds of disks: root's for the whole machine, others' for themselves."""
    if os.geteuid() == 0:
        return Path("/var/lib/raidtui/speeds.json")
    state = os.environ.get("XDG_STATE_HOME") or f"{os.environ.get('HOME', '')}/.local/state"
    return Path(state) / "raidtui" / "speeds.json"
