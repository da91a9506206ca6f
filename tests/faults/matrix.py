"""The fault matrix: 444 declared cases, each with the end that it must come to.

Every expected end is written here by hand, by what a careful operator may ask for; none is taken from a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from tests.faults import matrix_deeds
from tests.faults.case import Act, Case, End, Step
from tests.simulated.fault_model import IN_USE

STEPS: tuple[Step, ...] = get_args(Step)[:12]
COUNTS = {
    "K": 60, "P": 36, "H": 36, "U": 20, "W": 24, "R": 8, "D": 8, "C": 36, "N": 16, "I": 14, "Z": 32, "S": 10, "B": 4,
    "T": 20, "X": 16, "G": 20, "O": 10, "L": 14, "F": 14, "Y": 15, "A": 20, "V": 11,
}  # fmt: skip
"""how many there are of each letter"""
_GO_ON: tuple[Act, ...] = ("resume",)
_TAKE_BACK: tuple[Act, ...] = ("undo",)
_PLUG: tuple[Act, ...] = ("plug", "resume")
_PLUG_BACK: tuple[Act, ...] = ("plug", "fails", "undo")
_HEAL: tuple[Act, ...] = ("fails", "heal", "resume")
_HEAL_BACK: tuple[Act, ...] = ("fails", "heal", "undo")
_Row = tuple[str, Step, str, str, str, tuple[Act, ...], End]
_C: End = "completed"
_B: End = "rolled-back"
_R: End = "refused"


def _kills() -> Iterator[_Row]:
    """kill -9 of the executor, at five moments of every step; the middle of a command is the one that is taken back."""
    for step in STEPS:
        yield "kill", step, "before intent", "", "", _GO_ON, _C
        yield "kill", step, "after intent", "", "", _GO_ON, _C
        yield "kill", step, "during", "", "", _TAKE_BACK, _B
        yield "kill", step, "after command", "", "", _GO_ON, _C
        yield "kill", step, "after done", "", "", _GO_ON, _C


def _power_cuts() -> Iterator[_Row]:
    """Power cut, boot with the disks found in another order."""
    for step in STEPS:
        yield "power", step, "after intent", "", "", _GO_ON, _C
        yield "power", step, "during", "", "", _GO_ON, _C
        yield "power", step, "after command", "", "", _TAKE_BACK, _B


def _hang_ups() -> Iterator[_Row]:
    """The terminal closes, somebody asks the executor to end, the viewer is killed while it writes a wish."""
    for step in STEPS:
        yield "SIGHUP", step, "during", "", "", (), _C
        yield "SIGTERM", step, "during", "", "", _GO_ON, _C
        yield "viewer", step, "during", "", "", (), _C


def _unplugged() -> Iterator[_Row]:
    """A disk is pulled right before the step's command. While no volume stands on the arrays the build goes on with
    the disk back in; once one does, an array that lost a member is never made anew beneath it: the whole is undone.
    A spare that is back joins its array by itself."""
    yield "unplug", "S1", "during", "member-a", "", _PLUG, _C
    yield "unplug", "S1", "during", "spare", "", _PLUG, _C
    yield "unplug", "S2", "during", "member-a", "", _PLUG, _C
    yield "unplug", "S2", "during", "spare", "", _PLUG, _C
    yield "unplug", "S3", "during", "member-a", "", _PLUG, _C
    yield "unplug", "S3", "during", "spare", "", _PLUG, _C
    yield "unplug", "S4", "during", "member-b", "", _PLUG, _C
    yield "unplug", "S4", "during", "spare", "", _PLUG, _C
    yield "unplug", "S5", "during", "member-a", "", _PLUG_BACK, _B
    yield "unplug", "S5", "during", "spare", "", _PLUG, _C
    for step in STEPS[5:10]:
        yield "unplug", step, "during", "member-a", "", _PLUG_BACK, _B
        yield "unplug", step, "during", "spare", "", _PLUG, _C


def _write_errors() -> Iterator[_Row]:
    """A part of a disk cannot be written any more. The middle is met first by the array's own sync."""
    for step in STEPS[:2]:
        yield "write-error", step, "", "member-a", "start", _HEAL, _C
        yield "write-error", step, "", "member-a", "middle", _HEAL_BACK, _B
        yield "write-error", step, "", "member-a", "end", _HEAL, _C
    yield "write-error", "S3", "", "member-a", "start", _HEAL, _C
    yield "write-error", "S3", "", "member-a", "middle", _HEAL_BACK, _B
    yield "write-error", "S3", "", "member-a", "end", _HEAL_BACK, _B
    yield "write-error", "S4", "", "member-b", "start", _HEAL, _C
    yield "write-error", "S4", "", "member-b", "middle", _HEAL_BACK, _B
    yield "write-error", "S4", "", "member-b", "end", _HEAL_BACK, _B
    yield "write-error", "S5", "", "spare", "start", _HEAL, _C
    yield "write-error", "S5", "", "member-a", "middle", _HEAL_BACK, _B
    yield "write-error", "S5", "", "member-a", "end", _HEAL_BACK, _B
    for part in ("start", "middle", "end"):
        yield "write-error", "S6", "", "member-a", part, _HEAL_BACK, _B
    for step in STEPS[6:8]:  # the build went on while the arrays still sync, as it may when it is told to
        for part in ("start", "middle", "end"):
            yield "write-error", step, "during sync", "member-a", part, _HEAL_BACK, _B


