"""Which control host this is: a name for people, and a token kept in the state directory of this user."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path

from raidtui.engine.folders import is_id
from raidtui.fleet.values import Claim
from raidtui.machine.system.files import RUN_FILE, kept_document, read_own, save_document, write_new
from raidtui.machine.system.places import private_directory, user_state
from raidtui.values.errors import BadInput, RaidtuiError, Refused


def control_name() -> str:
    """User and name of this machine."""
    return f"{os.environ.get('USER', 'root')}@{socket.gethostname()}"


def control_token() -> str:
    """Hex digits that no other control host has, made at the first use. Raises BadInput for a damaged file."""
    folder = user_state() / "fleet"
    private_directory(folder)
    path = folder / "control"
    try:
        token = secrets.token_hex(16)
        write_new(path, token)
    except Refused:
        token = read_own(path, RUN_FILE).decode("ascii", "replace").strip()
    if not is_id(token):
        raise BadInput(f"{path} is damaged", hint="remove it, then take over: raidtui fleet resume")
    return token


# The claim beside a run on its host: which control host follows it.


_FILE = "fleet-claim.json"


class Claimed(RaidtuiError):
    """Another control host follows the run."""


def read(folder: Path) -> Claim | None:
    """The claim of the run in `folder`; None if none was made."""
    return kept_document(Claim, folder / _FILE, RUN_FILE)


def take(folder: Path, claim: Claim, *, take_over: bool) -> None:
    """Makes `claim` the run's. Raises Claimed if another control host has it and `take_over` is False."""
    present = read(folder)
    if present == claim:
        return
    if present is not None and present.token != claim.token and not take_over:
        raise Claimed(
            f"control host {present.control} follows this run since {present.since}",
            hint="leave it to that control host, or take over: raidtui fleet resume",
        )
    save_document(folder / _FILE, claim, way_out="make it writable for root")
