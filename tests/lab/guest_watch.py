"""In the guest: does something to a run at the moment its journal reaches a record. Standard library only.

guest_watch.py kill KIND WORDS          when the newest record of any run has this kind and these first words
                                        (of its command, or of its text): kill -9 the executor and its command
guest_watch.py hang-up KIND WORDS TYPED ARGV...
                                        ARGV on a terminal of its own, TYPED once it asks; the terminal closes then
guest_watch.py type ARGV...             ARGV on a terminal of its own; standard input says what is typed at which
                                        words: [[WORDS, TYPED], ...]. Prints what was shown
guest_watch.py search KIND WORDS        waits as kill does; the processes whose command line or environment has the
                                        bytes of standard input
guest_watch.py search                   those, and every file that has them
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
DEADLINE = 900.0


class Journal:
    """The journal that was written last, a few records at a time; there may be none yet."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._offset = 0

    def news(self) -> list[dict[str, Any]]:
        """Records since the last call; of a journal met for the first time, all."""
        found = sorted(RUNS.glob("*/journal"), key=lambda path: path.stat().st_mtime_ns)
        if not found:
            return []
        if found[-1] != self._path:
            self._path, self._offset = found[-1], 0
        with found[-1].open("rb") as file:
            file.seek(self._offset)
            text = file.read(65536).partition(b"\0")[0]  # what is being written may be there in parts
        whole = text[: text.rfind(b"\n") + 1]
        self._offset += len(whole)
        return [json.loads(line.partition(b" ")[2]) for line in whole.splitlines()]


def wait_for(kind: str, words: str) -> dict[str, Any]:
    """Waits until a record that is not there yet is such a one."""
    until = time.monotonic() + DEADLINE
    journal = Journal()
    while journal.news():
        pass
    while time.monotonic() < until:
        for record in journal.news():
            said = " ".join(record["argv"]) or str(record["text"])
            if record["kind"] == kind and said.startswith(words):
                return record
        time.sleep(0.002)
    raise SystemExit(f"no {kind} of '{words}' came")


def executors() -> list[int]:
    """Processes that are executors, without those that one of them forks and that are no command yet."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if words[1:5] == [b"-I", b"-m", b"raidtui", b"execute"]:
            found[int(folder.name)] = parent
    return [process for process, parent in found.items() if parent not in found]


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
    reader = os.fork()
    while not reader:  # what the login shows is read until the line is cut
        os.read(terminal, 65536)
    wait_for(kind, words)
    os.kill(reader, signal.SIGKILL)
    os.waitpid(reader, 0)
    os.close(terminal)  # its last holder: the kernel hangs up the session
    left = len(executors())
    print(json.dumps({"viewer": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "executors": left}))


def type_in(answers: list[tuple[str, str]], argv: list[str]) -> int:
    """Answers questions in their order, each once it is there. Returns the exit code."""
    child, terminal = pty.fork()
    if not child:
        os.execvp(argv[0], argv)
    shown, met = b"", 0
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # its last holder is gone
            break
        shown += part
        if answers and (at := shown.find(answers[0][0].encode(), met)) >= 0:
            met = at + len(answers[0][0])
            time.sleep(0.2)  # getpass drops what was typed before it asked
            os.write(terminal, answers.pop(0)[1].encode() + b"\n")
    sys.stdout.buffer.write(shown)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def search(secret: bytes, *, files: bool) -> None:
    """Prints what has the secret."""
    places = [str(path) for name in ("cmdline", "environ") for path in Path("/proc").glob(f"[0-9]*/{name}")]
    for folder, folders, names in os.walk("/") if files else ():
        if folder == "/":
            folders[:] = [each for each in folders if each not in ("proc", "sys", "opt")]
        places += [f"{folder}/{name}" for name in names]
    count = 0
    for place in places:
        try:
            if place.startswith("/proc/") or (Path(place).is_file() and not Path(place).is_symlink()):
                count += 1
                if secret in Path(place).read_bytes():
                    print(place)
        except OSError:
            continue
    print(f"{count} looked at")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["kill", kind, words]:
            kill(kind, words)
        case ["hang-up", kind, words, typed, *argv]:
            hang_up(kind, words, typed, argv)
        case ["type", *argv]:
            sys.exit(type_in(json.loads(sys.stdin.read()), argv))
        case ["search", *when]:
            if when:
                wait_for(when[0], when[1])
            search(sys.stdin.buffer.read(), files=not when)
        case _:
            raise SystemExit(__doc__)
