"""Two pages in Markdown for whoever builds a plan at night: `runbook`. Nothing in it writes before it has asked."""

from __future__ import annotations

import re
from itertools import groupby

from raidtui.answers.confirm import content_text, known_as, phrase
from raidtui.scripts.facts import ONE_FILE, ScriptFacts
from raidtui.steps.array_steps import FIRST_SYNC, first_sync_text, mount_minutes, step_seconds
from raidtui.values.codec import by_key
from raidtui.values.plan import Plan, PlanDisk, Stage, Step
from raidtui.values.safe import fence, inline, table
from raidtui.values.units import counted, grouped

_SHORT = 30.0
_A_ROW = 4
"""disks in a row of the map"""
_NUMBERED = re.compile(r"(.*?)[ -]*(\d+)", re.DOTALL)
_STOPS: tuple[tuple[tuple[Stage, ...], str, str], ...] = (
    (
        ("check",),
        "nothing was written",
        "the line names the disk, name or place that is in the way. A disk in use: find its user. Another disk than "
        "planned: compare it with the map, never plug disks over. Then start again.",
    ),
    (
        ("save", "wipe", "partition", "zero"),
        "the old content of the disks is lost, no array exists",
        "raidtui resume RUN. A disk that does not answer: undo, and call; the plan needs another disk.",
    ),
    (
        ("create", "spare", "volume", "encrypt", "format"),
        "arrays may run, no file is on them",
        "raidtui resume RUN: it reads from the disks what is done, and continues.",
    ),
    (
        ("configure", "monitor", "mount", "tune"),
        "the arrays work; lines, mounts or settings are missing",
        "correct what the line names (a line in fstab or mdadm.conf, a full /boot, a unit), then raidtui resume RUN. "
        "No test mail: the array works; tell who reads its mail.",
    ),
    (
        ("verify",),
        "everything is built, one thing reads otherwise than planned",
        "put nothing on it. Note the line, and call.",
    ),
)
"""stages of a step, what is true when it stops there, what to do"""


def runbook(plan: Plan) -> str:
    """The whole document; text of disks and tools is escaped."""
    parts = (_head(plan), _before(plan), _command(plan), _prints(plan), _stops(plan), _undo(plan), _map(plan))
    return "\n\n".join(parts) + "\n"


def _head(plan: Plan) -> str:
    warning = f"**{counted(len(plan.disks), 'disk')} will be erased.** What is on them now cannot be recovered."
    if plan.simulated:
        warning += " The disks of this plan are simulated: nothing runs on any machine."
    made = [array.device for array in plan.arrays]
    made += [
        f"{geometry.type} on {each.mount_point}, of which df shows {grouped(geometry.total_bytes)} bytes"
        for each, geometry in zip(plan.filesystems, plan.prediction.filesystems, strict=True)
    ]
    return "\n".join(
        (
            f"# Runbook: {inline(plan.prediction.layout)} on {inline(plan.host)}",
            "",
            warning,
            "",
            f"- makes {inline(', '.join(made) or f'volume {plan.name}')}",
            f"- plan {inline(plan.name)}, run `{plan.run_id}`, digest `{plan.digest}`",
        )
    )


def _before(plan: Plan) -> str:
    lines = [
        f"- [ ] `uname -n` prints {inline(plan.host)}; you are root, in tmux; `plan.json` lies in this directory",
        f"- [ ] the window is longer than {mount_minutes(plan)} min. {_times(plan)}".rstrip(),
        "- [ ] the disks on the map below are in their slots; no one works at the shelves",
        "- [ ] call: ____________________ (storage), ____________________ (hardware)",
    ]
    for disk in plan.disks:
        if disk.content:
            lines.append(f"- [ ] the owner gave up {inline(known_as(disk))}: {inline(content_text(disk))}")
    for finding in plan.findings:
        if finding.code != FIRST_SYNC:
            lines.append(f"- {finding.severity}: {inline(finding.message)} Fix: {inline(finding.way_out)}")
    return "\n".join(("## Before you start", "", *lines))


def _times(plan: Plan) -> str:
    """When it is mounted and in sync, and what can be asked instead."""
    others = (f"Otherwise: {inline(each.way_out)}." for each in plan.findings if each.code == FIRST_SYNC)
    return " ".join((first_sync_text(plan), *others))


