"""Hosts of the fleet matrix: a server that forks a process for each connection, and a program in place of ssh.

The program hands its standard streams to the server, whose new process is the host: it reads the request, does what
`raidtui fleet-host` does on a simulated machine, and answers, or fails as ordered in FOLDER/orders/HOST.json. An
executor is a process in a session of its own. Forked, because Python and its imports would be most of the cost.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from raidtui.engine.process import EXECUTOR_OUTPUT, Launched, execute
from raidtui.fleet import host_acts
from raidtui.fleet.cli.verb import fleet_host
from raidtui.fleet.values import RUN_KINDS
from raidtui.steps import build
from raidtui.steps.build import compile_plan
from raidtui.values.errors import MachineFailed, RaidtuiError

_SSH = """#!{python} -IS
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({path!r})
socket.send_fds(server, [b"\\0".join(map(os.fsencode, ({folder!r}, sys.argv[-2])))], [0, 1, 2])
for number in (0, 1, 2):
    os.close(number)
code = server.recv(1)
os._exit(code[0] if code else 255)
"""
_HANGS_S = 90
_KEY_CHANGED = (
    "@" * 59 + "\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.\n"
)
NEVER_THERE: dict[str, tuple[int, str]] = {
    "refused": (255, "admin@node02: Permission denied (publickey).\n"),
    "banner": (255, "Unauthorized use is prohibited.\nadmin@node02: Permission denied (publickey).\n"),
    "key-changed": (255, _KEY_CHANGED),
    "key-unknown": (255, "No ED25519 host key is known for node02 and you have requested strict checking.\n"
                         "Host key verification failed.\n"),
    "unresolved": (255, "ssh: Could not resolve hostname node02: Name or service not known\n"),
    "no-route": (255, "ssh: connect to host node02 port 22: No route to host\n"),
    "down": (255, "ssh: connect to host node02 port 22: Connection refused\n"),
    "overdue": (255, "ssh: connect to host node02 port 22: Connection timed out\n"),
    "jump": (255, "admin@gate: Permission denied (publickey).\nConnection closed by UNKNOWN port 65535\n"),
    "absent": (127, "bash: line 1: raidtui: command not found\n"),
    "no-sudo": (1, "sudo: a password is required\n"),
    "old": (2, "raidtui: error: argument VERB: invalid choice: 'fleet-host'\n"),
    "crash": (1, "Traceback (most recent call last):\nMemoryError\n"),
    "killed": (137, ""),
    "silent": (0, ""),
}  # fmt: skip
"""exit code and standard error of what fails before the host gets the request"""
CUT_OFF: dict[str, str] = {
    "cut": "client_loop: send disconnect: Broken pipe\n",
    "reset": "Read from remote host node02: Connection reset by peer\nclient_loop: send disconnect: Broken pipe\n",
    "closed": "Connection to node02 closed by remote host.\n",
    "overdue-later": "Timeout, server node02 not responding.\n",
    "quiet": "",
}
"""standard error of ssh whose connection ends after the host got the request"""
HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202e\x9b31m"


def listening(path: Path) -> int:
    """Starts the server at `path`. Returns its process."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)
    server = os.fork()
    if server:
        listener.close()
        return server
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _serve(connection)
        connection.close()


def write_ssh(folder: Path, server: Path) -> None:
    """Writes FOLDER/ssh, which reaches the hosts of this folder."""
    program = folder / "ssh"
    program.write_text(_SSH.format(python=sys.executable, path=str(server), folder=str(folder)))
    program.chmod(0o755)


def _serve(connection: socket.socket) -> NoReturn:
    code = 70
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        message, streams, _, _ = socket.recv_fds(connection, 4096, 3)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        folder, host = (os.fsdecode(part) for part in message.split(b"\0"))
        code = _Host(Path(folder), host).reply(connection)
        connection.send(bytes([code]))
    except BaseException as problem:
        os.write(2, f"{problem!r}\n".encode())
    finally:
        os._exit(code)


