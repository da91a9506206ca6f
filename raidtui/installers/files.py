"""Exports as files: written completely or not at all, never over an existing file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from raidtui.installers.exported import Export
from raidtui.machine.system.files import write_new
from raidtui.machine.system.places import private_directory
from raidtui.scripts.files import write_all_new
from raidtui.values.errors import Refused

_COLLECTION = Path(__file__).parents[1] / "ansible"
"""the Ansible collection as it is packed"""


def write_export(made: Export, target: Path) -> tuple[Path, ...]:
    """Writes the file of `made` to `target`, or its files into the new directory `target`. Returns absolute paths.

    Raises Refused if `target` exists, also as a link; MachineFailed if writing fails, and then leaves no file.
    """
    target = target.absolute()
    if len(made.files) == 1:
        return (write_new(target, made.files[0].text),)
    if os.path.lexists(target):
        raise Refused(f"{target} exists already", hint="name another directory, or remove it")
    return write_all_new({target / file.name: (file.text, 0o600) for file in made.files})


def write_collection(target: Path) -> Path:
    """Writes the Ansible collection below the new directory `target`, as Ansible finds it there. Returns its path.

    Raises Refused if `target` exists, also as a link; MachineFailed if writing fails, and then leaves nothing.
    """
    target = target.absolute()
    if os.path.lexists(target):
        raise Refused(f"{target} exists already", hint="name another directory, or remove it")
    place = target / "ansible_collections" / "raidtui" / "storage"
    try:
        for source in sorted(_COLLECTION.rglob("*")):
            if source.is_file() and "__pycache__" not in source.parts:
                made = place / source.relative_to(_COLLECTION)
                private_directory(made.parent)
                write_new(made, source.read_text("utf-8"), mode=0o644)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return place