def _read_errors() -> Iterator[_Row]:
    """A part of a disk cannot be read. md writes a block anew that its sync cannot read, and goes on."""
    yield "read-error", "apply", "", "member-a", "start", ("refused",), _R
    yield "read-error", "apply", "", "spare", "end", ("refused",), _R
    yield "read-error", "S1", "", "member-a", "start", _HEAL, _C
    yield "read-error", "S1", "", "member-b", "end", _HEAL, _C
    yield "read-error", "S3", "", "member-a", "middle", (), _C
    yield "read-error", "S6", "", "member-b", "middle", (), _C
    yield "read-error", "S5", "", "spare", "start", _HEAL, _C
    yield "read-error", "S12", "", "member-a", "start", _HEAL, _C


def _delays() -> Iterator[_Row]:
    """A disk that is slow, or does not answer for ten minutes: waited for, nothing is killed."""
    for step in ("S1", "S3", "S5", "S6"):
        yield "slow", step, "", "spare" if step == "S5" else "member-a", "", (), _C
        yield "suspend", step, "", "spare" if step == "S5" else "member-a", "", (), _C


def _lying_tools() -> Iterator[_Row]:
    """The step's command fails without effect, fails half-way, or says it did and did not."""
    for step in STEPS:
        yield "fail", step, "", "", "", _GO_ON, _C
        yield "fail-partly", step, "", "", "", _GO_ON, _C
        # nothing is to be saved from blank disks: a lying save changes nothing and nothing is asked about it
        yield "lie", step, "", "", "", _GO_ON if step != "S2" else (), _C


def _no_room() -> Iterator[_Row]:
    """The journal cannot be written: then nothing further is started."""
    for what in ("ENOSPC", "EROFS", "EIO"):
        yield what, "apply", "", "", "create", ("refused",), _R
        yield what, "S4", "intent", "", "journal", _GO_ON, _C
        yield what, "S6", "result", "", "journal", _GO_ON, _C
        yield what, "S8", "intent", "", "output", _GO_ON, _C
    yield "torn", "S2", "begun", "", "", _GO_ON, _C
    yield "torn", "S4", "intent", "", "", _GO_ON, _C
    yield "torn", "S6", "result", "", "", _GO_ON, _C
    yield "torn", "S8", "proven", "", "", _TAKE_BACK, _B


def _identities() -> Iterator[_Row]:
    """The disks change between plan and build, or under the build."""
    yield "permuted", "apply", "", "", "", (), _C
    yield "removed", "apply", "", "member-b", "", ("refused",), _R
    yield "replaced", "apply", "", "member-b", "", ("refused",), _R
    yield "resized", "apply", "", "member-b", "", ("refused",), _R
    yield "duplicated", "apply", "", "member-b", "", ("refused",), _R
    yield "re-signed", "apply", "", "member-b", "", ("refused",), _R
    yield "remounted", "apply", "", "member-b", "", ("refused",), _R
    yield "permuted", "S4", "", "member-b", "", ("resume",), _C
    yield "removed", "S4", "", "member-b", "", ("refused",), _R
    yield "replaced", "S4", "", "member-b", "", ("refused", "put-back", "resume"), _C
    yield "resized", "S4", "", "member-b", "", ("refused",), _R
    yield "duplicated", "S4", "", "member-b", "", ("refused",), _R
    yield "re-signed", "S4", "", "member-b", "", ("refused",), _R
    yield "remounted", "S4", "", "member-b", "", ("refused", "release", "undo"), _B


def _in_use() -> Iterator[_Row]:
    """Somebody uses a disk when it is planned, or from then on."""
    for kind in (each for each in IN_USE if each != "open"):  # not held: cases of its own
        yield "in-use", "plan", "", "member-b", kind, (), _R
        yield "in-use", "apply", "", "member-b", kind, ("refused",), _R


def _leftovers() -> Iterator[_Row]:
    """Old content on a disk. What is somebody's until he takes it down himself cannot even be planned on."""
    for kind in ("md-0.90", "md-1.0", "md-1.1", "md-1.2", "gpt", "gpt-backup", "fs-in-old-array"):
        yield "leftover", "plan", "", "member-b", kind, (), _C
    for kind in ("lvm", "luks", "zfs"):
        yield "leftover", "plan", "", "member-b", kind, (), _R


