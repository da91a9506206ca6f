"""How each fault of the matrix is done to a simulated machine, and the proof that it was."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from unittest.mock import patch

from raidtui.engine.process import checked, install_signal_handlers
from raidtui.engine.runs import JournalReader, follow
from raidtui.engine.site import holder_of, locked
from raidtui.machine.system.files import write_new
from raidtui.machine.system.runner import SystemReader
from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.errors import Locked
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from tests.faults import deeds
from tests.faults.bench import Bench
from tests.faults.case import Case
from tests.faults.scene import OTHER_RUN_ID, Moment, last_command, member, moment, plan_on
from tests.simulated.fault_model import Fault, FaultKind

_UNAME = ("uname", "--nodename")
_KINDS: dict[str, FaultKind] = {
    "permuted": "renumber", "removed": "unplug", "replaced": "replace", "resized": "resize", "duplicated": "duplicate",
    "re-signed": "re-sign", "remounted": "use",
}  # fmt: skip


def inject(case: Case, bench: Bench) -> None:
    """Arms the fault, or does it at once where it strikes before the build."""
    match case.fault:
        case "kill" | "power":
            _end_at(case, bench)
        case "SIGHUP" | "SIGTERM" | "viewer":
            _at(bench, "intent", moment(bench.plan, case.step), lambda: _signal(case, bench))
        case "unplug" | "fail" | "fail-partly" | "lie":
            _at_command(case, bench)
        case "write-error" | "read-error" | "slow" | "suspend":
            _at_step(case, bench, lambda: strike(bench, _disk_fault(case, bench)))
        case "ENOSPC" | "EROFS" | "EIO":
            _no_room(case, bench)
        case "torn":
            _torn(case, bench)
        case "permuted" | "removed" | "replaced" | "resized" | "duplicated" | "re-signed" | "remounted" | "in-use":
            _identity(case, bench)
        case "tampered":
            _tampered(case, bench)
        case "replayed" if case.step == "apply":
            _at(bench, "intent", moment(bench.plan, "S4"), lambda: kill(bench))
        case "clock":
            _clock(case, bench)
        case "locale" | "environment":
            _environment(case, bench)
        case "second":
            _second(case, bench)
        case "deed":
            _deed(case, bench)
        case "other-host" | "leftover" | "reboot" | "replayed":
            pass  # in the machine it is run on, or after the build
        case _:
            raise ValueError(case.fault)


def strike(bench: Bench, fault: Fault) -> None:
    """Does a fault to the machine now."""
    bench.machine.arm(replace(fault, on="ask", at=1, side="before", words=_UNAME))
    bench.machine.ask(_UNAME)


def kill(bench: Bench) -> None:
    """Ends the executor here."""
    strike(bench, Fault(kind="kill"))


def evidence(before: Inventory, after: Inventory) -> Iterator[str]:
    """What a probe finds changed."""
    old, new = ([(disk.id, disk) for disk in each.disks] for each in (before, after))
    for identity, disk in new:
        if (identity, disk) not in old:
            yield f"{disk.kernel_name} ({identity}) is now {disk.state}, {disk.size_bytes} bytes, {len(disk.uses)} uses"
    gone = {identity for identity, _ in old} - {identity for identity, _ in new}
    yield from (f"{identity} is gone" for identity in sorted(gone))


def _deed(case: Case, bench: Bench) -> None:
    """Somebody does something now, at a record of the build, or after it ended; see `run_simulated`."""
    match case.step, case.when:
        case "apply", _:
            deeds.do(case, bench)
        case "plan" | "done" | "undo", _:
            pass
        case _, "stopped":
            _at(bench, "step", moment(bench.plan, case.step), lambda: kill(bench))
        case _, when:
            _at(bench, when or "step", moment(bench.plan, case.step), lambda: deeds.do(case, bench))


# When.


def _at(bench: Bench, kind: str, where: Moment, what: Callable[[], None], side: str = "after") -> None:
    """Lets something happen at a record; a step that only asks has one for its start alone."""
    if where.action == 0 and kind == "intent":
        kind = "step"
    bench.hooks[(side, kind, where.step, where.action if kind in ("intent", "result") else 0)] = what


def _at_step(case: Case, bench: Bench, what: Callable[[], None]) -> None:
    if case.step == "apply":
        before = bench.machine.inventory()
        what()
        bench.notes += evidence(before, bench.machine.inventory())
    else:
        _at(bench, "step", moment(bench.plan, case.step), what)


def _end_at(case: Case, bench: Bench) -> None:
    where = moment(bench.plan, case.step)
    if case.fault == "power":
        bench.boot_order = tuple(reversed([disk.id for disk in bench.machine.inventory().disks]))
    match case.when, where.action:
        case "before intent", _:
            _at(bench, "intent", where, lambda: kill(bench), "before")
        case "after intent", 0:
            _at(bench, "step", where, lambda: kill(bench))
        case "during", 0:
            fault = Fault(kind="kill", on="ask", at=20)
            _at(bench, "step", where, lambda: bench.machine.arm(fault))
        case "after command", 0:
            _at(bench, "proven", where, lambda: kill(bench), "before")
        case "after done", _:
            _at(bench, "proven", where, lambda: kill(bench))
        case _:
            side = {"after intent": "before", "during": "during", "after command": "after"}[case.when]
            fault = Fault(kind="kill", side=side, words=where.argv)  # type: ignore[arg-type]
            _at(bench, "step", where, lambda: bench.machine.arm(fault))


def _at_command(case: Case, bench: Bench) -> None:
    where = moment(bench.plan, case.step)
    if where.action == 0:
        where = last_command(bench.plan)
    kind: FaultKind = case.fault  # type: ignore[assignment]
    fault = Fault(kind=kind, words=where.argv, disk=member(bench.plan, case.disk) if case.disk else "")
    _at(bench, "step", where, lambda: bench.machine.arm(fault))


# Disks.


def _disk_fault(case: Case, bench: Bench) -> Fault:
    kind: FaultKind = case.fault  # type: ignore[assignment]
    part: Any = case.detail or "start"
    return Fault(kind=kind, disk=member(bench.plan, case.disk), part=part)


def _identity(case: Case, bench: Bench) -> None:
    machine = bench.machine
    disk = member(bench.plan, case.disk or "member-b")
    if case.step == "apply":
        before = machine.inventory()
        match case.fault:
            case "permuted":
                machine.reboot(order=tuple(reversed([each.id for each in before.disks])))
            case "in-use":
                machine.occupy(disk, case.detail)  # type: ignore[arg-type]
            case _:
                strike(bench, Fault(kind=_KINDS[case.fault], disk=disk, what=_what(case)))
        bench.notes += evidence(before, machine.inventory())
    else:
        _at_step(case, bench, lambda: strike(bench, Fault(kind=_KINDS[case.fault], disk=disk, what=_what(case))))


def _what(case: Case) -> str:
    return {"re-signed": "xfs", "remounted": "mounted"}.get(case.fault, "")


# Signals.


def _signal(case: Case, bench: Bench) -> None:
    match case.fault:
        case "SIGHUP":
            with _handlers():
                install_signal_handlers()
                os.kill(os.getpid(), signal.SIGHUP)
                ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            bench.notes += ["SIGHUP was sent to the executor, which ignores it"] if ignored else []
        case "SIGTERM":
            with _handlers():
                seen = install_signal_handlers()
                os.kill(os.getpid(), signal.SIGTERM)
            bench.notes += [f"signal {number} reached the executor" for number in seen]
            bench.asked_to_stop += seen
        case _:
            status = _killed_viewer(bench.folder)
            if os.WIFSIGNALED(status):
                bench.notes.append(f"a viewer ended by signal {os.WTERMSIG(status)} while it wrote a wish")


@contextmanager
def _handlers() -> Iterator[None]:
    numbers = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _killed_viewer(folder: Path) -> int:
    """Wait status of a viewer that was killed: it had read the journal and half written a wish to stop."""
    ready, tell = os.pipe()
    viewer = os.fork()
    if viewer == 0:
        with suppress(BaseException):
            next(iter(follow(folder, JournalReader(folder).new)))
            (folder / "wish.raidtui-0123456789abcdef").write_text('{"stop": tr')
            os.write(tell, b"!")
            signal.pause()
        os._exit(0)
    os.close(tell)
    told = os.read(ready, 1)
    os.close(ready)
    os.kill(viewer, signal.SIGKILL)
    _, status = os.waitpid(viewer, 0)
    return status if told else 0


# The directory of the run.


class _FailingOs:
    """The module `os`, but that some calls fail."""

    def __init__(self, number: int, names: dict[str, Callable[..., bool]], notes: list[str]) -> None:
        self._number = number
        self._names = names
        self._notes = notes

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in self._names:
            return real

        def call(*arguments: Any, **more: Any) -> Any:
            if self._names[name](*arguments):
                self._notes.append(f"{name} failed with {errno.errorcode[self._number]}")
                raise OSError(self._number, os.strerror(self._number))
            return real(*arguments, **more)

        return call


def _no_room(case: Case, bench: Bench) -> None:
    number = getattr(errno, case.fault)

    def always(*_: Any) -> bool:
        return True

    def into_output(path: Any, *_: Any) -> bool:
        return "/output/" in str(path)

    def fail(**names: Callable[..., bool]) -> None:
        failing = _FailingOs(number, names, bench.notes)
        for module in ("engine.journal", "machine.system.files"):
            bench.broken.enter_context(patch(f"raidtui.{module}.os", failing))

    match case.detail, case.fault:
        case "create", "ENOSPC":
            fail(posix_fallocate=always)
        case "create", "EIO":
            fail(fsync=always)
        case "create", _:
            bench.broken.enter_context(patch.object(Path, "mkdir", _read_only(bench)))
        case "output", "EIO":
            where = moment(bench.plan, case.step)
            _at(bench, "intent", where, lambda: fail(fsync=always))
        case "output", _:
            _at(bench, "step", moment(bench.plan, case.step), lambda: fail(open=into_output))
        case _:
            where = moment(bench.plan, case.step)
            name = "fsync" if case.fault == "EIO" else "pwrite"
            _at(bench, case.when, where, lambda: fail(**{name: always}), "before")


def _read_only(bench: Bench) -> Callable[..., None]:
    def mkdir(path: Path, *_: Any, **more: Any) -> None:
        if more.get("exist_ok") and path.exists():
            return
        bench.notes.append("mkdir failed with EROFS")
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    return mkdir


def _torn(case: Case, bench: Bench) -> None:
    where = moment(bench.plan, case.step)
    if case.when == "begun":
        where = Moment(step=0, action=0, argv=())
    _at(bench, case.when, where, lambda: kill(bench))


def tear(bench: Bench) -> None:
    """Takes the second half of the journal's last line away, as a power cut in the middle of a write does."""
    path = bench.folder / "journal"
    data = path.read_bytes()
    end = len(data.rstrip(b"\0"))
    start = data.rstrip(b"\0")[:-1].rfind(b"\n") + 1
    half = (start + end) // 2
    with path.open("r+b") as file:
        file.seek(half)
        file.write(bytes(end - half))
    bench.notes.append(f"{end - half} of {end - start} bytes of the last record are gone")


