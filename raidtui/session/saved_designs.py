"""Designs stored by name in a private directory, one JSON file each."""

from __future__ import annotations

import re
from pathlib import Path

from raidtui.machine.system.files import SAVED_DESIGN, read_document, save_document
from raidtui.machine.system.places import private_directory
from raidtui.values.errors import BadInput
from raidtui.values.safe import safe
from raidtui.values.saved_design import SavedDesign

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SUFFIX = ".json"


def valid_name(name: str) -> str:
    """`name`. Raises BadInput unless it is 1 to 64 letters, digits, dots, dashes, underscores, the first no dot."""
    if _NAME.fullmatch(name) is None:
        raise BadInput(
            f"'{safe(name, longest=40)}' is not a name for a design",
            hint="use 1 to 64 letters, digits, '.', '-' and '_', beginning with a letter or a digit",
        )
    return name


def design_names(root: Path) -> tuple[str, ...]:
    """Names of the designs in `root`, sorted; none if the directory does not exist or cannot be read."""
    try:
        files = sorted(path.name for path in root.iterdir() if path.suffix == _SUFFIX)
    except OSError:
        return ()
    return tuple(file.removesuffix(_SUFFIX) for file in files if _NAME.fullmatch(file.removesuffix(_SUFFIX)))


def read_design(root: Path, name: str) -> SavedDesign:
    """The design `name` in `root`. Raises BadInput for an unknown name or an invalid file."""
    if valid_name(name) not in design_names(root):
        known = ", ".join(design_names(root))
        raise BadInput(
            f"there is no design '{name}' in {root}",
            hint=f"designs: {known}" if known else "S on the Design screen saves one",
        )
    return read_document(SavedDesign, root / f"{name}{_SUFFIX}", SAVED_DESIGN)


def write_design(root: Path, name: str, design: SavedDesign) -> Path:
    """Writes `design` as `name`, atomically, in place of an earlier one of that name; returns the file.

    Raises BadInput for an invalid name, Refused if others may write into `root`, MachineFailed if it cannot be
    written.
    """
    path = root / f"{valid_name(name)}{_SUFFIX}"
    private_directory(root)
    save_document(path, design)
    return path
