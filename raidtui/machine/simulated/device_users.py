"""Processes and kernel users of simulated devices, as `Runner.users` and a probe find them."""

from __future__ import annotations

from collections.abc import Iterable

from raidtui.machine.device_users.users import IN_KERNEL
from raidtui.machine.ports.runner import User
from raidtui.machine.simulated.core.devices import children, kernel_name, resolve
from raidtui.machine.simulated.core.state import State
from raidtui.machine.simulated.core.storage import drive_of
from raidtui.model.inventory import OpenedBy


def users_of(state: State, paths: Iterable[str]) -> tuple[User, ...]:
    """See Runner.users."""
    found = []
    for path in paths:
        key = resolve(state, path)
        if key is None:
            continue
        drive = drive_of(state, key)
        for hold in drive.holds if drive else ():
            if hold.how in IN_KERNEL:
                found.append(User(path=path, by=IN_KERNEL[hold.how].format(hold.name), writing=True))
        for each in opened_by(state, key):
            found.append(User(path=path, by=f"{each.command} (pid {each.process})", writing=each.writing))
    return tuple(dict.fromkeys(found))


def opened_by(state: State, key: str) -> tuple[OpenedBy, ...]:
    """Processes that have a device or something on it open."""
    stack = _subtree(state, key)
    return tuple(
        OpenedBy(
            process=each.process, command=each.command, device=kernel_name(state, each.key), writing=each.writing
        )
        for each in state.opened
        if each.key in stack
    )  # fmt: skip


def _subtree(state: State, key: str) -> set[str]:
    found, waiting = {key}, [key]
    while waiting:
        for _, child in children(state, waiting.pop()):
            if child and child not in found:
                found.add(child)
                waiting.append(child)
    return found
