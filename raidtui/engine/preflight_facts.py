"""Facts about this machine for the preflight, besides its disks: tools, kernel, free space, names, other runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from raidtui.engine.journal import Journal
from raidtui.engine.survey import seen_files, seen_places
from raidtui.machine.arrays import boot as look
from raidtui.machine.system import programs
from raidtui.machine.system.files import RUN_FILE, read_own
from raidtui.machine.system.places import require_program
from raidtui.machine.system.ports import MachineReader, Pin, Runner
from raidtui.machine.system.versions import found_versions
from raidtui.programs import mdadm, mdadm_conf, sysfs, udev
from raidtui.programs.features import HELP, missing_options
from raidtui.steps.disk_steps import QUEUES, is_queue_step, sets_queue
from raidtui.steps.preflight import modules_of, tools_of
from raidtui.values.errors import BadInput, MachineFailed, RaidtuiError
from raidtui.values.facts import Answer, Facts, QueueLimit, TextFile
from raidtui.values.plan import Plan, PlanDisk, Question, Reading, Step

_HELP_SECONDS = 20
_CONTAINERS = (("/run/systemd/container", ""), ("/.dockerenv", "docker"), ("/run/.containerenv", "podman"))


def system_facts(plan: Plan, questions: Iterable[Reading], runner: MachineReader, root: Path, holder: str) -> Facts:
    """Facts about this machine for `plan`; `runner` answers `questions`, `holder` holds the run lock."""
    tools = tools_of(plan)
    absent = tuple(name for name in tools if programs.find(name) is None)
    room, problem = room_in(root)
    boot = look.look(plan, runner, built=False)
    root_user = os.geteuid() == 0  # anybody else may not see all that is asked, and builds nothing
    return Facts(
        host=os.uname().nodename,
        root=root_user,
        container=container(),
        absent_tools=absent,
        absent_features=tuple(_absent_features(plan, (name for name in tools if name not in absent))),
        absent_modules=absent_modules(modules_of(plan)),
        folder=str(root),
        room_bytes=room,
        folder_problem=problem,
        holder=holder,
        syncs=syncs(runner),
        arrays=len(list(Path("/sys/block").glob("md*/md"))),
        foreign_program=foreign_program(plan, boot.configuration.files),
        no_alarm=no_alarm(),
        target=found_versions(),
        queue_limits=queue_limits(plan, runner),
        no_write_zeroes=no_write_zeroes(plan, runner),
        boot=boot,
        files=seen_files(plan, runner) if root_user else (),
        places=seen_places(plan, runner) if root_user else (),
        answers=answers(questions, runner),
    )


def syncs(runner: MachineReader) -> tuple[str, ...]:
    """Arrays that are not idle, `md127 resync`."""
    return tuple(f"{each.device} {each.action}" for each in runner.syncing() if each.action != "held")


def answers(questions: Iterable[Reading], runner: MachineReader) -> tuple[Answer, ...]:
    """Answer of each question, queried once; a question whose program is missing is left out."""
    found: dict[Question, Answer] = {}
    for question in (reading.question for reading in questions):
        if question not in found:
            try:
                ran = runner.ask(question.argv)
            except MachineFailed:
                continue
            found[question] = Answer(question=question, exit=ran.exit, stdout=ran.stdout)
    return tuple(found.values())


def queue_limits(plan: Plan, runner: MachineReader) -> tuple[QueueLimit, ...]:
    """Queue depth that each disk can get: none without a device/queue_depth that can be written, at most the can_queue
    of the SCSI host. A disk that is missing, or whose host is unknown, is left out."""
    if plan.design.queue_depth is None:
        return ()
    found = []
    for disk in plan.disks:
        pin = runner.pin(disk.path)
        if pin is None:
            continue
        if not runner.ask(sysfs.writable_question(sysfs.queue_depth_path(pin.name))).stdout.strip():
            found.append(QueueLimit(path=disk.path, most=0))
            continue
        for address in runner.names(sysfs.scsi_addresses(pin.name)):
            most = sysfs.count(runner.read_text(sysfs.host_depth_path(address)))
            if most is not None:
                found.append(QueueLimit(path=disk.path, most=most))
    return tuple(found)


def no_write_zeroes(plan: Plan, runner: MachineReader) -> tuple[str, ...]:
    """See `Facts.no_write_zeroes`; a disk that is missing is left out."""
    if not plan.design.zeroes:
        return ()
    members = {disk for array in plan.data_arrays for disk in array.members}
    pins = ((disk.path, runner.pin(disk.path)) for disk in plan.disks if disk.id in members)
    return tuple(
        path
        for path, pin in pins
        if pin is not None and not sysfs.count(runner.read_text(sysfs.write_zeroes_path(pin.name)))
    )


def room_in(root: Path) -> tuple[int | None, str]:
    """Bytes free for root on the file system of `root`, and why it cannot be written; '' if it can."""
    folder = next(path for path in (root, *root.parents) if path.exists())
    try:
        found = os.statvfs(folder)
    except OSError as problem:
        return None, problem.strerror or str(problem)
    if found.f_flag & os.ST_RDONLY:
        return None, "mounted read-only"
    if not os.access(folder, os.W_OK | os.X_OK):
        return None, "not writable for this user"
    return found.f_bfree * found.f_frsize, ""


def container() -> str:
    """Kind of the container that raidtui runs in; empty outside of containers."""
    for path, kind in _CONTAINERS:
        if Path(path).exists():
            return kind or Path(path).read_text(errors="replace").strip() or "systemd-nspawn"
    return ""


def absent_modules(names: Iterable[str], kernel: Path | None = None) -> tuple[str, ...]:
    """Those of `names` that are neither built in, loaded nor loadable; `kernel`: the kernel's modules directory."""
    folder = kernel or Path("/lib/modules") / os.uname().release
    return tuple(name for name in names if not _loaded(name) and not _loadable(name, folder))


