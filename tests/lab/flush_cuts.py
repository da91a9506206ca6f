"""A build on real md, cut at its flushes and at random instants: `python -m tests.lab.flush_cuts --seed N --count N`.

A build is recorded once: every write and flush of its target disks, of a bystander and of the root disk, in one order.
A case puts on the disks what they held at an entry of that log, with what was in their volatile caches or with a random
part of it (`medium.durable`), boots, and calls `raidtui resume` or `raidtui undo`, as an operator does after a power
cut. It must end as the plan says, or with blank disks, and no byte of the bystander is written. The key of an encrypted
build (`--build`) is then nowhere but in its file: every block that was written to any disk is searched for it.

The recording of a seed is kept in the lab's cache; case N of it is the same each time: `--only N`. Each outcome is a
line of `flush_cuts.jsonl`; what is there is not run again. `--share 0/2` takes every second case, for two processes.
"""

from __future__ import annotations

import argparse
import bisect
import contextlib
import datetime
import json
import pickle
import random
import re
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from raidtui.engine import journal
from raidtui.engine.process import anything_done
from raidtui.values.codec import from_json, to_json
from raidtui.values.plan import Plan
from raidtui.values.run import Record
from raidtui.values.units import MIB
from tests.lab import quick_initramfs
from tests.lab.agent import GuestCommandError, Result
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.host import LabError, cache_dir
from tests.lab.image import Image, locked
from tests.lab.logged import ROOT, LoggedMachine
from tests.lab.medium import Entry, durable, replayed
from tests.lab.test_build import _blank_again, _planned
from tests.lab.test_encrypted import KEY, closed, encrypted_as_planned
from tests.lab.test_script import _equals_plan
from tests.systems.roots import SUITES, system

