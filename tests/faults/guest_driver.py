"""In the guest of the lab: one process that has loaded raidtui once and forks for every executor.

Standing apart from the tests' package, it is started by `run_lab`. A request is the file `request-N` in FOLDER, whole
once it ends with a line end, its answer the file `answer-N`; each is one JSON object. A fault is a declared `Fault` of
the simulated machine, carried out here at the same counted moment on the real machine, by a Runner around the real
one. Proof of a fault goes to the file `fired`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from raidtui.answers.confirm import unaccepted
from raidtui.engine import folders, journal, runs, site
from raidtui.engine import process as executor_process
from raidtui.engine import survey as accepted_loss
from raidtui.engine.recovery import look
from raidtui.engine.runs import read_plan
from raidtui.engine.survey import survey
from raidtui.machine.inventory.probe import probe
from raidtui.machine.system import places
from raidtui.machine.system.host import SystemHost
from raidtui.machine.system.ports import AS_NAMED, Pin, Syncing, handed
from raidtui.machine.system.runner import SystemReader, SystemRunner
from raidtui.values import codec
from raidtui.values.errors import Locked, MachineFailed, RaidtuiError, Refused
from raidtui.values.findings import refused
from raidtui.values.plan import Plan
from raidtui.values.run import Record
from tests.simulated.fault_model import Fault

FOLDER = Path("/run/faults")
BROKEN = 70
"""exit code of an executor that ended by an exception which is none of raidtui's own"""
_SCAN = "for host in /sys/class/scsi_host/*/scan; do echo '- - -' > $host; done"


@dataclasses.dataclass
class Countdown:
    """A fault that strikes in the middle of the questions of a step."""

    fault: Fault
    left: int = 20


