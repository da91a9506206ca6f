"""Plans as files: written completely or not at all, never over an existing file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from raidtui.machine.system.files import write_new
from raidtui.machine.system.places import private_directory
from raidtui.scripts.build_script import build_script
from raidtui.scripts.runbook import runbook
from raidtui.scripts.undo_script import undo_script
from raidtui.values.codec import to_json
from raidtui.values.errors import RaidtuiError, Refused
from raidtui.values.plan import Plan


def write_plan(plan: Plan, directory: Path) -> tuple[Path, ...]:
    """Writes plan.json, build.sh, undo.sh and runbook.md into `directory`, created if missing: all files or none.

    Returns the written paths. Raises Refused if one of them exists, also as a link; MachineFailed if writing fails.
    """
    texts = {
        "plan.json": (to_json(plan) + "\n", 0o600),
        "build.sh": (build_script(plan).text, 0o700),
        "undo.sh": (undo_script(plan).text, 0o700),
        "runbook.md": (runbook(plan), 0o600),
    }
    present = [name for name in texts if os.path.lexists(directory / name)]
    if present:
        raise Refused(f"{directory} already holds {', '.join(present)}", hint="name another directory, or remove them")
    return write_all_new({directory / name: made for name, made in texts.items()})


def write_all_new(files: Mapping[Path, tuple[str, int]]) -> tuple[Path, ...]:
    """Writes new files, each a text and its mode, and their directories where missing: all of them or none.

    Raises as `write_new` and `private_directory`.
    """
    written: list[Path] = []
    try:
        for path, (text, mode) in files.items():
            private_directory(path.parent)
            written.append(write_new(path, text, mode=mode))
    except RaidtuiError:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return tuple(written)
