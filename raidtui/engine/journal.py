"""The directory of a run: plan, journal and the output of every command. A record is valid once it is on the disk.

/var/lib/raidtui/RUN_ID/          0700
    plan.json                     the confirmed plan
    journal                       one line with a checksum per record, in space allocated at the start
    output/0007                   output of the command of record 7
    wish                          request of a viewer to the executor: pause, stop
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from raidtui.engine.folders import make_folder
from raidtui.machine.system.files import JOURNAL, open_own, read_own, sync_folder, write_durably
from raidtui.machine.system.places import failures, require_private
from raidtui.machine.system.programs import closing
from raidtui.values.codec import canonical_json, from_json, to_json
from raidtui.values.errors import BadInput, Exit, RaidtuiError, Refused
from raidtui.values.plan import Plan, Stage
from raidtui.values.run import Record, RecordKind, Run, RunOutcome, RunPurpose, StepProgress, StepState

# The journal as text: one JSON object per line, each with a checksum over itself and the previous line's checksum.
# An incomplete last line (power loss during the write) is ignored; damage before it is an error, since the course of
# the run is then unknown.


_OTHER = "the line is whole, so another release of raidtui wrote it: use that one for this run"
_SEAL = 16
"""hex digits of SHA-256 kept in each line"""


def record_line(record: Record, seal_before: str) -> tuple[str, str]:
    """One line with its line end, and its checksum."""
    body = canonical_json(record)
    seal = hashlib.sha256(f"{seal_before}{body}".encode()).hexdigest()[:_SEAL]
    return f"{seal} {body}\n", seal


def read(data: bytes, *, source: str, seal: str = "", before: int = 0) -> tuple[tuple[Record, ...], str, int]:
    """(records in `data`, checksum of the last, bytes they take); the bytes after them are an incomplete line.

    To continue after `before` records, the last with checksum `seal`, pass the bytes that follow them.
    Raises BadInput if a line before the last is damaged.
    """
    records: list[Record] = []
    used = 0
    for number, raw in enumerate(data.split(b"\n")[:-1], start=before + 1):
        given, _, body = raw.partition(b" ")
        if given != hashlib.sha256(seal.encode() + body).hexdigest()[:_SEAL].encode():
            if not data[used + len(raw) + 1 :].strip(b"\0"):
                break
            raise BadInput(
                f"{source}: line {number} is damaged",
                hint="keep the file; raidtui resume with the plan reads the state from the disks",
            )
        record = from_json(Record, body, source=f"{source}: line {number}", hint=_OTHER)
        if record.sequence != number:
            raise BadInput(f"{source}: line {number}: expected record {number}, found {record.sequence}")
        records.append(record)
        seal, used = given.decode(), used + len(raw) + 1
    return tuple(records), seal, used


ROOM = 4 * 1024 * 1024
"""bytes allocated for the journal of a run; that of 1,000 disks takes about half"""
BOOT_ID = "/proc/sys/kernel/random/boot_id"
_WAY_OUT = "nothing further was started; make it writable, then resume"


def _utc() -> datetime:
    return datetime.now(UTC)


class Journal:
    """The journal of one run, held open by its executor."""

    def __init__(self, folder: Path, purpose: RunPurpose, clock: Callable[[], datetime] = _utc) -> None:
        """`clock`: present time of the machine that the run works on, UTC."""
        self.folder = folder
        self.purpose = purpose
        self._clock = clock
        self._boot = boot_id()
        path = folder / "journal"
        with failures(folder / "output", _WAY_OUT):
            (folder / "output").mkdir(mode=0o700, exist_ok=True)  # removed by hand: what is lost is lost
        with failures(path, _WAY_OUT):
            self._file = open_own(path, JOURNAL, flags=os.O_RDWR)
            data = _content(self._file)
        self.records, self._seal, self._used = read(data, source=str(path))
        with failures(path, _WAY_OUT):
            blank = bytes(len(data) - self._used)
            if data[self._used :] != blank:  # a torn line: nothing of it may look like the end of the next
                os.pwrite(self._file, blank, self._used)

    def write(
        self,
        kind: RecordKind,
        *,
        step: int = 0,
        action: int = 0,
        stage: Stage | None = None,
        devices: tuple[str, ...] | None = None,
        file: str | None = None,
        digest: str | None = None,
        argv: tuple[str, ...] = (),
        exit: int | None = None,
        output: str = "",
        text: str = "",
    ) -> Record:
        """Appends a record and syncs it to the disk. After a MachineFailed nothing further may be started."""
        record = Record(
            sequence=len(self.records) + 1, kind=kind, time=self._clock().isoformat(timespec="milliseconds"),
            boot=self._boot, purpose=self.purpose, step=step, action=action, stage=stage, devices=devices, file=file,
            digest=digest, argv=argv, exit=exit, output=output, text=text,
        )  # fmt: skip
        line, seal = record_line(record, self._seal)
        data = line.encode()
        with failures(self.folder / "journal", _WAY_OUT):
            if os.pwrite(self._file, data, self._used) != len(data):
                raise OSError(28, "only a part of the record was written")
            os.fsync(self._file)
        self._seal, self._used = seal, self._used + len(data)
        self.records = (*self.records, record)
        return record

    def failed(self, problem: Exception) -> Record:
        """Journals a failure of the executor: error, hint and exit code."""
        hint = getattr(problem, "hint", "")
        code = int(getattr(problem, "exit_code", Exit.MACHINE))
        return self.write("failed", text=f"{problem}; {hint}" if hint else str(problem), exit=code)

    @contextlib.contextmanager
    def output(self) -> Iterator[tuple[str, int]]:
        """Name and descriptor of a new file for the output of the next command."""
        name = f"output/{len(self.records) + 1:04d}"
        path = self.folder / name
        with failures(path, _WAY_OUT):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with closing(handle):
            yield name, handle

    def sync(self, handle: int) -> None:
        """Syncs the output of a command to the disk. After a MachineFailed nothing further may be started."""
        with failures(self.folder / "output", _WAY_OUT):
            os.fsync(handle)

    def keep(self, path: Path, text: str) -> None:
        """Writes a file beside the journal. After a MachineFailed nothing further may be started."""
        with failures(path, _WAY_OUT):
            write_durably(path, text, mode=0o600)

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)


def create(root: Path, plan: Plan) -> Path:
    """Creates the directory of a run with the plan and space for the journal. A plan is started once.

    An existing directory without a plan is used: the plan's scripts log there, and a start may be interrupted.
    Raises Refused if the run exists or others may write there, MachineFailed if it cannot be written or the disk is
    full.
    """
    folder = root / plan.run_id
    try:
        make_folder(folder, simulated=plan.simulated)
    except FileExistsError as problem:
        if is_begun(folder):
            short = plan.run_id[:8]
            raise Refused(
                f"the plan {plan.digest[:12]} was started before; its journal is in {folder}",
                hint="it was undone; to build, plan again"
                if _undone_in(folder)
                else f"raidtui resume {short}, or raidtui undo {short}; or plan again",
            ) from problem
        require_private(folder)
    return _fill(folder, "plan.json", to_json(plan) + "\n")


def is_begun(folder: Path) -> bool:
    """True if `folder` is the directory of a run: it has a plan."""
    return (folder / "plan.json").exists()


def boot_id() -> str:
    """The kernel's, of this boot of the machine that raidtui runs on."""
    return Path(BOOT_ID).read_text().strip()


