"""The steps of an act on arrays that run as blocks: what to type, what proves it, what an interruption leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import join

from raidtui.model.counted import counted
from raidtui.model.plan import Command, PartInArray, Step
from raidtui.model.safe import safe
from raidtui.planner.report.blocks import Block, Heading, Listing


def step_blocks(steps: Sequence[Step]) -> tuple[Block, ...]:
    """A list for each step; none for none."""
    if not steps:
        return ()
    heading = Heading(text="What to do, as root; nothing of it was executed")
    return (heading, *(Listing(lines=tuple(_lines(step))) for step in steps))


def _lines(step: Step) -> Iterator[str]:
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
    proofs = [*map(_part, step.then or ()), *(safe(each.what) for each in step.after)]
    yield f"     # proof: {'; '.join(proofs)}" if proofs else f"     # {step.purpose}"
    lost = "it depends on which" if step.survives is None else counted(step.survives, "failure")
    yield f"     # survives: {lost}"
    if step.cut:
        yield f"     # cut here: {step.cut}"


def _part(asked: PartInArray) -> str:
    """`/dev/disk/by-id/x is in-sync in /dev/md127`."""
    parts = " or ".join("out of" if part == "missing" else f"{part} in" for part in asked.parts)
    return f"{safe(asked.device)} is {parts} {safe(asked.array)}"
