"""The folder of a benchmark: its definition, result and raw data. Written durably.

ROOT/benches/ID/                  0700
    bench.json                    the benchmark, written before the first job
    order.json                    how it is carried out, of a raw one beside plan.json
    result.json                   rewritten after every repeat and every figure
    fio/003-2.json                fio's output of repeat 2 of task 3
    events.jsonl                  what happens, for viewers; of a resumed one events-2.jsonl and so on
    gauges.jsonl                  every tick; in the same way
    wish                          request of a viewer to the executor: pause, stop, skip
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import math
import os
import re
import shlex
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from raidtui.bench.compare import figures_of_benchmark
from raidtui.bench.events import BenchEvent, Event, Ticked, TickPlace
from raidtui.bench.expected import measured_disk_speeds
from raidtui.engine.folders import BENCHES, is_alive, is_id
from raidtui.machine.gauges.sampler import LONGEST, GaugeRecorder, read_recording, tick_in
from raidtui.machine.inventory import measure_disks
from raidtui.machine.system.files import (
    RECORDING,
    RESULT_FILE,
    RUN_FILE,
    is_named,
    new_file,
    open_own,
    read_document,
    read_named,
    read_own,
    save_document,
    sync_folder,
)
from raidtui.machine.system.places import (
    AS_ROOT,
    failures,
    is_root,
    private_directory,
    require_private,
    require_trusted,
)
from raidtui.machine.system.programs import closing
from raidtui.programs import mount as mountinfo
from raidtui.values.bench import Bench, BenchOrder, BenchResult
from raidtui.values.codec import document_digest, from_json, plain, to_json
from raidtui.values.codec_rules import Value
from raidtui.values.errors import BadInput, MachineFailed, RaidtuiError, Refused, Stale
from raidtui.values.gauges import Scene
from raidtui.values.inventory import Inventory, MeasuredSpeed
from raidtui.values.plan import Plan
from raidtui.values.safe import safe
from raidtui.values.speed import NO_FIGURES, MachineFigures

BENCH, RESULT, GAUGES, RAW = "bench.json", "result.json", "gauges.jsonl", "fio"
ORDER, EVENTS = "order.json", "events.jsonl"
_MOST = 1 << 63
"""above every number of a job"""
_WAY_OUT = "name a place that can be written: --out DIR"


def create_at(folder: Path, bench: Bench, order: BenchOrder | None = None, plan: Plan | None = None) -> Path:
    """Creates the folder of a benchmark, with bench.json; an existing one must be empty. Raises Refused, MachineFailed.

    `order`: for an executor, which reads it there; `plan`: of a raw one."""
    with failures(folder, _WAY_OUT):
        private_directory(folder)
        require_private(folder)  # as its executor requires, and what comes next
        if not bench.simulated and is_root():
            require_trusted(folder)
        if any(folder.iterdir()):
            raise Refused(f"{folder} is not empty", hint="name a folder that does not exist yet")
        (folder / RAW).mkdir(mode=0o700)
        if order is not None:
            put_order(folder, order)
        if plan is not None:
            save_document(folder / "plan.json", plan, way_out=_WAY_OUT)
        save_document(folder / BENCH, bench, way_out=_WAY_OUT)
        sync_folder(folder.parent)
    save(folder, BenchResult(bench=bench, figures=(), outcome="running"))
    return folder


def put_order(folder: Path, order: BenchOrder) -> None:
    """Writes how the benchmark is carried out. Raises MachineFailed."""
    save_document(folder / ORDER, order, way_out=_WAY_OUT)


def ordered(order: BenchOrder, bench: Bench) -> BenchOrder:
    """`order` for `bench`, with the digests by which an executor knows both again."""
    made = replace(order, bench_digest=_digest((to_json(bench) + "\n").encode()))
    return replace(made, digest=document_digest(made))


def order_in(folder: Path) -> BenchOrder:
    """How the benchmark in its folder is carried out. Raises as `read_document`."""
    return read_document(BenchOrder, folder / ORDER, RUN_FILE)


def confirmed(folder: Path, digest: str) -> tuple[Bench, BenchOrder]:
    """The benchmark in its folder, and how it is carried out.

    Raises Stale if they are not those of the order `digest`, Refused if others may write there (of a real one also in a
    directory above)."""
    require_private(folder)
    order, text = order_in(folder), read_own(folder / BENCH, RUN_FILE)
    if not digest == order.digest == document_digest(order) or order.bench_digest != _digest(text):
        raise Stale(
            f"{folder}: not the benchmark that was begun, whose digest is {digest}; nothing was written",
            hint="start a new one",
        )
    bench = from_json(Bench, text, source=str(folder / BENCH))
    if not bench.simulated and is_root():
        require_trusted(folder)
    return bench, order


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def save(folder: Path, result: BenchResult) -> None:
    """Writes the present result to the disk, atomically. Raises MachineFailed."""
    save_document(folder / RESULT, result, way_out=_WAY_OUT)


def load(folder: Path) -> BenchResult:
    """Result of a benchmark, complete or not; `interrupted` if its process is gone.

    Raises BadInput if its files are invalid, MachineFailed if they cannot be read.
    """
    alive = is_alive(folder)  # first: a process that has exited has written its final result
    path = folder / RESULT
    result = checked(from_json(BenchResult, read_named(path, RESULT_FILE), source=str(path)), path)
    if result.outcome == "running" and not alive:
        gone = "its process is gone" if starts(folder) else "its process did not begin"
        return replace(result, outcome="interrupted", reason=gone)
    return result


def named(folder: Path) -> str:
    """How commands name the benchmark in `folder`: the first digits of its id, or the folder if it is called
    otherwise."""
    return folder.name[:8] if is_id(folder.name) else safe(shlex.quote(str(folder)))


def checked(result: BenchResult, path: Path) -> BenchResult:
    """The result, if its numbers are in range and every figure has a task. Raises BadInput with the place."""
    for place, task in enumerate(result.bench.tasks):
        for name, value in plain(task.job).items():
            if isinstance(value, int | float) and not 0 <= value < _MOST:
                raise BadInput(
                    f"{path}: bench.tasks.{place}.job.{name}: out of range",
                    hint=_NOT_EDITED,
                )
    numbers = {task.number for task in result.bench.tasks}
    for place, figure in enumerate(result.figures):
        where = f"{path}: figures.{place}"
        if figure.task not in numbers:
            raise BadInput(f"{where}: there is no task {figure.task}", hint=_NOT_EDITED)
        values = [figure.median, figure.spread, *(repeat.value for repeat in figure.repeats)]
        if not figure.repeats or not all(math.isfinite(value) and value >= 0 for value in values):
            raise BadInput(
                f"{where}: no repeats, or a number is negative or not finite",
                hint=_NOT_EDITED,
            )
    return result


def find(where: Iterable[Path], name: str) -> Path:
    """Folder of the benchmark `name`: a path, or the first digits of its id. Raises BadInput."""
    return by_path(name) or BENCHES.find(where, name)


def by_path(name: str) -> Path | None:
    """The folder of a benchmark at the path `name`; None if there is none."""
    return Path(name).absolute() if is_named(f"{name}/{RESULT}") and is_named(f"{name}/{BENCH}") else None


def raw_name(task: int, repeat: int) -> str:
    """Name, in the folder, of fio's output of a repeat."""
    return f"{RAW}/{task:03d}-{repeat}.json"