def _boots() -> Iterator[_Row]:
    """Reboot of the finished build."""
    yield "reboot", "done", "", "", "0 missing", _GO_ON, _C
    # degraded and mounted; the build is not touched while its disk is away
    yield "reboot", "done", "", "member-a", "1 missing", ("refused",), _R
    yield "reboot", "done", "", "member-a", "3 missing", ("refused", "plug", "reboot", "resume"), _C
    yield "reboot", "done", "", "", "hostname", _GO_ON, _C


TAMPERED = (
    "disk path", "disk identity", "disk serial", "disk size", "disk content", "command", "extra command",
    "undo command", "array uuid", "mount point", "step left out", "condition", "digest", "not json",
)  # fmt: skip
"""what is changed in the plan's file, most of them with a digest that fits the change"""


def _tampered() -> Iterator[_Row]:
    """The plan's file was changed, is used twice, or is for another machine."""
    for what in TAMPERED:
        yield "tampered", "apply", "", "", what, ("refused",), _R
    yield "tampered", "S4", "run directory", "", "command", ("refused",), _R
    yield "replayed", "apply", "while it is stopped", "", "", ("refused", "resume"), _C
    yield "replayed", "done", "after it was built", "", "", ("refused",), _C
    yield "replayed", "done", "after it was taken back", "", "", ("refused",), _B
    yield "other-host", "apply", "", "", "host", ("refused",), _R
    yield "other-host", "apply", "", "", "machine-id", ("refused",), _R


def _surroundings() -> Iterator[_Row]:
    """Clock, language, environment, a second instance."""
    for jump in ("an hour back", "ten years on", "before 1970"):
        yield "clock", "S4", "", "", jump, (), _C
    yield "clock", "S4", "while it is stopped", "", "an hour back", _GO_ON, _C
    for language in ("de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.EUC-JP", "C"):
        yield "locale", "S1", "", "", language, (), _C
    for what in ("PATH empty", "PATH with a false tool", "LD_PRELOAD", "PYTHONPATH"):
        yield "environment", "S1", "", "", what, (), _C
    yield "second", "S4", "", "", "the same run", (), _C
    yield "second", "S4", "", "", "another plan", (), _C
    yield "second", "apply", "", "", "a lock file that nobody holds", (), _C
    yield "second", "apply", "", "", "a lock that is a link", ("refused",), _R


_TIER2 = frozenset(
    {
        "K-06", "K-13", "K-18", "K-23", "K-33", "K-38", "P-02", "P-08", "P-23", "H-05", "H-10", "H-24",
        "U-05", "U-10", "U-15", "W-07", "W-13", "W-23", "R-03", "D-06", "C-09", "C-21", "N-02", "N-07", "N-14",
        "I-01", "I-02", "I-03", "I-05", "Z-02", "Z-04", "Z-06", "Z-26", "S-02", "S-05", "B-02", "B-04", "T-06",
        "X-05", "X-13",
    }
)  # fmt: skip
"""cases that the virtual machine runs in `long`, two of them on every push"""


def _numbered(letter: str, rows: Iterable[_Row]) -> Iterator[Case]:
    for number, (fault, step, when, disk, detail, then, end) in enumerate(rows, start=1):
        name = f"{letter}-{number:02d}"
        yield Case(
            id=name, fault=fault, step=step, when=when, disk=disk, detail=detail, then=then, end=end,
            tier2=name in _TIER2,
        )  # fmt: skip


_ROWS = {
    "K": _kills, "P": _power_cuts, "H": _hang_ups, "U": _unplugged, "W": _write_errors, "R": _read_errors, "D": _delays,
    "C": _lying_tools, "N": _no_room, "I": _identities, "Z": _in_use, "S": _leftovers, "B": _boots, "T": _tampered,
    "X": _surroundings,
}  # fmt: skip


def _deeds(letter: str, rows: Iterable[matrix_deeds.Row]) -> Iterator[Case]:
    for number, row in enumerate(rows, start=1):
        name = f"{letter}-{number:02d}"
        yield Case(
            id=name, fault="deed", step=row.step, when=row.when, disk=row.disk, detail=row.deed, then=row.then,
            end=row.end, kept=row.kept, says=row.says, real=row.deed not in matrix_deeds.NOT_REAL, tier2=name in _TIER2,
        )  # fmt: skip


CASES: tuple[Case, ...] = (
    *(case for letter, rows in _ROWS.items() for case in _numbered(letter, rows())),
    *(case for letter, deeds in matrix_deeds.ROWS.items() for case in _deeds(letter, deeds())),
)