def no_alarm(root: Path = Path("/")) -> str:
    """Why mdadm's monitor cannot report a failed disk; empty if it can."""
    if os.access(root / mdadm.SENDMAIL[1:], os.X_OK):
        return ""
    if any(mdadm_conf.programs(path, "\n".join(_lines(root / path[1:]))) for path in mdadm.CONFIGURATIONS):
        return ""
    return f"no MTA at {mdadm.SENDMAIL} and no PROGRAM in mdadm.conf"


def foreign_program(plan: Plan, configuration: Iterable[TextFile], mailer: Path = Path(mdadm.SENDMAIL)) -> str:
    """Why others than root can change what mdadm's monitor runs as root, to send mail or as PROGRAM of the plan or of
    mdadm.conf as it is; empty if they cannot. One that does not exist runs nothing."""
    named = [program for file in configuration for program in mdadm_conf.programs(file.path, file.text)]
    own = [plan.alert.program] if plan.alert is not None and plan.alert.program else []
    for path in (mailer, *map(Path, (*own, *named))):
        try:
            if path.exists():
                require_program(path)
        except (RaidtuiError, OSError) as problem:
            return str(problem)
    return ""


def _loaded(name: str) -> bool:
    if Path("/sys/module", name.replace("-", "_")).is_dir():
        return True
    words = {word for line in _lines(Path("/proc/filesystems")) for word in line.split()}
    personalities = {word.strip("[]") for line in _lines(Path("/proc/mdstat"))[:1] for word in line.split()}
    return name in words or name.replace("raid456", "raid6") in personalities


def _loadable(name: str, folder: Path) -> bool:
    if "1" in _lines(Path("/proc/sys/kernel/modules_disabled")):
        return False
    files = [*_lines(folder / "modules.dep"), *_lines(folder / "modules.builtin")]
    stems = {line.partition(":")[0].rpartition("/")[2].partition(".")[0].replace("_", "-") for line in files}
    return name.replace("_", "-") in stems


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []


