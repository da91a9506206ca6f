"""Errors that end a verb: message, hint and exit code."""

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
    """Base class of errors that end a verb: `str(error)` is the message, `hint` what to do."""

    exit_code = Exit.MACHINE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class BadInput(RaidtuiError):
    """Invalid arguments or an unreadable input file."""

    exit_code = Exit.USAGE


class EarlierPlan(BadInput):
    """A plan in a format that earlier versions wrote."""


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
