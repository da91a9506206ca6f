"""What a host answers to `look`: the inventory of this machine, or a stored one that stands in for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raidtui.model.errors import BadInput
from raidtui.model.json_text import parsed


def look_here(*, measured: bool) -> dict[str, Any]:
    """This machine; `measured`: with the speeds that raidtui measured on it, which takes pydantic."""
    from raidtui.machine.inventory.this_machine import this_machine, with_stored_speeds  # a stored one needs no machine
    from raidtui.model.codec import plain  # nor this

    found = this_machine()
    return {"inventory": plain(with_stored_speeds(found) if measured else found)}


def look_stored(path: Path) -> dict[str, Any]:
    """The inventory in the file at `path` as it is: the control host validates every answer. Raises BadInput."""
    try:
        return {"inventory": parsed(path.read_bytes())}
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise BadInput(f"{path}: {why}", hint="store an inventory there: raidtui disks --json") from problem
