"""A plan's lines in a text file that others write too, between two marker lines.

Only lines equal to those that the plan wrote are removed. What counts as a trace of them is a line that names the run,
or that equals one with a UUID: any other line may be somebody else's, also one such as `MAILADDR root`.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from raidtui.model.errors import Stale
from raidtui.model.plan import Plan, WriteFile
from raidtui.model.safe import safe
from raidtui.planner.compile.names import begin_line, end_line

_UUID = re.compile(r"[0-9a-f]{8}[:-][0-9a-f]{4}")
_SHOWN = 20
"""lines that a refusal shows of those that were found"""
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedBlock:
    """The lines of a plan in one file."""

    path: str
    run_id: str
    name: str
    """of the plan"""
    text: str
    """the lines between the markers"""

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines, with the markers."""
        return begin_line(self.run_id, self.name), *self.text.split("\n"), end_line(self.run_id)


def blocks_of(plan: Plan) -> tuple[ManagedBlock, ...]:
    """The lines of a plan in every file that others write too, in the order of its steps."""
    return tuple(
        ManagedBlock(path=action.path, run_id=plan.run_id, name=plan.name, text=action.text)
        for step in plan.steps
        for action in step.actions
        if isinstance(action, WriteFile) and action.fenced
    )


def with_block(text: str, block: ManagedBlock, *, first: bool = False) -> str:
    """`text` with the block at its end, or at its beginning where it is `first`; one that is there is moved.

    Raises Stale as `without_block` does.
    """
    rest = without_block(text, block)
    made = "".join(f"{line}\n" for line in block.lines)
    if first:
        return f"{made}{rest}"
    if rest and not rest.endswith("\n"):
        rest += "\n"
    return f"{rest}{made}"


def without_block(text: str, block: ManagedBlock) -> str:
    """`text` without the block; every other byte is unchanged.

    Raises Stale, which shows both, if the plan's lines do not stand there once, together, as they were written.
    """
    if problem := changed(text, block):
        raise Stale(problem, hint=f"put the expected lines back, or remove those of the plan from {block.path} by hand")
    lines = _lines(text)
    traces = _traces(lines, block)
    return "".join([*lines[: traces[0]], *lines[traces[0] + len(block.lines) :]]) if traces else text


def changed(text: str, block: ManagedBlock) -> str:
    """How the block differs from what the plan wrote: expected and found lines; empty if it does not, or is not there.

    `text` may have undecodable bytes as surrogates.
    """
    lines = _lines(text)
    traces = _traces(lines, block)
    if not traces:
        return ""
    first, last = traces[0], traces[-1]
    stop = first + len(block.lines)
    if last < stop and tuple(line.removesuffix("\n") for line in lines[first:stop]) == block.lines:
        return ""
    expected = " ".join(f"<{_shown(line)}>" for line in block.lines)
    found = " ".join(f"{at + 1} <{_shown(lines[at])}>" for at in range(first, min(last + 1, first + _SHOWN)))
    more = f" and more up to line {last + 1}" if last >= first + _SHOWN else ""
    return f"{block.path} does not have the plan's lines as they were written; expected {expected}; found {found}{more}"


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))  # a line ends in a line feed and nothing else


def _traces(lines: list[str], block: ManagedBlock) -> list[int]:
    """Numbers of the lines, from 0, that only the plan can have written, whatever blanks are around them."""
    run = f"raidtui {block.run_id} "
    own = {line.strip() for line in block.lines if _UUID.search(line)}
    return [at for at, line in enumerate(lines) if run in f"{line.rstrip()} " or line.strip() in own]


def _shown(line: str) -> str:
    return safe(line.removesuffix("\n"), longest=_LONGEST)
