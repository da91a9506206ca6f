"""In the guest: does something to a run at the moment its journal reaches a record. Standard library only.

guest_watch.py kill KIND WORDS          when the newest record of any run has this kind and these first words
                                        (of its command, or of its text): kill -9 the executor and its command
guest_watch.py hang-up KIND WORDS TYPED ARGV...
                                        ARGV on a terminal of its own, TYPED once it asks; the terminal closes then
"""

from __future__ import annotations

import json
import os
import pty
import signal
import sys
import time
from pathlib import Path
from typing import Any

RUNS = Path("/var/lib/raidtui")
DEADLINE = 300.0


def newest() -> dict[str, Any]:
    """The last record of the journal that was written last; nothing when there is none."""
    journals = sorted(RUNS.glob("*/journal"), key=lambda path: path.stat().st_mtime_ns)
    lines = journals[-1].read_bytes().rstrip(b"\0").split(b"\n") if journals else []
    whole = [line for line in lines[:-1] if b"{" in line]
    found: dict[str, Any] = json.loads(whole[-1][whole[-1].index(b"{") :]) if whole else {}
    return found


def wait_for(kind: str, words: str) -> dict[str, Any]:
    """Waits until a new record is such a one."""
    until = time.monotonic() + DEADLINE
    old = newest().get("sequence", 0)
    while time.monotonic() < until:
        record = newest()
        said = " ".join(record.get("argv") or ()) or str(record.get("text"))
        if record and record["sequence"] != old and record["kind"] == kind and said.startswith(words):
            return record
        time.sleep(0.002)
    raise SystemExit(f"no {kind} of '{words}' came; the last record is {newest()}")


def executors() -> list[int]:
    """Processes that are executors."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:5] == [b"-I", b"-m", b"raidtui", b"execute"]:
            found.append(int(folder.name))
    return found


def kill(kind: str, words: str) -> None:
    """kill -9, the command that runs included."""
    record = wait_for(kind, words)
    (executor,) = executors()
    children = Path(f"/proc/{executor}/task/{executor}/children").read_text().split()
    for process in [executor, *map(int, children)]:
        os.kill(process, signal.SIGKILL)
    print(json.dumps({"record": record, "executor": executor, "commands": len(children)}))


def hang_up(kind: str, words: str, typed: str, argv: list[str]) -> None:
    """A login that starts a build, confirms it and is cut off."""
    child, terminal = pty.fork()
    if not child:
        os.execvp(argv[0], argv)
    shown = b""
    while b"to begin" not in shown:
        shown += os.read(terminal, 65536)
    os.write(terminal, typed.encode() + b"\n")
    if not os.fork():  # what the login shows is read until the line is cut
        try:
            while os.read(terminal, 65536):
                pass
        except OSError:
            pass
        os._exit(0)
    wait_for(kind, words)
    os.kill(child, signal.SIGHUP)
    os.close(terminal)
    print(json.dumps({"viewer": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "executors": len(executors())}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["kill", kind, words]:
            kill(kind, words)
        case ["hang-up", kind, words, typed, *argv]:
            hang_up(kind, words, typed, argv)
        case _:
            raise SystemExit(__doc__)
