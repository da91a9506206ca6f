"""Faults of a machine, as declarative values that a test matrix can list. The guest of the lab loads this file too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

FaultKind = Literal[
    "kill", "power", "unplug", "write-error", "read-error", "slow", "suspend",
    "fail", "fail-partly", "lie", "busy",
    "replace", "renumber", "resize", "duplicate", "re-sign", "use", "lock", "foreign-array", "lead", "stand",
]  # fmt: skip
On = Literal["command", "ask", "lock", "wait"]
FaultSide = Literal["before", "during", "after"]
Part = Literal["start", "middle", "end"]
InUse = Literal[
    "mounted", "swap", "md-member", "lvm-pv", "dm-crypt", "bcache", "zfs", "multipath", "loop", "exported",
    "exclusive", "locked", "read-only", "zfs-exported", "md-inactive", "lvm-inactive", "open",
]  # fmt: skip
IN_USE: tuple[InUse, ...] = get_args(InUse)
Leftover = Literal[
    "md-0.90", "md-1.0", "md-1.1", "md-1.2", "gpt", "gpt-backup", "dos", "lvm", "luks", "zfs", "zfs-end", "xfs", "ext4",
    "btrfs", "swap", "bcache", "fs-in-old-array", "data", "data-middle",
]  # fmt: skip
LEFTOVERS: tuple[Leftover, ...] = get_args(Leftover)
OnTop = Literal[
    "volume-group", "pv", "logical-volume", "snapshot", "foreign-pv", "vg-renamed",
    "luks", "luks-open", "swap", "swap-on", "xfs", "ext4", "btrfs", "gpt", "partition", "data", "md",
    "loop", "loop-file", "device-mapper", "lio", "nvmet", "bind", "second-mount", "hidden", "namespace",
    "namespace-slave", "dirty-log", "grown", "renamed", "foreign-member",
]  # fmt: skip
ON_TOP: tuple[OnTop, ...] = get_args(OnTop)


class Killed(BaseException):
    """kill -9 or a power cut hit the executor: nothing of it runs any more. Its journal and files stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault, applied once at a counted event. `FaultyMachine.fired` lists it after it took effect."""

    kind: FaultKind
    """kill: the executor and the command it runs end; power: the same, then the machine boots again (names as they
    were); unplug: the disk is gone; write-error, read-error: from then on `part` of the disk fails; slow: the disk is
    slower by `factor`; suspend: the next thing that touches the disk takes `seconds` longer; fail: the command does
    nothing and ends with exit 1; fail-partly: it does a `share` and ends with exit 1; lie: it does nothing and ends
    with exit 0; busy: it does nothing, says busy, exit 1; replace: another disk sits in the slot; renumber: the disk
    comes back under another name and number; resize: it is smaller by 8 MiB; duplicate: a second disk with the same
    names appears; re-sign: something foreign is on it; use: somebody uses it as `what` says; lock: another program
    holds its advisory lock; foreign-array: a running array of others has the name of ours (`what`: that name);
    lead: the path `what` leads to the disk from then on; stand: somebody puts `what`, an OnTop, on the array or volume
    at `device`"""
    at: int = 1
    """number of the event, from 1, counted from arming"""
    on: On = "command"
    """events that are counted: commands and files written (both as one count), questions, locks taken, waits"""
    words: tuple[str, ...] = ()
    """counts only commands or questions whose words begin so; for a file that is written: write and its path"""
    side: FaultSide = "before"
    """before the event, in the middle of it (kill and power only), or after it"""
    disk: str = ""
    """identity of the disk that is hit"""
    part: Part = "start"
    """where it cannot be written or read: its first MiB, a page in its middle, its last MiB"""
    what: str = ""
    """for `use` an InUse (`open`: a process has it open for writing, without O_EXCL), for `re-sign` a Leftover, for
    `foreign-array` a name, for `lead` a path, for `stand` an OnTop"""
    device: str = ""
    """path of the array or volume that `stand` is done to"""
    share: float = 0.5
    """how much of the command was done, 0 to 1: by devices where it names several, else all from one half on"""
    seconds: float = 600.0
    """how long `suspend` holds"""
    factor: float = 20.0
    """how much slower `slow` makes it"""
