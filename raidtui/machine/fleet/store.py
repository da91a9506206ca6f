"""The last good look at each host, in the state directory of the control host; one file, replaced as a whole."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.input_files import LAST_LOOKS, read_own
from raidtui.machine.system.private_places import private_directory
from raidtui.machine.system.state_paths import measured_state, simulated_root
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import MachineFailed
from raidtui.model.fleet.hosts import FleetInventory, HostLook

_FILE = "inventory.json"
_LOCK = "inventory.lock"


def fleet_root(*, simulated: bool) -> Path:
    """Directory of what the control host keeps about hosts; simulated ones apart."""
    return (simulated_root() if simulated else measured_state()) / "fleet"


def last_looks(root: Path) -> Mapping[str, HostLook]:
    """The last good look at each host ever asked; none where nothing is stored."""
    path = root / _FILE
    if not path.exists():
        return {}
    found = from_json(FleetInventory, read_own(path, LAST_LOOKS), source=str(path))
    return {look.host: look for look in found.hosts}


def keep_looks(root: Path, found: FleetInventory) -> Mapping[str, HostLook]:
    """Stores the looks at hosts that answered, keeps those at all others; returns what was stored before.

    Raises MachineFailed if it cannot be written, Refused if others may write there, BadInput for a damaged file.
    """
    private_directory(root)
    with _locked(root / _LOCK):
        before = last_looks(root)
        merged = {**before, **{look.host: look for look in found.hosts if look.inventory is not None}}
        whole = FleetInventory(taken_at=found.taken_at, hosts=tuple(merged[host] for host in sorted(merged)))
        path = root / _FILE
        try:
            write_durably(path, to_json(whole, indent=None) + "\n", mode=0o600)
        except OSError as problem:
            raise MachineFailed(f"{path}: {problem.strerror}", hint="make room, or make it writable") from problem
    return before


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two looks at once store one after the other."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as problem:
        raise MachineFailed(f"{path}: {problem.strerror}", hint="make it writable") from problem
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
