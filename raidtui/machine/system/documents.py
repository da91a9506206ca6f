"""raidtui's own documents: a value as JSON in a file, written durably, read only if no other may have changed it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import InputKind, read_own
from raidtui.model.codec import from_json, to_json

_T = TypeVar("_T")


def save_document(
    path: Path, value: object, *, way_out: str = "make room, or make it writable", indent: int | None = 2
) -> str:
    """Writes `value` to `path`, atomically, in place of an earlier document. Returns the text. Raises MachineFailed."""
    text = to_json(value, indent=indent) + "\n"
    with failures(path, way_out):
        write_durably(path, text, mode=0o600)
    return text


def read_document(of: type[_T], path: Path, kind: InputKind) -> _T:
    """The value in the file `path`. Raises as `read_own`, and BadInput if it is no such document."""
    return from_json(of, read_own(path, kind), source=str(path))


def kept_document(of: type[_T], path: Path, kind: InputKind) -> _T | None:
    """The same; None if there is no such file."""
    return read_document(of, path, kind) if path.exists() else None
