"""What the next boot of a machine will go by: configuration files, udev rules, command line, initramfs images."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile:
    """A file that was read."""

    path: str
    """where it is"""
    text: str
    """its content"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An initramfs image in /boot."""

    path: str
    """where it is"""
    kernel: str
    """release of the kernel that it is for"""
    files: tuple[TextFile, ...] = ()
    """md's configuration in it, by its path there; a program has an empty text"""
    problem: str = ""
    """why it could not be looked into; empty when it was"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceNames:
    """A disk, or an array that is a member of another, under every name that udev has for it."""

    id: str
    """identity of the disk, or path of the array under /dev/md"""
    name: str
    """/dev and the kernel name; empty while it is not there"""
    links: tuple[str, ...]
    """links to it under /dev"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipathBoot:
    """Whether the paths of a plan's multipath disks will be joined before mdadm finds them."""

    daemon: str
    """`enabled` if multipathd starts at boot; raw"""
    wwids: frozenset[str]
    """disks that it claims then"""
    paths: tuple[DeviceNames, ...]
    """every path of the plan's disks"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """One look at all of it."""

    configuration: tuple[TextFile, ...]
    """mdadm.conf in both its places and the files of their .d directories, in the order that mdadm reads"""
    rules: tuple[TextFile, ...]
    """rules of md, of every directory that udev reads, the directory that wins first"""
    command_line: str
    """of the kernel"""
    devices: tuple[DeviceNames, ...]
    """the plan's disks and inner arrays; empty when no DEVICE line asks for their names"""
    kernel: str = ""
    """release of the running kernel"""
    images: tuple[Image, ...] = ()
    """those in /boot; empty before a build, which rebuilds one, of a plan without multipath disks"""
    multipath: MultipathBoot | None = None
    """None for a plan without multipath disks"""
    found: frozenset[str] = frozenset()
    """UUIDs of the arrays that mdadm finds on the devices that it may look at; empty before a build"""