def _absent_features(plan: Plan, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name in HELP:
            yield from (f"{name} {word}" for word in missing_options(name, _help(name), plan.design))


def _help(name: str) -> str:
    """Help text of a program."""
    call = HELP[name][0]
    try:
        done = programs.ask([programs.find(name) or name, *call[1:]], _HELP_SECONDS)
    except (OSError, programs.Overdue) as problem:
        raise MachineFailed(f"{name} cannot print its help: {problem}", hint="reinstall it") from problem
    return done.stdout + done.stderr


# Keeps the I/O scheduler and queue depth that the disks had before a plan sets its own, and restores them at an undo.
# RUN/disk-queues 0600: for each disk a line `scheduler depth path`; `-`: the disk has no such value
# The file is on disk before the plan's udev rule is written. The scripts of a plan write and read the same file.


_NONE = "-"
_LINE = re.compile(r"([a-z0-9_-]+) ([0-9]{1,5}|-) (\S+)")


class DiskQueues:
    """Values of the disks of one run."""

    def __init__(self, plan: Plan, runner: Runner, journal: Journal) -> None:
        self._design = plan.design
        self._name = plan.name
        self._rule = udev.disks_path(plan.name)
        self._runner = runner
        self._keep = journal.keep
        self._path = journal.folder / QUEUES

    def keep(self, step: Step, disks: Iterable[tuple[PlanDisk, Pin]]) -> None:
        """Stores the values of `disks`, if `step` is the one that writes the rule; the first values are kept."""
        if not is_queue_step(step, self._name) or self._path.exists():
            return
        if self._runner.read_text(self._rule) is not None:
            return
        lines = []
        for disk, pin in disks:
            values = (self._read(path) or _NONE for path in _paths(pin))
            lines.append(" ".join((*values, disk.path)))
        self._keep(self._path, "\n".join((*lines, "")))

    def restore(self, disks: Iterable[tuple[PlanDisk, Pin]]) -> bool:
        """Restores the former values of `disks`, where those of the plan still are. False if they are not known, or the
        rule is still there.

        Raises MachineFailed if a disk has another value afterwards, BadInput for an invalid file.
        """
        if not sets_queue(self._design) or not self._path.exists() or self._runner.read_text(self._rule) is not None:
            return False
        before = self._load()
        planned = (self._design.io_scheduler, self._design.queue_depth)
        for disk, pin in disks:
            for path, mine, former in zip(_paths(pin), planned, before.get(disk.path, (_NONE, _NONE)), strict=True):
                if mine is not None and former not in (_NONE, str(mine)) and self._read(path) == str(mine):
                    self._set(path, former)
        return True

    def _set(self, path: str, value: str) -> None:
        self._runner.set_value(path, value)
        if (found := self._read(path)) != value:
            raise MachineFailed(
                f"{path} reads {found or 'nothing'} after {value} was written",
                hint=f"echo {value} > {path}, then raidtui undo again",
            )

    def _read(self, path: str) -> str | None:
        """The value of a file of `_paths`; None if the disk has none."""
        text = self._runner.read_text(path)
        return sysfs.active_scheduler(text) or (text or "").strip() or None

    def _load(self) -> dict[str, tuple[str, str]]:
        """Scheduler and queue depth by the path of the disk."""
        found = {}
        for number, line in enumerate(read_own(self._path, RUN_FILE).decode("utf-8", "replace").splitlines(), start=1):
            match = _LINE.fullmatch(line)
            if match is None:
                raise BadInput(
                    f"{self._path}: line {number} is not `scheduler depth path`",
                    hint="remove the file to undo without it; the disks then keep their values until the next boot",
                )
            found[match[3]] = (match[1], match[2])
        return found


def _paths(pin: Pin) -> tuple[str, str]:
    return sysfs.scheduler_path(pin.name), sysfs.queue_depth_path(pin.name)
