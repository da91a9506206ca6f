"""Which control host this is: a name for people, and a token kept in the state directory of this user."""

from __future__ import annotations

import os
import secrets
import socket

from raidtui.machine.run.work_folder import is_id
from raidtui.machine.system.durable_files import write_new
from raidtui.machine.system.input_files import RUN_FILE, read_own
from raidtui.machine.system.private_places import private_directory
from raidtui.machine.system.state_paths import user_state
from raidtui.model.errors import BadInput, Refused


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
