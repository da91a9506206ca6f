"""One fault, when it strikes, what the operator does then, and where that has to end: the same for every tier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

End = Literal["completed", "rolled-back", "refused"]
Step = Literal[
    "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11", "S12", "plan", "apply", "done", "undo"
]  # fmt: skip
"""S1 wipe, S2 save signatures (whole disks: there is nothing to partition), S3 create A, S4 create B, S5 spares,
S6 volume group, S7 volume, S8 mkfs, S9 mount, S10 mdadm.conf, S11 initramfs, S12 verify (no benchmark yet);
plan: before it is planned; apply: between plan and build; done: after the build; undo: right after an undo began"""
Act = Literal[
    "resume", "undo", "refused", "fails", "plug", "heal", "put-back", "release", "reboot", "undo-refused", "tidy"
]  # fmt: skip
"""what the operator does: resume and undo must end well; refused: a resume that is declined without a write; fails: a
resume that stops again; plug: the pulled disk is put in; heal: its cable is seated anew; put-back: the disk that was
exchanged comes back; release: what was put on the disk, or uses it, is taken off; reboot: once more; undo-refused: an
undo that is declined before its first command; tidy: whoever did the deed takes it back"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the matrix."""

    id: str
    """K-07"""
    fault: str
    """what goes wrong, in a word the runners know"""
    step: Step
    """where"""
    when: str = ""
    """at which moment of the step"""
    disk: str = ""
    """which disk is hit: member-a, member-b, spare"""
    detail: str = ""
    """which part of it, which use, which file"""
    then: tuple[Act, ...]
    """what is done after the fault"""
    end: End
    """equal to the uninterrupted build, every target blank, or declined with nothing written"""
    kept: bool = False
    """True when the disk has content of somebody since the fault: not one byte of it changes, and an undo names it"""
    says: str = ""
    """a word that every refusal of the case has, besides the disk's serial number: who, or what, is in the way"""
    real: bool = True
    """False: it is not run on real md"""
    tier2: bool = False
    """True when it also runs in the virtual machine, in `long`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a case."""

    id: str
    """of the case"""
    survived: bool
    """it fired, and everything holds that has to"""
    end: End | Literal["void", "other"]
    """void: the fault never fired; other: none of the three"""
    fired: str
    """proof that the fault struck"""
    codes: tuple[int | None, ...]
    """exit code of each executor, in order; None for one that was killed"""
    bystander_bytes: int
    """bytes that changed on disks outside the plan"""
    problems: tuple[str, ...]
    """what does not hold"""
    said: tuple[str, ...] = ()
    """the refusals, with their ways out"""