# What happens in a benchmark, for whoever looks. Each start has a file of events and a recording of its ticks: of a
# tick, which is by far the longest, the events have the place in the recording.


class EventLog:
    """Writes the events of one start."""

    def __init__(self, folder: Path, scene: Scene, *, simulated: bool) -> None:
        """Raises as `write_new`."""
        number = starts(folder) + 1
        self._simulated = simulated
        self._path = _numbered(folder, EVENTS, number)
        self._recorder = GaugeRecorder(_numbered(folder, GAUGES, number), scene)
        with new_file(self._path, 0o600) as handle:
            self._handle = os.dup(handle)

    def write(self, event: Event) -> None:
        """Appends an event. Raises MachineFailed when there is no room."""
        line: Value = BenchEvent(simulated=self._simulated, event=event)
        if isinstance(event, Ticked):
            line = TickPlace(tick=self._recorder.write(event.tick))
        data = (to_json(line, indent=None) + "\n").encode()
        with failures(self._path, "make room"):
            before = os.lseek(self._handle, 0, os.SEEK_CUR)
            if os.write(self._handle, data) != len(data):
                os.ftruncate(self._handle, before)  # the next event begins a line of its own
                os.lseek(self._handle, before, os.SEEK_SET)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        """Closes both files."""
        with contextlib.suppress(OSError):
            self._recorder.close()
        os.close(self._handle)


