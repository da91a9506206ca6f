"""What has to hold after a fault: clauses 1 to 5 and 7 of the survival rule. This tier has no terminal (clause 6)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from raidtui.engine import journal
from raidtui.engine.journal import replay
from raidtui.engine.recovery import look
from raidtui.values.errors import Exit, RaidtuiError
from tests.faults.bench import Bench, Ended, bench
from tests.faults.case import Case, End
from tests.faults.scene import DAYS, USER_FILE, USER_TEXT, Scene, member, picture
from tests.simulated.machine import FaultyMachine

_PROVEN_FROM_DISK = ("create", "spare", "volume", "format", "mount")
"""stages of which the machine alone says whether they are done"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """A machine at a moment, to be compared with later."""

    hashes: dict[str, str]
    writes: dict[str, int]
    commands: int
    state: dict[str, Any]


def before(machine: FaultyMachine) -> Before:
    """The machine now."""
    state = json.loads(machine.to_json())["state"]
    return Before(hashes=machine.hashes(), writes=machine.writes(), commands=machine.commands, state=state)


@cache
def uninterrupted(scene: Scene) -> dict[str, Any]:
    """What the build is when nothing goes wrong."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        made = bench(scene, Path(folder))
        made.accepted = True
        assert made.begin().code == Exit.DONE
        return picture(made.machine, scene.targets)


@cache
def untouched(scene: Scene) -> dict[str, Any]:
    """What the machine is before the build."""
    return picture(scene.fresh(), scene.targets)


def end_of(case_end: End, made: Bench, since: Before) -> Iterator[str]:
    """What keeps the state from being the expected end."""
    match case_end:
        case "completed":
            yield from completed(made)
        case "rolled-back":
            yield from rolled_back(made)
        case "refused":
            yield from refused(made, made.last, since)


def completed(made: Bench) -> Iterator[str]:
    """Equal to the uninterrupted build, told so by journal and disks, and nothing changes when it is resumed."""
    found = _without_added_line(made, picture(made.machine, made.scene.targets))
    yield from different(uninterrupted(made.scene), found)
    if made.last.code != Exit.DONE:
        yield f"the last executor ended with {made.last.code}: {made.last.problem}"
    yield from verdict(made, "finished", ("build", "resume"))
    told = look(made.plan, made.machine, ())
    yield from (
        f"by the disks alone '{each.step.title}' is {each.state}"
        for each in told
        if each.step.stage in _PROVEN_FROM_DISK and each.state != "done"
    )
    try:
        made.machine.write_text(USER_FILE, USER_TEXT, 0o644)
    except RaidtuiError as problem:
        yield f"nothing can be written to the volume: {problem}"
    then = before(made.machine)
    again = made.resume()
    if again.code != Exit.DONE:
        yield f"a second resume ended with {again.code}: {again.problem}"
    yield from written(then, made.machine, "a second resume")
    yield from _boots(made, mounted=True)


def rolled_back(made: Bench) -> Iterator[str]:
    """Targets blank, files as before, told so by journal and disks; nothing goes forward from there."""
    found, was = _without_added_line(made, picture(made.machine, made.scene.targets)), untouched(made.scene)
    kept = {*kept_disks(made), *filter(None, (made.deed.kept,))}
    for disk in kept:
        found["disks"][disk] = was["disks"][disk]
    for name in ("disks", "arrays", "groups", "volumes", "mounts", "files"):
        yield from different({name: was[name]}, {name: found[name]})
    blank = {disk.id: disk.state for disk in made.machine.inventory().disks}
    yield from (
        f"{disk} is {blank.get(disk)}" for disk in made.scene.targets if blank.get(disk) != "blank" and disk not in kept
    )
    if made.last.code != Exit.DONE:
        yield f"the undo ended with {made.last.code}: {made.last.problem}"
    yield from verdict(made, "finished", ("undo",))
    then = before(made.machine)
    yield from refused(made, made.resume(), then)
    yield from _boots(made, mounted=False)


def _without_added_line(made: Bench, found: dict[str, Any]) -> dict[str, Any]:
    """The picture without the line that somebody added to a file, which has to be there."""
    if made.deed.line is None:
        return found
    path, line = made.deed.line
    lines = found["files"][path].splitlines(keepends=True)
    assert f"{line}\n" in lines, f"the line of somebody in {path} is gone"
    files = found["files"] | {path: "".join(each for each in lines if each != f"{line}\n")}
    return found | {"files": files, "initramfs": found["initramfs"].replace(f"{line}\n", "")}


def kept_disks(made: Bench) -> tuple[str, ...]:
    """Identities of the disks that the undo's journal names as kept, because what is on them is not the plan's."""
    text = "".join(record.text for record in journal.records(made.folder) if record.kind == "kept")
    return tuple(disk.id for disk in made.plan.disks if f"{disk.path} (serial {disk.serial}, " in text)


def refused(made: Bench, ended: Ended, since: Before) -> Iterator[str]:
    """Declined with a documented exit code, a reason and a way out, and nothing was written."""
    if ended.problem is None:
        yield f"it was not refused but ended with {ended.code}"
        return
    if ended.code not in (Exit.REFUSED, Exit.USAGE, Exit.MACHINE, Exit.STALE, Exit.LOCKED):
        yield f"exit code {ended.code}"
    if not ended.problem.hint:
        yield f"no way out is named: {ended.problem}"
    yield from written(since, made.machine, "the refused one")
    if (made.folder / "journal").exists():
        try:
            records = journal.records(made.folder)
        except RaidtuiError as damaged:
            if made.folder.stat().st_mode & 0o022:
                return  # a journal that others may write is not read
            yield f"the journal cannot be read: {damaged}"
            return
        run = replay(len(made.plan.steps), records, alive=False)
        if run.outcome == "running":
            yield "the journal says that it runs"


