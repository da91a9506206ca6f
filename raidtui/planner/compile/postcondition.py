"""The value that the output of a reading's command has, by the same rules as `ask` in the scripts."""

from __future__ import annotations

import re

from raidtui.model.errors import Stale
from raidtui.model.plan import Reading


def answer_value(reading: Reading, exit_code: int, stdout: str) -> str | None:
    """The value of the reading's key; None if the exit code is not a good one or the output lacks the key."""
    return value_of(reading.key, exit_code, stdout, reading.question.good_exits)


def value_of(key: str, exit_code: int, stdout: str, good_exits: tuple[int, ...] = (0,)) -> str | None:
    """The value of `key` in the output, the whole output for an empty key; None if the key is missing."""
    if exit_code not in good_exits:
        return None
    if not key:
        return stdout.strip()
    line = re.compile(rf"[ \t]*{re.escape(key)}[ \t]*[=:][ \t]*(.*[^ \t])[ \t]*")
    return next((match[1] for match in map(line.fullmatch, stdout.splitlines()) if match), None)


def holds(reading: Reading, exit_code: int, stdout: str) -> bool:
    """True if the value equals the reading's expected answer."""
    return answer_value(reading, exit_code, stdout) == reading.answer


def require(reading: Reading, exit_code: int, stdout: str) -> None:
    """Raises Stale unless the value equals the reading's expected answer."""
    got = answer_value(reading, exit_code, stdout)
    if got != reading.answer:
        what = "no answer" if got is None else f"'{got}', not '{reading.answer}'"
        raise Stale(f"not as planned: {reading.what}: {what}", hint=f"check with: {' '.join(reading.question.argv)}")