class EventReader:
    """Reads the events of one start as they are written: of the newest, or of the start number `start`."""

    def __init__(self, folder: Path, start: int | None = None) -> None:
        number = max(starts(folder), 1) if start is None else start
        self._events, self._gauges = _numbered(folder, EVENTS, number), _numbered(folder, GAUGES, number)
        self._used = 0

    @property
    def scene(self) -> Scene | None:
        """The disks and arrays of its ticks; None before the start. Raises BadInput if the recording is invalid."""
        return read_recording(self._gauges)[0] if self._events.exists() else None

    def new(self, latest: int | None = None) -> tuple[Event, ...]:
        """Events since the last call; with `latest` only so many of the ticks among them, the last ones, at least one.

        Of a long benchmark one call returns a part: empty once all were read. Raises MachineFailed or Refused if they
        cannot be read, BadInput for an invalid line.
        """
        if not self._events.exists():
            return ()
        source = str(self._events)
        lines: list[bytes] = []
        with failures(self._events, AS_ROOT), os.fdopen(open_own(self._events, RECORDING), "rb") as file:
            file.seek(self._used)
            while len(lines) < _AT_ONCE and (line := file.readline(LONGEST + 1)).endswith(b"\n"):
                lines.append(line)
        if len(line) > LONGEST:
            raise BadInput(f"{source}: a line has more than {LONGEST} bytes", hint=_NOT_EDITED)
        self._used += sum(map(len, lines))
        places = [from_json(TickPlace, line, source=source) if line.startswith(_TICK) else None for line in lines]
        left_out = sum(place is not None for place in places) - latest if latest is not None else 0
        found: list[Event] = []
        with failures(self._gauges, AS_ROOT), contextlib.ExitStack() as held:
            recording = held.enter_context(os.fdopen(open_own(self._gauges, RECORDING), "rb")) if any(places) else None
            for line, place in zip(lines, places, strict=True):
                if place is None:
                    found.append(from_json(BenchEvent, line, source=source).event)
                elif left_out > 0:
                    left_out -= 1
                elif recording is not None:
                    where = f"{self._gauges}, byte {place.tick}"
                    if not 0 <= place.tick < os.fstat(recording.fileno()).st_size:
                        raise BadInput(f"{where}: not in the file", hint=_NOT_EDITED)
                    recording.seek(place.tick)
                    found.append(Ticked(tick=tick_in(recording.readline(LONGEST), where)))
        return tuple(found)


_TICK = b'{"tick"'
_AT_ONCE = 1000
"""events that are read at once: with their ticks, of sixty disks 13 MB"""
_NOT_EDITED = "results are written by raidtui, not edited"


def starts(folder: Path) -> int:
    """How often a benchmark was started in its folder."""
    made = (any(_numbered(folder, name, number).exists() for name in (EVENTS, GAUGES)) for number in count(1))
    return next(number for number, exists in enumerate(made) if not exists)


def _numbered(folder: Path, name: str, number: int) -> Path:
    stem, _, suffix = name.partition(".")
    return folder / (name if number == 1 else f"{stem}-{number}.{suffix}")


# Saves what a benchmark found out about this machine for the planner: speeds of single disks, scatter of arrays.


