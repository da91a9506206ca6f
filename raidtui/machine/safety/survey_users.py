"""Users of the arrays and the volume of a plan: mounts of every mount namespace, swap, loop devices, exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raidtui.machine.device_users.kernel_users import kernel_users
from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.safety.survey_layers import Layer
from raidtui.model.errors import MachineFailed
from raidtui.model.standing import Foreign, ForeignKind
from raidtui.tools import mountinfo
from raidtui.tools.mountinfo import Mount

_NO_MOUNTS = ("Z", "X")
"""states of a process that has exited (proc(5)): it has no readable mounts"""


def own_mounts(runner: MachineReader) -> tuple[Mount, ...]:
    """The mounts of this process. MachineFailed if they cannot be read."""
    text = runner.read_text("/proc/self/mountinfo")
    if text is None:
        raise MachineFailed("/proc/self/mountinfo cannot be read", hint="mount /proc")
    return mountinfo.parse(text)


def mounted_as_planned(mounts: Sequence[Mount], layer: Layer) -> Mount | None:
    """The mount of the whole file system of the layer at the plan's mount point; None if there is none."""
    place = layer.filesystem.mount_point if layer.filesystem else ""
    found = (mount for mount in mounts if mount.number == layer.pin.number and mount.root == "/")
    return next((mount for mount in found if mount.point == place), None)


def mounted_elsewhere(mounts: Sequence[Mount], layers: Mapping[str, Layer]) -> Iterator[Foreign]:
    """Foreign mounts of a layer, and foreign mounts on or below a mount of the plan."""
    planned = {layer.path: mount for layer in layers.values() if (mount := mounted_as_planned(mounts, layer))}
    for mount in mounts:
        layer = layers.get(mount.number)
        if layer is not None and mount is not planned.get(layer.path):
            part = f" (its directory {mount.root})" if mount.root != "/" else ""
            yield Foreign(kind="mount", device=layer.path, owner=f"mounted at {mount.point}{part}")
    for path, own in planned.items():
        for mount in mounts:
            if mount.number not in layers and mountinfo.holding((own,), mount.point) is own:
                if _before(mounts, mount, own):
                    continue
                owner = f"{mount.fstype} of {mount.source} mounted at {mount.point}"
                yield Foreign(kind="mount", device=path, owner=owner)


def mounted_in_namespaces(
    runner: MachineReader, mounts: Sequence[Mount], layers: Mapping[str, Layer]
) -> Iterator[Foreign]:  # fmt: skip
    """Mounts of a layer in other mount namespaces to which our unmount does not propagate.

    A copy at the same place in the same peer group, or a slave of it, is unmounted with ours
    (mount_namespaces(7)): systemd services have such copies of every mount.
    """
    seen = {runner.read_text("/proc/self/mountinfo")}
    ours = {mount.point: mount.shared for layer in layers.values() if (mount := mounted_as_planned(mounts, layer))}
    for pid in (name for name in runner.names("/proc") if name.isdigit()):
        text = _mountinfo(runner, pid)
        if text in seen or text is None:
            continue
        seen.add(text)
        for mount in mountinfo.parse(text):
            layer = layers.get(mount.number)
            group = ours.get(mount.point)
            if layer is None or (group and group in (mount.shared, mount.master)):
                continue
            program = (runner.read_text(f"/proc/{pid}/comm") or "").strip()
            yield Foreign(kind="namespace", device=layer.path, owner=f"process {pid} ({program}) at {mount.point}")


def swapped_on(runner: MachineReader, layers: Mapping[str, Layer], places: Sequence[str]) -> Iterator[Foreign]:
    """Swap areas on a layer, or in a file below `places`."""
    text = runner.read_text("/proc/swaps")
    if text is None:
        raise MachineFailed("/proc/swaps cannot be read", hint="mount /proc")
    for path in mountinfo.parse_swaps(text):
        if device := _leads_to(runner, path, layers, places):
            yield Foreign(kind="swap", device=device, owner=f"in use as swap at {path}")


def attached(runner: MachineReader, layers: Mapping[str, Layer], places: Sequence[str]) -> Iterator[Foreign]:
    """Loop devices and exports that use a layer, or a file below `places`."""
    for path, use in kernel_users(_Files(runner)):
        if device := _leads_to(runner, path, layers, places):
            kind: ForeignKind = "loop" if use.kind == "loop" else "export"
            yield Foreign(kind=kind, device=device, owner=f"{use.where} on {path}")


class _Files:
    """Adapter of a runner to the `Files` of `kernel_users`."""

    def __init__(self, runner: MachineReader) -> None:
        self._runner = runner

    def text(self, path: str) -> str | None:
        """See Files."""
        return self._runner.read_text(path)

    def names(self, path: str) -> tuple[str, ...]:
        """See Files."""
        return self._runner.names(path)


def _leads_to(runner: MachineReader, path: str, layers: Mapping[str, Layer], places: Sequence[str]) -> str:
    """The plan's path of the layer at `path`, or the plan's mount point that holds it; empty for neither."""
    if path.startswith("/dev/") and (pin := runner.pin(path)) is not None and pin.number in layers:
        return layers[pin.number].path
    return next((place for place in places if path.startswith(f"{place}/")), "")


def _mountinfo(runner: MachineReader, pid: str) -> str | None:
    """The mounts of a process; None if it has exited. MachineFailed if they cannot be read."""
    try:
        return runner.read_text(f"/proc/{pid}/mountinfo")
    except MachineFailed:
        status = runner.read_text(f"/proc/{pid}/stat")
        if status is None or status.rpartition(") ")[2][:1] in _NO_MOUNTS:
            return None
        raise


def _before(mounts: Sequence[Mount], mount: Mount, own: Mount) -> bool:
    """True for an earlier mount at the same mount point: ours covers it."""
    return mount.point == own.point and mounts.index(mount) < mounts.index(own)
