"""What an answer to a reading says: the same rules as the scripts' `ask`."""

from __future__ import annotations

import re

from raidtui.model.plan import Reading


def said(reading: Reading, exit_code: int, stdout: str) -> str | None:
    """The value asked for; None when the program ended badly or does not speak of it."""
    return value_of(reading.key, exit_code, stdout, reading.question.good_exits)


def value_of(key: str, exit_code: int, stdout: str, good_exits: tuple[int, ...] = (0,)) -> str | None:
    """The value named `key` in an answer, all of it for an empty one; None without such a value."""
    if exit_code not in good_exits:
        return None
    if not key:
        return stdout.strip()
    line = re.compile(rf"[ \t]*{re.escape(key)}[ \t]*[=:][ \t]*(.*[^ \t])[ \t]*")
    return next((match[1] for match in map(line.fullmatch, stdout.splitlines()) if match), None)


def holds(reading: Reading, exit_code: int, stdout: str) -> bool:
    """True when the answer is exactly the one the plan wants."""
    return said(reading, exit_code, stdout) == reading.answer
