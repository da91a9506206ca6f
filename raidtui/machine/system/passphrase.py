"""A passphrase on its way from a terminal to an executor: by a pipe, never by an argument, a variable or a file."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator

from raidtui.programs.cryptsetup import LONGEST

_NO_CORE = 1
"""bytes of a core file: the kernel then makes none, neither a file nor a pipe's (fs/coredump.c, do_coredump)"""


class Passphrase:
    """A passphrase in memory; its repr, which a traceback may show, is without it. Its process leaves no core file."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
        with contextlib.suppress(ValueError, OSError):  # the limit is 0 already
            resource.setrlimit(resource.RLIMIT_CORE, (_NO_CORE, _NO_CORE))

    def __repr__(self) -> str:
        return "Passphrase()"

    def forget(self) -> None:
        """From then on it is empty, for everyone who has it."""
        self.text = ""


def problem_of(typed: Passphrase) -> str:
    """Why this may not be a passphrase; empty if it may."""
    if not typed.text:
        return "an empty passphrase protects nothing"
    if len(typed.text.encode("utf-8", "surrogateescape")) > LONGEST:
        return f"a terminal of the boot takes {LONGEST} bytes at most"
    return ""


@contextlib.contextmanager
def handed(passphrase: Passphrase | None) -> Iterator[int | None]:
    """Yields a descriptor from which a process reads it, up to its end, and forgets it then; None without one."""
    if passphrase is None:
        yield None
        return
    reading, writing = os.pipe()
    try:
        os.write(writing, passphrase.text.encode("utf-8", "surrogateescape"))  # a pipe holds more than the longest
        os.close(writing)
        yield reading
    finally:
        os.close(reading)
        passphrase.forget()


def received() -> Passphrase | None:
    """What standard input has, which is /dev/null from then on; None where that is nothing."""
    found = bytearray()
    while part := os.read(0, LONGEST):
        found += part
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return Passphrase(found.decode("utf-8", "surrogateescape")) if found else None
