"""Errors that end a verb: message, hint and exit code."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every verb, each with its meaning as help and manual print it."""

    DONE = 0, "done"
    REFUSED = 1, "refused for a reason you can change"
    USAGE = 2, "wrong usage"
    MACHINE = 3, "the machine failed"
    STALE = 4, "the plan no longer fits"
    LOCKED = 5, "another run holds the lock"
    INTERRUPTED = 130, "interrupted"

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Exit:
        """The member whose value is `code`."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member


class RaidtuiError(Exception):
    """Base class of errors that end a verb: `str(error)` is the message, `hint` what to do."""

    exit_code = Exit.MACHINE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def with_hint(self) -> str:
        """Message and hint in one line."""
        return f"{self}; {self.hint}" if self.hint else str(self)


class BadInput(RaidtuiError):
    """Invalid arguments or an unreadable input file."""

    exit_code = Exit.USAGE


class Refused(RaidtuiError):
    """A valid request that is refused for a reason that the user can change."""

    exit_code = Exit.REFUSED


class MachineFailed(RaidtuiError):
    """A tool is missing or failed, or a device or host does not respond."""

    exit_code = Exit.MACHINE


class Stale(RaidtuiError):
    """The plan no longer matches the machine."""

    exit_code = Exit.STALE


class Locked(RaidtuiError):
    """Another run holds the lock."""

    exit_code = Exit.LOCKED
