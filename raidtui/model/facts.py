"""Facts about a machine that the preflight of a plan needs in addition to its disks."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.boot import Boot
from raidtui.model.path_parts import SeenPath
from raidtui.model.plan import Question
from raidtui.model.target import TargetVersions


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Output of a read-only command."""

    question: Question
    """what it was asked"""
    exit: int
    """exit code"""
    stdout: str
    """raw text"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLimit:
    """Queue depth that a disk can get."""

    path: str
    """of the disk"""
    most: int
    """requests at once that its controller takes; 0 where the queue depth cannot be set"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One look at a machine; a field left at its default was not looked at and refuses nothing."""

    host: str
    """what `uname -n` prints"""
    root: bool = True
    """True when the program may do everything"""
    container: str = ""
    """which kind of container this is; empty when it is none"""
    absent_tools: tuple[str, ...] = ()
    """programs of the plan that are not installed"""
    absent_features: tuple[str, ...] = ()
    """`PROGRAM WORD` for each option that the plan needs and the program's own help does not name"""
    absent_modules: tuple[str, ...] = ()
    """kernel modules of the plan that are neither loaded nor to be had"""
    folder: str = ""
    """directory that holds the runs"""
    room_bytes: int | None = None
    """free for root in it; None when it was not looked at"""
    folder_problem: str = ""
    """why nothing can be written there; empty when it can"""
    holder: str = ""
    """who holds the lock of the one run at a time; empty when it is free"""
    syncs: tuple[str, ...] = ()
    """arrays that sync now, name and action"""
    arrays: int = 0
    """md devices that exist"""
    foreign_program: str = ""
    """why others than root can change what mdadm's monitor runs as root; empty if they cannot"""
    no_alarm: str = ""
    """why disk failures would not be reported; empty if they would"""
    target: TargetVersions | None = None
    """versions of its kernel, mdadm and mkfs"""
    queue_limits: tuple[QueueLimit, ...] = ()
    """of the plan's disks whose limit is known; not looked at if the plan sets no queue depth"""
    no_write_zeroes: tuple[str, ...] = ()
    """paths of members without Write Zeroes, or where that cannot be read; not looked at if the plan zeroes none"""
    boot: Boot | None = None
    """what the next boot will go by"""
    files: tuple[SeenPath, ...] = ()
    """those that the plan writes"""
    places: tuple[SeenPath, ...] = ()
    """mount points of the plan"""
    answers: tuple[Answer, ...] = ()
    """to the questions of the plan's first step"""