FILE = Path(__file__).with_name("flush_cuts.jsonl")
BYSTANDER = "BY0001"
SECRET = b"the key of this lab alone, sixty-four bytes without an end of it"
_FEWER_GENERATORS = (
    "find /usr/lib/systemd/system-generators -type f ! -name '*fstab*' ! -name '*crypt*' ! -name '*debug*' -delete"
)
"""a boot and each reload of systemd run them all"""
_LINE = re.compile(rb"^[0-9a-f]{16} (\{.*\})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Build:
    """What is built."""

    layout: str
    disks: int
    more: str = ""
    """options of the plan"""


BUILDS = {
    "plain": Build("(2+2)+1", 5),
    "encrypted": Build("(2+2)+1", 5, f"--encrypt volume --key-file {KEY}"),
    "encrypted-arrays": Build("2x(2+2)", 8, f"--encrypt arrays --key-file {KEY}"),
}


@dataclass(slots=True)
class Recording:
    """A build that nothing interrupted."""

    plan: str
    """as JSON"""
    base: dict[str, dict[int, bytes]]
    """blocks of each disk before it, all durable"""
    log: list[Entry]
    records: list[tuple[int, str]] = field(default_factory=list)
    """numbers of entries that wrote a record of the journal, and the record"""
    build: str = "plain"

    @property
    def disks(self) -> tuple[str, ...]:
        """Those that it wrote to."""
        return tuple(sorted({entry.disk for entry in self.log}))

    @property
    def boundaries(self) -> list[int]:
        """Lengths of the log right after each flush before which anything was written since the last one."""
        before = [Entry(ROOT), *self.log]
        return [
            number for number, entry in enumerate(self.log, start=1) if entry.flush and not before[number - 1].flush
        ]

    def where(self, point: int) -> str:
        """What the build was at: the last record of its journal that was written before, and what came since."""
        at = bisect.bisect_right(self.records, (point, "")) - 1
        since = self.records[at][0] if at >= 0 else 0
        flushes = sum(entry.flush for entry in self.log[since:point])
        last = self.log[point - 1]
        words = f"flush {flushes}" if last.flush else f"a write of {last.length} bytes after flush {flushes}"
        record = self.records[at][1] if at >= 0 else "the start, before any record"
        return f"{words} since {record}; of {last.disk}"


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the power goes, what the disks lose, and what the operator calls then."""

    seed: int
    number: int
    point: int
    """entries of the log that were written"""
    losing: tuple[str, ...]
    """disks whose volatile cache is lost"""
    act: str
    """resume or undo"""

    def entries(self, log: Sequence[Entry]) -> Iterator[Entry]:
        """What is on the disks."""
        losing = {disk: random.Random(f"{self.seed} {self.number} {disk}") for disk in self.losing}
        return durable(log[: self.point], losing)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a cut."""

    recording: str
    kernel: str
    """the release of Debian that the kernel is of"""
    seed: int
    number: int
    day: str
    point: int
    of: int
    """entries of the whole log"""
    flush: bool
    """whether it is the end of a flush; else between them"""
    where: str
    losing: tuple[str, ...]
    act: str
    end: str
    """completed, rolled back, built (nothing was begun), or wrong"""
    problem: str
    seconds: int
    flushes: int = 0
    """of the whole log, after which a cut can fall; 0: not recorded"""
    build: str = "plain"


def drawn(recording: Recording, seed: int, number: int) -> Cut:
    """The case of a seed and number: each flush once, in an order of the seed; what comes then is cut anywhere."""
    draw = random.Random(f"{seed} {number}")
    flushes = recording.boundaries
    random.Random(seed).shuffle(flushes)
    point = flushes[number] if number < len(flushes) else draw.randint(1, len(recording.log))
    losing = recording.disks if draw.random() < 2 / 3 else ()
    return Cut(seed, number, point, losing, draw.choice(("resume", "undo")))


@contextlib.contextmanager
def machine(using: Image | None = None, build: str = "plain") -> Iterator[LoggedMachine]:
    """The machine of the recording and of all cases of a build."""
    disks = [*lab_disks(BUILDS[build].disks, bytes=320 * MIB), *lab_disks(1, prefix="BY", bytes=64 * MIB)]
    memory_mib = 2048 if BUILDS[build].more else 1024  # Argon2 takes a quarter of it and more
    with LoggedMachine(  # each request of a sync costs this process time
        disks, using=using, sync_limit_kib=10, memory_mib=memory_mib
    ) as vm:
        install(vm)
        vm.put("/usr/sbin/update-initramfs", quick_initramfs.UPDATE, 0o755)
        vm.check(f"touch /boot/initrd.img-lab; {_FEWER_GENERATORS}")
        yield vm


def record(vm: LoggedMachine, build: str = "plain") -> Recording:
    """Plans and builds on blank disks, as an operator does."""
    of, path = BUILDS[build], vm.disk_path(BYSTANDER)
    vm.check(f"mkfs.ext4 -q {path}; mount {path} /mnt && cp -r /etc /mnt && umount /mnt")
    if of.more:
        vm.check(f"install -m 0700 -d {Path(KEY).parent}")
        vm.put(KEY, SECRET, 0o400)
    plan = _planned(vm, of.layout, vm.serials[: of.disks], of.more)
    vm.check("sync; udevadm settle")
    base = {name: dict(medium.blocks) for name, medium in vm.server.media.items()}
    vm.server.log = []
    _executed(vm, f"build /root/plan/plan.json --yes --confirm {plan.digest}", plan)
    vm.check("sync")
    log, vm.server.log = vm.server.log, None
    assert not any(entry.disk == BYSTANDER for entry in log), "the build wrote to a disk that is not in the plan"
    assert [disk for disk, _ in secrets_in(base)] == [ROOT] * bool(of.more)
    assert not any(SECRET in (entry.data or b"") for entry in log), "the build wrote its key to a disk"
    return Recording(to_json(plan), base, log, journal_of(log), build)


def secrets_in(blocks: Mapping[str, Mapping[int, bytes]]) -> list[tuple[str, int]]:
    """Disks and numbers of blocks in which the key begins, in files or not."""
    return [
        (disk, number)
        for disk, of in blocks.items()
        for number, block in of.items()
        if SECRET in block + of.get(number + 1, b"")[: len(SECRET) - 1]
    ]


def journal_of(log: Sequence[Entry]) -> list[tuple[int, str]]:
    """The records of raidtui's journal in what was written to the root disk, each where it came first."""
    found: list[tuple[int, str]] = []
    last = 0
    for number, entry in enumerate(log, start=1):
        for line in _LINE.findall(entry.data or b"") if entry.disk == ROOT else ():
            with contextlib.suppress(ValueError):
                said = json.loads(line)
                if said["sequence"] > last:
                    last = said["sequence"]
                    words = " ".join(said["argv"]) or said["text"]
                    found.append((number, f"record {last}, {said['kind']} of step {said['step']}: {words}"[:200]))
    return found


def run(vm: LoggedMachine, recording: Recording, cut: Cut) -> tuple[str, str]:
    """The end of a case, and what is wrong with it."""
    plan = from_json(Plan, recording.plan, source="the recording")
    if vm.running:
        vm.power_cut()
    replayed(recording.base, cut.entries(recording.log), vm.server.media)
    before = vm.server.media[BYSTANDER].content_digest()
    vm.start()
    try:
        end = _end(vm, plan, cut.act)
        assert vm.server.media[BYSTANDER].writes == 0, "the bystander was written to"
        assert vm.server.media[BYSTANDER].content_digest() == before
        vm.check("sync")
        written = {name: medium.blocks for name, medium in vm.server.media.items()}
        assert secrets_in(written) == secrets_in(recording.base), "the key is not in its file alone"
    except (AssertionError, GuestCommandError) as wrong:
        where = [frame.line for frame in traceback.extract_tb(wrong.__traceback__)][-2:]
        return "wrong", f"{type(wrong).__name__} in {where}: {str(wrong)[:3000]}"
    return end, ""


def _end(vm: LoggedMachine, plan: Plan, act: str) -> str:
    """Calls raidtui until nothing is left to do; AssertionError where the end is not the one that must be."""
    short = plan.run_id[:8]
    confirmed = f"--yes --confirm {plan.digest}"
    if vm.run(f"test -e /var/lib/raidtui/{plan.run_id}/plan.json").exit:
        _untouched(vm, plan)  # the power went before anything was begun: the operator calls the build again
        refused = vm.run(f"raidtui {act} {short}")
        assert (refused.exit, "no run starts with" in refused.stderr) == (2, True), refused
        _executed(vm, f"build /root/plan/plan.json {confirmed}", plan)
        end = "built"
    elif act == "undo" and not anything_done(_records(vm, plan)):
        begun, records = _called(vm, f"undo {short} {confirmed}", plan)
        assert records[-1].text.startswith("nothing of this plan is here; nothing was written"), begun
        _untouched(vm, plan)
        _executed(vm, f"resume {short} {confirmed}", plan)
        end = "built"
    elif act == "undo":
        _executed(vm, f"undo {short} {confirmed}", plan)
        _blank_again(vm, plan)
        closed(vm, plan)
        return "rolled back"
    else:
        _executed(vm, f"resume {short} {confirmed}", plan)
        end = "completed"
    _equals_plan(vm, plan)
    encrypted_as_planned(vm, plan)
    vm.check("echo kept > /srv/data/f && sync && echo 3 > /proc/sys/vm/drop_caches && grep -q kept /srv/data/f")
    return end


def _untouched(vm: LoggedMachine, plan: Plan) -> None:
    for disk in plan.disks:
        assert vm.backing(disk.serial or "").is_blank(), f"{disk.serial} was written to before the journal began"


def _executed(vm: LoggedMachine, words: str, plan: Plan) -> None:
    """As `_called`; AssertionError with the journal's end where it is not `finished`."""
    begun, records = _called(vm, words, plan)
    tail = "\n".join(f"{each.kind} {' '.join(each.argv)} {each.exit} {each.text}" for each in records[-6:])
    assert begun.exit == 0, f"{begun}\n{tail}"
    assert records and records[-1].kind == "finished", f"{begun}\n{tail}\n{_output(vm, plan)}"


def _called(vm: LoggedMachine, words: str, plan: Plan) -> tuple[Result, Sequence[Record]]:
    """Calls raidtui, waits for its executor: the result of the call, and the journal.

    Nothing watches: a viewer costs the guest's processor as much as the executor, a program to wait with some of it.
    """
    begun = vm.run(f"raidtui {words} --detach", timeout=300)
    group = f"/sys/fs/cgroup/system.slice/raidtui-{plan.run_id[:8]}.service"
    vm.check(
        f"mkfifo /run/waits 2> /dev/null; while [ -d {group} ]; do read -t 0.3 <> /run/waits; done; true", timeout=600
    )
    return begun, _records(vm, plan)


def _records(vm: LoggedMachine, plan: Plan) -> Sequence[Record]:
    """Of the journal, most of whose room is empty."""
    log = vm.run(f"set -o pipefail; tr -d '\\0' < /var/lib/raidtui/{plan.run_id}/journal")
    return journal.read(log.raw_stdout, source="the guest")[0] if log.exit == 0 else ()


def _output(vm: LoggedMachine, plan: Plan) -> str:
    folder = f"/var/lib/raidtui/{plan.run_id}"
    return vm.run(f"tail -n8 {folder}/executor; ls -t {folder}/output/* | head -1 | xargs cat").stdout[-2000:]


def shrunk(vm: LoggedMachine, recording: Recording, cut: Cut) -> Cut:
    """The same case with the fewest disks that lose their cache and that still fails."""
    for losing in ((), *((disk,) for disk in cut.losing)):
        fewer = replace(cut, losing=losing)
        if fewer != cut and run(vm, recording, fewer)[0] == "wrong":
            return fewer
    return cut


def script(recording: Recording, cut: Cut, problem: str) -> str:
    """A failed case for a person."""
    plan, of = from_json(Plan, recording.plan, source="the recording"), BUILDS[recording.build]
    lines = [f"# case {cut.number} of seed {cut.seed}, build {plan.run_id}", f"raidtui build  # {of.layout} {of.more}"]
    near = [each for each in recording.records if each[0] <= cut.point][-4:]
    lines += [f"#   entry {number}: {text}" for number, text in near]
    lines += [f"# the power goes at entry {cut.point} of {len(recording.log)}: {recording.where(cut.point)}"]
    for disk in recording.disks:
        here = [each for each in recording.log[: cut.point] if each.disk == disk]
        flushed = max((number for number, each in enumerate(here) if each.flush), default=-1)
        cached = [f"{each.length} bytes at {each.offset}" for each in here[flushed + 1 :]]
        word = "keeps some of" if disk in cut.losing else "keeps"
        if cached:
            lines.append(f"#   {disk} {word} {len(cached)} writes since its last flush: {', '.join(cached[-6:])}")
    lines += [f"raidtui {cut.act} {plan.run_id[:8]}", *(f"# {line}" for line in problem.splitlines())]
    again = f"--build {recording.build} --seed {cut.seed} --only {cut.number}"
    lines += [f"# again: python -m tests.lab.flush_cuts {again}"]
    return "\n".join(lines)


def recorded(build: str, seed: int, kernel: str, vm: LoggedMachine) -> Recording:
    """The recording of a build and seed, made now if there is none."""
    file = cache_dir() / f"flush-cuts-{build}-{kernel}-{seed}.pickle"
    with locked("flush-cuts"):
        if not file.exists():
            part = file.with_suffix(".part")
            part.write_bytes(pickle.dumps(record(vm, build)))
            part.rename(file)
    found: Recording = pickle.loads(file.read_bytes())
    return found


def outcomes() -> list[Outcome]:
    """The lines of the record."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return [Outcome(**json.loads(line) | {"losing": tuple(json.loads(line)["losing"])}) for line in lines]


def all_of(vm: LoggedMachine, recording: Recording, kernel: str, cuts: Sequence[Cut]) -> Iterator[Outcome]:
    """What comes of each; a failure of the lab is tried once more."""
    name = from_json(Plan, recording.plan, source="the recording").run_id[:8]
    for cut in cuts:
        begun = time.monotonic()
        try:
            end, problem = run(vm, recording, cut)
        except LabError as failure:
            print(f"case {cut.number}: the lab failed: {str(failure)[-600:]}", file=sys.stderr)
            end, problem = run(vm, recording, cut)
        seconds = round(time.monotonic() - begun)
        if problem:
            cut = shrunk(vm, recording, cut)
            print(script(recording, cut, problem), flush=True)
        day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        flush = recording.log[cut.point - 1].flush
        yield Outcome(
            name, kernel, cut.seed, cut.number, day, cut.point, len(recording.log), flush,
            recording.where(cut.point), cut.losing, cut.act, end, problem, seconds, len(recording.boundaries),
            recording.build,
        )  # fmt: skip


def main() -> int:
    """0 where all ended as they must."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.flush_cuts", description=__doc__)
    parser.add_argument("--build", default="plain", choices=BUILDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument(
        "--kernel",
        default="sid",
        choices=SUITES,
        help="its release; under an older one than 7 a case takes several times as long",
    )
    parser.add_argument("--only", type=int, help="this case alone, whatever the record has")
    parser.add_argument("--share", default="0/1", help="N/M: the cases whose number leaves N when divided by M")
    options = parser.parse_args()
    mine, shares = map(int, options.share.split("/"))
    bad = 0
    with machine(system("bookworm", options.kernel), options.build) as vm:
        recording = recorded(options.build, options.seed, options.kernel, vm)
        name = from_json(Plan, recording.plan, source="the recording").run_id[:8]
        done = {each.number for each in outcomes() if each.recording == name}
        numbers = [number for number in range(mine, options.count, shares) if number not in done]
        if options.only is not None:
            numbers = [options.only]
        cuts = [drawn(recording, options.seed, number) for number in numbers]
        for outcome in all_of(vm, recording, options.kernel, cuts):
            print(outcome, flush=True)
            with FILE.open("a") as record_file:
                record_file.write(f"{json.dumps(asdict(outcome))}\n")
            bad += bool(outcome.problem)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
