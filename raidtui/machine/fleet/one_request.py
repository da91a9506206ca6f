"""One request at a time on a host, whoever asks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from raidtui.machine.run.site import locked
from raidtui.machine.system.private_places import private_directory
from raidtui.model.errors import Locked

_LOCK = "fleet-lock"
"""file in the directory that the requests are about"""
_PATIENCE = 60.0
"""seconds to wait for another request"""


@contextlib.contextmanager
def one_request(root: Path) -> Iterator[Path]:
    """Holds the lock of requests about `root`, made if missing. Raises Locked if another one takes too long."""
    private_directory(root)
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(root / _LOCK, patience=_PATIENCE))
        except Locked:
            raise Locked("another request is being carried out on this host", hint="ask again") from None
        yield root
