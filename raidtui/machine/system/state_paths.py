"""Paths of raidtui's state: runs, benchmarks, measured speeds, and the run lock."""

from __future__ import annotations

import os
from pathlib import Path

from raidtui.model.paths import LOCK_FILE, STATE_FOLDER

REAL_ROOT = Path(STATE_FOLDER)
"""directory of all runs on this machine's disks"""
REAL_LOCK = Path(LOCK_FILE)


def user_state() -> Path:
    """State directory of this user (XDG Base Directory Specification, XDG_STATE_HOME)."""
    home = os.environ.get("XDG_STATE_HOME") or f"{os.environ.get('HOME', '')}/.local/state"
    return Path(home) / "raidtui"


def measured_state() -> Path:
    """Directory of measurements: root's for the whole machine, otherwise the user's own."""
    return REAL_ROOT if os.geteuid() == 0 else user_state()


def speeds_path() -> Path:
    """File of the measured speeds of disks."""
    return measured_state() / "speeds.json"


def benches_root(*, simulated: bool = False) -> Path:
    """Directory of all benchmarks; the simulated ones are apart from the measured ones."""
    return (simulated_root() if simulated else measured_state()) / "benches"


def designs_root() -> Path:
    """Directory of this user's saved designs."""
    return user_state() / "designs"


def simulated_root() -> Path:
    """Directory of all simulated runs of this user."""
    return user_state() / "simulated"


def run_roots() -> tuple[Path, Path]:
    """Directories of all runs: real, simulated."""
    return REAL_ROOT, simulated_root()


def all_benches_roots() -> tuple[Path, ...]:
    """Directories of all benchmarks for this user: measured, root's, simulated."""
    return tuple(dict.fromkeys((benches_root(), REAL_ROOT / "benches", benches_root(simulated=True))))
