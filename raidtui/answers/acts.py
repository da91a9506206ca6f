"""The answers of `raidtui replace` and `raidtui extend` as blocks, and the phrases that confirm them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from shlex import join

from raidtui.answers.findings import finding_items
from raidtui.values.acts import Extension, Replacement, ReplacementDisk
from raidtui.values.amounts import hours, listed, odds, rate
from raidtui.values.blocks import Block, Grid, Heading, Listing, Pairs, cells
from raidtui.values.location import Location
from raidtui.values.plan import Command, PartInArray, Step
from raidtui.values.safe import safe
from raidtui.values.units import counted, grouped


def replacement_blocks(found: Replacement) -> tuple[Block, ...]:
    """What goes, what comes, how and how long; then each step with what to type."""
    title = safe(found.array)
    if any(each.code == "array-down" for each in found.findings) and not found.steps:  # nothing goes, nothing comes
        return (Heading(text=f"{title} ({safe(found.level)})"), *finding_items(found.findings))
    way = {
        "copy": "copied while the old member works: redundancy does not drop",
        "rebuild": "rebuilt from the other members",
        "spare": "a spare has its place already: the new disk becomes the spare",
        "journal": "the new disk becomes the write journal; until then md fails every write",
    }[found.way]
    pairs = [
        ("arrays", f"{title} and {listed([safe(each) for each in found.also])}" if found.also else ""),
        ("goes", _goes(found)),
        ("comes", "not chosen" if found.new is None else _shown(found.new, None)),
        ("needs", f"{grouped(found.needed_bytes)} bytes or more"),
        ("how", way),
        ("meanwhile", _exposure(found)),
    ]
    if found.way == "spare":
        pairs.append(("time", "seconds: nothing is rebuilt onto the new disk"))
    elif found.hours is not None and found.least_hours is not None and found.most_hours is not None:
        pairs.append(
            ("time", f"{hours(found.hours)}, {hours(found.least_hours)} idle to {hours(found.most_hours)} busy")
        )
    blocks: list[Block] = [
        Heading(text=f"{title} ({safe(found.level)})"),
        Pairs(pairs=tuple(each for each in pairs if each[1])),
    ]
    blocks += finding_items(found.findings)
    blocks += step_blocks(found.steps)
    return tuple(blocks)


def _goes(found: Replacement) -> str:
    if found.old is None:
        return "nothing: a spare took over" if found.way == "spare" else "nothing"
    return _shown(found.old, found.slot)


def _exposure(found: Replacement) -> str:
    match found.survives:
        case None:
            return "a failure of the wrong member loses data"
        case 0:
            return "one more failure loses data, until it has ended"
        case count:
            return f"it survives {counted(count, 'further failure')}"


def _shown(disk: ReplacementDisk, slot: int | None) -> str:
    parts = [
        "" if slot is None else f"member {slot}", safe(Location.in_plan(disk.bay or "", "").text),
        f"serial {safe(disk.serial, longest=40)}" if disk.serial else "",
    ]  # fmt: skip
    return f"{safe(disk.device) or 'a disk that is gone'} ({', '.join(filter(None, parts)) or 'nothing known'})"


def extension_blocks(found: Extension) -> tuple[Block, ...]:
    """For terminal and app."""
    rows = tuple(cells(*row) for row in _rows(found) if set(row[1:]) != {"-"})
    grid = Grid(columns=("", "NOW", "AFTER"), rows=rows, right=frozenset({1, 2}))
    blocks: list[Block] = [Heading(text=f"{safe(found.array)} ({safe(found.level)})"), grid]
    if found.hours is not None and found.most_hours is not None:
        blocks.append(Pairs(pairs=(("time", f"{hours(found.hours)} idle to {hours(found.most_hours)} busy"),)))
    blocks += finding_items(found.findings)
    blocks += step_blocks(found.steps)
    return tuple(blocks)


def _rows(found: Extension) -> Iterator[tuple[str, ...]]:
    both = (found.before, found.after)

    def texts(numbers: Sequence[float | None], shown: Callable[[float], str]) -> Iterator[str]:
        return ("-" if number is None else shown(number) for number in numbers)

    def size(count: float) -> str:
        return f"{grouped(int(count))} bytes"

    yield "array", *texts([each.array_bytes for each in both], size)
    yield "volume", *texts([each.volume_bytes for each in both], size)
    yield "file system", *texts([each.filesystem_bytes for each in both], size)
    yield "spares", *(str(each.spares) for each in both)
    yield "reads", *texts([each.read_bytes_per_s for each in both], rate)
    yield "writes", *texts([each.write_bytes_per_s for each in both], rate)
    yield "rebuild", *texts([each.rebuild_hours for each in both], hours)
    yield "data loss", *texts([each.annual_loss for each in both], lambda odd: f"{odds(odd)} a year")


def confirm_phrase(found: Replacement | Extension) -> str:
    """The phrase that confirms it, the same on the command line and in the app. A replacement has a new disk."""
    if isinstance(found, Extension):
        data = any(each.code == "back-up-first" for each in found.findings)
        return safe(f"extend {found.array}{', its data is backed up' if data else ''}")
    assert found.new is not None
    return safe(f"replace in {found.array} by {found.new.serial or found.new.device}")


# What to type, what proves it, what an interruption leaves.


def step_blocks(steps: Sequence[Step]) -> tuple[Block, ...]:
    """A list for each step; none for none."""
    if not steps:
        return ()
    heading = Heading(text="What to do, as root; nothing of it was executed")
    return (heading, *(Listing(lines=tuple(_step_lines(step))) for step in steps))


def _step_lines(step: Step) -> Iterator[str]:
    """Pasted into a shell as printed, these are its commands: all else is a comment."""
    yield f"  # {step.number}. {step.title}"
    for action in step.actions:
        if isinstance(action, Command):
            given = " <<'END'" if action.stdin else ""
            yield f"     {safe(join(action.argv))}{given}"
            if action.stdin:  # not indented: a shell ends at END alone
                yield from (safe(line) for line in (*action.stdin.splitlines(), "END"))
    if step.waits_for:
        yield f"     mdadm --wait {safe(step.waits_for)}"
    proofs = [*map(_proof, step.then or ()), *(safe(each.what) for each in step.after)]
    yield f"     # proof: {'; '.join(proofs)}" if proofs else f"     # {step.purpose}"
    lost = "it depends on which" if step.survives is None else counted(step.survives, "failure")
    yield f"     # survives: {lost}"
    if step.cut:
        yield f"     # cut here: {step.cut}"


def _proof(asked: PartInArray) -> str:
    """`/dev/disk/by-id/x is spare or in-sync in /dev/md127`."""
    inside = " or ".join(part for part in asked.parts if part != "missing")
    parts = [*([f"{inside} in"] if inside else []), *(["out of"] if "missing" in asked.parts else [])]
    return f"{safe(asked.device)} is {' or '.join(parts)} {safe(asked.array)}"