class FaultyRunner:
    """The real machine, on which declared things go wrong at counted moments."""

    simulated = False
    at_questions: ClassVar[list[Countdown]] = []

    def __init__(self, real: SystemRunner, faults: Sequence[Fault]) -> None:
        self._real = real
        self._armed = list(faults)
        self._seen = dict.fromkeys(faults, 0)

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Any:
        for countdown in self.at_questions:
            countdown.left -= 1
            if not countdown.left:
                fired(countdown.fault, argv)
                strike(countdown.fault)
        return self._real.ask(argv, devices)

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        due = self._count("command", argv)
        self._strike(due, "before", argv)
        code = self._carry_out(argv, output, devices, due, stdin)
        self._strike(due, "after", argv)
        return code

    def write_text(self, path: str, text: str, mode: int) -> None:
        argv = ("write", path)
        due = self._count("command", argv)
        self._strike(due, "before", argv)
        self._strike(due, "during", argv)  # a file is put in place whole: in the middle of it is before it
        instead = next((fault for fault in due if fault.kind in ("fail", "fail-partly", "lie", "busy")), None)
        if instead is not None:
            fired(instead, argv)
            if instead.kind != "lie":
                raise MachineFailed(f"{path}: Input/output error", hint="make it writable, then resume")
        else:
            self._real.write_text(path, text, mode)
        self._strike(due, "after", argv)

    def lock(self, paths: Sequence[str]) -> AbstractContextManager[None]:
        return self._lock(paths)

    @contextlib.contextmanager
    def _lock(self, paths: Sequence[str]) -> Iterator[None]:
        due = self._count("lock", tuple(paths))
        self._strike(due, "before", ("lock",))
        with self._real.lock(paths):
            self._strike(due, "after", ("lock",))
            yield

    def __getattr__(self, name: str) -> Any:
        """Everything at which nothing goes wrong is the real machine's."""
        return getattr(self._real, name)

    def wait(self, seconds: float) -> None:
        due = self._count("wait", ())
        self._strike(due, "before", ("wait",))
        self._real.wait(seconds)
        self._strike(due, "after", ("wait",))

    def read_text(self, path: str) -> str | None:
        return self._real.read_text(path)

    def fingerprint(self, path: str, areas: Sequence[tuple[int, int]] = ()) -> str:
        return self._real.fingerprint(path, areas)

    def first_nonzero(self, path: str, areas: Sequence[tuple[int, int]]) -> int | None:
        return self._real.first_nonzero(path, areas)

    def each(self, look: Callable[[Any], Any], items: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(map(look, items))  # one after the other: what is asked is counted

    def names(self, path: str) -> tuple[str, ...]:
        return self._real.names(path)

    def initramfs_texts(self, path: str) -> dict[str, str]:
        return self._real.initramfs_texts(path)

    def pin(self, path: str) -> Pin | None:
        return self._real.pin(path)

    def users(self, paths: Sequence[str]) -> Any:
        return self._real.users(paths)

    def holders(self, path: str) -> tuple[str, ...]:
        return self._real.holders(path)

    def clock(self) -> datetime:
        return self._real.clock()

    def syncing(self) -> tuple[Syncing, ...]:
        return self._real.syncing()

    def start_sync(self, device: str) -> None:
        self._real.start_sync(device)

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        self._real.set_sync_limit(device, kib_per_s)

    # Within.

    def _count(self, on: str, words: Sequence[str]) -> list[Fault]:
        due = []
        for fault in list(self._armed):
            if fault.on == on and tuple(words[: len(fault.words)]) == fault.words:
                self._seen[fault] += 1
                if self._seen[fault] == fault.at:
                    self._armed.remove(fault)
                    due.append(fault)
        return due

    def _strike(self, due: Sequence[Fault], side: str, argv: Sequence[str]) -> None:
        for fault in due:
            if fault.side == side and fault.kind not in ("fail", "fail-partly", "lie", "busy"):
                fired(fault, argv)
                strike(fault)

    def _carry_out(
        self, argv: tuple[str, ...], output: int, devices: Mapping[str, str], due: Sequence[Fault], stdin: str
    ) -> int:
        instead = next((fault for fault in due if fault.kind in ("fail", "fail-partly", "lie", "busy")), None)
        ending = next((fault for fault in due if fault.kind in ("kill", "power") and fault.side == "during"), None)
        if instead is not None:
            fired(instead, argv)
        if instead is not None and instead.kind != "fail-partly":
            os.write(output, b"Device or resource busy\n" if instead.kind == "busy" else b"")
            return 0 if instead.kind == "lie" else 1
        if instead is None and ending is None:
            return self._real.run(argv, output, devices, stdin=stdin)
        halfway = instead or ending
        assert halfway is not None
        began = time.monotonic()
        process = subprocess.Popen(
            [_where(argv[0]), *handed(argv, devices)[1:]], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            cwd="/", env={"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, start_new_session=True,
        )  # fmt: skip
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(halfway.share * _usual_seconds(argv))
        ended = process.poll()
        process.kill()
        if ending is not None:
            fired(ending, argv, f"after {time.monotonic() - began:.2f} s, the command had ended with {ended}")
            strike(ending)
        process.wait()
        return 1


def _usual_seconds(argv: Sequence[str]) -> float:
    return 3.0 if argv[:2] == ("mdadm", "--create") else 1.0 if argv[0].startswith("mkfs") else 0.1


def _where(name: str) -> str:
    return next(f"{folder}/{name}" for folder in ("/usr/sbin", "/usr/bin") if os.access(f"{folder}/{name}", os.X_OK))


def fired(fault: Fault, argv: Sequence[str], more: str = "") -> None:
    """Notes that a fault took effect; called right before or after it did."""
    with (FOLDER / "fired").open("a") as file:
        where = f"{fault.disk or fault.what} {fault.side} {' '.join(argv)[:120]} {more}"
        file.write(f"{fault.kind} {where}".rstrip() + "\n")


def strike(fault: Fault) -> None:
    """Does to this machine what the fault says."""
    disk = f"/dev/disk/by-id/{fault.disk}"
    match fault.kind:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "power":
            if "User Mode" in Path("/proc/cpuinfo").read_text():
                (FOLDER / "call").touch()  # the host takes it: this kernel would take its disks away one by one
            else:
                Path("/proc/sysrq-trigger").write_text("b")
            time.sleep(600)
        case "unplug":
            delete(disk)
        case "write-error" | "read-error":  # every access to the disk fails
            Path(f"/sys/block/{Path(os.path.realpath(disk)).name}/device/state").write_text("offline")
        case "renumber":
            delete(disk)
            shell(_SCAN)
            _until(Path(disk).exists, f"{disk} does not come back")
        case "re-sign":
            shell(f"{LEAVE[fault.what or 'xfs']}".replace("DISK", disk))
        case "use":
            shell(OCCUPY[fault.what].replace("DISK", disk))
        case "lock":
            shell(OCCUPY["locked"].replace("DISK", disk))
        case _:
            raise ValueError(f"{fault.kind} cannot be done in the lab")


def delete(disk: str) -> None:
    """Takes a SCSI disk away, as pulling it does; `scan` brings it back."""
    name = Path(os.path.realpath(disk)).name
    Path(f"/sys/block/{name}/device/delete").write_text("1")
    _until(lambda: not os.path.lexists(disk), f"{disk} does not go")


def _until(true: Callable[[], bool], problem: str) -> None:
    """Waits for udev to do one thing; its whole queue may wait for disks that the executor has locked."""
    for _ in range(300):
        if true():
            return
        time.sleep(0.1)
    raise RuntimeError(problem)


_ZFS = "python3 -IBc 'import guest_labels; guest_labels.write_zfs(\"DISK\")'"
_CREATE_LEFT = "mdadm -C /dev/md/left -l1 -n2 --run DISK missing"
_STOP_LEFT = (
    "udevadm settle; mdadm -S /dev/md/left; udevadm settle; "
    "for array in /sys/class/block/$(basename $(readlink -f DISK))/holders/*; do "
    "[ ! -e $array ] || mdadm -S /dev/$(basename $array); done"
)
"""udev may assemble the array again when it meets the new superblock only after the array was stopped"""
LEAVE = {
    "xfs": "mkfs.xfs -q -K DISK",
    "ext4": "mkfs.ext4 -q -E nodiscard DISK",
    "btrfs": "mkfs.btrfs -q -K DISK",
    "swap": "mkswap -q DISK",
    "lvm": "pvcreate -q DISK",
    "luks": "echo secret | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 DISK -",
    "gpt": "echo label: gpt | sfdisk -q DISK",
    "gpt-backup": "echo label: gpt | sfdisk -q DISK; blkdiscard -z -l 1048576 DISK",
    "dos": "echo label: dos | sfdisk -q DISK",
    "md-0.90": f"{_CREATE_LEFT} -e0.90; {_STOP_LEFT}",
    "md-1.0": f"{_CREATE_LEFT} -e1.0 --bitmap=none; {_STOP_LEFT}",
    "md-1.1": f"{_CREATE_LEFT} -e1.1 --bitmap=none; {_STOP_LEFT}",
    "md-1.2": f"{_CREATE_LEFT} -e1.2 --bitmap=none; {_STOP_LEFT}",
    "zfs": _ZFS,
    "fs-in-old-array": f"{_CREATE_LEFT} -e1.0 --bitmap=none; mkfs.ext4 -q /dev/md/left; {_STOP_LEFT}",
    "data": "echo something | dd of=DISK bs=512 seek=8 conv=notrunc status=none",
}
"""how old content of each kind comes to be on DISK"""
OCCUPY = {
    "mounted": "mkfs.ext4 -q -E nodiscard DISK; mkdir -p /mnt/other; mount -o ro DISK /mnt/other",
    "swap": "mkswap -q DISK 65536; swapon DISK",
    "md-member": "mdadm -C /dev/md/other -l1 -n2 -e1.2 --bitmap=none --run DISK missing",
    "md-inactive": "mdadm -C /dev/md/other -l1 -n2 -e1.2 --bitmap=none --run DISK missing; mdadm -S /dev/md/other; "
    "udevadm settle; mdadm -S /dev/md/other 2> /dev/null; mdadm -I DISK; true",
    "lvm-pv": "pvcreate -q DISK; vgcreate -q other DISK; lvcreate -q -l1 -n some other",
    "lvm-inactive": "pvcreate -q DISK; vgcreate -q other DISK; lvcreate -q -l1 -n some other; vgchange -q -an other",
    "dm-crypt": "cryptsetup open --type plain -c aes-cbc-essiv:sha256 -s 256 -d /etc/machine-id -l 32 DISK other "
    '|| dmsetup create other --table "0 2048 crypt aes-cbc-plain $(printf 0%.0s $(seq 64)) 0 DISK 0"',
    "multipath": 'dmsetup create other --table "0 $(blockdev --getsz DISK) multipath 0 0 1 1 round-robin 0 1 1 '
    '$(stat -Lc 0x%t:0x%T DISK | { IFS=: read a b; echo $((a)):$((b)); }) 1"',
    "bcache": "python3 -IBc 'import guest_labels; guest_labels.write_bcache(\"DISK\")'; modprobe bcache; "
    "udevadm settle; [ -e /sys/block/bcache0 ] || readlink -f DISK > /sys/fs/bcache/register",
    "zfs": _ZFS,
    "zfs-exported": _ZFS,
    "exported": "set -e; modprobe -a target_core_mod target_core_iblock; mountpoint -q /sys/kernel/config || "
    "mount -t configfs none /sys/kernel/config; cd /sys/kernel/config/target/core; mkdir -p iblock_0/other; "
    "echo udev_path=DISK > iblock_0/other/control; echo -n DISK > iblock_0/other/udev_path; "
    "echo 1 > iblock_0/other/enable",
    "loop": "losetup /dev/loop0 DISK || losetup -f DISK",
    "exclusive": "setsid python3 -c \"import os, time; os.open('DISK', os.O_RDONLY | os.O_EXCL); "
    "open('/run/faults/up', 'w'); time.sleep(600)\" < /dev/null > /dev/null 2>&1 & "
    "for i in $(seq 200); do [ -e /run/faults/up ] && break; sleep 0.1; done",
    "locked": "setsid flock DISK sleep 600 < /dev/null > /dev/null 2>&1 & sleep 0.5",
    "read-only": "blockdev --setro DISK",
}
"""how DISK comes to be used by somebody else; the guest has no ZFS: of a pool there are the labels"""


def shell(script: str) -> None:
    """Runs a line of bash; an error is one of the lab."""
    done = subprocess.run(
        ["/bin/bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"{script}: {done.stdout}{done.stderr}")


# Requests.


def inventory(_: dict[str, Any]) -> dict[str, Any]:
    """A fresh look at the disks."""
    return {"inventory": json.loads(codec.to_json(probe(SystemHost())))}


def execute(request: dict[str, Any]) -> dict[str, Any]:
    """One executor for `purpose` on the plan in the request's text, with `faults` and `hooks`; its end, what fired."""
    (FOLDER / "fired").write_text("")
    (FOLDER / "said").write_text("")
    child = os.fork()
    if not child:
        _child(request)
    _, status = os.waitpid(child, 0)
    problem, _, hint = (FOLDER / "said").read_text().partition("\0")
    return {
        "code": None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status),
        "problem": problem,
        "hint": hint,
        "fired": (FOLDER / "fired").read_text().splitlines(),
    }


def _child(request: dict[str, Any]) -> None:
    """What `raidtui build`, `resume` and `undo` do once they are confirmed, but for the Runner and the Journal."""
    os.setsid()
    os.environ.update(request.get("environment", {}))
    code = BROKEN
    faults = [Fault(**{**each, "words": tuple(each.get("words", ()))}) for each in request["faults"]]
    hooks = {(side, kind, step, action): do for side, kind, step, action, do in request["hooks"]}
    try:
        site.RealSite.runner = lambda self, lock: FaultyRunner(SystemRunner(lock), faults)  # type: ignore
        executor_process.Journal = lambda *run: StruckJournal(*run, hooks=hooks)  # type: ignore
        if request["create_errno"]:
            _failing(request["create_errno"], "fsync")
        folder = _begun(request) if request["purpose"] == "build" else _again(request)
        digest = json.loads(request["plan"])["digest"]
        code = executor_process.execute(folder, request["purpose"], digest)
    except RaidtuiError as problem:
        (FOLDER / "said").write_text(f"{problem}\0{problem.hint}")
        code = int(problem.exit_code)
    except BaseException:
        (FOLDER / "said").write_text(traceback.format_exc())
    finally:
        os._exit(code)


def _begun(request: dict[str, Any]) -> Path:
    file = FOLDER / "plan.json"
    file.write_text(request["plan"])
    plan = read_plan(file)
    here = site.RealSite()
    if (here.root / plan.run_id).exists():
        journal.create(here.root, plan)
    # the executor checks again; where nothing is wrong before it begins, once is enough of seconds in emulation
    if request["first_check"]:
        findings = executor_process.checked(plan, here, site.holder_of(here), during_sync=True)
        if refused(findings):
            raise executor_process.findings_to_error(findings)
    if not request["accepted"] and (disks := unaccepted(plan, ())):
        raise Refused(f"the disk with serial number {disks[0].serial} holds something", hint="--accept-content")
    folder = journal.create(here.root, plan)
    folders.write_request(folder, folders.ControlRequest(during_sync=True))
    return folder


def _again(request: dict[str, Any]) -> Path:
    folder = places.REAL_ROOT / str(json.loads(request["plan"])["run_id"])
    if request["purpose"] == "resume":
        executor_process.require_not_undone(journal.records(folder))
    else:
        plan = read_plan(folder / "plan.json")
        accepted_loss.write(folder, plan, survey(plan, SystemReader(), journal.records(folder)))
    folders.write_request(folder, folders.ControlRequest(during_sync=True))
    return folder


class StruckJournal(journal.Journal):
    """A journal that lets something happen right before or after one of its records."""

    def __init__(self, folder: Path, purpose: Any, clock: Any, *, hooks: dict[tuple[str, str, int, int], str]) -> None:
        super().__init__(folder, purpose, clock)
        self._hooks = hooks

    def write(self, kind: Any, *, step: int = 0, action: int = 0, **more: Any) -> Record:
        self._strike("before", kind, step, action)
        record = super().write(kind, step=step, action=action, **more)
        self._strike("after", kind, step, action)
        return record

    def _strike(self, side: str, kind: str, step: int, action: int) -> None:
        do = self._hooks.pop((side, kind, step, action), None)
        if do is None:
            return
        with (FOLDER / "fired").open("a") as file:
            file.write(f"{do} {side} {kind} of step {step}\n")
        self._do(do)

    def _do(self, do: str) -> None:
        match do.partition(" "):
            case ("kill" | "power", _, _):
                strike(Fault(kind=do))  # type: ignore[arg-type]
            case ("question", _, kind):
                FaultyRunner.at_questions.append(Countdown(Fault(kind=kind)))  # type: ignore[arg-type]
            case ("signal", _, number):
                os.kill(os.getpid(), int(number))
            case ("viewer", _, _):
                viewer = os.fork()
                if not viewer:
                    next(iter(runs.follow(self.folder, runs.JournalReader(self.folder).new)))
                    (self.folder / "wish.raidtui-0123456789abcdef").write_text('{"stop": tr')
                    os.kill(os.getpid(), signal.SIGKILL)
                os.waitpid(viewer, 0)
            case ("errno", _, words):
                number, name = words.split()
                _failing(int(number), name)
            case ("torn", _, _):
                os.pwrite(self._file, bytes(20), self._used - 20)
                os.kill(os.getpid(), signal.SIGKILL)
            case ("second", _, which):
                _second(which, self.folder)
            case ("shell", _, script):
                shell(script)
            case ("strike", _, words):
                kind, disk, *what = words.split()
                strike(Fault(kind=kind, disk=disk, what="".join(what)))  # type: ignore[arg-type]
            case ("host", _, _):
                (FOLDER / "call").touch()
                while (FOLDER / "call").exists():
                    time.sleep(0.02)
            case _:
                raise ValueError(do)


def _failing(number: int, name: str) -> None:
    """From now on the journal's calls of os.`name` fail; of os.open those for the output of a command."""

    def call(*arguments: Any, **more: Any) -> Any:
        if name == "open" and "/output/" not in str(arguments[0]):
            return os.open(*arguments, **more)
        with (FOLDER / "fired").open("a") as file:
            file.write(f"{name} failed with {os.strerror(number)}\n")
        raise OSError(number, os.strerror(number))

    journal.os = type("failing", (), {**vars(os), name: staticmethod(call)})  # type: ignore


def _second(which: str, folder: Path) -> None:
    """Another executor, of the same run or of another plan, while this one is at work."""
    child = os.fork()
    if not child:
        with contextlib.suppress(Exception), (FOLDER / "fired").open("a") as file:
            if which == "another plan":
                plan = dataclasses.replace(read_plan(folder / "plan.json"), run_id="1e" * 16)
                here = site.RealSite()
                found = executor_process.checked(plan, here, site.holder_of(here), during_sync=True)
                file.write(f"another plan was told: {[finding.code for finding in found]}\n")
                if "locked" not in [finding.code for finding in found]:
                    os._exit(1)
            try:
                with site.locked(places.REAL_LOCK):
                    os._exit(1)
            except Locked as told:
                file.write(f"the second was told: {told}; {told.hint}\n")
                file.flush()
                os._exit(0)
        os._exit(2)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError("a second executor was let in")


def state(request: dict[str, Any]) -> dict[str, Any]:
    """What the journal says of a run, and what the disks alone say of its steps."""
    folder = places.REAL_ROOT / request["run_id"]
    if not request["look"]:  # also of a directory that raidtui itself would not read
        found_there = journal.read((folder / "journal").read_bytes(), source="journal")[0]
        return {"intents": sum(record.kind == "intent" for record in found_there)}
    begun = runs.load(folder)
    run = begun.run
    said: dict[str, Any] = {"outcome": run.outcome, "purpose": run.purpose, "steps": [step.state for step in run.steps]}
    said["intents"] = sum(record.kind == "intent" for record in begun.records)
    found = look(begun.plan, SystemReader(), ())
    said["disks"] = {each.step.title: each.state for each in found if each.step.stage in _ON_DISK}
    return said


_ON_DISK = ("create", "spare", "volume", "format", "mount")
"""stages of which the machine alone says whether they are done"""


def bash(request: dict[str, Any]) -> dict[str, Any]:
    """A line of bash."""
    shell(request["script"])
    return {}


def occupy(request: dict[str, Any]) -> dict[str, Any]:
    """Somebody uses a disk."""
    shell(OCCUPY[request["how"]].replace("DISK", request["disk"]))
    return {}


def leave(request: dict[str, Any]) -> dict[str, Any]:
    """Old content is on a disk."""
    shell(LEAVE[request["what"]].replace("DISK", request["disk"]))
    return {}


OPERATIONS = {
    "inventory": inventory, "execute": execute, "state": state, "bash": bash, "occupy": occupy, "leave": leave,
}  # fmt: skip


def main() -> None:
    """Answers until it is ended."""
    FOLDER.mkdir(exist_ok=True)
    warm_up()
    (FOLDER / "ready").write_text("")
    number = 1
    while True:
        request = FOLDER / f"request-{number}"
        text = request.read_text() if request.exists() else ""
        if not text.endswith("\n"):
            time.sleep(0.1)
            continue
        asked = json.loads(text)
        try:
            said = OPERATIONS[asked["op"]](asked)
        except Exception:
            said = {"error": traceback.format_exc()}
        partial = FOLDER / "answer.partial"
        partial.write_text(json.dumps(said))
        partial.rename(FOLDER / f"answer-{number}")
        number += 1


_LOADED_LATE = ("raidtui.machine.arrays", "raidtui.machine.inventory", "raidtui.engine")
"""packages that an executor imports in part only when it needs them"""


def warm_up() -> None:
    """What every executor loads and derives in seconds of an emulated processor is there before the first fork."""
    for name in _LOADED_LATE:
        for module in pkgutil.iter_modules(importlib.import_module(name).__path__, f"{name}."):
            importlib.import_module(module.name)
    for kind in (Plan, Record):
        codec.schema(kind.__name__, kind)


if __name__ == "__main__":
    main()
