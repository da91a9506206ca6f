"""Random walks on the simulated machine: `python -m tests.faults.walks --seed 1 --count 10000`.

A seed draws a layout, up to four strikes (the executor is killed, or the power goes, before, in the middle of or after
any command or journal record) and what the operator does after each: go on, or take it back. The machine has its own
clock, so a seed is always the same walk. A walk that does not end as it must loses strikes as long as it still does
not, and is printed as a script that a person reads.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from raidtui.values.errors import Exit, Refused
from tests.faults import crash_points, judge
from tests.faults.bench import Bench, Ended, bench
from tests.faults.scene import FAST, IN_MEMORY, Scene, canonical, other, over_zeroes, picture
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine

LAYOUTS = ("canonical", "ext4", "over zeroes", "raid10", "stack", "separate", "partitions", "bands", "zeroes")
_EVENTS = 400
"""sides of a journal's records that a strike falls at; what goes on has fewer than what begins"""
_COMMANDS = 60
"""commands likewise"""
OLD = "elsewhere:"
"""of arrays whose superblocks were on the disks before"""
Way = Literal["resume", "undo"]


@dataclass(frozen=True, slots=True)
class Strike:
    """One end of an executor."""

    kind: Literal["kill", "power"]
    side: Literal["record", "before", "during", "after"]
    """at a journal record, or where of a command"""
    at: int
    """number of the record's side or of the command, counted from the executor's start"""
    then: Way
    """what the operator does"""

    def __str__(self) -> str:
        where = (
            f"at side {self.at} of the journal's records" if self.side == "record" else f"{self.side} command {self.at}"
        )
        return f"{self.kind} {where}, then {self.then}"


@dataclass(frozen=True, slots=True)
class Walk:
    """A life of a build."""

    seed: int
    layout: str
    strikes: tuple[Strike, ...]
    last: Way
    """what the operator does in the end, undisturbed"""

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}: build {self.layout}", *map(str, self.strikes), f"in the end {self.last}"])


def drawn(seed: int) -> Walk:
    """The walk of a seed."""
    draw = random.Random(seed)
    ways: tuple[Way, ...] = ("resume", "resume", "undo")

    def strike() -> Strike:
        side = draw.choice(("record", "before", "during", "after"))
        kind = draw.choice(("kill", "power")) if side != "record" else "kill"
        at = draw.randint(1, draw.randint(1, _EVENTS if side == "record" else _COMMANDS))
        return Strike(kind, side, at, draw.choice(ways))  # type: ignore[arg-type]

    layout = draw.choice(LAYOUTS)
    strikes = tuple(strike() for _ in range(draw.randint(1, 4)))
    return Walk(seed, layout, strikes, draw.choice(ways))


def scene_of(layout: str) -> Scene:
    """The machine and the plan of a layout."""
    match layout:
        case "canonical":
            return canonical()
        case "ext4":
            return canonical("ext4")
        case "over zeroes":
            return over_zeroes()
        case _:
            return other(layout)


def problems(walk: Walk) -> tuple[list[str], int]:
    """What does not hold at the end of the walk; how many of its strikes fell before their executor had ended."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-walk-") as folder:
        made = bench(scene_of(walk.layout), Path(folder))
        made.accepted = True
        struck, undone, way = 0, False, "build"
        for strike in walk.strikes:
            ended = _struck(made, strike, way)
            nothing_to_do = way == "undo" and isinstance(ended.problem, Refused) and not ended.commands
            undone |= way == "undo" and ended.problem is None
            if ended.code is not None and not nothing_to_do:
                if ended.problem is not None:
                    return [f"{way} ended with {ended.code}: {ended.problem}"], struck
                break
            struck += ended.code is None
            _stop_old_arrays(made)
            way = "build" if not made.folder.exists() else "undo" if undone else strike.then
        made.every = None
        return list(_end(made, "undo" if undone else walk.last, finished=made.last.code == Exit.DONE, way=way)), struck


def _struck(made: Bench, strike: Strike, way: str) -> Ended:
    """The executor of `way`, which the strike ends if it comes in time."""
    count = itertools.count(1)

    def watch(*_: object) -> None:
        if next(count) == strike.at:
            raise Killed

    made.every = watch if strike.side == "record" else None
    if strike.side != "record":
        made.machine.arm(Fault(kind=strike.kind, side=strike.side, at=strike.at))
    ended = {"build": made.begin, "resume": made.resume, "undo": made.undo}[way]()
    if ended.code is not None:  # the strike would fall later
        document = json.loads(made.machine.to_json())
        document["state"]["armed"] = []
        made.machine = FaultyMachine.from_json(json.dumps(document), speed_up=FAST)
    return ended


def _stop_old_arrays(made: Bench) -> None:
    """A boot assembles what is left of old arrays on the disks; the operator stops them, as the refusal advises."""
    with Path(os.devnull).open("wb") as nothing:
        for array in json.loads(made.machine.to_json())["state"]["arrays"]:
            if array["link"].startswith(OLD):
                assert made.machine.run(("mdadm", "--stop", f"/dev/{array['name']}"), nothing.fileno()) == 0


def _end(made: Bench, last: Way, *, finished: bool, way: str) -> Iterator[str]:
    if not made.folder.exists():
        yield from judge.different(judge.untouched(made.scene), picture(made.machine, made.scene.targets))
        yield from crash_points.bystanders(made)
    elif last == "resume":
        yield from crash_points.resumed(made)
    elif finished and way == "undo":
        yield from crash_points.blank(made, judge.untouched(made.scene), untouched=False)
        yield from crash_points.bystanders(made)
    else:
        yield from crash_points.taken_back(made)


def shrunk(walk: Walk) -> Walk:
    """The walk without the strikes that it does not take to go wrong."""
    for gone in range(len(walk.strikes)):
        less = replace(walk, strikes=(*walk.strikes[:gone], *walk.strikes[gone + 1 :]))
        if less.strikes and problems(less)[0]:
            return shrunk(less)
    return walk


def walked(seed: int) -> tuple[int, int, str]:
    """(seed, strikes that fell, what is wrong as a script)."""
    walk = drawn(seed)
    wrong, struck = problems(walk)
    if not wrong:
        return seed, struck, ""
    least = shrunk(walk)
    return seed, struck, "\n".join([str(least), *problems(least)[0]])


def main(seeds: Sequence[int], jobs: int) -> int:
    """Walks all; 1 where one does not end as it must."""
    strikes = bad = 0
    with ProcessPoolExecutor(jobs) as pool:
        for number, (_, struck, wrong) in enumerate(pool.map(walked, seeds, chunksize=20), 1):
            strikes += struck
            bad += bool(wrong)
            if wrong:
                print(wrong, flush=True)
            if number % 500 == 0:
                print(f"{number} walks, {strikes} strikes, {bad} wrong", file=sys.stderr, flush=True)
    print(
        f"{len(seeds)} walks over {len(LAYOUTS)} layouts, {strikes} strikes: {bad} without the end that they must have"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    sys.exit(main(range(given.seed, given.seed + given.count), given.jobs))
