"""The last good look at each host, in the state directory of the control host; one file, replaced as a whole."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from raidtui.machine.system.closing import closing
from raidtui.machine.system.documents import kept_document, save_document
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import LAST_LOOKS
from raidtui.machine.system.private_places import private_directory
from raidtui.machine.system.state_paths import measured_state, simulated_root
from raidtui.model.fleet.hosts import FleetInventory, HostLook

_FILE = "inventory.json"
_LOCK = "inventory.lock"


def fleet_root(*, simulated: bool) -> Path:
    """Directory of what the control host keeps about hosts; simulated ones apart."""
    return (simulated_root() if simulated else measured_state()) / "fleet"


def last_looks(root: Path) -> Mapping[str, HostLook]:
    """The last good look at each host ever asked; none where nothing is stored."""
    found = kept_document(FleetInventory, root / _FILE, LAST_LOOKS)
    return {look.host: look for look in found.hosts} if found is not None else {}


def keep_looks(root: Path, found: FleetInventory) -> Mapping[str, HostLook]:
    """Stores the looks at hosts that answered, keeps those at all others; returns what was stored before.

    Raises MachineFailed if it cannot be written, Refused if others may write there, BadInput for a damaged file.
    """
    private_directory(root)
    with _locked(root / _LOCK):
        before = last_looks(root)
        merged = {**before, **{look.host: look for look in found.hosts if look.inventory is not None}}
        whole = FleetInventory(taken_at=found.taken_at, hosts=tuple(merged[host] for host in sorted(merged)))
        save_document(root / _FILE, whole, indent=None)
    return before


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two looks at once store one after the other."""
    with failures(path, "make it writable"):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with closing(handle):
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