def names_the_disk(case: Case, made: Bench, problem: RaidtuiError | None) -> Iterator[str]:
    """A refusal about a disk says which one, by what is written on it; one about another thing names that."""
    if problem is None:
        return
    if case.says.lower() not in f"{problem} {problem.hint}".lower():
        yield f"the refusal does not say {case.says}: {problem} {problem.hint}"
    if not case.disk:
        return
    planned = next(disk for disk in made.plan.disks if disk.id == member(made.plan, case.disk))
    said = f"{problem} {problem.hint}"
    if f"serial {planned.serial}" not in said and f"serial number {planned.serial}" not in said:
        yield f"the refusal does not name the disk with serial {planned.serial}: {said}"


def keeps(case: Case, made: Bench) -> Iterator[str]:
    """Content of somebody has every byte, and an undo that left it names the disk."""
    disk = made.deed.kept
    if not disk:
        return
    if made.machine.hashes()[disk] != made.deed.digest:
        yield f"the content of somebody on {disk} was changed"
    if case.end == "rolled-back" and case.detail not in NOT_LOOKED_AT and disk not in kept_disks(made):
        yield f"the undo does not say that {disk} was kept"


NOT_LOOKED_AT = ("raw-middle",)
"""deeds where nothing is ever wiped, so that an undo does not read there"""


def bystanders_changed(scene: Scene, machine: FaultyMachine) -> int:
    """Bytes that are not as they were on disks outside of the plan; what was merely written once more counts too."""
    fresh = scene.fresh()
    old, new = (_marks(each) for each in (fresh, machine))
    count = 0
    for disk in old.keys() - set(scene.targets):
        changed = [
            mark for mark in (*old[disk], *new.get(disk, ())) if (mark in old[disk]) != (mark in new.get(disk, ()))
        ]
        count += sum(json.loads(mark)["length"] for mark in changed)
        if not changed and machine.writes()[disk] != fresh.writes()[disk]:
            count += 1
    return count


def different(wanted: Any, found: Any, where: str = "") -> Iterator[str]:
    """Where two pictures differ."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in sorted({*wanted, *found}):
            yield from different(wanted.get(key), found.get(key), f"{where}.{key}".lstrip("."))
    elif wanted != found:
        yield f"{where}: {str(found)[:300]}, not {str(wanted)[:300]}"


def _marks(machine: FaultyMachine) -> dict[str, list[str]]:
    drives = json.loads(machine.to_json())["state"]["drives"]
    return {drive["disk"]["id"]: [json.dumps(mark, sort_keys=True) for mark in drive["marks"]] for drive in drives}


def written(since: Before, machine: FaultyMachine, who: str) -> Iterator[str]:
    if machine.commands != since.commands:
        yield f"{who} ran {machine.commands - since.commands} commands"
    if machine.hashes() != since.hashes:
        yield f"{who} changed disks"
    if machine.writes() != since.writes:
        yield f"{who} wrote to disks"
    now = json.loads(machine.to_json())["state"]
    yield from (f"{who} changed {name}" for name in ("files", "mounts", "units") if now[name] != since.state[name])


def verdict(made: Bench, outcome: Literal["finished"], purposes: tuple[str, ...]) -> Iterator[str]:
    """What the journal says is what the machine says."""
    run = replay(len(made.plan.steps), journal.records(made.folder), alive=False)
    if run.outcome != outcome or run.purpose not in purposes:
        yield f"the journal says {run.purpose} {run.outcome}: {run.reason}"
    wanted = "done" if "undo" not in purposes else "waiting"
    unlike = [step.number for step in run.steps if step.state != wanted and _counts(made, step.number, wanted)]
    if unlike:
        yield f"invalid journal: steps {unlike} not as {wanted}"


def _counts(made: Bench, number: int, wanted: str) -> bool:
    """Steps that are never repeated after an interruption need no record of their end."""
    stage = made.plan.steps[number - 1].stage
    return stage not in ("check", "save", "wipe") if wanted == "done" else bool(made.plan.steps[number - 1].undo)


def _boots(made: Bench, *, mounted: bool) -> Iterator[str]:
    """After a reboot with the disks in another order the machine is up, with the build or without a trace of it."""
    twin = FaultyMachine.from_json(made.machine.to_json())
    twin.reboot(order=tuple(reversed([disk.id for disk in twin.inventory().disks])))
    twin.advance(DAYS)
    text = twin.read_text(USER_FILE)
    if mounted and text != USER_TEXT:
        yield f"after a reboot the user's file reads {text!r}"
    state = json.loads(twin.to_json())["state"]
    links = sorted(array["link"] for array in state["arrays"] if array["config"]["uuid"] in _uuids(made))
    wanted = sorted(array.name for array in made.plan.arrays) if mounted else []
    if links != wanted:
        yield f"after a reboot the arrays are {links}"
    if not mounted and (state["mounts"] or "raidtui" in state["files"]["/etc/fstab"]):
        yield "after a reboot something of it is still there"


def _uuids(made: Bench) -> set[str]:
    return {array.uuid for array in made.plan.arrays}
