"""Mounts in every mount namespace of the machine, and swap areas."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.capture import Noting
from raidtui.machine.system.ports import Host
from raidtui.programs import mount as mountinfo
from raidtui.programs.mount import Mount
from raidtui.values.safe import safe

SYSTEM_PATHS = ("/", "/boot", "/boot/efi", "/efi", "/usr", "/etc", "/var", "/home", "/root", "/opt")
"""paths that the running system needs"""
SWAP = "swap"
_LONG = 100
"""characters of a line that are shown"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceClaim:
    """A mount or a swap area on a device; `pool` instead of a device for ZFS."""

    device: str
    """kernel name; for ZFS the pool"""
    kind: str
    """mounted, swap or zfs"""
    where: str
    """mount point, or path of the swap area"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MountClaims:
    """Every claim, the system's own ones, and unreadable sources."""

    claims: tuple[DeviceClaim, ...]
    system: dict[str, tuple[str, ...]]
    """kernel name or pool -> the system paths on it"""
    complete: bool
    """False without /proc or without this process' mounts in it"""


def read(host: Host, tree: Tree) -> MountClaims:
    """Reads the mounts of every distinct mount namespace and the swap areas."""
    noting = Noting.of(host)
    finder = _Finder(noting, tree)
    own = _mounts(noting, "self", finder)
    claims = [claim for mount in own or () for claim in finder.of(mount, "")]
    mine = {claim.device for claim in claims}
    for pid, mounts in _other_namespaces(noting, finder):
        seen = (claim for mount in mounts for claim in finder.of(mount, f" (seen by process {pid})"))
        claims += [claim for claim in seen if claim.device not in mine]
    swaps = mountinfo.parse_swaps(noting.text("/proc/swaps") or "")
    swapped = [DeviceClaim(device=name, kind="swap", where=path) for path in swaps if (name := finder.named(path))]
    system = _system(noting, own or (), finder)
    for claim in swapped:
        system[claim.device] = (*system.get(claim.device, ()), SWAP)
    return MountClaims(
        claims=tuple(dict.fromkeys([*claims, *swapped])),
        system=system,
        complete=own is not None,
    )


def _mounts(host: Noting, pid: str, finder: _Finder) -> tuple[Mount, ...] | None:
    """The mounts that a process sees; a line that is not understood costs the device that it names, else all."""
    path = f"/proc/{pid}/mountinfo"
    text = host.text(path)
    if text is None:
        return None
    mounts, torn = mountinfo.parsed(text)
    for line in torn:
        device = finder.named_in(line)
        (host.about(device) if device else host).note(f"a line of {path}", safe(line, longest=_LONG))
    return mounts


def _other_namespaces(host: Noting, finder: _Finder) -> list[tuple[str, tuple[Mount, ...]]]:
    """One process and its mounts for each namespace other than ours."""
    known: set[str | None] = {None, host.link("/proc/self/ns/mnt")}
    found: list[tuple[str, tuple[Mount, ...]]] = []
    for pid in sorted((name for name in host.names("/proc") if name.isascii() and name.isdecimal()), key=int):
        namespace = host.link(f"/proc/{pid}/ns/mnt")
        if namespace not in known and (mounts := _mounts(host, pid, finder)) is not None:
            known.add(namespace)
            found.append((pid, mounts))
    return found


class _Finder:
    """Finds the devices of a mount: by number, by its source path, or from btrfs."""

    def __init__(self, host: Noting, tree: Tree) -> None:
        self._host = host
        self._names = tree.by_number()
        self._paths: dict[str, str | None] = {}
        self._btrfs = [host.names(f"/sys/fs/btrfs/{each}/devices") for each in host.names("/sys/fs/btrfs")]

    def named(self, path: str) -> str | None:
        """Kernel name of the block device at `path`."""
        if path not in self._paths:
            number = self._host.number(path) if path.startswith("/") else None
            self._paths[path] = self._names.get(number or "")
        return self._paths[path]

    def named_in(self, line: str) -> str | None:
        """Kernel name of the device that a line which is not understood names: by number, else by its path."""
        words = line.split()
        number = words[2] if len(words) > 2 else ""
        if number in self._names:
            return self._names[number]
        return next((name for word in words if word.startswith("/dev/") and (name := self.named(word))), None)

    def devices(self, mount: Mount) -> tuple[str, ...]:
        """Kernel names of the devices of `mount`; the pool for ZFS."""
        if mount.fstype == "zfs":
            return (mount.source.split("/")[0],)
        if not mount.number.startswith("0:"):
            name = self._names.get(mount.number)
            return (name,) if name else ()
        named = tuple(name for part in mount.source.split(":") if (name := self.named(part)))
        if mount.fstype == "btrfs":
            return tuple({name for group in self._btrfs if set(group) & set(named) for name in group} | set(named))
        return named

    def of(self, mount: Mount, where: str) -> tuple[DeviceClaim, ...]:
        """The claims that `mount` makes; `where` is appended to the mount point."""
        kind = "zfs" if mount.fstype == "zfs" else "mounted"
        return tuple(
            DeviceClaim(device=name, kind=kind, where=mount.point + where) for name in sorted(self.devices(mount))
        )


def _system(host: Noting, mounts: tuple[Mount, ...], finder: _Finder) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for path in (*SYSTEM_PATHS, *host.own_paths()):
        mount = mountinfo.holding(mounts, path)
        for name in finder.devices(mount) if mount else ():
            point = mount.point if mount else path
            if point not in found.get(name, ()):
                found[name] = (*found.get(name, ()), point)
    return found
