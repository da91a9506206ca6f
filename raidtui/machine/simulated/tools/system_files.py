"""Files of /proc, /sys and configfs that tell of devices and their users."""

from __future__ import annotations

from raidtui.machine.simulated.core.devices import active_volumes, dm_name, kernel_name
from raidtui.machine.simulated.core.state import SimulatedMount, State, UsedBy
from raidtui.machine.simulated.core.storage import array_of, drive_of, physical_volume, seen


def file_text(state: State, path: str) -> str | None:
    """/proc/swaps, mountinfo, and the files of sysfs and configfs that tell of users; None for any other path."""
    head, _, rest = path.removeprefix("/proc/").partition("/")
    if path == "/proc/swaps":
        used = [user for user in state.used if user.how == "swap-on"]
        rows = (f"{_node(state, user.key):<40}partition\t1048572\t\t0\t\t-2\n" for user in used)
        return "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n" + "".join(rows)
    if path.startswith("/proc/") and rest in ("mountinfo", "comm", "stat") and (head == "self" or head in _PROCESSES):
        return _process(state, head, rest)
    for user in state.used:
        if (text := _files_of(state, user).get(path)) is not None:
            return text
    for group, volume in active_volumes(state):
        node, least = f"/sys/block/dm-{volume.minor}", volume.stripe_bytes
        most = least * volume.stripes
        texts = {"dm/name": dm_name(group, volume), "queue/minimum_io_size": least, "queue/optimal_io_size": most}
        if (value := texts.get(path.removeprefix(f"{node}/"))) is not None:
            return f"{value}\n"
    return None


def file_names(state: State, path: str) -> tuple[str, ...]:
    """Names that users add to a directory of /proc, /sys/block and configfs."""
    start = path.rstrip("/") + "/"
    paths = [each for user in state.used for each in _files_of(state, user)]
    names = {each.removeprefix(start).split("/")[0] for each in paths if each.startswith(start)}
    if start == "/proc/":
        names |= set(_PROCESSES)
    if start == "/sys/block/":
        names |= {array.name for array in state.arrays} | {drive.name for drive in state.drives if drive.present}
        names |= {f"dm-{volume.minor}" for _, volume in active_volumes(state)}
    for group, volume in active_volumes(state):
        if start == f"/sys/block/dm-{volume.minor}/slaves/":
            below_it = (physical_volume(state, uuid) for uuid in group.physical)
            names |= {kernel_name(state, found[0]) for found in below_it if found is not None}
    return tuple(sorted(names))


_PROCESSES = ("1", "300", "4711")
"""init; a service of systemd, whose namespace is a slave of init's; a container's first process"""


def _process(state: State, pid: str, what: str) -> str:
    name = {"1": "systemd", "300": "systemd-udevd"}.get(pid, "containerd-shim")
    if what != "mountinfo":
        return f"{name}\n" if what == "comm" else f"{pid} ({name}) S 1 1 1 0\n"
    lines = ["1 0 259:255 / / rw,relatime shared:1 - ext4 /dev/root rw"]
    private = [user.key for user in state.used if user.how == "namespace"]
    slave = [user.key for user in state.used if user.how == "namespace-slave"]
    for number, mount in enumerate(state.mounts, start=2):
        if pid in ("self", "1"):
            lines.append(_line(state, number, mount, f"shared:{number}"))
        elif pid == "300" or mount.key in slave:
            lines.append(_line(state, number, mount, f"master:{number}"))
        elif mount.key in private:
            lines.append(_line(state, number, mount, ""))
    if pid in ("self", "1"):
        lines += [f"90 1 0:77 / {user.name} rw - tmpfs tmpfs rw" for user in state.used if user.how == "hidden"]
    return "".join(f"{line}\n" for line in lines)


def _line(state: State, number: int, mount: SimulatedMount, group: str) -> str:
    found = next(iter(seen(state, mount.key)), None)
    node = _node(state, mount.key)
    fields = [str(number + 30), "1", _number(state, mount.key), mount.root, mount.place, "rw,noatime", group]
    kind = found.kind if found else "xfs"
    return f"{' '.join(filter(None, fields))} - {kind} {node} rw"


def _files_of(state: State, user: UsedBy) -> dict[str, str]:
    node = _node(state, user.key)
    match user.how:
        case "loop" | "loop-file":
            backing = user.name if user.how == "loop-file" else node
            return {f"/sys/{folder}/loop7/loop/backing_file": f"{backing}\n" for folder in ("block", "class/block")}
        case "lio":
            return {"/sys/kernel/config/target/core/iblock_0/shared/udev_path": f"{node}\n"}
        case "nvmet":
            return {"/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path": f"{node}\n"}
        case _:
            return {}


def _node(state: State, key: str) -> str:
    drive = drive_of(state, key)
    group, slash, last = key.partition("/")
    if slash:
        return f"/dev/mapper/{group.replace('-', '--')}-{last.replace('-', '--')}"
    return f"/dev/{drive.name if drive else key}"


def _number(state: State, key: str) -> str:
    if (drive := drive_of(state, key)) is not None:
        return drive.number
    if array_of(state, key) is not None:
        return f"9:{key.removeprefix('md')}"
    group, _, last = key.partition("/")
    return next(
        f"254:{volume.minor}" for each in state.groups if each.name == group for volume in each.volumes
        if volume.name == last
    )  # fmt: skip
