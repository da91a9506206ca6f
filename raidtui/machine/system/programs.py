"""Starts programs: by absolute path, with a fixed PATH and environment, without a shell or input. No other module of
raidtui starts one.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from raidtui.values.errors import MachineFailed

if TYPE_CHECKING:
    from raidtui.machine.system.ports import Ran


SEARCH = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""search path of programs; never the caller's PATH"""
ANYWHERE = (*SEARCH, "/usr/local/sbin", "/usr/local/bin")
"""further directories for read-only programs: a newer smartctl"""
ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {"LC_ALL": "C", "PATH": ":".join(SEARCH), "LVM_SUPPRESS_FD_WARNINGS": "1"}
)
"""complete environment of a program; suppresses LVM's warning about the inherited run lock"""
PYTHON = (sys.executable, "-I", "-S")
"""Python for one file that imports nothing of raidtui"""
PIPE, NOTHING = subprocess.PIPE, subprocess.DEVNULL
Process = subprocess.Popen[bytes]
Overdue = subprocess.TimeoutExpired
"""timeout of a program"""
Stream = int | IO[bytes] | None


def find(name: str, places: Sequence[str] = SEARCH) -> str | None:
    """Absolute path of a program; None if it is not installed."""
    return next((f"{place}/{name}" for place in places if os.access(f"{place}/{name}", os.X_OK)), None)


def require(name: str, hint: str) -> str:
    """Absolute path of a program. Raises MachineFailed with `hint` if it is not installed."""
    found = find(name)
    if found is None:
        raise MachineFailed(f"{name} is not installed", hint=hint)
    return found


def start(
    argv: Sequence[str],
    *,
    stdin: Stream = NOTHING,
    stdout: Stream = PIPE,
    stderr: Stream = PIPE,
    cwd: str = "/",
    environment: Mapping[str, str] = ENVIRONMENT,
    own_session: bool = False,
    keep_open: Sequence[int] = (),
    umask: int = -1,
) -> Process:
    """Starts a program; `argv` starts with its absolute path. Raises OSError if it cannot be started.

    `own_session`: it receives no Ctrl-C or hang-up of the terminal. `keep_open`: descriptors that it inherits.
    """
    return subprocess.Popen(
        argv, stdin=stdin, stdout=stdout, stderr=stderr, cwd=cwd, env=environment, start_new_session=own_session,
        pass_fds=keep_open, umask=umask,
    )  # fmt: skip


def start_bound(argv: Sequence[str], *, stdout: Stream, stderr: Stream, cwd: str = "/", umask: int = -1) -> Process:
    """Like `start`, in its own session; the kernel kills it when raidtui ends (PR_SET_PDEATHSIG)."""
    return start(_bound(argv), stdout=stdout, stderr=stderr, cwd=cwd, own_session=True, umask=umask)


def start_executor(argv: Sequence[str], output: Stream, stdin: int | None = None) -> Process:
    """Starts raidtui again, detached from this terminal and process; of the environment it gets sudo's user alone.

    `stdin`: descriptor of its standard input; None: nothing."""
    by = {name: value for name, value in os.environ.items() if name == "SUDO_USER"}
    environment = {**ENVIRONMENT, **by}
    source = NOTHING if stdin is None else stdin
    return start(
        argv, stdin=source, stdout=output, stderr=output, own_session=True, umask=0o077, environment=environment
    )


def finish(process: Process, seconds: float | None) -> Ran:
    """Waits for a program started with pipes. Returns its exit code and output.

    Raises Overdue after `seconds`; the program is killed then.
    """
    from raidtui.machine.system.ports import Ran  # the app's first picture needs none

    with process:
        try:
            stdout, stderr = process.communicate(timeout=seconds)
        except BaseException:
            process.kill()
            raise
    return Ran(
        exit=process.returncode, stdout=stdout.decode("utf-8", "surrogateescape"),
        stderr=stderr.decode("utf-8", "surrogateescape"),
    )  # fmt: skip


def ask(argv: Sequence[str], seconds: float | None = None) -> Ran:
    """Runs a program. Raises OSError if it cannot be started, Overdue on a timeout; see `start` and `finish`."""
    return finish(start(argv), seconds)


def page(text: str) -> None:
    """Shows `text` in less on this terminal; prints it where less is not installed.

    less can start no other program (LESSSECURE): `raidtui help` may be all that a user is allowed as root.
    """
    less = find("less")
    if less is None:
        print(text, end="")
        return
    terminal = {name: os.environ[name] for name in ("TERM", "LANG") if name in os.environ}
    quiet = {"LESS": "FRX", "LESSSECURE": "1", "LESSHISTFILE": "-", "LC_ALL": os.environ.get("LC_ALL", "")}
    shown = start([less], stdin=PIPE, stdout=None, stderr=None, environment={**ENVIRONMENT, **terminal, **quiet})
    with shown, contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        shown.communicate(text.encode("utf-8", "surrogateescape"))


def fork(child: Callable[[], int]) -> int:
    """Runs `child` in a forked process, which exits with its return value. Returns the process id."""
    process = os.fork()
    if process == 0:
        os._exit(child())
    return process


def _bound(argv: Sequence[str]) -> list[str]:
    from raidtui.machine.system import die_with_parent  # it loads ctypes, which the app's first picture does not need

    return [*PYTHON, die_with_parent.__file__, str(os.getpid()), *argv]


# Closes a file descriptor when a block ends.


@contextmanager
def closing(handle: int) -> Iterator[int]:
    """Yields `handle`; closes it in the end, also after an error."""
    try:
        yield handle
    finally:
        os.close(handle)
