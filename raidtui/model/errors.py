"""What stops raidtui: each has a sentence, a hint and the exit code a script can rely on."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every verb."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    MACHINE = 3
    STALE = 4
    LOCKED = 5
    INTERRUPTED = 130


class RaidtuiError(Exception):
    """Ends the verb: `str(error)` is the sentence, `hint` the way out."""

    exit_code = Exit.MACHINE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class BadInput(RaidtuiError):
    """What was typed or the file that was named cannot be read as what it should be."""

    exit_code = Exit.USAGE


class EarlierPlan(BadInput):
    """A plan in a format that earlier versions wrote."""


class Refused(RaidtuiError):
    """Understood and declined, for a reason the user can change."""

    exit_code = Exit.REFUSED


class MachineFailed(RaidtuiError):
    """A tool is missing or failed, or the machine does not answer."""

    exit_code = Exit.MACHINE


class Stale(RaidtuiError):
    """The plan no longer fits the machine."""

    exit_code = Exit.STALE


class Locked(RaidtuiError):
    """Another run holds the lock."""

    exit_code = Exit.LOCKED