def _command(plan: Plan) -> str:
    content = " It asks for each kind of content that is given up." if ScriptFacts(plan).content else ""
    return "\n".join(
        (
            "## One command",
            "",
            fence("raidtui build plan.json", "sh"),
            "",
            f"It shows every disk and asks; type `{phrase(plan)}`.{content} It continues when the terminal closes: "
            "`raidtui build --attach` follows it again. Ctrl-C stops it after the present command.",
            "",
            f"No raidtui there: `./{ONE_FILE}` in its place is the same. `build.sh` is the list of the commands; it "
            "looks once, at its start, and does not resume. Called without arguments it writes nothing.",
        )
    )


def _prints(plan: Plan) -> str:
    rows = []
    for title, group in groupby(plan.steps, key=_title):
        steps = list(group)
        seconds = sum(map(step_seconds, steps))
        first, last = steps[0].number, steps[-1].number
        number = f"{first}" if first == last else f"{first} to {last}"
        time = f"{max(1, round(seconds / 60))} min" if seconds > _SHORT else "seconds"
        time = "see above" if steps[0].stage == "zero" else time
        erased = {disk for step in steps for disk in step.destroys}
        rows.append((number, title, time, f"erases {len(erased)}" if erased else ""))
    return "\n".join(
        (
            "## What it prints",
            "",
            f"`== 1/{len(plan.steps)}` and so on; below it its commands behind `$`, at its end `ok: N checks passed`.",
            "",
            table(("step", "does", "takes", ""), rows),
            "",
            "At the end: `FINISHED: every step is done and verified`. `raidtui status RUN` shows the first sync.",
        )
    )


def _title(step: Step) -> str:
    """Its title; steps that create arrays are one row."""
    return "Create the arrays" if step.stage == "create" else step.title


def _stops(plan: Plan) -> str:
    rows = []
    for stages, state, way_out in _STOPS:
        numbers = [step.number for step in plan.steps if step.stage in stages]
        if numbers:
            rows.append((_ranges(numbers), state, way_out))
    return "\n".join(
        (
            "## If it stops",
            "",
            "Read its last line: it names what was expected, what was found, and the fix. RUN is "
            f"`{plan.run_id[:8]}`. Call when a resume ends the same way, when the kernel's log shows errors of a "
            f"disk, or when unsure. Waiting loses nothing.",
            "",
            table(("at step", "then", "do"), rows),
        )
    )


def _ranges(numbers: list[int]) -> str:
    runs = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    found = [[number for _, number in run] for _, run in runs]
    return ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in found)


def _undo(plan: Plan) -> str:
    return "\n".join(
        (
            "## Undo",
            "",
            fence(f"raidtui undo {plan.run_id[:8]}", "sh"),
            "",
            f"It shows what is on the arrays, counts files, asks for `{phrase(plan, 'undo')}`, and removes only what "
            f"has this plan's UUIDs. `bash undo.sh` shows the same of a build by `build.sh`. What the disks "
            "held before is not restored.",
        )
    )


def _map(plan: Plan) -> str:
    """The disks by enclosure and drawer, slots in order; disks of unknown place last."""
    roles = ScriptFacts(plan).roles()
    shelves = by_key((_shelf(disk), disk) for disk in plan.disks)
    rows = []
    for (enclosure, shelf), disks in sorted(shelves.items()):
        ordered = sorted(disks, key=_slot_key)
        cells = [f"{_slot(disk)} {' '.join(roles[disk.id])}: {known_as(disk)}".strip() for disk in ordered]
        label = ", ".join(part for part in (shelf, enclosure if len({each[0] for each in shelves}) > 1 else "") if part)
        for at in range(0, len(cells), _A_ROW):
            some = cells[at : at + _A_ROW]
            rows.append((label if at == 0 else "", *some, *[""] * (_A_ROW - len(some))))
    enclosures = sorted({enclosure for enclosure, _ in shelves if enclosure})
    where = f" Enclosure {inline(enclosures[0])}." if len(enclosures) == 1 else ""
    return "\n".join(
        (
            "## The disks",
            "",
            f"Slot, array, number in it or spare: serial number.{where}",
            "",
            table(("", *[""] * _A_ROW), rows),
        )
    )


def _shelf(disk: PlanDisk) -> tuple[str, str]:
    """Enclosure and drawer, or backplane."""
    found = _NUMBERED.fullmatch(disk.place.slot)
    words = (found[1] if found else "").removesuffix("slot").strip()
    return disk.place.enclosure, words


def _slot(disk: PlanDisk) -> str:
    found = _NUMBERED.fullmatch(disk.place.slot)
    return found[2] if found else disk.place.slot


def _slot_key(disk: PlanDisk) -> tuple[int, str]:
    """Orders numbers by value, whatever their length, and words behind one another."""
    slot = _slot(disk)
    digits = slot.lstrip("0")
    return (len(digits), digits) if slot.isdecimal() else (0, slot)