def is_undone(records: Sequence[Record]) -> bool:
    """True if the last that was done is an undo that ended well."""
    return bool(records) and (records[-1].purpose, records[-1].kind) == ("undo", "finished")


def _undone_in(folder: Path) -> bool:
    with contextlib.suppress(RaidtuiError):  # a damaged journal does not say it
        return is_undone(records(folder))
    return False


def _fill(folder: Path, name: str, text: str) -> Path:
    with failures(folder, _WAY_OUT):
        (folder / "output").mkdir(mode=0o700, exist_ok=True)
        _allocate(folder / "journal")
        sync_folder(folder)
        write_durably(folder / name, text, mode=0o600)  # last: with it, the run exists
        sync_folder(folder)
        sync_folder(folder.parent)
    return folder


def begin(folder: Path, name: str, text: str, *, simulated: bool) -> None:
    """Creates a directory with an empty journal and the file `name`: for a drill.

    Raises Refused if it exists, MachineFailed if it cannot be written.
    """
    try:
        make_folder(folder, simulated=simulated)
    except FileExistsError as problem:
        raise Refused(f"{folder} exists already", hint="check its content, then move it away") from problem
    _fill(folder, name, text)


def add(folder: Path) -> None:
    """Creates an empty journal in the directory of a benchmark."""
    with failures(folder, _WAY_OUT):
        (folder / "output").mkdir(mode=0o700, exist_ok=True)
        _allocate(folder / "journal")
        sync_folder(folder)


def renew(folder: Path) -> None:
    """Renames a damaged journal and creates an empty one: the state of the run is then read from the disks."""
    path = folder / "journal"
    with failures(path, _WAY_OUT):
        if path.exists():
            number = sum(1 for _ in folder.glob("journal.damaged*")) + 1
            path.rename(folder / f"journal.damaged-{number}")
        _allocate(path)
        sync_folder(folder)


def records(folder: Path) -> tuple[Record, ...]:
    """The present records of the journal in `folder`; viewers may read it at any time."""
    path = folder / "journal"
    return read(read_own(path, JOURNAL), source=str(path))[0]


def _allocate(path: Path) -> None:
    """Makes an empty journal; one that an interrupted start left is used."""
    with closing(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)) as handle:
        os.posix_fallocate(handle, 0, ROOM)
        os.fsync(handle)


def _content(handle: int) -> bytes:
    parts = []
    offset = 0
    while part := os.pread(handle, 1 << 20, offset):
        parts.append(part)
        offset += len(part)
    return b"".join(parts)


# State of a run computed from its journal, by a table of the record kinds that may follow each other.