class _Host:
    def __init__(self, folder: Path, host: str) -> None:
        self._folder, self._host = folder, host
        self._file = folder / "hosts" / f"{host}.json"

    def reply(self, connection: socket.socket) -> int:
        """Reads the request and answers, or fails. Returns the exit code."""
        with open(0, "rb", closefd=False) as stdin:
            content = stdin.read()
        request = json.loads(content)
        fault, detail = self._order(request["kind"])
        if fault in NEVER_THERE:
            code, text = NEVER_THERE[fault]
            os.write(2, text.encode())
            return code
        if fault == "hang-before":
            time.sleep(_HANGS_S)
        setattr(host_acts, "launch", self._launch(connection))  # noqa: B010 - it is not exported there
        content = _of_another_version(fault, request, content)
        if fault == "full":
            fill(detail)
        if fault == "kill-executor":
            _at_record(int(detail), lambda: os.kill(os.getpid(), signal.SIGKILL))
        if fault == "compiler":
            _other_compiler()
        answer = self._answer(content)
        return _sent(fault, answer, request["kind"])

    def _order(self, kind: str) -> tuple[str, str]:
        """The fault of this request; empty for none. Each is noted, so that a case proves that it struck."""
        noted = self._folder / "asked" / self._host
        noted.parent.mkdir(exist_ok=True)
        earlier = noted.read_text().split() if noted.exists() else []
        orders = self._folder / "orders" / f"{self._host}.json"
        found = ("", "")
        for order in json.loads(orders.read_text()) if orders.exists() else []:
            before = earlier.count(kind) - order["since"].get(kind, 0)
            if order["kind"] == kind and order["skip"] <= before < order["skip"] + order["times"]:
                found = order["fault"], order["detail"]
        with noted.open("a") as file:
            file.write(f"{kind} {'struck:' + found[0] if found[0] else ''}\n")
        return found

    def _answer(self, content: bytes) -> bytes:
        """What the host's own program writes."""
        out = io.StringIO()
        sys.stdin = io.TextIOWrapper(io.BytesIO(content))
        with contextlib.redirect_stdout(out):
            fleet_host(argparse.Namespace(simulated=str(self._file)))
        return out.getvalue().encode()

    def _launch(self, connection: socket.socket) -> Callable[..., Launched]:
        """In place of `launch`: the executor is forked, everything else as there."""

        def launched(run: Path, purpose: Any, digest: str, *, simulated: bool, speed_up: float = 1) -> Launched:
            try:
                output = os.open(run / EXECUTOR_OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            except OSError as problem:
                raise MachineFailed(f"the executor cannot be started: {problem}", hint="raidtui status") from problem
            executor = os.fork()
            if executor:
                os.close(output)
                return Launched("forked", process=_Forked(executor))  # type: ignore[arg-type]
            code = 3
            try:
                os.setsid()
                connection.close()
                for number in (1, 2):
                    os.dup2(output, number)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                code = execute(run, purpose, digest, speed_up=speed_up)
            except RaidtuiError as problem:
                os.write(2, f"{problem}\n".encode())
                code = problem.exit_code
            finally:
                os._exit(code)

        return launched


class _Forked:
    """A process as `programs.Process` shows it."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        if self._code is None:
            number, status = os.waitpid(self._number, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if number else None
        return self._code


def fill(what: str) -> None:
    """From now on this process, and what it forks, cannot write `what`: MOMENT:FILE, the file by name or its start."""
    moment, _, name = what.partition(":")

    def full(path: Any) -> bool:
        return not isinstance(path, int) and Path(os.fsdecode(path)).name.startswith(name)

    def no_room(path: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    def opened(event: str, given: tuple[Any, ...]) -> None:
        if moment == "create" and event == "open" and given[2] & (os.O_WRONLY | os.O_RDWR) and full(given[0]):
            no_room(given[0])
        if moment == "mkdir" and event == "os.mkdir" and full(given[0]):
            no_room(given[0])

    sys.addaudithook(opened)
    if moment == "write":
        _wrap(os, "fsync", lambda handle, *_: no_room(name) if full(_path(handle)) else None)
    if moment == "allocate":
        _wrap(os, "posix_fallocate", lambda handle, *_: no_room(name) if full(_path(handle)) else None)
    if moment == "record":  # FILE is the number of the first record that finds no room
        _at_record(int(name), lambda: no_room("journal"))


def _at_record(number: int, strike: Callable[[], object]) -> None:
    """Calls `strike` in place of writing record `number` of a journal, and of any later one."""
    written = [0]

    def count(handle: int, *_: Any) -> None:
        written[0] += _path(handle).name == "journal"
        if written[0] >= number:
            strike()

    _wrap(os, "pwrite", count)


def _path(handle: int) -> Path:
    return Path(os.readlink(f"/proc/self/fd/{handle}"))  # noqa: PTH115


def _wrap(module: Any, name: str, before: Callable[..., None]) -> None:
    own = getattr(module, name)

    def called(*given: Any) -> Any:
        before(*given)
        return own(*given)

    setattr(module, name, called)


def _of_another_version(fault: str, request: dict[str, Any], content: bytes) -> bytes:
    """The request as the host's raidtui understands it."""
    if fault == "kind-unknown":
        request = {**request, "kind": "weigh"}
    elif fault == "later-order":
        order = json.loads(request["content"])
        order["plan" if "plan" in order else "claim"]["colour"] = "green"
        request = {**request, "content": json.dumps(order)}
    else:
        return content
    return json.dumps(request).encode()


def _other_compiler() -> None:
    own = compile_plan

    def compiled(*given: Any, **more: Any) -> Any:
        plan = own(*given, **more)
        first = replace(plan.steps[0], title="Another title")
        return replace(plan, steps=(first, *plan.steps[1:]))

    setattr(build, "compile_plan", compiled)  # noqa: B010 - it is not exported there


def _sent(fault: str, answer: bytes, kind: str) -> int:
    """Writes the answer to standard output, as the fault makes it. Returns the exit code."""
    if fault in CUT_OFF:
        os.write(2, CUT_OFF[fault].encode())
        return 255
    if fault in ("hang", "stuck"):
        _write(answer[:40] if fault == "stuck" else b"")
        time.sleep(_HANGS_S)
    if fault in ("endless", "line", "noisy"):
        part = b"y\n" * 32768 if fault == "endless" else b"x" * 65536
        with contextlib.suppress(OSError):
            while True:
                os.write(2 if fault == "noisy" else 1, part)
    _write(_mangled(fault, answer, kind))
    return 0


def _write(data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        while data:
            data = data[os.write(1, data) :]


def _mangled(fault: str, answer: bytes, kind: str) -> bytes:
    fields = json.loads(answer)
    match fault:
        case "half":
            return answer[: len(answer) // 2]
        case "twice":
            return answer + answer
        case "greeting":
            return b"Welcome to \x1b[31mnode02\x07\n" + answer
        case "binary":
            return bytes(range(256)) + b"\n"
        case "deep":
            return b'{"a":' * 100_000 + b"\n"
        case "wide":
            return b'{"schema":"raidtui/host-answer/1","inventory":{"disks":[' + b"{}," * 100_001 + b"{}]}}\n"
        case "kind-unknown":
            fields["kind"] = kind
        case "other-host":
            fields["host"] = "node01"
        case "replayed":
            fields["nonce"] = "0" * 32
        case "later":
            fields |= {"raidtui": "99.0", "colour": "green"}
        case "later-schema":
            fields |= {"raidtui": "99.0", "schema": "raidtui/host-answer/2"}
        case "later-content":
            fields |= {"raidtui": "99.0", "content": json.dumps({**json.loads(fields["content"]), "colour": 1})}
        case "no-content":
            fields["content"] = "{"
        case "ahead" | "behind":
            for name in {"time_s", "started_s"} & fields.keys():
                fields[name] += 3600 if fault == "ahead" else -3600
        case "endless-time":
            return answer.replace(b'"time_s": ', b'"time_s": 1e999 , "x": ')
        case "hostile":
            fields = _hostile(fields, kind)
        case "lies-claimed" | "lies-other-machine" | "lies-failed":
            fields |= {"refused": f"no{HOSTILE}", "hint": HOSTILE, "refusal": fault.removeprefix("lies-")}
        case _:
            return answer
    return json.dumps(fields).encode() + b"\n"


def _hostile(fields: dict[str, Any], kind: str) -> dict[str, Any]:
    """Escape sequences in every text that is shown."""
    if kind in RUN_KINDS and fields.get("content"):
        content = json.loads(fields["content"])
        if content.get("run"):
            content["run"]["reason"] = HOSTILE
        if content.get("claim"):
            content["claim"]["control"] = HOSTILE
        return {**fields, "raidtui": HOSTILE, "content": json.dumps(content)}
    if fields.get("inventory"):
        for disk in fields["inventory"]["disks"]:
            disk["model"] = disk["firmware"] = HOSTILE
        fields["inventory"]["unread"] = [HOSTILE]
    return {**fields, "raidtui": HOSTILE}
