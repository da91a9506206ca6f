"""What an answer to a reading says: the same rules as the scripts' `ask`."""

from __future__ import annotations

import re

from raidtui.model.plan import Reading


def said(reading: Reading, exit_code: int, stdout: str) -> str | None:
    """The value asked for; None when the program ended badly or does not speak of it."""
    if exit_code not in reading.question.good_exits:
        return None
    if not reading.key:
        return stdout.strip()
    line = re.compile(rf"[ \t]*{re.escape(reading.key)}[ \t]*[=:][ \t]*(.*[^ \t])[ \t]*")
    return next((match[1] for match in map(line.fullmatch, stdout.splitlines()) if match), None)


def holds(reading: Reading, exit_code: int, stdout: str) -> bool:
    """True when the answer is exactly the one the plan wants."""
    return said(reading, exit_code, stdout) == reading.answer