_HELD: frozenset[RecordKind] = frozenset({"paused", "waiting", "progress"})
"""kinds recorded while the executor waits; any may follow any other, and each may repeat"""
_IN_STEP: frozenset[RecordKind] = _HELD | {"sampled", "intent", "proven", "cleaned", "begun", "stopped", "failed"}
FOLLOWS: dict[RecordKind | None, frozenset[RecordKind]] = {
    None: frozenset({"begun"}),
    "begun": _HELD | {"step", "kept", "begun", "stopped", "failed", "finished"},
    "step": _IN_STEP,
    "sampled": _IN_STEP,
    "intent": frozenset({"intent", "result", "begun", "stopped", "failed"}),
    "result": _IN_STEP | {"result"},
    "cleaned": _HELD | {"step", "begun", "stopped", "failed"},
    "proven": _HELD | {"step", "kept", "begun", "stopped", "failed", "finished"},
    "kept": frozenset({"kept", "begun", "stopped", "failed", "finished"}),
    "paused": _IN_STEP | {"step", "finished"},
    "waiting": _IN_STEP | {"step", "finished"},
    "progress": _IN_STEP | {"step", "finished"},
    "stopped": frozenset({"begun"}),
    "failed": frozenset({"begun"}),
    "finished": frozenset({"begun"}),
}
"""record kind to the kinds that may follow; after a crash any of them may be the last"""
_OF_A_STEP: frozenset[RecordKind] = frozenset({"step", "sampled", "intent", "result", "proven", "cleaned"})
_LIVES: tuple[RunPurpose, ...] = ("replace", "extend")
"""acts on arrays that run: a step that was done by what was read is not begun"""
_ENDS: dict[RecordKind, RunOutcome] = {"finished": "finished", "stopped": "stopped", "failed": "failed"}


def replay(steps: int, records: Sequence[Record], *, alive: bool) -> Run:
    """State of the run of a plan with `steps` steps. `alive`: an executor holds the lock now.

    Raises BadInput if the order of the records is invalid.
    """
    states: dict[int, StepState] = dict.fromkeys(range(1, steps + 1), "waiting")
    done = dict.fromkeys(states, 0)
    spent = dict.fromkeys(states, 0.0)
    begun_at: dict[int, str] = {}
    together, unbegun = _together(records)
    before: RecordKind | None = None
    current = 0
    for record in records:
        if record.kind not in FOLLOWS[before]:
            raise BadInput(f"invalid journal: '{record.kind}' after '{before}' (record {record.sequence})")
        if record.kind in _OF_A_STEP and record.step not in states:
            raise BadInput(
                f"invalid journal: step {record.step} of a plan with {steps} steps (record {record.sequence})"
            )
        before = record.kind
        match record.kind:
            case "begun":
                current = 0
                if record.purpose == "undo":
                    states = dict.fromkeys(states, "waiting")
                done = {number: done[number] if states[number] == "done" else 0 for number in done}
                states = {number: state if state == "done" else "waiting" for number, state in states.items()}
            case "step":
                current = record.step
                states[current], done[current] = "running", 0
                begun_at[current] = record.time
            case "result":
                done[record.step] = done[record.step] + 1 if record.step in together else record.action
            case "proven":
                states[record.step] = "waiting" if record.purpose == "undo" else "done"
            case "cleaned":
                states[record.step] = "waiting"
            case "failed" if current and states.get(current) == "running":
                states[current] = "failed"
            case _:
                pass
        if record.step in begun_at:
            spent[record.step] = _between(begun_at[record.step], record.time)
    if unbegun:
        raise BadInput(f"invalid journal: 'result' without an intent (record {unbegun})")
    last = records[-1] if records else None
    states |= {number: "done" for number in _left_out(steps, records) if states[number] == "waiting"}
    ended = _ENDS.get(last.kind) if last else None
    return Run(
        purpose=last.purpose if last else "build",
        outcome=ended or ("running" if alive else "interrupted"),
        steps=tuple(
            StepProgress(number=number, state=state, actions_done=done[number], seconds=spent[number])
            for number, state in states.items()
        ),
        now=last,
        reason=last.text if last and last.kind in ("stopped", "failed") else "",
    )


def _left_out(steps: int, records: Sequence[Record]) -> range:
    """Steps of an act on arrays that run which were passed: what was read said that they are done."""
    if not records or records[-1].purpose not in _LIVES:
        return range(0)
    last = steps if records[-1].kind == "finished" else max(each.step for each in records) - 1
    return range(1, last + 1)


def _together(records: Sequence[Record]) -> tuple[frozenset[int], int]:
    """Steps whose commands run at the same time, so that they end in any order; the first end of none, or 0."""
    found: set[int] = set()
    running = 0
    for record in records:
        running = 0 if record.kind == "begun" else running + (record.kind == "intent") - (record.kind == "result")
        if running < 0:
            return frozenset(found), record.sequence
        if running > 1:
            found.add(record.step)
    return frozenset(found), 0


def _between(start: str, end: str) -> float:
    """Seconds between two times; 0 if the clock went backwards."""
    return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
