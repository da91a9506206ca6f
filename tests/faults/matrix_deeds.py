"""The part of the fault matrix that is done by people: what an outsider does to disks, links, files and arrays.

Every row is a deed (see `deeds`) at a moment. `when`: empty, right after the step's record, by the running executor;
`intent`, right before the step's command, when everything was checked; `stopped`, after the executor was killed at
that record. Every expected end is written by hand, by what a careful operator may ask for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.case import Act, End, Step

_C: End = "completed"
_B: End = "rolled-back"
_R: End = "refused"
_TIDY_ON: tuple[Act, ...] = ("refused", "tidy", "resume")
_AGAIN: tuple[Act, ...] = ("fails", "tidy", "resume")
_TIDY_BACK: tuple[Act, ...] = ("undo-refused", "tidy", "undo")
_UNDO: tuple[Act, ...] = ("undo",)
_NO: tuple[Act, ...] = ("refused",)
NOT_REAL = {
    "second-volume": "the volume has all of the group; tests/lab/test_adversary.py extends the group for it",
    "snapshot": "the same",
    "exported-volume": "LIO opens exclusively what it exports, so not a mounted volume",
    "check-runs": "no check starts while the first sync is slowed down",
    "array-grown": "md refuses a reshape until the first sync ended",
    "place-taken": "a second mount hides the first one: what is on top is the plan's",
    "journal-swapped": "the same bytes as on the simulated machine",
}
"""deeds that are not done in the virtual machine, and why"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the matrix that is a deed."""

    deed: str
    step: Step
    when: str = ""
    disk: str = ""
    then: tuple[Act, ...] = ()
    end: End
    kept: bool = False
    says: str = ""


def ghosts() -> Iterator[Row]:
    """Content that no signature tells of: raw data, plain dm-crypt, LUKS with its header elsewhere."""
    # given up when it was confirmed
    for deed in ("raw-start", "raw-end", "ciphertext"):
        yield Row(deed=deed, step="plan", disk="member-b", end=_C)
    # came after the plan
    for deed in ("raw-start", "raw-data", "raw-end", "ciphertext"):
        yield Row(deed=deed, step="apply", disk="member-b", then=_NO, end=_R, kept=True)
    # came after everything was checked, before the wipe
    for deed in ("raw-start", "raw-end", "ciphertext"):
        yield Row(deed=deed, step="S1", disk="member-b", then=_NO, end=_R, kept=True)
    # came after the wipe: the build stops or is not resumed, an undo leaves it
    yield Row(deed="raw-start", step="S4", disk="member-b", then=("refused", "undo"), end=_B, kept=True)
    for deed in ("raw-start", "raw-data", "raw-end", "ciphertext"):
        yield Row(deed=deed, step="S3", when="stopped", disk="member-a", then=("refused", "undo"), end=_B, kept=True)
    yield Row(deed="raw-end", step="S5", when="stopped", disk="spare", then=("refused", "undo"), end=_B, kept=True)
    # a build that was stopped before the wipe has nothing to take back
    yield Row(deed="raw-start", step="S1", when="stopped", disk="member-a", then=_UNDO, end=_B, kept=True)
    yield Row(deed="ciphertext", step="S1", when="stopped", disk="spare", then=("refused", "undo"), end=_B, kept=True)
    # away from everything that is ever wiped, and while the undo runs
    yield Row(deed="raw-middle", step="S3", when="stopped", disk="member-a", then=_UNDO, end=_B, kept=True)
    yield Row(deed="spare-out-raw", step="undo", disk="spare", then=_UNDO, end=_B, kept=True)


def openers() -> Iterator[Row]:
    """A process has a device open for writing, without O_EXCL, as virtual machines and databases have."""
    yield Row(deed="open-disk", step="plan", disk="member-b", end=_R, says="rawowner")
    yield Row(deed="open-disk", step="apply", disk="member-b", then=_NO, end=_R, says="rawowner")
    for step, disk in (("S1", "member-b"), ("S1", "spare"), ("S3", "member-a"), ("S5", "spare")):
        yield Row(deed="open-disk", step=step, disk=disk, then=_TIDY_ON, end=_C, says="rawowner")  # type: ignore[arg-type]
    yield Row(deed="open-disk", step="S3", when="stopped", disk="member-b", then=_TIDY_ON, end=_C, says="rawowner")
    yield Row(deed="open-disk", step="done", disk="member-b", then=_TIDY_BACK, end=_B, says="rawowner")
    yield Row(deed="open-array", step="S6", then=_TIDY_ON, end=_C, says="rawowner")
    yield Row(deed="open-volume", step="done", then=_TIDY_BACK, end=_B, says="rawowner")


def links() -> Iterator[Row]:
    """The stable link of a disk leads to a bystander, at each window: the bystander keeps every byte."""
    yield Row(deed="link", step="apply", disk="member-b", then=_NO, end=_R)
    for step, when, disk in (
        ("S1", "", "member-b"), ("S1", "intent", "member-a"), ("S1", "intent", "spare"), ("S2", "intent", "member-b"),
        ("S3", "", "member-a"), ("S3", "intent", "member-a"), ("S4", "intent", "member-b"), ("S5", "intent", "spare"),
        ("S6", "", "member-b"), ("S8", "intent", "member-b"),
    ):  # fmt: skip
        yield Row(deed="link", step=step, when=when, disk=disk, then=("tidy", "resume"), end=_C)  # type: ignore[arg-type]
    says = "not as planned"  # what is on the other disk is no content of the disk that is meant
    yield Row(deed="link", step="S4", when="stopped", disk="member-b", then=_TIDY_ON, end=_C, says=says)
    yield Row(deed="link", step="done", disk="member-b", then=_TIDY_BACK, end=_B, says=says)
    yield Row(deed="link", step="undo", disk="member-b", then=("tidy", "undo"), end=_B)


