"""Present users of a block device and of the devices on it: processes and the kernel, also without exclusive access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidtui.machine.device_users.kernel_users import kernel_users
from raidtui.machine.ports.host import Host
from raidtui.machine.ports.runner import User
from raidtui.model.by_key import by_key
from raidtui.model.errors import MachineFailed
from raidtui.tools.sysfs import word

IN_KERNEL = {"loop": "the loop device {}", "exported": "the export {}"}
"""kind of a use in the kernel to its description"""


def users_of(host: Host, paths: Iterable[str]) -> tuple[User, ...]:
    """Users of the block devices at `paths`, of their partitions and of all devices on them.

    Without this process and its children. Raises MachineFailed if a process could not be inspected: then no device is
    known to be unused.
    """
    below = by_key((number, path) for path in paths for number in dict.fromkeys(_numbers(host, path)))
    opened = host.openers()
    if opened.unread:
        raise MachineFailed(
            f"the users of the disks are unknown: {opened.unread} cannot be read",
            hint="run as root on the host, outside of containers",
        )
    found = []
    for each in opened.found:
        found += [User(path=path, by=each.by, writing=each.writing) for path in below.get(each.number, ())]
    for device, use in kernel_users(host):
        by = IN_KERNEL.get(use.kind, "{}").format(use.where)
        found += [User(path=path, by=by, writing=True) for path in below.get(host.number(device) or "", ())]
    return tuple(dict.fromkeys(found))


def _numbers(host: Host, path: str) -> Iterator[str]:
    """major:minor of the device at `path`, of its partitions and of everything on them (sysfs `holders`); of a
    multipath map also of its paths (`slaves`)."""
    number = host.number(path)
    if number is None:
        return
    yield number
    name = (host.link(f"/sys/dev/block/{number}") or "").rpartition("/")[2]
    waiting = [name, *host.names(f"/sys/class/block/{name}/slaves")] if name else []
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        folder = f"/sys/class/block/{name}"
        if found := word(host.text(f"{folder}/dev")):
            yield found
        parts = (each for each in host.names(folder) if each.startswith(name))
        for upper in (*parts, *host.names(f"{folder}/holders")):
            if upper not in seen:
                seen.add(upper)
                waiting.append(upper)
