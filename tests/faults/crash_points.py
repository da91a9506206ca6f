"""Every crash point of a build: kill -9 before, in the middle of and after every command and every journal record.

One build is watched, and the machine and the journal are kept at each point. What differs only in counters is one
state and is gone on with once: resumed, to the same end as the uninterrupted build; and taken back, to blank disks.
At every second point half of the record that was under way lies in the journal, as a crash in its write leaves it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raidtui.engine import journal
from raidtui.values.codec import to_json
from raidtui.values.errors import Exit, Refused
from raidtui.values.plan import Plan
from raidtui.values.run import RecordKind
from tests.faults import judge
from tests.faults.bench import Bench, bench
from tests.faults.judge import before
from tests.faults.scene import FAST, Scene, picture
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine

_COUNTERS = ("now", "commands", "fired", "armed", "next_number", "locked")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Where the executor was killed."""

    where: str
    machine: str
    journal: bytes
    """as far as it was written"""
    state: str
    """digest of all that going on can depend on"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Went:
    """What came of all points of a layout."""

    points: int
    states: int
    problems: tuple[str, ...]


def points(scene: Scene, root: Path, *, every: int = 1) -> tuple[list[Point], int]:
    """The first point of the build and every so manieth after it, in order; how many there are in all."""
    made = bench(scene, root)
    made.accepted = True
    found: list[tuple[str, str, int]] = []
    passed = itertools.count()

    def watch(side: str, kind: RecordKind, argv: tuple[str, ...]) -> None:
        here = next(passed) % every == 0
        half = (side, kind) == ("after", "intent") and argv[0] != "write" and next(passed) % every == 0
        if not (here or half):
            return
        text = made.machine.to_json()
        used = len((made.folder / "journal").read_bytes().rstrip(b"\0"))
        if here:
            found.append((f"{side} {kind} {' '.join(argv)[:80]}".strip(), text, used))
        if half:
            found.append((f"during {' '.join(argv)[:80]}", _half(text, argv, _stdin(scene.plan, argv)), used))

    made.every = watch
    assert made.begin().code == Exit.DONE
    whole = (made.folder / "journal").read_bytes().rstrip(b"\0")
    kept = [_point(where, text, used, whole, torn=place % 2 == 1) for place, (where, text, used) in enumerate(found)]
    return kept, next(passed)


def go_on(scene: Scene, found: list[Point], root: Path) -> Went:
    """Resumes from every distinct state, and takes it back."""
    distinct = {point.state: point for point in found}
    problems = []
    for place, point in enumerate(distinct.values()):
        for way in (resumed, taken_back):
            folder = root / f"{place}{way.__name__}"
            folder.mkdir()
            problems += [f"{point.where}: {problem}" for problem in way(_stage(scene, point, folder))]
    return Went(points=len(found), states=len(distinct), problems=tuple(problems))


def _stdin(plan: Plan, argv: tuple[str, ...]) -> str:
    """What the plan's command reads."""
    commands = (command for step in plan.steps for command in step.commands)
    return next((command.stdin for command in commands if command.argv == argv), None) or ""


def _half(text: str, argv: tuple[str, ...], stdin: str) -> str:
    """The machine after the command was killed in its middle."""
    machine = FaultyMachine.from_json(text)
    machine.arm(Fault(kind="kill", side="during"))
    with Path(os.devnull).open("wb") as nothing:
        try:
            machine.run(argv, nothing.fileno(), stdin=stdin)
        except Killed:
            return machine.to_json()
    raise AssertionError(f"was not killed: {argv}")


def _point(where: str, text: str, used: int, whole: bytes, *, torn: bool) -> Point:
    rest = whole[used : whole.find(b"\n", used)] if torn and b"\n" in whole[used:] else b""
    records = journal.read(whole[:used], source=where)[0]
    told = [record.step for record in records if record.kind == "proven"]
    begun = any(record.kind == "intent" for record in records)
    state = json.loads(text)["state"]
    same = {name: value for name, value in state.items() if name not in _COUNTERS}
    same["drives"] = [{name: value for name, value in each.items() if name != "writes"} for each in state["drives"]]
    key = json.dumps([same, told, begun], sort_keys=True)
    return Point(
        where=where, machine=text, journal=whole[:used] + rest[: len(rest) // 2],
        state=hashlib.sha256(key.encode()).hexdigest(),
    )  # fmt: skip


def _stage(scene: Scene, point: Point, root: Path) -> Bench:
    made = bench(scene, root)
    made.machine = FaultyMachine.from_json(point.machine, speed_up=FAST)
    made.folder.mkdir(mode=0o700)
    (made.folder / "output").mkdir(mode=0o700)
    (made.folder / "plan.json").write_text(to_json(scene.plan))
    (made.folder / "journal").write_bytes(point.journal)
    return made


def resumed(made: Bench) -> Iterator[str]:
    """Resumes, and what is wrong then."""
    ended = made.resume()
    if ended.code != Exit.DONE:
        yield f"resume ended with {ended.code}: {ended.problem}"
    yield from judge.different(judge.uninterrupted(made.scene), picture(made.machine, made.scene.targets))
    then = before(made.machine)
    yield from judge.verdict(made, "finished", ("build", "resume"))
    again = made.resume()
    if again.code != Exit.DONE:
        yield f"a second resume ended with {again.code}: {again.problem}"
    yield from judge.written(then, made.machine, "a second resume")
    yield from bystanders(made)


def taken_back(made: Bench) -> Iterator[str]:
    """Takes it back, and what is wrong then."""
    ended = made.undo()
    nothing_to_do = isinstance(ended.problem, Refused) and not ended.commands
    if ended.code != Exit.DONE and not nothing_to_do:
        yield f"undo ended with {ended.code}: {ended.problem}"
    yield from blank(made, judge.untouched(made.scene), nothing_to_do)
    yield from bystanders(made)


def blank(made: Bench, was: dict[str, Any], untouched: bool) -> Iterator[str]:
    """What is left of the build; `was`: the machine before it, of which `untouched` disks still hold everything."""
    found = picture(made.machine, made.scene.targets)
    for name in ("arrays", "groups", "volumes", "mounts", "files"):
        yield from judge.different({name: was[name]}, {name: found[name]})
    if untouched:
        yield from judge.different(was["disks"], found["disks"])
        return
    records = journal.records(made.folder)
    wipe = next(step.number for step in made.plan.steps if step.stage == "wipe")
    wiped = any(record.kind == "proven" and record.step == wipe and record.purpose == "build" for record in records)
    state = {disk.id: disk.state for disk in made.machine.inventory().disks}
    kept = judge.kept_disks(made)
    for disk in made.plan.disks:
        if state[disk.id] != "blank" and not (disk.content and not wiped and disk.id in kept):
            yield f"{disk.id} is {state[disk.id]}, kept are {kept}"


def bystanders(made: Bench) -> Iterator[str]:
    """What changed on disks outside of the plan."""
    if changed := judge.bystanders_changed(made.scene, made.machine):
        yield f"{changed} bytes changed on bystanders"