def keep_measured(result: BenchResult, inventory: Callable[[], Inventory], path: Path) -> Iterator[str]:
    """Stores all that the planner can use in the file at `path`; what was stored or why it was not, sentences."""
    try:
        alone = {task.number for task in result.bench.tasks if task.target.kind == "disk"}
        if alone & {figure.task for figure in result.figures}:
            kept = keep_speeds(result, inventory(), path)
            yield f"stored the measured speed of {len(kept)} disks for the planner"
        if keep_array_figures(result, path) != NO_FIGURES:
            yield "stored how near these arrays came to their limits, for the planner"
    except RaidtuiError as problem:
        yield f"what was measured was not stored for the planner: {problem}"


def keep_speeds(result: BenchResult, inventory: Inventory, path: Path) -> dict[str, MeasuredSpeed]:
    """Adds the speeds to the file at `path` and returns those added.

    Raises BadInput if the file is invalid, MachineFailed if it cannot be written.
    """
    found = measured_disk_speeds(result, inventory, measure_disks.kept(path)) if not result.bench.simulated else {}
    if found:
        measure_disks.keep(path, found)
    return found


def keep_array_figures(result: BenchResult, path: Path) -> MachineFigures:
    """Adds what the benchmark says about arrays of this machine to the file at `path`; returns that, or NO_FIGURES.

    Raises like `keep_speeds`.
    """
    found = figures_of_benchmark(result, measure_disks.stored(path).machine)
    if found != NO_FIGURES:
        measure_disks.keep(path, {}, found)
    return found


# The benchmark's own directory on the measured file system: created, found again after a kill, and removed.
# Its name contains the benchmark's id, which is in bench.json on disk before the directory is created. It is held open
# and locked (flock) while in use, so that it does not count as a leftover, and emptied through that handle, so that
# only what is in the created directory is removed, even after a lazy unmount of the file system. Its name is removed
# last, if it still leads to that directory, and by rmdir(2), which removes nothing that has content.


PREFIX = ".raidtui-bench-"
_NAME = re.compile(re.escape(PREFIX) + r"[0-9a-f]{32}")
_TRIES = 5
_MARK = "made-by-raidtui"
"""file in it that marks it as a benchmark's directory"""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Scratch:
    """The directory of one benchmark below `above`."""

    def __init__(self, above: Path, bench_id: str) -> None:
        self.above = Path(os.path.realpath(above))
        self.name = f"{PREFIX}{bench_id}"
        self._id = bench_id
        self._above = self._own = -1
        with failures(self.above, "name an existing directory"):
            found = os.stat(self.above)  # noqa: PTH116
        self._place = (found.st_dev, found.st_ino)
        self._way_out = f"if {self.path} is left, the next benchmark there removes it"

    @property
    def path(self) -> Path:
        """Its present or future path."""
        return self.above / self.name

    @property
    def there(self) -> bool:
        """True while it exists."""
        return self._own >= 0

    def make(self) -> str:
        """Creates it if missing. Returns a path through its handle, valid in this process whatever is mounted."""
        if self._own < 0:
            with failures(self.path, self._way_out):
                self._above = os.open(self.above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                self.check()
                for number in range(_TRIES):
                    try:
                        os.mkdir(self.name, 0o700, dir_fd=self._above)
                        self._own = self._marked()
                        break
                    except (FileNotFoundError, BlockingIOError, FileExistsError) as problem:
                        # another benchmark that begins here now may take it for a leftover
                        if number == _TRIES - 1 or (isinstance(problem, FileExistsError) and not number):
                            raise
                        time.sleep(0.05)
        return f"/proc/self/fd/{self._own}"

    def _marked(self) -> int:
        """Handle of the directory just made, locked and marked as ours."""
        own = os.open(self.name, _DIRECTORY, dir_fd=self._above)
        try:
            fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mark = os.open(_MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=own)
            os.write(mark, self._id.encode())
            os.close(mark)
        except OSError:
            os.close(own)
            raise
        return own

    def check(self) -> None:
        """Raises MachineFailed if another file system is at its place."""
        try:
            found = os.stat(self.above)  # noqa: PTH116
        except OSError as problem:
            raise MachineFailed(f"{self.above} is gone: {problem.strerror}", hint="mount it, then resume") from problem
        if (found.st_dev, found.st_ino) != self._place:
            raise MachineFailed(f"{self.above} is no longer the file system it was", hint="mount it, then resume")

    def sync(self) -> None:
        """Syncs its file system (syncfs(2))."""
        if self._own >= 0 and ctypes.CDLL(None, use_errno=True).syncfs(self._own):
            number = ctypes.get_errno()
            raise MachineFailed(f"{self.path}: {os.strerror(number)}", hint="the file system may have failed")

    def empty(self) -> None:
        """Removes everything in it but the mark file."""
        if self._own >= 0:
            with failures(self.path, self._way_out):
                for name in os.listdir(self._own):  # noqa: PTH208 - by handle
                    if name != _MARK:
                        _remove(name, self._own)

    def remove(self) -> None:
        """Removes it. Raises MachineFailed if something is left."""
        if self._own < 0 and self._above < 0:
            return
        try:
            if self._own >= 0:
                with failures(self.path, self._way_out):
                    _remove_own(self._own, self.name, self._above, self.path)
        finally:
            self._close()

    def _close(self) -> None:
        for handle in (self._own, self._above):
            if handle >= 0:
                os.close(handle)
        self._own = self._above = -1


def sweep(places: Iterable[Path]) -> tuple[Path, ...]:
    """Removes the directories that killed benchmarks of this user left in `places`. Returns the removed ones.

    Only directories with our name, owner, mark file and device that are not locked; errors are ignored.
    """
    return tuple(path for place in dict.fromkeys(places) for path in _swept(place))


def _swept(place: Path) -> Iterator[Path]:
    try:
        names = sorted(name for name in os.listdir(place) if _NAME.fullmatch(name))  # noqa: PTH208
        above = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) if names else -1
    except OSError:
        return
    try:
        for name in names:
            with contextlib.suppress(OSError, MachineFailed):
                with closing(os.open(name, _DIRECTORY, dir_fd=above)) as own:
                    leftover = _is_leftover(own, name, above)
                    if leftover:
                        _remove_own(own, name, above, place / name)
                if leftover:
                    yield place / name
    finally:
        if above >= 0:
            os.close(above)


