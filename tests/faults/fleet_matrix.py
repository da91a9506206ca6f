"""`python -m tests.faults.fleet_matrix [--only B-07] [--jobs 2]`: hosts and control hosts of a fleet that fail.

Hosts are simulated machines, every host, executor and control host a process of its own; a program in place of ssh
makes node02 fail as ordered. Judged are what each command prints and its exit code, and, at the end, the journals and
the disks: no action begun twice, the disks as after a build without faults. A line a case, counts at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from raidtui.cli import main as raidtui
from raidtui.machine.system import places
from tests.faults.fleet_cases import CASES, NAMES, Case, Do
from tests.faults.fleet_host import listening, write_ssh
from tests.faults.fleet_scene import disks_of, doubled, prepared, records_of, sheet_digest

HOSTS = ("node01", "node02")
_SLOW = frozenset({"hang", "hang-before", "stuck"})
"""faults that take the whole timeout"""
_LONGEST_S = 300.0


class Came(NamedTuple):
    """What came of a case; sound without problems."""

    id: str
    what: str
    problems: tuple[str, ...]
    doubled: int
    """actions that were begun twice"""
    begun: int
    """runs on all hosts"""


class Printed(NamedTuple):
    """A command that ended."""

    code: int
    out: str
    err: str

    def stage(self, host: str) -> str:
        """Of a host, in the JSON of the command."""
        found = {each["host"]: each["stage"] for each in json.loads(self.out)["hosts"]} if self.out.strip() else {}
        return str(found.get(host, "not shown"))


class Control:
    """A command of a control host, in a process of its own."""

    def __init__(self, folder: Path, control: str, words: Sequence[str]) -> None:
        self._files = [Path(tempfile.mkstemp(dir=folder, prefix=f"{control}-")[1]) for _ in (1, 2)]
        sys.stdout.flush()
        self.number = os.fork()
        if self.number == 0:
            self._command(folder, control, words)

    def _command(self, folder: Path, control: str, words: Sequence[str]) -> None:
        code = 70
        try:
            os.setsid()
            os.chdir(folder)
            os.environ |= {"XDG_STATE_HOME": str(folder / control), "USER": control}
            places.REAL_ROOT = folder / control / "root"
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for number, file in enumerate(self._files, start=1):
                os.dup2(os.open(file, os.O_WRONLY), number)
            sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
            code = raidtui([str(word) for word in words])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 70
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def end(self) -> Printed:
        """Waits for its end."""
        until = time.monotonic() + _LONGEST_S
        while True:
            number, status = os.waitpid(self.number, os.WNOHANG)
            if number:
                out, err = (file.read_text() for file in self._files)
                return Printed(os.waitstatus_to_exitcode(status), out, err)
            if time.monotonic() > until:
                os.killpg(self.number, signal.SIGKILL)
            time.sleep(0.02)

    def kill(self) -> None:
        """Ends it and what it started; executors are in sessions of their own."""
        os.killpg(self.number, signal.SIGKILL)
        os.waitpid(self.number, 0)


class Trial:
    """One case in a folder of its own."""

    def __init__(self, folder: Path, alone: Sequence[Any]) -> None:
        self.folder, self._alone = folder, alone
        self.digest = sheet_digest(folder)
        self.problems: list[str] = []

    def words(self, verb: str, *, timeout: float = 60) -> list[str]:
        """Arguments of raidtui."""
        hosts = ["-w", ",".join(HOSTS)]
        reached = ["--ssh", str(self.folder / "ssh"), "--timeout", str(timeout)]
        followed = ["sheet", "--json", "--interval", "0.1", "--speed-up", "1e6"]
        confirmed = ["--yes", "--confirm", self.digest]
        more = {
            "disks": [*hosts, "--carry", "never"],
            "plan": ["recipe.toml", *hosts, "--carry", "never", "--out", "sheet-2"],
            "check": ["sheet"],
            "build": [*followed, *confirmed], "undo": [*followed, *confirmed],
            "resume": followed, "status": followed,
        }  # fmt: skip
        return ["fleet", verb, *more[verb], *reached]

    def start(self, verb: str, control: str = "one", *more: str) -> Control:
        """A command that goes on beside others."""
        return Control(self.folder, control, [*self.words(verb), *more])

    def run(self, do: Do, control: str = "one") -> Printed:
        """Gives the orders, runs the command, and judges what it printed."""
        orders = self.folder / "orders" / "node02.json"
        orders.parent.mkdir(exist_ok=True)
        asked = Counter(line.split()[0] for line in self._asked())
        orders.write_text(json.dumps([{**asdict(each), "since": asked} for each in do.orders]))
        struck = len(self._struck())
        timeout = 15 if any(order.fault in _SLOW for order in do.orders) else 60
        printed = Control(self.folder, control, self.words(do.verb, timeout=timeout)).end()
        orders.unlink()
        self.judge(do, printed)
        if do.orders and len(self._struck()) == struck:
            self.problems.append(f"{do.verb}: the fault did not strike")
        return printed

    def judge(self, do: Do, printed: Printed) -> None:
        """Exit code, stage, words, that every line is printable, and every host named."""
        text = printed.out + printed.err
        shown = do.verb in ("disks", "check") or (do.stage and do.verb != "undo")
        named = "node[01-02]" in text or all(host in text for host in HOSTS)
        self.expect(named or not shown, f"{do.verb}: a host is not named", printed)
        self.expect(printed.code == do.exit, f"{do.verb}: exit {printed.code}, expected {do.exit}", printed)
        if do.stage:
            found = printed.stage("node02")
            self.expect(found == do.stage, f"{do.verb}: node02 is {found}, expected {do.stage}", printed)
        for part in do.says:
            text = printed.out.encode().decode("unicode_escape", "replace") if do.stage else ""
            self.expect(part in printed.out + printed.err + text, f"{do.verb}: '{part}' is not said", printed)
        self.printable(printed)

    def printable(self, printed: Printed) -> None:
        """No control character, no traceback."""
        lines = f"{printed.out}\n{printed.err}".split("\n")
        self.expect(all(line.isprintable() for line in lines), "a line is not printable", printed)
        self.expect("Traceback" not in printed.err, "traceback", printed)

    def expect(self, holds: bool, problem: str, printed: Printed | None = None) -> None:
        """Notes `problem` unless it holds."""
        if not holds:
            said = "" if printed is None else f" ({printed.err[-400:]!r} {printed.out[-200:]!r})"
            self.problems.append(problem + said)

    def settled(self) -> None:
        """Waits until no executor runs."""
        until = time.monotonic() + _LONGEST_S
        while time.monotonic() < until:
            looked = Control(self.folder, "look", self.words("status")).end()
            if not looked.out.strip() or ('"building"' not in looked.out and '"undoing"' not in looked.out):
                return
            time.sleep(0.2)

    def ends(self, end: str, *, dies: bool = False) -> None:
        """Judges journals and disks."""
        reference = {"built": 1, "undone": 2, "blank": 0}
        both = {"first built": ("built", "blank")}.get(end, (end, end))
        for place, (host, word) in enumerate(zip(HOSTS, both, strict=True)):
            records = records_of(self.folder, host)
            if reference[word] == 0:
                self.expect(not records, f"{host} has begun")
                continue
            self.expect(dies or not doubled(records), f"{host}: an action was begun twice")
            same = disks_of(self.folder, host) == self._alone[reference[word] - 1][place]
            self.expect(same, f"{host}: its disks are not those of a build without faults")

    def _asked(self) -> list[str]:
        noted = self.folder / "asked" / "node02"
        return noted.read_text().splitlines() if noted.exists() else []

    def _struck(self) -> list[str]:
        return [line for line in self._asked() if "struck:" in line]


def both_at_once(trial: Trial) -> None:
    """Two control hosts begin at the same instant: one builds, the other is refused by a host."""
    commands = [trial.start("build", control) for control in ("one", "two")]
    ended = [command.end() for command in commands]
    trial.settled()
    for printed in ended:
        trial.printable(printed)
    codes = sorted(printed.code for printed in ended)
    trial.expect(codes in ([0, 1], [0, 3]), f"exit codes {codes}", ended[0])
    loser = max(ended, key=lambda printed: printed.code)
    said = "follows this run since" in loser.err or "has begun" in loser.err
    trial.expect(said, "who follows the build is not said", loser)
    trial.ends("built")


def takes_over(trial: Trial) -> None:
    """A second one resumes while the first goes on: the first ends, and says who follows the build."""
    first = trial.start("build", "one")
    _until(lambda: bool(records_of(trial.folder, "node01")))
    second = trial.start("resume", "two").end()
    ended = first.end()
    trial.expect(second.code == 0 and second.stage("node02") == "built", "the second did not end it", second)
    trial.expect(ended.code in (0, 1), f"the first: exit {ended.code}", ended)
    trial.expect(ended.code == 0 or "follows its build since" in ended.err, "who follows is not said", ended)
    trial.ends("built")


def both_resume(trial: Trial) -> None:
    """The first is killed, two take over at the same instant: the build goes on, at most one is left to follow it."""
    first = trial.start("build", "one")
    _until(lambda: bool(records_of(trial.folder, "node01")))
    first.kill()
    commands = [trial.start("resume", control) for control in ("two", "three")]
    ended = [command.end() for command in commands]
    trial.settled()
    for printed in ended:
        trial.printable(printed)
        trial.expect(printed.code in (0, 1, 3), f"exit {printed.code}", printed)
    if all(printed.code for printed in ended):
        trial.run(Do(verb="resume", stage="built"), "four")
    trial.ends("built")


def builds_again(trial: Trial) -> None:
    """A second `fleet build` while the first goes on starts nothing."""
    first = trial.start("build", "one")
    _until(lambda: bool(records_of(trial.folder, "node01")))
    says = ("follows its build since", "raidtui fleet resume")
    trial.judge(Do(verb="build", exit=1, says=says), trial.start("build", "two").end())
    trial.expect(first.end().code == 0, "the first did not end it")
    trial.ends("built")


def another_part(trial: Trial) -> None:
    """A second one builds node02 while the first builds node01: a host follows one of them only."""
    first = trial.start("build", "one")
    _until(lambda: (trial.folder / "hosts" / "node01.runs").exists())
    second = trial.start("build", "two", "-w", "node02").end()
    ended = first.end()
    trial.settled()
    codes = (ended.code, second.code)
    trial.expect(codes in ((0, 1), (0, 3), (1, 0), (3, 0), (1, 3)), f"exit codes {codes}", ended)
    if codes != (0, 1):
        trial.expect("follows" in ended.err + second.err, "who follows is not said", ended)
    trial.ends("built")


def stands_still(trial: Trial) -> None:
    """The first is stopped in the middle and goes on after a second has taken over and ended: it starts nothing."""
    first = trial.start("build", "one")
    _until(lambda: bool(records_of(trial.folder, "node01")))
    os.killpg(first.number, signal.SIGSTOP)
    second = trial.start("resume", "two").end()
    os.killpg(first.number, signal.SIGCONT)
    ended = first.end()
    trial.expect(second.code == 0, "the second did not end it", second)
    said = "follows its build since" in ended.err or "follows this run since" in ended.err
    trial.expect(ended.code in (1, 3) and said, "the first did not end", ended)
    trial.ends("built")


def sheet_replaced(trial: Trial) -> None:
    """The directory of the sheet is replaced while the build runs: what was confirmed is built."""
    first = trial.start("build", "one")
    _until(lambda: (trial.folder / "hosts" / "node01.runs").exists())
    (trial.folder / "sheet").rename(trial.folder / "confirmed")
    Control(trial.folder, "two", ["fleet", "plan", "recipe.toml", "-w", ",".join(HOSTS), "--worker", "local:hosts",
                                  "--out", "sheet"]).end()  # fmt: skip
    ended = first.end()
    trial.expect(ended.code == 0 and ended.stage("node02") == "built", "what was confirmed is not built", ended)
    status = trial.start("status").end()
    trial.expect(status.stage("node02") == "waiting", "the new sheet counts as built", status)
    shutil.rmtree(trial.folder / "sheet")
    (trial.folder / "confirmed").rename(trial.folder / "sheet")
    trial.ends("built")


def hostile_names(trial: Trial) -> None:
    """Names that are none are refused before any program is started."""
    for name, says in NAMES.items():
        printed = Control(
            trial.folder, "one", ["fleet", "disks", "--ssh", str(trial.folder / "ssh"), f"--host={name}"]
        ).end()
        trial.expect(printed.code == 2 and says in printed.err, f"--host {name!r}: exit {printed.code}", printed)
        trial.expect(all(line.isprintable() for line in printed.err.split("\n")), f"--host {name!r}: not printable")
    trial.expect(not (trial.folder / "asked").exists(), "a program was started")
    trial.ends("blank")


DEEDS: dict[str, Callable[[Trial], None]] = {
    "K-01": both_at_once, "K-02": takes_over, "K-03": both_resume, "K-04": builds_again, "K-05": another_part,
    "K-06": stands_still, "K-07": sheet_replaced, "H-01": hostile_names,
}  # fmt: skip
"""cases that are more than one command after the other"""


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _LONGEST_S
    while not holds() and time.monotonic() < until:
        time.sleep(0.005)


def came_of(name: str, prepared_folder: Path, alone: Sequence[Any]) -> Came:
    """Runs the case `name`."""
    case = next((case for case in CASES if case.id == name), None)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "fleet"
        shutil.copytree(prepared_folder, folder)
        write_ssh(folder, prepared_folder.parent / "server")
        trial = Trial(folder, alone)
        try:
            _tried(trial, case, name)
        except Exception as problem:
            trial.problems.append(repr(problem))
        records = [records_of(folder, host) for host in HOSTS]
        what = case.what if case is not None else (DEEDS[name].__doc__ or "").strip()
        again = 0 if case is not None and case.dies else sum(map(doubled, records))
        return Came(name, what, tuple(trial.problems), again, sum(map(bool, records)))


def _tried(trial: Trial, case: Case | None, name: str) -> None:
    if case is None:
        DEEDS[name](trial)
        return
    for do in case.do:
        trial.run(do)
        trial.settled()
    trial.ends(case.end, dies=case.dies)


@contextmanager
def scene() -> Iterator[tuple[Path, list[list[Any]]]]:
    """A prepared folder, its server, and the disks of a build, and of an undo, without faults."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "prepared"
        folder.mkdir()
        prepared(folder, HOSTS, "raid1(2)", "--fs", "none")
        server = listening(folder.parent / "server")
        try:
            undisturbed = folder.parent / "alone"
            shutil.copytree(folder, undisturbed)
            write_ssh(undisturbed, folder.parent / "server")
            trial = Trial(undisturbed, [])
            alone = []
            for verb in ("build", "undo"):
                printed = trial.start(verb).end()
                assert printed.code == 0, printed
                trial.settled()
                alone.append([disks_of(undisturbed, host) for host in HOSTS])
            yield folder, alone
        finally:
            os.kill(server, signal.SIGTERM)
            os.waitpid(server, 0)


def main(only: Sequence[str], jobs: int) -> int:
    """Runs the cases, a line each. Returns 1 if one is not sound."""
    names = [name for name in (*(case.id for case in CASES), *DEEDS) if not only or name.startswith(tuple(only))]
    found: list[Came] = []
    with scene() as (folder, alone), ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        for done in as_completed([pool.submit(came_of, name, folder, alone) for name in names]):
            came = done.result()
            found.append(came)
            print(f"{came.id}: {'ok' if not came.problems else 'NOT SOUND'}: {came.what}", flush=True)
            for problem in came.problems:
                print(f"    {problem}", flush=True)
    sound = sum(not came.problems for came in found)
    again, begun = sum(came.doubled for came in found), sum(came.begun for came in found)
    print(f"{sound} of {len(found)} cases as expected; {begun} runs begun on hosts, {again} actions begun twice")
    return 0 if found and sound == len(found) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.faults.fleet_matrix", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="B-07, or all of B")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="cases at a time")
    options = parser.parse_args()
    sys.exit(main(options.only, options.jobs))
