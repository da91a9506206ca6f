"""The directory of a run: plan, journal and the output of every command. A record is valid once it is on the disk.

/var/lib/raidtui/RUN_ID/          0700
    plan.json                     the confirmed plan
    journal                       one line with a checksum per record, in space allocated at the start
    output/0007                   output of the command of record 7
    wish                          request of a viewer to the executor: pause, stop
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from raidtui.machine.run.work_folder import make_folder
from raidtui.machine.system.closing import closing
from raidtui.machine.system.durable_files import sync_folder, write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import JOURNAL, open_own, read_own
from raidtui.machine.system.private_places import require_private
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit, RaidtuiError, Refused
from raidtui.model.plan import Plan, Stage
from raidtui.model.run import Record, RecordKind, RunPurpose
from raidtui.planner.journal import format as journal_lines

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
        self.records, self._seal, self._used = journal_lines.read(data, source=str(path))
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
        line, seal = journal_lines.line(record, self._seal)
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
    return journal_lines.read(read_own(path, JOURNAL), source=str(path))[0]


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
