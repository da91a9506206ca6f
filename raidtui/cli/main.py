"""Entry point of the command line: parses, loads the module of one verb, prints its errors.

`raidtui --help` loads neither Textual nor pydantic. Results go to stdout, progress and errors to stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper

from raidtui.cli.options.parser import parser
from raidtui.values.errors import Exit, MachineFailed, RaidtuiError
from raidtui.values.safe import safe

VERBS: Mapping[str, str] = {
    "app": "cli.verbs.app",
    "disks": "cli.verbs.disks",
    "arrays": "cli.verbs.arrays",
    "audit": "cli.verbs.arrays",
    "replace": "cli.verbs.replace",
    "extend": "cli.verbs.replace",
    "propose": "cli.verbs.plan",
    "model": "cli.verbs.plan",
    "plan": "cli.verbs.plan",
    "script": "cli.verbs.plan",
    "export": "installers.verb",
    "build": "cli.verbs.run",
    "resume": "cli.verbs.run",
    "undo": "cli.verbs.run",
    "status": "cli.verbs.status",
    "control": "cli.verbs.status",
    "execute": "cli.verbs.execute",
    "tune": "cli.verbs.tune",
    "drill": "cli.verbs.tune",
    "watch": "cli.verbs.watch",
    "bench": "cli.verbs.bench",
    "report": "cli.verbs.report",
    "schema": "cli.verbs.help",
    "help": "cli.verbs.help",
    "fleet": "fleet.cli.verb",
    "fleet-host": "fleet.cli.verb",
}
"""Module of each verb. Its function has the name of the verb (_ for -), takes the options and returns the exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb. Returns its exit code (see `model.errors.Exit`)."""
    _open_closed_streams()
    _take_any_byte()
    try:
        options = parser().parse_args(arguments)
        if options.color != "auto":
            from raidtui.cli.output import set_colours  # only where it is asked for

            set_colours(options.color)
        code = _function(options.verb)(options)
        sys.stdout.flush()
        return code
    except RaidtuiError as error:
        return _answer(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except OSError as problem:
        try:
            print(flush=True)
        except OSError:  # it is standard output that fails
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            what = f"standard output cannot be written: {problem.strerror}"
            return _answer(MachineFailed(what, hint="make room where it goes, or send it elsewhere"))
        raise
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _answer(error: RaidtuiError) -> int:
    """Prints the error and the way out, on a terminal as wide as that is. Returns the exit code."""
    from raidtui.answers.plain_text import paragraph  # only for an error
    from raidtui.cli.output import columns, paint  # only for an error

    wide, indent = columns(sys.stderr), "         "
    first, *rest = paragraph(f"raidtui: {safe(str(error))}", wide, first="", rest=indent)
    rest += paragraph(safe(error.hint), wide, first=indent, rest=indent) if error.hint else []
    painted = paint(sys.stderr)("raidtui:", "error")
    with suppress(OSError):  # the exit code remains
        print("\n".join([painted + first.removeprefix("raidtui:"), *rest]), file=sys.stderr)
    return error.exit_code


def _open_closed_streams() -> None:
    """Opens standard input, output and error where the caller closed them.

    Otherwise the next file that is opened, a disk perhaps, would get their descriptor.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


def _take_any_byte() -> None:
    """An answer keeps the bytes that are no text, and is none of those expected; what cannot be printed is escaped."""
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)


def _function(verb: str) -> Callable[[argparse.Namespace], int]:
    """The function of `verb`. Only its module is loaded: the others would cost every start their imports."""
    from raidtui.values.satellites import provide  # only where a verb runs

    provide("simulated", "raidtui.simulated")
    module = import_module(f"raidtui.{VERBS[verb]}")
    function: Callable[[argparse.Namespace], int] = getattr(module, verb.replace("-", "_"))
    return function