# The plan's file.


def _tampered(case: Case, bench: Bench) -> None:
    if case.when == "run directory":
        _at(bench, "intent", moment(bench.plan, case.step), lambda: kill(bench))
    else:
        tamper(bench.plan_file, bench, case.detail)


def tamper(path: Path, bench: Bench, what: str) -> None:
    """Changes the plan's file; but for `digest` and `not json` it carries a digest that fits."""
    text = path.read_text()
    fields = json.loads(text)
    _changed(fields, what, bench.machine.inventory().disks[-1].id)
    made = json.dumps(fields)
    if what == "not json":
        made = text[: len(text) // 2]
    elif what != "digest":
        plan = from_json(Plan, made, source="tampered")
        made = to_json(replace(plan, digest=document_digest(plan)))
    path.unlink()
    write_new(path, made + "\n")
    if made != text:
        bench.notes.append(f"{path.name}: {what} changed")


def _command(entry: dict[str, Any]) -> dict[str, Any]:
    """A command of a step in a file, the first of a table where it repeats."""
    found: dict[str, Any] = entry["do"][0] if "do" in entry else entry
    return found


def _changed(fields: dict[str, Any], what: str, bystander: str) -> None:
    disk, steps = fields["disks"][3], fields["steps"]
    by_path = f"/dev/disk/by-id/{bystander}"
    match what:
        case "disk path":
            disk["path"] = by_path
        case "disk identity":
            disk["id"] = bystander
        case "disk serial":
            disk["serial"] = "S999"
        case "disk size":
            disk["size_bytes"] -= 4096
        case "disk content":
            disk["content"] = [{"kind": "signature", "where": "ext4 something"}]
        case "command":
            _command(steps[2]["actions"][-1])["argv"][-1] = by_path
        case "extra command":
            steps[1]["actions"].append(steps[2]["actions"][0])
        case "undo command":
            _command(steps[2]["undo"][0])["argv"][-1] = by_path
        case "array uuid":
            fields["arrays"][0]["uuid"] = "00000000:00000000:00000000:00000000"
        case "mount point":
            fields["filesystems"][0]["mount_point"] = "/etc"
        case "step left out":
            del steps[2]
        case "condition":
            _command(steps[2]["undo"][0])["only_if"]["answer"] = ""
        case "digest":
            fields["digest"] = "0" * 64
        case "not json":
            pass
        case _:
            raise ValueError(what)


# Surroundings.


class _Clock:
    """Stands for `datetime` in the journal."""

    fromisoformat = datetime.fromisoformat

    def __init__(self, jump: str, notes: list[str]) -> None:
        self._jump = jump
        self._notes = notes

    def now(self, zone: tzinfo) -> datetime:
        real = datetime.now(zone)
        self._notes.append(f"the clock said {self._jump}")
        match self._jump:
            case "an hour back":
                return real - timedelta(hours=1)
            case "ten years on":
                return real + timedelta(days=3653)
            case _:
                return datetime(1969, 7, 20, 20, 17, tzinfo=UTC)


def _clock(case: Case, bench: Bench) -> None:
    def jump() -> None:
        bench.surroundings.enter_context(patch("raidtui.engine.journal.datetime", _Clock(case.detail, bench.notes)))
        if case.when:
            kill(bench)

    _at(bench, "step", moment(bench.plan, case.step), jump)


def _environment(case: Case, bench: Bench) -> None:
    """The executor's environment is another; what its tools get is looked at by running one."""
    false = bench.root.parent / "false"
    false.mkdir()
    (false / "cat").write_text("#!/bin/sh\necho false\n")
    (false / "cat").chmod(0o755)
    match case.detail:
        case "PATH empty":
            changed = {"PATH": ""}
        case "PATH with a false tool":
            changed = {"PATH": f"{false}:{os.environ['PATH']}"}
        case "LD_PRELOAD":
            changed = {"LD_PRELOAD": "/nowhere/libwrong.so"}
        case "PYTHONPATH":
            changed = {"PYTHONPATH": str(false), "IFS": "/", "BASH_ENV": str(false / "cat")}
        case language:
            changed = {"LC_ALL": language, "LANG": language, "LANGUAGE": language}

    def look() -> None:
        bench.surroundings.enter_context(patch.dict(os.environ, changed))
        given = SystemReader().ask(("cat", "/proc/self/environ")).stdout
        found = dict(pair.partition("=")[::2] for pair in given.split("\0") if pair)
        bench.notes += [f"{name} was {value!r}" for name, value in changed.items() if os.environ[name] == value]
        wanted = {"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LVM_SUPPRESS_FD_WARNINGS": "1"}
        if found != wanted:
            bench.wrong.append(f"a tool was given {found}")

    _at(bench, "step", moment(bench.plan, case.step), look)


def _second(case: Case, bench: Bench) -> None:
    lock = bench.site.lock_path
    match case.detail:
        case "a lock file that nobody holds":
            lock.write_text("4711\n")
            bench.notes.append("a lock file lies there")
        case "a lock that is a link":
            target = bench.root.parent / "elsewhere"
            target.write_text("not to be touched\n")
            lock.symlink_to(target)
            bench.notes.append("the lock is a link")
        case _:
            bench.surroundings.enter_context(patch("raidtui.engine.site._PATIENCE", 0.0))
            _at(bench, "intent", moment(bench.plan, case.step), lambda: _try_second(case, bench))


def _try_second(case: Case, bench: Bench) -> None:
    before = bench.machine.commands
    if case.detail == "another plan":
        plan = plan_on(bench.scene.fresh(), "2x(3+2)+2", run_id=OTHER_RUN_ID)
        findings = checked(plan, bench.site, holder_of(bench.site), during_sync=False)
        if "locked" not in [finding.code for finding in findings]:
            bench.wrong.append("a second plan was not told of the lock")
    try:
        with locked(bench.site.lock_path):
            bench.wrong.append("a second executor got the lock")
    except Locked as refused:
        bench.notes.append(f"the second was told: {refused}; {refused.hint}")
    if bench.machine.commands != before:
        bench.wrong.append("the second one wrote")