def configuration() -> Iterator[Row]:
    """Files of the system that say other than the plan."""
    yield Row(deed="conf-device", step="apply", then=_NO, end=_R, says="DEVICE")
    yield Row(deed="conf-device-folder", step="apply", then=_NO, end=_R, says="DEVICE")
    yield Row(deed="conf-auto", step="apply", end=_C)
    yield Row(deed="conf-homehost", step="apply", end=_C)
    yield Row(deed="conf-array-same-name", step="apply", then=_NO, end=_R, says="data-0")
    yield Row(deed="mount-unit", step="apply", then=_NO, end=_R, says="srv-data.mount")
    yield Row(deed="mount-unit-masked", step="apply", then=_NO, end=_R, says="srv-data.mount")
    yield Row(deed="fstab-same-place", step="apply", then=_NO, end=_R, says="/srv/data")
    yield Row(deed="conf-device", step="S10", then=_AGAIN, end=_C)
    yield Row(deed="conf-line", step="S10", end=_C)
    yield Row(deed="conf-arrays-gone", step="done", then=_UNDO, end=_B)
    yield Row(deed="conf-ignore", step="done", then=_UNDO, end=_B)
    yield Row(deed="fstab-block-gone", step="done", then=_UNDO, end=_B)
    yield Row(deed="fstab-options", step="done", then=_TIDY_BACK, end=_B, says="as they were written")


def layers() -> Iterator[Row]:
    """Foreign things on what the plan made: the undo is declined before its first command and says what it is."""
    for deed, says in (
        ("second-volume", "second"), ("snapshot", "snap"), ("group-renamed", "users"), ("bind-mount", "/mnt/other"),
        ("loop-file", "loop"), ("mapper", "cache0"), ("exported-volume", "iblock_0"),
    ):  # fmt: skip
        yield Row(deed=deed, step="done", then=_TIDY_BACK, end=_B, says=says)
    for deed, says in (
        ("volume-luks", "luks"), ("volume-ext4", "ext4"), ("volume-swap", "swap"), ("volume-pv", "physical volume"),
        ("volume-gpt", "gpt"), ("volume-raw", ""),
    ):  # fmt: skip
        yield Row(deed=deed, step="done", then=_TIDY_BACK, end=_B, says=says)
    # while it is built: the step stops, again and again until it is gone
    yield Row(deed="array-pv", step="S6", then=_AGAIN, end=_C, says="tank")
    yield Row(deed="volume-taken", step="S8", then=_AGAIN, end=_C, says="ext4")


def people() -> Iterator[Row]:
    """Acts of an administrator between the steps, or after the build and before its undo."""
    for deed in ("spare-out-raw", "spare-out-xfs", "spare-to-other", "member-out-raw"):
        yield Row(deed=deed, step="done", disk="member-b" if deed.startswith("member") else "spare", then=_UNDO,
                  end=_B, kept=True)  # fmt: skip
    for deed in ("member-failed", "member-removed"):
        yield Row(deed=deed, step="done", disk="member-b", then=_UNDO, end=_B)
    for deed in ("unmounted", "deactivated", "stopped-by-hand", "check-runs", "link-renamed"):
        yield Row(deed=deed, step="done", then=_UNDO, end=_B)
    yield Row(deed="array-renamed", step="done", then=("undo-refused",), end=_R, says="theirs")
    yield Row(deed="array-grown", step="done", then=("undo-refused",), end=_R, says="data-0")
    yield Row(deed="pulled", step="done", disk="spare", then=("undo", "plug", "undo"), end=_B)
    yield Row(deed="name-taken", step="S4", then=_AGAIN, end=_C, says="data-1")
    yield Row(deed="disks-in-other-array", step="S3", when="stopped", disk="member-a", then=_TIDY_ON, end=_C)
    yield Row(deed="spare-in-other-array", step="S5", disk="spare", then=_TIDY_ON, end=_C)
    yield Row(deed="spare-in-other-group", step="S5", disk="spare", then=_TIDY_ON, end=_C)
    yield Row(deed="formatted", step="S5", when="stopped", disk="spare", then=("refused", "undo"), end=_B, kept=True)
    yield Row(deed="place-taken", step="S9", then=_AGAIN, end=_C, says="/srv/data")


def privileges() -> Iterator[Row]:
    """Who else may write where a run is kept."""
    for deed in ("root-open", "root-of-another", "root-a-link", "lock-a-directory", "lock-a-fifo"):
        yield Row(deed=deed, step="apply", then=_NO, end=_R)
    yield Row(deed="run-prepared", step="apply", then=_NO, end=_R)
    yield Row(deed="plan-swapped", step="S4", when="stopped", then=_TIDY_ON, end=_C)
    yield Row(deed="plan-a-link", step="S4", when="stopped", then=_TIDY_ON, end=_C)
    yield Row(deed="run-open", step="S4", when="stopped", then=_TIDY_ON, end=_C)
    yield Row(deed="journal-swapped", step="S4", when="stopped", then=_NO, end=_R)
    yield Row(deed="plan-swapped", step="done", then=_TIDY_BACK, end=_B)


ROWS = {
    "G": ghosts, "O": openers, "L": links, "F": configuration, "Y": layers, "A": people, "V": privileges,
}  # fmt: skip
"""letter to rows"""