def _is_leftover(own: int, name: str, above: int) -> bool:
    """True for the directory of a killed benchmark of this user, which this locks. BlockingIOError: it is in use."""
    found, outer = os.fstat(own), os.fstat(above)
    if found.st_uid != os.geteuid() or found.st_dev != outer.st_dev:
        return False
    fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
    inside = os.listdir(own)
    if not inside:  # killed between making it and marking it
        return True
    with closing(os.open(_MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=own)) as mark:
        return os.read(mark, 64).decode("ascii", "replace") in (name.removeprefix(PREFIX), "")


def _remove_own(own: int, name: str, above: int, path: Path) -> None:
    """Empties the directory `own`, its mark last, then removes `name` in `above` if that is still this directory.

    Raises MachineFailed if something is mounted in it, or if `name` leads elsewhere by now.
    """
    _refuse_mounts(Path(os.readlink(f"/proc/self/fd/{own}")))  # noqa: PTH115 - where it is now, if it was moved
    for each in sorted(os.listdir(own), key=_MARK.__eq__):
        _remove(each, own)
    if not os.path.samestat(os.stat(name, dir_fd=above, follow_symlinks=False), os.fstat(own)):
        raise MachineFailed(
            f"{path} is another directory than the one that was created, which is empty now",
            hint=f"look at both: {path} is kept, and the other was moved to another name",
        )
    os.rmdir(name, dir_fd=above)


def _remove(name: str, folder: int) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _refuse_mounts(path: Path) -> None:
    """Raises MachineFailed if something is mounted inside of `path`: nothing is removed through a mount point."""
    try:
        text = Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
    except OSError as problem:
        raise MachineFailed("/proc is not mounted, so no directory is removed", hint="mount /proc") from problem
    for mount in mountinfo.parse(text):
        if mount.point == str(path) or mount.point.startswith(f"{path}/"):
            raise MachineFailed(f"something is mounted at {safe(mount.point)}", hint=f"unmount it, then remove {path}")
